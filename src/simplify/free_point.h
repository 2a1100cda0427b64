// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Places where a ball of radius s fits beside a body: points of D(s) = {x : dist(x, M) >= s}, found
// by walking. What is found is proven; that nothing is found proves nothing.
#pragma once

#include <clearance/geometry/vector.h>

#include "simplify/body_probe.h"

namespace clearance::detail {

/// A point with free space around it.
struct FreePoint {
  bool found = false;
  Vec3 point;
  double radius = 0.0;   // proven free, at least s [m]
  SurfacePoint surface;  // as seen from the point
};

/// Looks for a point of D(s) near `start` by moving away from the surface: up to `steps` distances.
/// `start_is_outside`: known not to be inside the solid.
[[nodiscard]] FreePoint push_out(const BodyProbe& body, double s, int steps, const Vec3& start,
                                 bool start_is_outside);

/// From a point of D(s) to one nearer to c, in the end to the nearest thereabouts, which touches
/// the body in up to three places. Up to `steps` distances; stops as soon as it is within `enough`
/// of c.
[[nodiscard]] FreePoint draw_near(const BodyProbe& body, double s, int steps,
                                  const FreePoint& start, const Vec3& c, double enough);

}  // namespace clearance::detail
