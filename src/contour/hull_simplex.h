// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The point of a small simplex nearest to the origin: the inner step of GJK. Every part of the
// simplex is tried and the shortest vector kept, so that a flat or needle-like simplex costs
// accuracy and never an invalid point.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// A convex combination of up to four points, the nearest to the origin.
struct SimplexPoint {
  std::array<double, 4> weight{};  ///< not negative; they add up to 1
  Vec3 point;
  /// point's direction, not normalised: where the parts of the simplex tell it more accurately than
  /// the point itself, whose error grows with the simplex and not with its distance.
  Vec3 direction;
  double squared = std::numeric_limits<double>::infinity();  ///< |point|^2
};

namespace simplex {

inline void keep_corner(SimplexPoint& best, const std::array<Vec3, 4>& w, int i) {
  const double squared = squared_norm(w[i]);
  if (!(squared < best.squared)) return;
  best.weight = {};
  best.weight[i] = 1.0;
  best.point = best.direction = w[i];
  best.squared = squared;
}

inline void keep_edge(SimplexPoint& best, const std::array<Vec3, 4>& w, int i, int j) {
  const Vec3 e = w[j] - w[i];
  const double ee = squared_norm(e);
  const double t = -dot(w[i], e);
  if (!(t > 0.0 && t < ee)) return;
  const double s = t / ee;
  const Vec3 p = w[i] + s * e;
  const double squared = squared_norm(p);
  if (!(squared < best.squared)) return;
  best.weight = {};
  best.weight[i] = 1.0 - s;
  best.weight[j] = s;
  best.point = p;
  // Once more perpendicular to the edge, which the point is but for its rounding.
  best.direction = p - (dot(p, e) / ee) * e;
  best.squared = squared;
}

inline void keep_face(SimplexPoint& best, const std::array<Vec3, 4>& w, int i, int j, int k) {
  const Vec3 e = w[j] - w[i];
  const Vec3 f = w[k] - w[i];
  const Vec3 m = cross(e, f);
  const double mm = squared_norm(m);
  const double s = dot(cross(f, w[i]), m);
  const double t = dot(cross(w[i], e), m);
  if (!(s > 0.0 && t > 0.0 && s + t < mm)) return;
  const double a = s / mm;
  const double b = t / mm;
  const Vec3 p = w[i] + a * e + b * f;
  const double squared = squared_norm(p);
  if (!(squared < best.squared)) return;
  best.weight = {};
  best.weight[i] = 1.0 - a - b;
  best.weight[j] = a;
  best.weight[k] = b;
  best.point = p;
  best.direction = dot(m, w[i]) < 0.0 ? -m : m;
  best.squared = squared;
}

/// The origin is inside, and the combination found for it is within `tolerance` of it.
inline bool holds_origin(SimplexPoint& best, const std::array<Vec3, 4>& w, double tolerance) {
  const Vec3 a = w[0] - w[3];
  const Vec3 b = w[1] - w[3];
  const Vec3 c = w[2] - w[3];
  const double volume = dot(a, cross(b, c));
  const double va = -dot(w[3], cross(b, c)) / volume;
  const double vb = -dot(w[3], cross(c, a)) / volume;
  const double vc = -dot(w[3], cross(a, b)) / volume;
  const double vd = 1.0 - va - vb - vc;
  if (!(va >= 0.0 && vb >= 0.0 && vc >= 0.0 && vd >= 0.0)) return false;
  const Vec3 p = va * w[0] + vb * w[1] + vc * w[2] + vd * w[3];
  if (!(squared_norm(p) <= tolerance * tolerance)) return false;
  best.weight = {va, vb, vc, vd};
  best.point = p;
  best.squared = 0.0;
  return true;
}

}  // namespace simplex

/// Of the simplex of the first `count` points. `tolerance`: how far from the origin the combination
/// of four points may be that counts as it.
inline SimplexPoint nearest_to_origin(const std::array<Vec3, 4>& w, int count, double tolerance) {
  SimplexPoint best;
  if (count == 4 && simplex::holds_origin(best, w, tolerance)) return best;
  for (int i = 0; i < count; ++i) {
    simplex::keep_corner(best, w, i);
    for (int j = i + 1; j < count; ++j) {
      simplex::keep_edge(best, w, i, j);
      for (int k = j + 1; k < count; ++k) simplex::keep_face(best, w, i, j, k);
    }
  }
  return best;
}

}  // namespace clearance::detail
