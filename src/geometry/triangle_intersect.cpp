// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact intersection of two triangles, by signs of determinants alone.
#include <algorithm>
#include <array>
#include <cmath>

#include <clearance/geometry/predicates.h>
#include <clearance/geometry/triangle_triangle.h>

#include "geometry/expansion.h"

namespace clearance {
namespace {

using Corners = std::array<Vec3, 3>;
using Signs = std::array<int, 3>;

constexpr std::array<std::size_t, 3> kNext{1, 2, 0};

Corners corners(const Triangle& t) { return {t.a, t.b, t.c}; }

bool boxes_apart(const Corners& a, const Corners& b) {
  const Vec3 a_low = min(min(a[0], a[1]), a[2]);
  const Vec3 a_high = max(max(a[0], a[1]), a[2]);
  const Vec3 b_low = min(min(b[0], b[1]), b[2]);
  const Vec3 b_high = max(max(b[0], b[1]), b[2]);
  return (a_high.x < b_low.x) | (b_high.x < a_low.x) | (a_high.y < b_low.y) | (b_high.y < a_low.y) |
         (a_high.z < b_low.z) | (b_high.z < a_low.z);
}

// Signs of the heights of three points over the plane of a triangle. One normal serves the three;
// only a height within rounding of zero is computed exactly.
Signs sides_of_plane(const Corners& plane, const Corners& points) {
  // Rounding of n.v relative to the sum of the magnitudes of its terms: edges 1 u each, their
  // products 1 u, the difference 1 u, then v 1 u, product 1 u, two sums: 8 u in all, rounded up.
  constexpr double kFilter = 9.0 * 0x1p-53;
  constexpr double kUnderflow = 1e-240;  // as in predicates.cpp
  const Vec3 e = plane[1] - plane[0];
  const Vec3 f = plane[2] - plane[0];
  const Vec3 n = cross(e, f);
  const Vec3 n_size{std::abs(e.y * f.z) + std::abs(e.z * f.y),
                    std::abs(e.z * f.x) + std::abs(e.x * f.z),
                    std::abs(e.x * f.y) + std::abs(e.y * f.x)};
  Signs signs{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = points[i] - plane[0];
    const double height = dot(n, v);
    const double bound = kFilter * dot(n_size, abs(v)) + kUnderflow;
    // orientation() is positive on the side the normal points away from.
    signs[i] = height > bound
                   ? 1
                   : (-height > bound ? -1 : -orientation(plane[0], plane[1], plane[2], points[i]));
  }
  return signs;
}

bool strictly_one_side(const Signs& s) {
  return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

bool all_zero(const Signs& s) { return s[0] == 0 && s[1] == 0 && s[2] == 0; }

// The corner whose two edges both meet the plane: alone on its side, a corner on the plane counting
// to whichever side makes the groups one and two. The edges from it never lie in the plane.
std::size_t apex(const Signs& s) {
  for (const int side : {1, -1}) {
    int count = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (s[i] == side) ++count, last = i;
    }
    if (count == 1) return last;
  }
  // Left are (+, +, 0) and (-, -, 0): the corner on the plane is the one alone.
  for (std::size_t i = 0; i < 3; ++i) {
    if (s[i] == 0) return i;
  }
  return 0;
}

// Non-degenerate triangles in different planes, neither strictly on one side of the other's plane.
// The planes meet in a line L; A meets L in the interval [i1, i2] whose ends lie on the two edges
// of its apex a0, B in [k1, k2] likewise. With a0 = i + alpha u, a1 = i - beta u and b0 = k + gamma
// v, b1 = k - delta v, the determinant of (a0, a1, b0, b1) is (alpha + beta)(gamma + delta) det[u,
// k - i, v]: its sign tells the order of i and k along L, up to one sign that is the same for all
// four pairs of ends. So the intervals are disjoint exactly when all four determinants have the
// same sign and none is zero.
bool intervals_overlap(const Corners& a, const Signs& a_sides, const Corners& b,
                       const Signs& b_sides) {
  const std::size_t ia = apex(a_sides);
  const std::size_t ib = apex(b_sides);
  const Vec3& a0 = a[ia];
  const Vec3& b0 = b[ib];
  int first = 0;
  for (const std::size_t j : {kNext[ia], kNext[kNext[ia]]}) {
    for (const std::size_t k : {kNext[ib], kNext[kNext[ib]]}) {
      const int sign = orientation(a0, a[j], b0, b[k]);
      if (sign == 0) return true;
      if (first == 0) first = sign;
      if (sign != first) return true;
    }
  }
  return false;
}

// Dropping one coordinate maps a plane onto the coordinate plane of the two others.
struct Point2 {
  double x, y;
};

Point2 project(const Vec3& p, int dropped) {
  return dropped == 0 ? Point2{p.y, p.z} : dropped == 1 ? Point2{p.z, p.x} : Point2{p.x, p.y};
}

int orientation_2d(const Point2& a, const Point2& b, const Point2& c) {
  return clearance::orientation_2d(a.x, a.y, b.x, b.y, c.x, c.y);
}

// c is known to be on the line through a and b.
bool within_span(const Point2& a, const Point2& b, const Point2& c) {
  return std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y &&
         c.y <= std::max(a.y, b.y);
}

bool segments_meet_2d(const Point2& a, const Point2& b, const Point2& c, const Point2& d) {
  const int abc = orientation_2d(a, b, c);
  const int abd = orientation_2d(a, b, d);
  const int cda = orientation_2d(c, d, a);
  const int cdb = orientation_2d(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && within_span(a, b, c)) || (abd == 0 && within_span(a, b, d)) ||
         (cda == 0 && within_span(c, d, a)) || (cdb == 0 && within_span(c, d, b));
}

// The triangle's projection has an area.
bool inside_2d(const std::array<Point2, 3>& t, const Point2& p) {
  const int s0 = orientation_2d(t[0], t[1], p);
  const int s1 = orientation_2d(t[1], t[2], p);
  const int s2 = orientation_2d(t[2], t[0], p);
  return !((s0 < 0 || s1 < 0 || s2 < 0) && (s0 > 0 || s1 > 0 || s2 > 0));
}

// A coordinate that can be dropped so that the triangle's projection keeps an area; -1 for a
// degenerate triangle.
int droppable(const Corners& t) {
  for (const int dropped : {0, 1, 2}) {
    if (orientation_2d(project(t[0], dropped), project(t[1], dropped), project(t[2], dropped)) != 0)
      return dropped;
  }
  return -1;
}

std::array<Point2, 3> project(const Corners& t, int dropped) {
  return {project(t[0], dropped), project(t[1], dropped), project(t[2], dropped)};
}

bool coplanar_triangles_meet(const Corners& a, const Corners& b) {
  const int dropped = droppable(a);
  const std::array<Point2, 3> p = project(a, dropped);
  const std::array<Point2, 3> q = project(b, dropped);
  if (inside_2d(p, q[0]) || inside_2d(q, p[0])) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (segments_meet_2d(p[i], p[kNext[i]], q[j], q[kNext[j]])) return true;
    }
  }
  return false;
}

