// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lower bounds of the distances of triangles, eight pairs at a time, in single precision. However a
// direction was found, it is a proof: both triangles are projected on it, and a gap is a gap. What
// a bound loses to rounding is below the margin of the pair of leaves (wide_pair.h), by which it is
// lowered before use.
#pragma once

#include <cstdint>

#include "query/wide_pair.h"

namespace clearance::detail {

/// Directions whose square is below this are left alone: parts of it may have underflowed.
inline constexpr float kLeastDirectionSq = 1e-30F;

/// The corners of eight triangles in one frame: ax ay az bx by bz cx cy cz.
struct Corners8 {
  Float8 c[9];
};

inline Corners8 corners_of(const WideLeaf& leaf) {
  Corners8 t;
  for (int k = 0; k < 9; ++k) t.c[k] = load8(leaf.corner[k]);
  return t;
}

/// B's corners in A's frame.
inline Corners8 moved_to_a(const Corners8& b, const RelativeFrame& r) {
  Corners8 t;
  for (int corner = 0; corner < 9; corner += 3) {
    for (int k = 0; k < 3; ++k) {
      t.c[corner + k] = fused(broadcast8(r.rotation[k][0]), b.c[corner],
                              fused(broadcast8(r.rotation[k][1]), b.c[corner + 1],
                                    fused(broadcast8(r.rotation[k][2]), b.c[corner + 2],
                                          broadcast8(r.translation[k]))));
    }
  }
  return t;
}

/// The triangles of the named lanes.
inline Corners8 taken(const Corners8& t, Int8 lanes) {
  Corners8 r;
  for (int k = 0; k < 9; ++k) r.c[k] = take8(t.c[k], lanes);
  return r;
}

inline Boxes8 boxes_around(const Corners8& t) {
  Boxes8 b;
  for (int k = 0; k < 3; ++k) {
    const Float8 low = min(t.c[k], min(t.c[3 + k], t.c[6 + k]));
    const Float8 high = max(t.c[k], max(t.c[3 + k], t.c[6 + k]));
    b.center[k] = broadcast8(0.5F) * (low + high);
    b.half[k] = broadcast8(0.5F) * (high - low);
  }
  return b;
}

/// One corner of each triangle along a direction common to all.
inline Float8 corner_along(const Corners8& t, int corner, const float (&n)[4]) {
  return fused(t.c[corner], broadcast8(n[0]),
               fused(t.c[corner + 1], broadcast8(n[1]), t.c[corner + 2] * broadcast8(n[2])));
}

/// Eight pairs of triangles, and the squares of what is known of their distances.
class TrianglePairs8 {
 public:
  /// `squares` are bounds known before.
  TrianglePairs8(const Corners8& a, const Corners8& b, Float8 squares)
      : a_(a), b_(b), squares_(squares) {}

  [[nodiscard]] Float8 squares() const { return squares_; }

  /// Which of the chosen pairs may be closer than the limit, given by its square. Stops looking
  /// when there is none.
  [[nodiscard]] unsigned below(Float8 limit_sq, unsigned chosen, bool touching) {
    const auto left = [&] { return chosen & ~bits_less(limit_sq, squares_); };
    if (!touching) {
      look_along_centers();
      if (left() == 0) return 0;
    }
    look_along_normal(a_);
    look_along_normal(b_);
    for (int edge = 0; edge < 3; ++edge) {
      if (left() == 0) return 0;
      look_across_edge(edge);
    }
    return left();
  }

