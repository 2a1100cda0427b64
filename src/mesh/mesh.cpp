// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <clearance/mesh/mesh.h>

namespace clearance {
namespace {

Error refuse(std::string place, std::string reason) {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), ""};
}

}  // namespace

Mesh::Mesh() : data_(std::make_shared<const Data>()) {}

Result<Mesh> Mesh::make(std::vector<Vec3> vertices, std::vector<Face> faces,
                        std::vector<MeshPart> parts) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (vertices.size() > kMost) return refuse("", "more than 4294967295 vertices");
  if (faces.size() > kMost) return refuse("", "more than 4294967295 triangles");
  if (faces.empty()) return refuse("", "no triangles");
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!is_finite(vertices[i]))
      return refuse("vertex " + std::to_string(i), "coordinate is not finite");
  }
  for (std::size_t i = 0; i < faces.size(); ++i) {
    for (const std::uint32_t v : faces[i]) {
      if (v >= vertices.size()) {
        return refuse("triangle " + std::to_string(i), "uses vertex " + std::to_string(v) +
                                                           ", but there are only " +
                                                           std::to_string(vertices.size()));
      }
    }
  }
  for (const MeshPart& part : parts) {
    if (std::size_t{part.first_triangle} + part.triangle_count > faces.size()) {
      return refuse("part '" + part.name + "'", "reaches beyond the last triangle");
    }
  }
  return Mesh(
      std::make_shared<const Data>(Data{std::move(vertices), std::move(faces), std::move(parts)}));
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

}  // namespace clearance