bool lexicographically_less(const Vec3& p, const Vec3& q) {
  if (p.x != q.x) return p.x < q.x;
  if (p.y != q.y) return p.y < q.y;
  return p.z < q.z;
}

// Collinear points are ordered along their line by their coordinates: the ends are the extremes.
Segment segment_of_degenerate(const Corners& t) {
  const auto [low, high] = std::minmax_element(t.begin(), t.end(), lexicographically_less);
  return {*low, *high};
}

bool segment_meets_triangle(const Segment& s, const Corners& t) {
  const int sa = orientation(t[0], t[1], t[2], s.a);
  const int sb = orientation(t[0], t[1], t[2], s.b);
  if (sa * sb > 0) return false;
  if (sa == 0 && sb == 0) {
    const int dropped = droppable(t);
    const std::array<Point2, 3> p = project(t, dropped);
    const Point2 a = project(s.a, dropped);
    const Point2 b = project(s.b, dropped);
    if (inside_2d(p, a)) return true;
    for (std::size_t i = 0; i < 3; ++i) {
      if (segments_meet_2d(p[i], p[kNext[i]], a, b)) return true;
    }
    return false;
  }
  // The line of the segment passes the three edges on the same side, or through one.
  const int s0 = orientation(s.a, s.b, t[0], t[1]);
  const int s1 = orientation(s.a, s.b, t[1], t[2]);
  const int s2 = orientation(s.a, s.b, t[2], t[0]);
  return !((s0 < 0 || s1 < 0 || s2 < 0) && (s0 > 0 || s1 > 0 || s2 > 0));
}

