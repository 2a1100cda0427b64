// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The solid angle of a triangle, the term of which winding numbers are the sum.
#pragma once

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// Signed solid angle of the triangle seen from p, as a fraction of the whole sphere: in
/// [-1/2, 1/2], positive when p is behind the triangle (on the inner side). Within 1e-9 wherever p
/// is off the triangle by more than rounding, needles and caps included; usually to the last
/// digits.
double solid_angle_fraction(const Triangle& triangle, const Vec3& p);

}  // namespace clearance::detail
