// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/convex_shape.h"

#include <cmath>

#include "simplify/ball_set.h"

namespace clearance::detail {
namespace {

ConvexShape with_slack(ConvexShape shape, double reach) {
  // Turning a point and taking its parts apart is some ten operations more than a distance; a
  // rotation that is off moves points by as much of their distance.
  const double size = reach + norm(shape.center) + norm(shape.half) + shape.radius;
  shape.slack = (2.0 * kHalvingRounding + 2.0 * rigidity_error(shape.rotation)) * size;
  return shape;
}

}  // namespace

Mat3 axes_along(const Vec3& direction) {
  const Vec3 x = normalized(direction);
  const Vec3 steep = abs(x);
  const Vec3 other = steep.x <= steep.y && steep.x <= steep.z ? Vec3{1, 0, 0}
                     : steep.y <= steep.z                     ? Vec3{0, 1, 0}
                                                              : Vec3{0, 0, 1};
  const Vec3 y = normalized(cross(x, other));
  return Mat3::from_columns(x, y, cross(x, y));
}

ConvexShape convex_shape(const Sphere& sphere, double reach) {
  return with_slack({sphere.center, Mat3::identity(), {}, sphere.radius}, reach);
}

ConvexShape convex_shape(const Capsule& capsule, double reach) {
  const Vec3 way = capsule.axis.b - capsule.axis.a;
  const double length = norm(way);
  ConvexShape shape{0.5 * (capsule.axis.a + capsule.axis.b), Mat3::identity(), {}, capsule.radius};
  if (length > 0.0) {
    shape.rotation = axes_along(way);
    shape.half.x = 0.5 * length;
  }
  return with_slack(shape, reach);
}

ConvexShape convex_shape(const OrientedBox& box, double reach) {
  return with_slack({box.world_from_box.translation, box.world_from_box.rotation, box.half_size},
                    reach);
}

}  // namespace clearance::detail
