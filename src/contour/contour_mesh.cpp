// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <clearance/base/assert.h>
#include <clearance/contour/contour_mesh.h>

namespace clearance {

Mesh contour_mesh(std::span<const ContourSegment> segments) {
  CLEARANCE_ASSERT(!segments.empty());
  constexpr std::uint32_t kSides = kContourMeshSides;
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<MeshPart> parts;
  for (const ContourSegment& segment : segments) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    const auto first_face = static_cast<std::uint32_t>(faces.size());
    const std::uint32_t rings = is_convex(segment) ? 2 : kContourMeshRings;
    for (std::uint32_t ring = 0; ring < rings; ++ring) {
      const double eta = static_cast<double>(ring) / (rings - 1);
      for (std::uint32_t k = 0; k < kSides; ++k) {
        const double theta = 2.0 * std::numbers::pi * k / kSides;
        vertices.push_back(segment.at(eta, std::cos(theta), std::sin(theta)));
        if (ring == 0) continue;
        const std::uint32_t next = (k + 1) % kSides;
        const std::uint32_t below = base + (ring - 1) * kSides;
        const std::uint32_t above = base + ring * kSides;
        faces.push_back({below + k, below + next, above + next});
        faces.push_back({below + k, above + next, above + k});
      }
    }
    const std::uint32_t end = base + (rings - 1) * kSides;
    for (std::uint32_t k = 1; k + 1 < kSides; ++k) {
      faces.push_back({base, base + k + 1, base + k});
      faces.push_back({end, end + k, end + k + 1});
    }
    // Outward when the circles turn right-handed about the way from the first to the second.
    const Vec3 normal = cross(segment.start.u, segment.start.v);
    if (dot(normal, segment.end.center - segment.start.center) < 0.0)
      for (std::size_t f = first_face; f < faces.size(); ++f) std::swap(faces[f][1], faces[f][2]);
    parts.push_back({"segment " + std::to_string(parts.size()), first_face,
                     static_cast<std::uint32_t>(faces.size()) - first_face});
  }
  Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces), std::move(parts));
  CLEARANCE_ASSERT(mesh.ok());
  return std::move(mesh).value();
}

}  // namespace clearance
