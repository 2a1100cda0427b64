// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres, capsules and boxes as one shape: all points within a radius of a box, which may be a
// point or a segment. Its signed distance is convex and changes by no more than the way.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/simplify/primitives.h>

namespace clearance::detail {

struct ConvexShape {
  Vec3 center;
  Mat3 rotation;        // columns: the axes of the box
  Vec3 half;            // of the box
  double radius = 0.0;  // around it
  double slack = 0.0;   // what rounding may do to a signed distance

  /// Of a point from the surface, negative inside [m]; to within slack.
  [[nodiscard]] double signed_distance(const Vec3& p) const {
    const Vec3 q = abs(transpose_times(rotation, p - center)) - half;
    return norm(max(q, Vec3{})) + std::min(largest_component(q), 0.0) - radius;
  }
  [[nodiscard]] bool holds(const Vec3& p) const { return signed_distance(p) <= -slack; }
  /// A ball that holds all of it.
  [[nodiscard]] Sphere around() const { return {center, norm(half) + radius}; }
  /// The largest ball in it whose centre is nearest to p.
  [[nodiscard]] Sphere inner_ball(const Vec3& p) const {
    const double least = std::min({half.x, half.y, half.z});
    const Vec3 core = half - Vec3{least, least, least};
    const Vec3 q = max(min(transpose_times(rotation, p - center), core), -core);
    return {center + rotation * q, least + radius};
  }
};

/// `reach`: the largest coordinate of points that will be looked at.
[[nodiscard]] ConvexShape convex_shape(const Sphere& sphere, double reach);
[[nodiscard]] ConvexShape convex_shape(const Capsule& capsule, double reach);
[[nodiscard]] ConvexShape convex_shape(const OrientedBox& box, double reach);

/// Axes with the first along a direction.
[[nodiscard]] Mat3 axes_along(const Vec3& direction);

}  // namespace clearance::detail