 private:
  struct Vector8 {
    Float8 x, y, z;
  };
  static Vector8 corner(const Corners8& t, int i) {
    return {t.c[3 * i], t.c[3 * i + 1], t.c[3 * i + 2]};
  }
  static Vector8 minus(const Vector8& a, const Vector8& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  static Float8 dot(const Vector8& a, const Vector8& b) {
    return fused(a.x, b.x, fused(a.y, b.y, a.z * b.z));
  }
  static Vector8 cross(const Vector8& a, const Vector8& b) {
    return {fused(a.y, b.z, -(a.z * b.y)), fused(a.z, b.x, -(a.x * b.z)),
            fused(a.x, b.y, -(a.y * b.x))};
  }
  static Vector8 where(Int8 mask, const Vector8& yes, const Vector8& no) {
    return {mask ? yes.x : no.x, mask ? yes.y : no.y, mask ? yes.z : no.z};
  }

  // A gap along a direction, in units of its length.
  void learn(Float8 gap, Float8 length_sq) {
    const Float8 zero = broadcast8(0.0F);
    // In this order nothing overflows that is not huge itself, and a NaN changes nothing.
    const Float8 square = gap * (gap / length_sq);
    const Int8 valid = (gap > zero) & (length_sq > broadcast8(kLeastDirectionSq));
    squares_ = max(valid ? square : zero, squares_);
  }

  // The line of the centroids, and the line of the two corners that are nearest along it: where the
  // triangles are closest at two corners, that is the direction between them. And from there one
  // step towards the closest points: it leads to them where a corner is closest to an edge.
  void look_along_centers() {
    Vector8 n;
    const Float8 third = broadcast8(1.0F / 3.0F);
    n.x = third * ((b_.c[0] + b_.c[3] + b_.c[6]) - (a_.c[0] + a_.c[3] + a_.c[6]));
    n.y = third * ((b_.c[1] + b_.c[4] + b_.c[7]) - (a_.c[1] + a_.c[4] + a_.c[7]));
    n.z = third * ((b_.c[2] + b_.c[5] + b_.c[8]) - (a_.c[2] + a_.c[5] + a_.c[8]));
    const Vector8 corners = look_along(n);
    const Vector8 next = look_along(corners);
    const Vector8 way = minus(next, corners);
    const Float8 zero = broadcast8(0.0F);
    const Float8 one = broadcast8(1.0F);
    const Float8 length_sq = max(dot(way, way), broadcast8(kLeastDirectionSq));
    const Float8 t = min(max(-dot(corners, way) / length_sq, zero), one);
    look_along(
        {fused(t, way.x, corners.x), fused(t, way.y, corners.y), fused(t, way.z, corners.z)});
  }

  // Returns the way from A's corner that is farthest along the direction to B's that is nearest.
  Vector8 look_along(const Vector8& n) {
    Vector8 near_a = corner(a_, 0);
    Vector8 near_b = corner(b_, 0);
    Float8 high = dot(n, near_a);
    Float8 low = dot(n, near_b);
    for (int i = 1; i < 3; ++i) {
      const Vector8 ca = corner(a_, i);
      const Vector8 cb = corner(b_, i);
      const Float8 da = dot(n, ca);
      const Float8 db = dot(n, cb);
      near_a = where(da > high, ca, near_a);
      near_b = where(db < low, cb, near_b);
      high = max(da, high);
      low = min(db, low);
    }
    learn(low - high, dot(n, n));
    return minus(near_b, near_a);
  }

  // What a triangle spans along its own normal is nearly nothing, but the rounded normal of a
  // sliver may lean.
  void look_along_normal(const Corners8& t) {
    const Vector8 n = cross(minus(corner(t, 1), corner(t, 0)), minus(corner(t, 2), corner(t, 0)));
    const Float8 a[3] = {dot(n, corner(a_, 0)), dot(n, corner(a_, 1)), dot(n, corner(a_, 2))};
    const Float8 b[3] = {dot(n, corner(b_, 0)), dot(n, corner(b_, 1)), dot(n, corner(b_, 2))};
    learn(max(min(b[0], min(b[1], b[2])) - max(a[0], max(a[1], a[2])),
              min(a[0], min(a[1], a[2])) - max(b[0], max(b[1], b[2]))),
          dot(n, n));
  }

  // The products of one edge of A with the three of B.
  void look_across_edge(int edge) {
    const Float8 zero = broadcast8(0.0F);
    // Everything relative to the start of A's edge.
    const Vector8 start = corner(a_, edge);
    const Vector8 along_a = minus(corner(a_, (edge + 1) % 3), start);
    const Vector8 other_a = minus(corner(a_, (edge + 2) % 3), start);
    const Vector8 b[3] = {minus(corner(b_, 0), start), minus(corner(b_, 1), start),
                          minus(corner(b_, 2), start)};
    for (int i = 0; i < 3; ++i) {
      const Vector8& end = b[(i + 1) % 3];
      const Vector8 n = cross(along_a, minus(end, b[i]));
      // Both ends of an edge count: the product of nearly parallel edges leans after rounding.
      const Float8 end_a = dot(n, along_a);
      const Float8 third_a = dot(n, other_a);
      const Float8 low_a = min(zero, min(end_a, third_a));
      const Float8 high_a = max(zero, max(end_a, third_a));
      const Float8 start_b = dot(n, b[i]);
      const Float8 end_b = dot(n, end);
      const Float8 third_b = dot(n, b[(i + 2) % 3]);
      const Float8 low_b = min(start_b, min(end_b, third_b));
      const Float8 high_b = max(start_b, max(end_b, third_b));
      learn(max(low_b - high_a, low_a - high_b), dot(n, n));
    }
  }

  const Corners8& a_;
  const Corners8& b_;
  Float8 squares_;
};

}  // namespace clearance::detail