bool segments_meet(const Segment& s, const Segment& t) {
  if (orientation(s.a, s.b, t.a, t.b) != 0) return false;
  // Coplanar. Three of the four points that are not collinear tell which coordinate can go.
  for (const Corners& three :
       {Corners{s.a, s.b, t.a}, Corners{s.a, s.b, t.b}, Corners{t.a, t.b, s.a}}) {
    const int dropped = droppable(three);
    if (dropped >= 0) {
      return segments_meet_2d(project(s.a, dropped), project(s.b, dropped), project(t.a, dropped),
                              project(t.b, dropped));
    }
  }
  // All on one line: along it the ends are ordered by their coordinates.
  return !lexicographically_less(s.b, t.a) && !lexicographically_less(t.b, s.a);
}

bool intersects_in_range(const Corners& a, const Corners& b) {
  const Signs a_sides = sides_of_plane(b, a);
  if (strictly_one_side(a_sides)) return false;
  const Signs b_sides = sides_of_plane(a, b);
  if (strictly_one_side(b_sides)) return false;
  if (!all_zero(a_sides) && !all_zero(b_sides)) return intervals_overlap(a, a_sides, b, b_sides);

  // A degenerate triangle has no plane: all heights over it are zero.
  const bool a_flat = droppable(a) < 0;
  const bool b_flat = droppable(b) < 0;
  if (!a_flat && !b_flat) return coplanar_triangles_meet(a, b);
  if (!a_flat) return segment_meets_triangle(segment_of_degenerate(b), a);
  if (!b_flat) return segment_meets_triangle(segment_of_degenerate(a), b);
  return segments_meet(segment_of_degenerate(a), segment_of_degenerate(b));
}

}  // namespace

bool intersects(const Triangle& ta, const Triangle& tb) {
  Corners a = corners(ta);
  Corners b = corners(tb);
  if (boxes_apart(a, b)) return false;
  double largest = 0.0;
  double smallest = detail::kExactHigh;  // of the non-zero ones
  for (const Corners* t : {&a, &b}) {
    for (const Vec3& p : *t) {
      for (const double c : {std::abs(p.x), std::abs(p.y), std::abs(p.z)}) {
        largest = std::max(largest, c);
        smallest = std::min(smallest, c > 0.0 ? c : detail::kExactHigh);
      }
    }
  }
  if (largest <= detail::kExactHigh && smallest >= detail::kExactLow)
    return intersects_in_range(a, b);

  // Outside the exact range: scale by a power of two so that the largest coordinate is about 1.
  // What then is below the range goes to zero, which moves a corner by less than kExactLow, so only
  // a proven gap above that counts as a gap.
  const int exponent = -std::ilogb(largest);
  for (Corners* t : {&a, &b}) {
    for (Vec3& p : *t) {
      for (double* c : {&p.x, &p.y, &p.z}) {
        *c = std::scalbn(*c, exponent);
        if (std::abs(*c) < detail::kExactLow) *c = 0.0;
      }
    }
  }
  if (smallest >= std::scalbn(detail::kExactLow, -exponent)) return intersects_in_range(a, b);
  return !proven_farther({a[0], a[1], a[2]}, {b[0], b[1], b[2]}, 4.0 * detail::kExactLow);
}

}  // namespace clearance
