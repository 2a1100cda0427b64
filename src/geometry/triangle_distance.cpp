// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Distance of two triangles. For disjoint triangles the least distance lies between two edges or
// between a corner and the face of the other triangle; a corner-face pair can only be the answer
// for the corner nearest to the face's plane, with all corners on one side of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <clearance/geometry/triangle_triangle.h>

#include "geometry/simd.h"
#include "geometry/triangle_precise.h"

namespace clearance {
namespace {

using detail::Double4;
using detail::Mask4;

constexpr std::array<std::size_t, 3> kNext{1, 2, 0};

// In double precision the distance carries an absolute error of a few units of rounding of the
// triangles' extent (2e-15 of it at most). Below this fraction of the extent that would be more
// than 1e-9 of the distance, and the pair is computed again with twice the digits.
constexpr double kPreciseBelow = 4e-6;
// Lengths outside this range would under- or overflow when raised to the fourth power.
constexpr double kLengthLow = 1e-60;
constexpr double kLengthHigh = 1e60;

struct Vector4 {
  Double4 x, y, z;
};
Vector4 broadcast(const Vec3& v) {
  return {detail::broadcast4(v.x), detail::broadcast4(v.y), detail::broadcast4(v.z)};
}
Vector4 operator-(const Vector4& a, const Vector4& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Double4 dot(const Vector4& a, const Vector4& b) {
  return detail::fused(a.x, b.x, detail::fused(a.y, b.y, a.z * b.z));
}
Vector4 cross(const Vector4& a, const Vector4& b) {
  return {detail::fused(a.y, b.z, -(a.z * b.y)), detail::fused(a.z, b.x, -(a.x * b.z)),
          detail::fused(a.x, b.y, -(a.y * b.x))};
}
// Three corners in four lanes; the fourth repeats the first.
Vector4 lanes(const std::array<Vec3, 3>& p) {
  return {Double4{p[0].x, p[1].x, p[2].x, p[0].x}, Double4{p[0].y, p[1].y, p[2].y, p[0].y},
          Double4{p[0].z, p[1].z, p[2].z, p[0].z}};
}

// Two points, a corner of a plus `offset` and that plus `axis`. The corner's coordinates are exact
// and the vectors are small, so nothing is lost far from the origin.
struct Candidate {
  Vec3 corner, offset, axis;
  double distance_sq = std::numeric_limits<double>::infinity();
  /// The edges that the points are on, zero for a point that is a corner.
  Vec3 edge_a, edge_b;

  [[nodiscard]] ClosestPoints points() const {
    return {corner + offset, corner + (offset + axis), std::sqrt(distance_sq)};
  }
};

// Corners p of one triangle against the face q of the other.
enum class Sides {
  Apart,    // all on one side; the foot of the nearest one is outside the face
  Face,     // all on one side; its foot is inside the face, so this pair is the closest of all
  Unclear,  // on both sides, or too near to tell
};

struct FaceTest {
  Sides sides = Sides::Unclear;
  std::size_t corner = 0;
  double height = 0.0;  // over the plane, in units of |normal|
  double normal_sq = 0.0;
  Vec3 normal;
};

FaceTest test_face(const std::array<Vec3, 3>& p, const Vector4& p_lanes,
                   const std::array<Vec3, 3>& q, const Vector4& q_lanes,
                   const std::array<Vec3, 3>& q_edges, const Vector4& q_edge_lanes) {
  // Rounding of a height is below 8 u |e0| |e1| |v|; with (16 u)^2 the comparison of squares is
  // safe.
  constexpr double kHeightErrorSq = 0x1p-98;
  FaceTest test;
  test.normal = cross(q_edges[0], q_edges[1]);
  const Vector4 v = p_lanes - broadcast(q[0]);
  const Double4 heights = dot(broadcast(test.normal), v);
  const Double4 error_sq =
      detail::broadcast4(kHeightErrorSq * squared_norm(q_edges[0]) * squared_norm(q_edges[1])) *
      dot(v, v);
  if (!detail::all(heights * heights > error_sq)) return test;
  const bool above = heights[0] > 0.0;
  if (!detail::all(above ? heights > 0.0 : heights < 0.0)) return test;

  const std::array<double, 3> h{std::abs(heights[0]), std::abs(heights[1]), std::abs(heights[2])};
  test.corner = h[1] < h[0] ? 1 : 0;
  if (h[2] < h[test.corner]) test.corner = 2;
  test.height = heights[test.corner];
  const Vector4 inward = cross(broadcast(test.normal), q_edge_lanes);
  const Double4 depths = dot(inward, broadcast(p[test.corner]) - q_lanes);
  test.sides = detail::all(depths >= 0.0) ? Sides::Face : Sides::Apart;
  test.normal_sq = squared_norm(test.normal);
  return test;
}

// The nine pairs of edges, three at a time. Where two lines are closest is found either from the
// dot products of their directions (Quick) or through their cross product (Careful). For nearly
// parallel edges the first loses all digits; the second errs by rounding / sin(angle), which is
// harmless, since the distance grows with sin(angle) times that error only.
enum class Lines { Quick, Careful };

template <Lines lines>
Candidate closest_edges(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& a_edges,
                        const Vector4& b_lanes, const Vector4& d2, const Double4& d2_sq,
                        const std::array<Vec3, 3>& b, const std::array<Vec3, 3>& b_edges) {
  const Double4 zero = detail::broadcast4(0.0);
  const Double4 one = detail::broadcast4(1.0);
  const Double4 d2_inverse = detail::select(d2_sq > zero, one / d2_sq, zero);
  Double4 best_sq = detail::broadcast4(std::numeric_limits<double>::infinity());
  Double4 best_s = zero;
  Double4 best_t = zero;
  Double4 best_edge = zero;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector4 d1 = broadcast(a_edges[i]);
    const Double4 d1_sq = detail::broadcast4(squared_norm(a_edges[i]));
    const Double4 d1_inverse = detail::select(d1_sq > zero, one / d1_sq, zero);
    const Vector4 r = broadcast(a[i]) - b_lanes;
    const Double4 d1_d2 = dot(d1, d2);
    const Double4 d1_r = dot(d1, r);
    const Double4 d2_r = dot(d2, r);
    Double4 s;
    if constexpr (lines == Lines::Quick) {
      s = detail::fused(d1_d2, d2_r, -(d1_r * d2_sq)) /
          detail::fused(d1_sq, d2_sq, -(d1_d2 * d1_d2));
    } else {
      const Vector4 n = cross(d1, d2);
      s = -dot(cross(r, d2), n) / dot(n, n);
    }
    s = detail::clamp01(s);  // parallel lines give NaN or infinity: any end will do
    const Double4 t = detail::clamp01(detail::fused(d1_d2, s, d2_r) * d2_inverse);
    s = detail::clamp01(detail::fused(d1_d2, t, -d1_r) * d1_inverse);
    const Vector4 d{detail::fused(s, d1.x, detail::fused(-t, d2.x, r.x)),
                    detail::fused(s, d1.y, detail::fused(-t, d2.y, r.y)),
                    detail::fused(s, d1.z, detail::fused(-t, d2.z, r.z))};
    const Double4 sq = dot(d, d);
    const Mask4 better = sq < best_sq;
    best_sq = detail::select(better, sq, best_sq);
    best_s = detail::select(better, s, best_s);
    best_t = detail::select(better, t, best_t);
    best_edge = detail::select(better, detail::broadcast4(static_cast<double>(i)), best_edge);
  }
  std::size_t lane = best_sq[1] < best_sq[0] ? 1 : 0;
  if (best_sq[2] < best_sq[lane]) lane = 2;
  const auto edge = static_cast<std::size_t>(best_edge[lane]);
  const Vec3 offset = best_s[lane] * a_edges[edge];
  const auto between_ends = [](double part) { return part > 0.0 && part < 1.0; };
  return {a[edge],
          offset,
          (b[lane] - a[edge]) - offset + best_t[lane] * b_edges[lane],
          best_sq[lane],
          between_ends(best_s[lane]) ? a_edges[edge] : Vec3{},
          between_ends(best_t[lane]) ? b_edges[lane] : Vec3{}};
}

// The closest two corners.
Candidate closest_corners(const std::array<Vec3, 3>& a, const Vector4& b_lanes,
                          const std::array<Vec3, 3>& b) {
  Candidate best;
  for (const Vec3& corner : a) {
    const Vector4 r = broadcast(corner) - b_lanes;
    const Double4 sq = dot(r, r);
    std::size_t lane = sq[1] < sq[0] ? 1 : 0;
    if (sq[2] < sq[lane]) lane = 2;
    if (sq[lane] < best.distance_sq) best = {corner, {}, b[lane] - corner, sq[lane], {}, {}};
  }
  return best;
}

// Whether the triangles are apart by `least` and more along a direction.
bool separates(const Vec3& direction, double least, const Candidate& candidate,
               const Vector4& a_lanes, const Vector4& b_lanes) {
  const Vector4 axis = broadcast(direction);
  const Vector4 corner = broadcast(candidate.corner);
  const Vector4 offset = broadcast(candidate.offset);
  const Double4 a = dot(axis, (a_lanes - corner) - offset);
  const Double4 b = dot(axis, (b_lanes - corner) - offset);
  const double a_high = std::max(std::max(a[0], a[1]), a[2]);
  const double b_low = std::min(std::min(b[0], b[1]), b[2]);
  return b_low - a_high > least;
}

// The direction between the two points, square to the edges they are on. Points that are close to
// each other for the size of the triangles leave it off by rounding over their distance, and then
// the far ends of the edges are off by that times their length.
Vec3 squared_direction(const Candidate& candidate) {
  const Vec3& axis = candidate.axis;
  const double a_sq = squared_norm(candidate.edge_a);
  const double b_sq = squared_norm(candidate.edge_b);
  if (a_sq > 0.0 && b_sq > 0.0) {
    const Vec3 n = cross(candidate.edge_a, candidate.edge_b);
    return dot(n, axis) < 0.0 ? -n : n;
  }
  const Vec3& edge = a_sq > 0.0 ? candidate.edge_a : candidate.edge_b;
  const double sq = std::max(a_sq, b_sq);
  if (!(sq > 0.0)) return axis;
  // Twice: what the first time leaves is as much smaller as the edge was out of square.
  Vec3 n = axis - (dot(axis, edge) / sq) * edge;
  n = n - (dot(n, edge) / sq) * edge;
  return n;
}

// Whether the direction between the two points separates the triangles by as much as the points are
// apart, to 5e-10: then no other points are closer. Rounding stays below 5e-10 as long as the
// distance is above kPreciseBelow of the extent.
bool separates_fully(const Candidate& candidate, double extent_sq, const Vector4& a_lanes,
                     const Vector4& b_lanes) {
  // From this part of the extent on the direction of the points is good enough as it is.
  constexpr double kCloseSq = 1e-6;
  constexpr double kNearlyAll = 1.0 - 5e-10;
  // Smaller squares lose digits to underflow, and then less than that would do. A direction square
  // to two edges is an area, so this is about lengths of 1e-48.
  constexpr double kLeastSquare = 1e-290;
  if (separates(candidate.axis, kNearlyAll * candidate.distance_sq, candidate, a_lanes, b_lanes))
    return true;
  if (candidate.distance_sq > kCloseSq * extent_sq) return false;
  const Vec3 direction = squared_direction(candidate);
  const double direction_sq = squared_norm(direction);
  const double least_sq = candidate.distance_sq * direction_sq;
  if (!(std::min(direction_sq, least_sq) > kLeastSquare)) return false;
  return separates(direction, kNearlyAll * std::sqrt(least_sq), candidate, a_lanes, b_lanes);
}

// The same, quickly when an edge passes well through a face that is not a needle.
Vec3 common_point(const Triangle& ta, const Triangle& tb) {
  // Depth inside the face, and area over squared edges, from which on rounding does no harm.
  constexpr double kWellInside = 1e-3;
  constexpr double kNotNeedleSq = 1e-8;
  const std::array<Vec3, 3> a{ta.a, ta.b, ta.c};
  const std::array<Vec3, 3> b{tb.a, tb.b, tb.c};
  for (const bool edge_of_a : {true, false}) {
    const std::array<Vec3, 3>& e = edge_of_a ? a : b;
    const std::array<Vec3, 3>& face = edge_of_a ? b : a;
    const Vec3 n = cross(face[1] - face[0], face[2] - face[0]);
    const double n_sq = squared_norm(n);
    if (!(n_sq > kNotNeedleSq * squared_norm(face[1] - face[0]) * squared_norm(face[2] - face[0])))
      continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const double h0 = dot(n, e[i] - face[0]);
      const double h1 = dot(n, e[kNext[i]] - face[0]);
      if (!(h0 * h1 < 0.0)) continue;
      const Vec3 p = e[i] + (h0 / (h0 - h1)) * (e[kNext[i]] - e[i]);
      const auto depth = [&](std::size_t j) {
        return dot(cross(n, face[kNext[j]] - face[j]), p - face[j]) / n_sq;
      };
      if (std::min({depth(0), depth(1), depth(2)}) > kWellInside) return p;
    }
  }
  return detail::common_point_precise(ta, tb);
}

// A proven lower bound on the distance: how far apart the corners are along the direction between
// two points. Negative when that direction does not separate them.
double separation_along(const ClosestPoints& points, const Triangle& a, const Triangle& b) {
  const Vec3 axis = points.on_b - points.on_a;
  double a_high = -std::numeric_limits<double>::infinity();
  double b_low = std::numeric_limits<double>::infinity();
  double size = 0.0;
  for (const Vec3* p : {&a.a, &a.b, &a.c}) {
    const Vec3 v = *p - points.on_a;
    a_high = std::max(a_high, dot(axis, v));
    size = std::max(size, squared_norm(v));
  }
  for (const Vec3* p : {&b.a, &b.b, &b.c}) {
    const Vec3 v = *p - points.on_a;
    b_low = std::min(b_low, dot(axis, v));
    size = std::max(size, squared_norm(v));
  }
  // A projection errs by at most 4 u |axis| |v| (difference, product, two sums); two projections
  // and what follows: 16 u, and |axis| itself is rounded.
  const double length = norm(axis);
  if (!(length > 0.0)) return -1.0;
  return (b_low - a_high) / length * (1.0 - 0x1p-50) - 16.0 * 0x1p-53 * std::sqrt(size);
}

double extent(const Triangle& a, const Triangle& b) {
  const Vec3 low = min(min(min(a.a, a.b), a.c), min(min(b.a, b.b), b.c));
  const Vec3 high = max(max(max(a.a, a.b), a.c), max(max(b.a, b.b), b.c));
  return largest_component(high - low);
}

Triangle scaled_by(const Triangle& t, int exponent) {
  const auto scale = [&](const Vec3& p) {
    return Vec3{std::scalbn(p.x, exponent), std::scalbn(p.y, exponent), std::scalbn(p.z, exponent)};
  };
  return {scale(t.a), scale(t.b), scale(t.c)};
}

}  // namespace

