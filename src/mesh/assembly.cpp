// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <utility>

#include <clearance/mesh/assembly.h>

namespace clearance {

std::size_t Assembly::triangle_count() const {
  std::size_t count = 0;
  for (const AssemblyPart& part : parts) count += part.mesh.triangle_count();
  return count;
}

Box Assembly::bounds() const {
  Box box;
  for (const AssemblyPart& part : parts) {
    for (const Face& face : part.mesh.faces()) {
      for (const std::uint32_t v : face)
        box.include(part.world_from_part * part.mesh.vertices()[v]);
    }
  }
  return box;
}

const AssemblyPart* Assembly::find(const std::string& name) const {
  for (const AssemblyPart& part : parts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

Mesh Assembly::flattened() const {
  const std::size_t triangles = triangle_count();
  if (triangles == 0) return {};
  std::size_t vertex_total = 0;
  for (const AssemblyPart& part : parts) vertex_total += part.mesh.vertex_count();

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<MeshPart> ranges;
  vertices.reserve(vertex_total);
  faces.reserve(triangles);
  ranges.reserve(parts.size());
  for (const AssemblyPart& part : parts) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    ranges.push_back({part.name, static_cast<std::uint32_t>(faces.size()),
                      static_cast<std::uint32_t>(part.mesh.triangle_count())});
    // The identity is skipped, so that a file without placement keeps the sign of its zeros.
    const bool in_place = part.world_from_part == Pose::identity();
    for (const Vec3& v : part.mesh.vertices()) {
      vertices.push_back(in_place ? v : part.world_from_part * v);
    }
    for (const Face& f : part.mesh.faces()) {
      faces.push_back({f[0] + base, f[1] + base, f[2] + base});
    }
  }
  Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces), std::move(ranges));
  return std::move(mesh).value();
}

}  // namespace clearance
