// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain_shapes.h"

#include <algorithm>
#include <vector>

#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/mesh/ball_mesh.h>

namespace clearance::cli {
namespace {

/// Of the octahedra that balls are made from, see ball_mesh.h.
constexpr int kBallTimes = 3;

Mesh mesh_of(std::span<const Vec3> vertices, std::span<const Face> faces) {
  Result<Mesh> mesh = Mesh::make({vertices.begin(), vertices.end()}, {faces.begin(), faces.end()});
  return mesh ? std::move(*mesh) : Mesh();
}

Mesh mesh_of(const Capsule& capsule) {
  const std::array<Sphere, 2> ends{
      {{capsule.axis.a, capsule.radius}, {capsule.axis.b, capsule.radius}}};
  Mesh balls = ball_mesh(ends, kBallTimes);
  if (balls.empty()) return balls;
  const Result<ConvexBody> hull = ConvexBody::around(balls.vertices());
  return hull ? mesh_of(hull->corners(), hull->faces()) : balls;
}

}  // namespace

Colour along_chain(double t) {
  constexpr std::array<Colour, 5> kStops{{{0.20, 0.35, 0.80},
                                          {0.15, 0.65, 0.75},
                                          {0.35, 0.70, 0.30},
                                          {0.93, 0.75, 0.25},
                                          {0.82, 0.25, 0.20}}};
  const double x = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
  const double f = x - static_cast<double>(i);
  const Colour& a = kStops[i];
  const Colour& b = kStops[i + 1];
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

Mat3 principal_axes(std::span<const Vec3> points) {
  Vec3 mean;
  for (const Vec3& p : points) mean += p;
  mean = mean / static_cast<double>(points.size());
  Mat3 covariance;
  covariance.rows = {};
  for (const Vec3& p : points) {
    const Vec3 d = p - mean;
    for (std::size_t i = 0; i < 3; ++i) covariance[i] += d[i] * d;
  }
  return eigen_of_symmetric(covariance).vectors;
}

const Mesh& LinkMeshes::of(const LinkShape& shape) {
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const auto& [a, b] = capsule->axis;
    const auto [known, is_new] =
        capsules_.try_emplace({a.x, a.y, a.z, b.x, b.y, b.z, capsule->radius});
    if (is_new) known->second = mesh_of(*capsule);
    return known->second;
  }
  if (const auto* body = std::get_if<ConvexBody>(&shape)) {
    const auto [known, is_new] = bodies_.try_emplace(body->corners().data());
    if (is_new) known->second = mesh_of(body->corners(), body->faces());
    return known->second;
  }
  if (const auto* surface = std::get_if<Bvh>(&shape)) {
    const auto [known, is_new] = bodies_.try_emplace(surface->vertices().data());
    if (is_new) known->second = mesh_of(surface->vertices(), surface->faces());
    return known->second;
  }
  spheres_ = ball_mesh(std::get<LinkSpheres>(shape), kBallTimes);
  return spheres_;
}

}  // namespace clearance::cli
