// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_shading.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace clearance::cli {
namespace {

/// Faces that meet at more than this are apart: cos of 38 degrees, so that a cylinder of ten sides
/// looks round and a chamfer of 45 degrees keeps its edges.
constexpr double kSharp = 0.788;
/// Meshes with more triangles go without their edges drawn: they would be a grey cloud.
constexpr std::size_t kMostTrianglesWithEdges = 1'500'000;

/// Which corners (3 * triangle + k) meet at each vertex.
class Corners {
 public:
  explicit Corners(const Mesh& mesh) : first_(mesh.vertex_count() + 1, 0) {
    for (const Face& face : mesh.faces())
      for (const std::uint32_t v : face) ++first_[v + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    corners_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    std::uint32_t corner = 0;
    for (const Face& face : mesh.faces())
      for (const std::uint32_t v : face) corners_[next[v]++] = corner++;
  }
  [[nodiscard]] std::span<const std::uint32_t> at(std::size_t vertex) const {
    return {corners_.data() + first_[vertex], corners_.data() + first_[vertex + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> corners_;
};

std::array<std::int8_t, 4> packed(const Vec3& normal) {
  const double length = norm(normal);
  const Vec3 n = length > 0.0 ? normal / length : Vec3{0.0, 0.0, 1.0};
  const auto byte = [](double v) { return static_cast<std::int8_t>(std::lround(127.0 * v)); };
  return {byte(n.x), byte(n.y), byte(n.z), 0};
}

/// Edges whose two triangles meet sharply, and those that do not have two.
std::vector<std::array<std::uint32_t, 2>> sharp_edges(const Mesh& mesh,
                                                      const std::vector<Vec3>& normals,
                                                      const std::vector<Face>& shaded_faces) {
  struct Side {
    std::uint64_t edge;  // lower vertex in the upper half
    std::uint32_t triangle;
    std::uint32_t corner;
  };
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangle_count());
  for (std::uint32_t t = 0; t < mesh.triangle_count(); ++t) {
    const Face& f = mesh.faces()[t];
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(f[k], f[(k + 1) % 3]);
      if (a != b) sides.push_back({std::uint64_t{a} << 32 | b, t, k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    return x.edge != y.edge ? x.edge < y.edge : x.triangle < y.triangle;
  });
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    const bool smooth =
        end - i == 2 && dot(normals[sides[i].triangle], normals[sides[i + 1].triangle]) > kSharp;
    if (!smooth) {
      const Face& f = shaded_faces[sides[i].triangle];
      edges.push_back({f[sides[i].corner], f[(sides[i].corner + 1) % 3]});
    }
    i = end;
  }
  return edges;
}

}  // namespace

ShadedMesh shaded(const Mesh& mesh) {
  // Normals, of the length of the area for the mean and of unit length to compare.
  std::vector<Vec3> areas(mesh.triangle_count());
  std::vector<Vec3> units(mesh.triangle_count());
  for (std::size_t t = 0; t < areas.size(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    areas[t] = cross(triangle.b - triangle.a, triangle.c - triangle.a);
    const double length = norm(areas[t]);
    if (length > 0.0) units[t] = areas[t] / length;
  }

  ShadedMesh out;
  const Box box = mesh.bounds();
  out.center = box.center();
  out.faces.resize(mesh.triangle_count());
  const Corners corners(mesh);
  // The corners at a vertex fall into groups that look the same way; each becomes one vertex.
  struct Group {
    Vec3 first;
    Vec3 sum;
    std::uint32_t index;
  };
  std::vector<Group> groups;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    groups.clear();
    for (const std::uint32_t corner : corners.at(v)) {
      const std::uint32_t t = corner / 3;
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
        return dot(g.first, units[t]) > kSharp || units[t] == Vec3{};
      });
      if (group == groups.end()) {
        const Vec3 p = mesh.vertices()[v] - out.center;
        groups.push_back({units[t], {}, static_cast<std::uint32_t>(out.positions.size())});
        out.positions.push_back(
            {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
        out.origin.push_back(v);
        group = groups.end() - 1;
      }
      group->sum += areas[t];
      out.faces[t][corner % 3] = group->index;
    }
    for (const Group& group : groups) out.normals.push_back(packed(group.sum));
  }
  if (mesh.triangle_count() <= kMostTrianglesWithEdges)
    out.edges = sharp_edges(mesh, units, out.faces);
  return out;
}

}  // namespace clearance::cli