ClosestPoints closest_points(const Triangle& ta, const Triangle& tb) {
  const std::array<Vec3, 3> a{ta.a, ta.b, ta.c};
  const std::array<Vec3, 3> b{tb.a, tb.b, tb.c};
  const std::array<Vec3, 3> a_edges{a[1] - a[0], a[2] - a[1], a[0] - a[2]};
  const std::array<Vec3, 3> b_edges{b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  const Vector4 a_lanes = lanes(a);
  const Vector4 b_lanes = lanes(b);
  const Vector4 b_edge_lanes = lanes(b_edges);
  const Double4 b_sq = dot(b_edge_lanes, b_edge_lanes);
  const double extent_sq = std::max({squared_norm(a_edges[0]), squared_norm(a_edges[1]),
                                     squared_norm(a_edges[2]), b_sq[0], b_sq[1], b_sq[2]});
  const auto within_doubles = [&](const Candidate& candidate) {
    const double size_sq = extent_sq + candidate.distance_sq;
    return candidate.distance_sq > kPreciseBelow * kPreciseBelow * extent_sq &&
           size_sq < kLengthHigh * kLengthHigh && size_sq > kLengthLow * kLengthLow;
  };

  // Triangles far apart for their size are mostly closest at two corners.
  constexpr double kFarSq = 4.0;
  if (squared_norm(a[0] - b[0]) > kFarSq * extent_sq) {
    const Candidate corners = closest_corners(a, b_lanes, b);
    if (within_doubles(corners) && separates_fully(corners, extent_sq, a_lanes, b_lanes)) {
      return corners.points();
    }
  }

  // Most pairs end here: corners or edges that face each other.
  Candidate edges =
      closest_edges<Lines::Quick>(a, a_edges, b_lanes, b_edge_lanes, b_sq, b, b_edges);
  if (within_doubles(edges) && separates_fully(edges, extent_sq, a_lanes, b_lanes)) {
    return edges.points();
  }

  // Corner against face: when it holds, it is the closest pair of all.
  const Vector4 a_edge_lanes = lanes(a_edges);
  const FaceTest over_b = test_face(a, a_lanes, b, b_lanes, b_edges, b_edge_lanes);
  const FaceTest over_a = test_face(b, b_lanes, a, a_lanes, a_edges, a_edge_lanes);
  for (const FaceTest* test : {&over_b, &over_a}) {
    if (test->sides != Sides::Face) continue;
    const bool corner_on_a = test == &over_b;
    const std::array<Vec3, 3>& face_edges = corner_on_a ? b_edges : a_edges;
    // The height errs by rounding times |e0| |e1| extent / |n|, which grows for needles.
    const double sizes_sq = squared_norm(face_edges[0]) * squared_norm(face_edges[1]);
    if (!(test->height * test->height > kPreciseBelow * kPreciseBelow * sizes_sq * extent_sq))
      break;
    const Vec3& corner = corner_on_a ? a[test->corner] : b[test->corner];
    const Vec3 foot = corner - (test->height / test->normal_sq) * test->normal;
    const double distance = std::abs(test->height) / std::sqrt(test->normal_sq);
    return corner_on_a ? ClosestPoints{corner, foot, distance}
                       : ClosestPoints{foot, corner, distance};
  }

  // Nearly parallel edges.
  edges = closest_edges<Lines::Careful>(a, a_edges, b_lanes, b_edge_lanes, b_sq, b, b_edges);
  if (within_doubles(edges) && separates_fully(edges, extent_sq, a_lanes, b_lanes)) {
    return edges.points();
  }

  // The rare cases: in contact, very close, needles, or of a size that squares cannot hold.
  if (intersects(ta, tb)) {
    const Vec3 p = common_point(ta, tb);
    return {p, p, 0.0};
  }
  const double size = extent(ta, tb);
  if (size < kLengthLow || size > kLengthHigh) {
    const int exponent = -std::ilogb(size);
    const ClosestPoints scaled = closest_points(scaled_by(ta, exponent), scaled_by(tb, exponent));
    const Triangle points = scaled_by({scaled.on_a, scaled.on_b, {}}, -exponent);
    return {points.a, points.b,
            std::max(std::scalbn(scaled.distance, -exponent), std::numeric_limits<double>::min())};
  }
  ClosestPoints precise = detail::closest_features(ta, tb);
  precise.distance =
      std::max(precise.distance, std::numeric_limits<double>::min());  // they are apart
  return precise;
}

bool proven_farther(const Triangle& a, const Triangle& b, double gap) {
  // The direction between the closest points separates the triangles by their distance. However it
  // was found, it is proof once the projections of the six corners on it are apart by more than the
  // gap and the rounding of the projections.
  const ClosestPoints closest = closest_points(a, b);
  if (!(closest.distance > gap)) return false;
  if (separation_along(closest, a, b) > gap) return true;

  return detail::proven_farther_precise(a, b, gap);
}

bool touches(const Triangle& a, const Triangle& b, const Pose& a_from_b) {
  // Each coordinate of a moved corner is a sum of three products and a translation, computed with
  // an error of at most 4 u times the sum of their magnitudes; 4.5 u covers the second order.
  const Mat3& r = a_from_b.rotation;
  const Mat3 r_size{{abs(r[0]), abs(r[1]), abs(r[2])}};
  double size = 0.0;
  const auto move = [&](const Vec3& p) {
    size = std::max(size, norm(r_size * abs(p) + abs(a_from_b.translation)));
    return a_from_b * p;
  };
  const Triangle moved{move(b.a), move(b.b), move(b.c)};
  return !proven_farther(a, moved, 4.5 * 0x1p-53 * size);
}

}  // namespace clearance
