// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Signs of determinants, never wrong. A floating-point filter decides nearly all cases; what it
// cannot decide is computed exactly. The answer is the sign for the exact given doubles provided
// every non-zero coordinate has a magnitude between 2^-250 and 2^250 (about 1e-75 and 1e75).
#pragma once

#include <clearance/geometry/shapes.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// Sign (-1, 0, 1) of det[a - d, b - d, c - d]: on which side of the plane through a, b and c the
/// point d lies. Positive when a, b, c turn clockwise seen from d. 0: the four are coplanar.
[[nodiscard]] int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of the area of the triangle (ax, ay), (bx, by), (cx, cy): 1 counter-clockwise, 0 collinear.
[[nodiscard]] int orientation_2d(double ax, double ay, double bx, double by, double cx, double cy);

/// Sign of |p - center| - radius, for a radius >= 0: -1 in the ball, 0 on its surface, 1 outside.
[[nodiscard]] int side_of_ball(const Vec3& p, const Sphere& ball);

/// True when the three corners are exactly collinear (two or all three may be equal).
[[nodiscard]] bool has_zero_area(const Triangle& triangle);

}  // namespace clearance
