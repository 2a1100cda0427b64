// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <clearance/mesh/mesh.h>

namespace clearance {
namespace {

Error refuse(std::string place, std::string reason) {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), ""};
}

// The two checks below are on the path of every reader. They go through whole arrays without a
// branch, so that the compiler makes vector code of them; only a failure looks for the culprit.

bool all_finite(std::span<const Vec3> points) {
  constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000u;
  const auto not_finite = [](double value) {
    return std::uint64_t{(std::bit_cast<std::uint64_t>(value) & kExponent) == kExponent};
  };
  std::uint64_t bad = 0;
  for (const Vec3& p : points) bad |= not_finite(p.x) | not_finite(p.y) | not_finite(p.z);
  return bad == 0;
}

std::uint32_t largest_index(std::span<const Face> faces) {
  std::uint32_t largest = 0;
  for (const Face& face : faces) largest = std::max({largest, face[0], face[1], face[2]});
  return largest;
}

}  // namespace

Mesh::Mesh() : data_(std::make_shared<const Data>()) {}

Result<Mesh> Mesh::make(std::vector<Vec3> vertices, std::vector<Face> faces,
                        std::vector<MeshPart> parts) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (vertices.size() > kMost) return refuse("", "more than 4294967295 vertices");
  if (faces.size() > kMost) return refuse("", "more than 4294967295 triangles");
  if (faces.empty()) return refuse("", "no triangles");
  if (!all_finite(vertices)) {
    const auto culprit = std::find_if_not(vertices.begin(), vertices.end(), is_finite);
    return refuse("vertex " + std::to_string(culprit - vertices.begin()),
                  "coordinate is not finite");
  }
  if (largest_index(faces) >= vertices.size()) {
    const auto beyond = [&](std::uint32_t v) { return v >= vertices.size(); };
    const auto culprit = std::find_if(faces.begin(), faces.end(), [&](const Face& face) {
      return std::any_of(face.begin(), face.end(), beyond);
    });
    const std::uint32_t index = *std::find_if(culprit->begin(), culprit->end(), beyond);
    return refuse("triangle " + std::to_string(culprit - faces.begin()),
                  "uses vertex " + std::to_string(index) + ", but there are only " +
                      std::to_string(vertices.size()));
  }
  for (const MeshPart& part : parts) {
    if (std::size_t{part.first_triangle} + part.triangle_count > faces.size()) {
      return refuse("part '" + part.name + "'", "reaches beyond the last triangle");
    }
  }
  struct Arrays {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
  };
  auto arrays = std::make_shared<const Arrays>(Arrays{std::move(vertices), std::move(faces)});
  return Mesh(std::make_shared<const Data>(
      Data{arrays->vertices, arrays->faces, std::move(parts), arrays}));
}

Box Mesh::bounds() const {
  Box box;
  for (const Face& face : data_->faces) {
    for (const std::uint32_t v : face) box.include(data_->vertices[v]);
  }
  return box;
}

std::size_t Mesh::memory_bytes() const {
  std::size_t bytes = data_->vertices.size() * sizeof(Vec3) + data_->faces.size() * sizeof(Face);
  for (const MeshPart& part : data_->parts) bytes += sizeof(MeshPart) + part.name.size();
  return bytes;
}

Mesh transformed(const Mesh& mesh, const Pose& pose) {
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : vertices) v = pose * v;
  return Mesh::make(std::move(vertices), {mesh.faces().begin(), mesh.faces().end()},
                    {mesh.parts().begin(), mesh.parts().end()})
      .value();
}

Mesh scaled(const Mesh& mesh, const Vec3& factors) {
  CLEARANCE_ASSERT(is_finite(factors) && factors.x * factors.y * factors.z != 0.0);
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : vertices) v = {v.x * factors.x, v.y * factors.y, v.z * factors.z};
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  // A reflection turns each triangle's winding; swapping two corners turns it back. Signs are
  // counted, since the product of three small factors may underflow.
  const bool reflects = std::signbit(factors.x) ^ std::signbit(factors.y) ^ std::signbit(factors.z);
  if (reflects) {
    for (Face& face : faces) std::swap(face[1], face[2]);
  }
  return Mesh::make(std::move(vertices), std::move(faces),
                    {mesh.parts().begin(), mesh.parts().end()})
      .value();
}

