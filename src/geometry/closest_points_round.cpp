// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres and capsules: the closest points of the centre or axis, moved outward by the radii.
#include <clearance/geometry/closest_points.h>

namespace clearance {
namespace {

/// The shapes within radius_a and radius_b of two cores whose closest points are given.
ClosestPoints swept(const ClosestPoints& core, double radius_a, double radius_b) {
  const double reach = radius_a + radius_b;
  const Vec3 gap = core.on_b - core.on_a;
  if (core.distance <= reach) {
    // A point of both: the reach is at least the distance, so cut it in the ratio of the radii.
    const double fraction = reach > 0.0 ? radius_a / reach : 0.0;
    const Vec3 common = core.on_a + fraction * gap;
    return {common, common, 0.0};
  }
  const Vec3 direction = normalized(gap);
  return {core.on_a + radius_a * direction, core.on_b - radius_b * direction,
          core.distance - reach};
}

}  // namespace

ClosestPoints closest_points(const Sphere& a, const Sphere& b) {
  return swept({a.center, b.center, distance(a.center, b.center)}, a.radius, b.radius);
}
ClosestPoints closest_points(const Sphere& a, const Segment& b) {
  return swept(closest_points(a.center, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Sphere& a, const Triangle& b) {
  return swept(closest_points(a.center, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Sphere& a, const Rectangle& b) {
  return swept(closest_points(a.center, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Sphere& a, const Box& b) {
  return swept(closest_points(a.center, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Sphere& a, const OrientedBox& b) {
  return swept(closest_points(a.center, b), a.radius, 0.0);
}

ClosestPoints closest_points(const Capsule& a, const Vec3& p) {
  return closest_points(a, Sphere{p, 0.0});
}
ClosestPoints closest_points(const Capsule& a, const Sphere& b) {
  const ClosestPoints core = closest_points(b.center, a.axis);
  return swept({core.on_b, core.on_a, core.distance}, a.radius, b.radius);
}
ClosestPoints closest_points(const Capsule& a, const Segment& b) {
  return swept(closest_points(a.axis, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Capsule& a, const Capsule& b) {
  return swept(closest_points(a.axis, b.axis), a.radius, b.radius);
}
ClosestPoints closest_points(const Capsule& a, const Triangle& b) {
  return swept(closest_points(a.axis, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Capsule& a, const Rectangle& b) {
  return swept(closest_points(a.axis, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Capsule& a, const Box& b) {
  return swept(closest_points(a.axis, b), a.radius, 0.0);
}
ClosestPoints closest_points(const Capsule& a, const OrientedBox& b) {
  return swept(closest_points(a.axis, b), a.radius, 0.0);
}

}  // namespace clearance
