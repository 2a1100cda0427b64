// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/swept_surface.h"

#include <algorithm>
#include <cstdint>

#include <clearance/geometry/mass.h>

namespace clearance::detail {
namespace {

// A triangle whose normal is within this sine of being square to the way counts as lying along it:
// all its edges keep their parallelograms. Far above rounding; more of them do no harm.
constexpr double kAlong = 1e-9;

struct Edge {
  std::uint32_t a = 0;  // a < b
  std::uint32_t b = 0;
  int facing = 0;  // of its triangle: 1 forward, -1 backward, 0 along the way
  bool operator<(const Edge& other) const { return a != other.a ? a < other.a : b < other.b; }
};

}  // namespace

Mesh swept_surface(const Mesh& body, const Vec3& by) {
  const Mesh joined = welded(body);
  const Vec3 direction = normalized(by);
  const auto count = static_cast<std::uint32_t>(joined.vertex_count());
  std::vector<Vec3> vertices(joined.vertices().begin(), joined.vertices().end());
  vertices.reserve(2 * vertices.size());
  for (std::uint32_t i = 0; i < count; ++i) vertices.push_back(vertices[i] + by);

  std::vector<Face> faces;
  std::vector<Edge> edges;
  edges.reserve(3 * joined.triangle_count());
  for (std::size_t t = 0; t < joined.triangle_count(); ++t) {
    const Face& face = joined.faces()[t];
    const double along = dot(triangle_normal(joined.triangle(t)), direction);
    const int facing = along > kAlong ? 1 : (along < -kAlong ? -1 : 0);
    faces.push_back(face);
    faces.push_back({face[0] + count, face[1] + count, face[2] + count});
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t p = face[k];
      const std::uint32_t q = face[(k + 1) % 3];
      edges.push_back({std::min(p, q), std::max(p, q), facing});
    }
  }
  std::stable_sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i;
    int forward = 0;
    int backward = 0;
    for (; end < edges.size() && !(edges[i] < edges[end]); ++end) {
      forward += edges[end].facing > 0 ? 1 : 0;
      backward += edges[end].facing < 0 ? 1 : 0;
    }
    const auto uses = static_cast<int>(end - i);
    const bool inner = uses == 2 && (forward == 2 || backward == 2);
    const Edge& edge = edges[i];
    if (!inner && edge.a != edge.b) {
      faces.push_back({edge.a, edge.b, edge.b + count});
      faces.push_back({edge.a, edge.b + count, edge.a + count});
    }
    i = end;
  }
  Result<Mesh> result = Mesh::make(std::move(vertices), std::move(faces));
  CLEARANCE_ASSERT(result.ok());
  return result.ok() ? std::move(result).value() : body;
}

}  // namespace clearance::detail