Result<Mesh> merged(std::span<const Mesh> meshes, std::span<const std::string> names) {
  if (meshes.size() != names.size()) return refuse("", "as many names as meshes are needed");
  std::size_t vertex_count = 0;
  std::size_t face_count = 0;
  for (const Mesh& mesh : meshes) {
    vertex_count += mesh.vertex_count();
    face_count += mesh.triangle_count();
  }
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (vertex_count > kMost || face_count > kMost)
    return refuse("", "together more than 4294967295 vertices or triangles");
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<MeshPart> parts;
  vertices.reserve(vertex_count);
  faces.reserve(face_count);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const Mesh& mesh = meshes[i];
    const auto first_vertex = static_cast<std::uint32_t>(vertices.size());
    const auto first_face = static_cast<std::uint32_t>(faces.size());
    vertices.insert(vertices.end(), mesh.vertices().begin(), mesh.vertices().end());
    for (const Face& f : mesh.faces())
      faces.push_back({f[0] + first_vertex, f[1] + first_vertex, f[2] + first_vertex});
    if (mesh.parts().empty()) {
      parts.push_back({names[i], first_face, static_cast<std::uint32_t>(mesh.triangle_count())});
    }
    for (const MeshPart& part : mesh.parts()) {
      parts.push_back(
          {names[i] + "/" + part.name, first_face + part.first_triangle, part.triangle_count});
    }
  }
  return Mesh::make(std::move(vertices), std::move(faces), std::move(parts));
}

Result<Mesh> submesh(const Mesh& mesh, std::size_t first, std::size_t count) {
  if (first > mesh.triangle_count() || count > mesh.triangle_count() - first) {
    return refuse("triangle " + std::to_string(first),
                  "the range of " + std::to_string(count) +
                      " triangles reaches beyond the last, number " +
                      std::to_string(mesh.triangle_count()));
  }
  const std::span<const Face> range = mesh.faces().subspan(first, count);

  // The vertices in use, sorted, and the new number of each by first use. Sorting costs by the size
  // of the range, not of the mesh: cutting a mesh into all its parts stays cheap.
  std::vector<std::uint32_t> used;
  used.reserve(3 * count);
  for (const Face& face : range) used.insert(used.end(), face.begin(), face.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  constexpr std::uint32_t kUnnumbered = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(used.size(), kUnnumbered);

  std::vector<Vec3> vertices;
  std::vector<Face> faces(range.begin(), range.end());
  vertices.reserve(used.size());
  for (Face& face : faces) {
    for (std::uint32_t& v : face) {
      const auto at = std::lower_bound(used.begin(), used.end(), v) - used.begin();
      std::uint32_t& own = number[static_cast<std::size_t>(at)];
      if (own == kUnnumbered) {
        own = static_cast<std::uint32_t>(vertices.size());
        vertices.push_back(mesh.vertices()[v]);
      }
      v = own;
    }
  }

  // Parts are cut to the range; those outside it go.
  std::vector<MeshPart> parts;
  for (const MeshPart& part : mesh.parts()) {
    const std::size_t begin = std::max<std::size_t>(part.first_triangle, first);
    const std::size_t end = std::min<std::size_t>(
        std::size_t{part.first_triangle} + part.triangle_count, first + count);
    if (begin >= end) continue;
    parts.push_back({part.name, static_cast<std::uint32_t>(begin - first),
                     static_cast<std::uint32_t>(end - begin)});
  }
  return Mesh::make(std::move(vertices), std::move(faces), std::move(parts));
}

}  // namespace clearance
