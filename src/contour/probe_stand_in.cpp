// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_stand_in.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/level_of_detail.h>
#include <clearance/query/shapes.h>

#include "contour/probe_spheres.h"

namespace clearance::detail {
namespace {

// A triangle whose bound is above this multiple of the largest distance of a vertex is cut in four,
// so many times at most: each time costs three more distances for each triangle that is left.
constexpr double kGoodBound = 1.25;
constexpr int kMostCuts = 3;
// Rounding of distances (kDistanceError) and of the coordinates of cut triangles, as a fraction of
// the size of the mesh.
constexpr double kRounding = 1e-13;

struct Corner {
  Vec3 position;
  double distance;     // from the stand-in
  std::uint32_t near;  // its triangle that is nearest
};

class ErrorBound {
 public:
  explicit ErrorBound(const Bvh& stand_in) : stand_in_(stand_in) {}

  [[nodiscard]] Corner corner(const Vec3& p) const {
    const ShapeDistance found = distance(stand_in_, p);
    return {p, found.distance, found.triangle};
  }
  /// No point of the triangle is farther; the search for less ends below `good`.
  [[nodiscard]] double of_triangle(const Corner (&corners)[3], double good, int cuts) const {
    const Triangle t{corners[0].position, corners[1].position, corners[2].position};
    double bound = std::max({corners[0].distance, corners[1].distance, corners[2].distance}) +
                   sphere_of(t).radius;
    if (bound <= good) return bound;
    for (const Corner& c : corners) {
      const Triangle near = stand_in_.triangle(c.near);
      const double farthest_sq = std::max(
          {squared_distance(t.a, near), squared_distance(t.b, near), squared_distance(t.c, near)});
      bound = std::min(bound, std::sqrt(farthest_sq));
    }
    if (bound <= good || cuts == 0) return bound;
    const Corner ab = corner(0.5 * (t.a + t.b));
    const Corner bc = corner(0.5 * (t.b + t.c));
    const Corner ca = corner(0.5 * (t.c + t.a));
    const Corner pieces[4][3] = {
        {corners[0], ab, ca}, {ab, corners[1], bc}, {ca, bc, corners[2]}, {ab, bc, ca}};
    double of_pieces = 0.0;
    for (const auto& piece : pieces)
      of_pieces = std::max(of_pieces, of_triangle(piece, good, cuts - 1));
    return std::min(bound, of_pieces);
  }

 private:
  const Bvh& stand_in_;
};

Mesh part_of(const ProbeMesh& mesh, std::span<const std::uint32_t> triangles) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  faces.reserve(triangles.size());
  std::unordered_map<std::uint32_t, std::uint32_t> number_of;
  number_of.reserve(triangles.size());
  for (const std::uint32_t t : triangles) {
    Face face;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.faces[t][k];
      const auto [place, is_new] =
          number_of.emplace(v, static_cast<std::uint32_t>(vertices.size()));
      if (is_new) vertices.push_back(mesh.vertices[v]);
      face[k] = place->second;
    }
    faces.push_back(face);
  }
  Result<Mesh> part = Mesh::make(std::move(vertices), std::move(faces));
  CLEARANCE_ASSERT(part.ok());  // as the mesh it is a part of
  return std::move(part).value();
}

}  // namespace

StandIn stand_in_for(const ProbeMesh& mesh, std::span<const std::uint32_t> triangles,
                     std::size_t target_triangles) {
  Mesh part = part_of(mesh, triangles);
  const Result<LevelOfDetail> simple =
      simplified(part, {.target_triangles = std::max<std::size_t>(1, target_triangles)});
  if (!simple || simple->mesh.triangle_count() >= part.triangle_count())
    return {std::move(part), 0.0};
  const Result<Bvh> tree =
      Bvh::build(simple->mesh.vertices(), simple->mesh.faces(), {.threads = Threads{1}});
  if (!tree) return {std::move(part), 0.0};

  const ErrorBound bound(*tree);
  std::vector<Corner> corners;
  corners.reserve(part.vertex_count());
  double farthest = 0.0;
  for (const Vec3& v : part.vertices()) {
    corners.push_back(bound.corner(v));
    farthest = std::max(farthest, corners.back().distance);
  }
  // What one triangle cannot help the others need not better.
  double error = kGoodBound * farthest;
  for (const Face& f : part.faces())
    error = std::max(
        error, bound.of_triangle({corners[f[0]], corners[f[1]], corners[f[2]]}, error, kMostCuts));
  return {simple->mesh, error + kRounding * (mesh.reach + error)};
}

}  // namespace clearance::detail
