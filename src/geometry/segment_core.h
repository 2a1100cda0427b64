// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points against segments and segments against segments, in coordinates relative to a point near
// both, so that nothing is lost to a common offset. Every closest-point function of flat shapes and
// boxes ends here.
#pragma once

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// A candidate: the two points relative to the common origin, and the vector from a to b.
struct Candidate {
  Vec3 on_a;
  Vec3 on_b;
  Vec3 gap;
  double squared = std::numeric_limits<double>::infinity();

  /// Keeps the nearer of the two.
  void improve(const Candidate& other) {
    if (other.squared < squared) *this = other;
  }
};

inline Candidate candidate(const Vec3& on_a, const Vec3& on_b, const Vec3& gap) {
  return {on_a, on_b, gap, squared_norm(gap)};
}

/// x limited to [0, 1]; 0 when x is not a number (0/0 of a shape without extent).
inline double clamp_unit(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/// The fraction along d, from its start, nearest to v (both relative to the start).
inline double nearest_fraction(const Vec3& v, const Vec3& d) {
  const double length_sq = squared_norm(d);
  return length_sq > 0.0 ? clamp_unit(dot(v, d) / length_sq) : 0.0;
}

struct Fractions {
  double on_a = 0.0;
  double on_b = 0.0;
};

/// Where the segments {s da} and {r + t db}, s and t in [0, 1], are nearest.
///
/// The lines are nearest at s = (r x db).n / n.n with n = da x db. The usual form of it divides
/// differences of squares, a e - b², and loses the digits twice over when the segments are nearly
/// parallel: with an angle of 1e-7 between them, that puts s off by 1e-2. The cross products lose
/// them once: s |da| is off by u|r| / angle (u = 2⁻⁵³), and since t is then found by projection,
/// the distance by only angle times that, u|r|. A gap h between the lines adds an error of h u /
/// angle² to s, which enters the distance squared, beside h²: (u / angle)² h / 2, never more than
/// rounding while n means anything. Below an angle of u it does not, and then any s is as good as
/// any other, because the clamping steps that follow are right for parallel segments whatever s
/// they start from.
inline Fractions nearest_fractions(const Vec3& da, const Vec3& db, const Vec3& r) {
  const Vec3 n = cross(da, db);
  const double nn = squared_norm(n);
  double s = nn > 0.0 ? clamp_unit(dot(cross(r, db), n) / nn) : 0.0;
  const double length_sq = squared_norm(db);
  const double free = length_sq > 0.0 ? dot(s * da - r, db) / length_sq : 0.0;
  const double t = clamp_unit(free);
  // t had to be limited: the nearest point is an end of b, and s follows from it.
  if (t != free || nn == 0.0) s = nearest_fraction(r + t * db, da);
  return {s, t};
}

/// Segments origin_a + s da and origin_b + t db.
inline Candidate nearest_on_segments(const Vec3& origin_a, const Vec3& da, const Vec3& origin_b,
                                     const Vec3& db) {
  const Vec3 r = origin_b - origin_a;
  const Fractions f = nearest_fractions(da, db, r);
  const Vec3 along_a = f.on_a * da;
  const Vec3 along_b = f.on_b * db;
  return candidate(origin_a + along_a, origin_b + along_b, r + along_b - along_a);
}

/// The result in the caller's frame. Equal points when the shapes touch.
inline ClosestPoints to_result(const Candidate& c, const Vec3& origin) {
  if (c.squared == 0.0) return {origin + c.on_a, origin + c.on_a, 0.0};
  return {origin + c.on_a, origin + c.on_b, std::sqrt(c.squared)};
}

}  // namespace clearance::detail
