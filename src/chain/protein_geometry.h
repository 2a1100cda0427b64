// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Angles between atoms, and atoms placed by angles.
#pragma once

#include <cmath>
#include <numbers>

#include <clearance/geometry/vector.h>

namespace clearance::detail {

constexpr double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

/// The torsion a-b-c-d: 0 when a and d are on the same side of the bond b-c, positive when d is
/// turned clockwise seen from b; in (-pi, pi]. 0 where three atoms in line leave it undefined.
inline double dihedral(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 axis = c - b;
  const Vec3 normal_a = cross(b - a, axis);
  const Vec3 normal_d = cross(axis, d - c);
  const double sine = norm(axis) * dot(b - a, normal_d);
  const double cosine = dot(normal_a, normal_d);
  return sine == 0.0 && cosine == 0.0 ? 0.0 : std::atan2(sine, cosine);
}

/// The atom d with the given distance to c, angle b-c-d and torsion a-b-c-d.
inline Vec3 place_atom(const Vec3& a, const Vec3& b, const Vec3& c, double length, double angle,
                       double torsion) {
  // y is the side a is on.
  const Vec3 x = normalized(c - b);
  const Vec3 z = normalized(cross(b - a, x));
  const Vec3 y = cross(z, x);
  const double radius = length * std::sin(angle);
  return c - length * std::cos(angle) * x + radius * std::cos(torsion) * y +
         radius * std::sin(torsion) * z;
}

}  // namespace clearance::detail
