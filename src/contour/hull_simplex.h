// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The point of a small simplex nearest to the origin: the inner step of GJK.
#pragma once

#include <algorithm>
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

using Points = std::array<Vec3, 4>;

inline void keep_corner(SimplexPoint& best, const Points& w, int i) {
  const double squared = squared_norm(w[i]);
  if (!(squared < best.squared)) return;
  best.weight = {};
  best.weight[i] = 1.0;
  best.point = best.direction = w[i];
  best.squared = squared;
}

/// The inside of the edge from i to j.
inline void keep_edge(SimplexPoint& best, const Points& w, int i, int j) {
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

/// The inside of a face.
inline bool keep_face(SimplexPoint& best, const Points& w, int i, int j, int k) {
  const Vec3 e = w[j] - w[i];
  const Vec3 f = w[k] - w[i];
  const Vec3 m = cross(e, f);
  const double mm = squared_norm(m);
  const double s = dot(cross(f, w[i]), m);
  const double t = dot(cross(w[i], e), m);
  if (!(s > 0.0 && t > 0.0 && s + t < mm)) return false;
  double a = s / mm;
  double b = t / mm;
  Vec3 p = w[i] + a * e + b * f;
  // Of a thin face, once more for what rounding left over along it.
  constexpr double kThin = 1e-6;  // sine of its angle, squared
  if (mm < kThin * squared_norm(e) * squared_norm(f)) {
    a = std::max(a + dot(cross(f, p), m) / mm, 0.0);
    b = std::clamp(b + dot(cross(p, e), m) / mm, 0.0, 1.0 - std::min(a, 1.0));
    p = w[i] + a * e + b * f;
  }
  const double squared = squared_norm(p);
  if (!(squared < best.squared)) return false;
  best.weight = {};
  best.weight[i] = 1.0 - a - b;
  best.weight[j] = a;
  best.weight[k] = b;
  best.point = p;
  best.direction = dot(m, w[i]) < 0.0 ? -m : m;
  best.squared = squared;
  return true;
}

/// A face with its edges and corner at w[i], where the nearest point of the edge from j to k is not
/// nearer than that of the face.
inline void keep_fan(SimplexPoint& best, const Points& w, int i, int j, int k) {
  if (keep_face(best, w, i, j, k)) return;
  keep_edge(best, w, i, j);
  keep_edge(best, w, i, k);
  keep_corner(best, w, i);
}

/// The origin is inside, and the combination found for it is within `tolerance` of it.
inline bool holds_origin(SimplexPoint& best, const Points& w, double tolerance) {
  const Vec3 a = w[0] - w[3];
  const Vec3 b = w[1] - w[3];
  const Vec3 c = w[2] - w[3];
  const Vec3 bc = cross(b, c);
  const Vec3 ca = cross(c, a);
  const Vec3 ab = cross(a, b);
  const double volume = dot(a, bc);
  // Cramer's rule, then again for what a thin simplex left over.
  double wa = 0.0;
  double wb = 0.0;
  double wc = 0.0;
  Vec3 p = w[3];
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    wa -= dot(p, bc) / volume;
    wb -= dot(p, ca) / volume;
    wc -= dot(p, ab) / volume;
    const double wd = 1.0 - wa - wb - wc;
    // Clearly outside, or not a number.
    constexpr double kSlack = 1e-2;
    if (!(wa >= -kSlack && wb >= -kSlack && wc >= -kSlack && wd >= -kSlack)) return false;
    p = w[3] + wa * a + wb * b + wc * c;
    if (squared_norm(p) > tolerance * tolerance) continue;
    if (!(wa >= 0.0 && wb >= 0.0 && wc >= 0.0 && wd >= 0.0)) return false;
    best.weight = {wa, wb, wc, wd};
    best.point = p;
    best.squared = 0.0;
    return true;
  }
  return false;
}

}  // namespace simplex

/// Of the simplex of the first `count` points, every part of which is tried: a flat or needle-like
/// simplex costs accuracy and never an invalid point. `tolerance`: how far from the origin the
/// combination of four points may be that counts as it.
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

/// The same where the nearest point of the others is known not to be the nearest of all, as in
/// GJK: only what has the last point as a corner is tried. Rounding can make this wrong.
inline SimplexPoint nearest_at_last(const std::array<Vec3, 4>& w, int count, double tolerance) {
  SimplexPoint best;
  switch (count) {
    case 1:
      simplex::keep_corner(best, w, 0);
      break;
    case 2:
      simplex::keep_edge(best, w, 1, 0);
      simplex::keep_corner(best, w, 1);
      break;
    case 3:
      simplex::keep_fan(best, w, 2, 0, 1);
      break;
    default:
      if (simplex::holds_origin(best, w, tolerance)) break;
      simplex::keep_fan(best, w, 3, 0, 1);
      simplex::keep_fan(best, w, 3, 1, 2);
      simplex::keep_fan(best, w, 3, 2, 0);
  }
  return best;
}

}  // namespace clearance::detail
