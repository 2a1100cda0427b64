// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lower bounds of the distances between parts of two wide trees, eight at a time.
//
// A pair of nodes gets one relative pose, made in double precision from the pose of the query and
// the two frames, and rounded. Each box of B is then seen in A's frame (its axis-aligned box there)
// and each box of A in B's; the distance of the axis-aligned boxes in either frame is a lower bound
// of the true one, and the larger of the two is taken. Everything a bound loses to rounding is
// below `margin`, by which it is lowered before use (kFloatError of bvh/wide_tree.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <clearance/geometry/pose.h>

#include "bvh/float8.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

// Three numbers in the low lanes of four; what is in the last lane is of no account.
using Float4 = float __attribute__((vector_size(16)));
using Double4 = double __attribute__((vector_size(32)));

inline Float4 load4(const float* p) {
  Float4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store4(float* p, Float4 v) { std::memcpy(p, &v, sizeof v); }
/// Reads one float beyond the three: inside the same node for every array of a WideFrame but the
/// last, which is followed by `radius`.
inline Float4 load3(const float* p) { return load4(p); }
/// One lane in all of them. GCC 12 takes v[k] out of the register and through memory.
template <int k>
inline Float4 lane(Float4 v) {
  return __builtin_shufflevector(v, v, k, k, k, k);
}
template <int k>
inline Double4 lane(Double4 v) {
  return __builtin_shufflevector(v, v, k, k, k, k);
}
#if CLEARANCE_FLOAT8_AVX
inline Float4 fused(Float4 a, Float4 b, Float4 c) { return _mm_fmadd_ps(a, b, c); }
inline Double4 fused(Double4 a, Double4 b, Double4 c) { return _mm256_fmadd_pd(a, b, c); }
inline Float4 max4(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
inline Float4 abs4(Float4 a) { return _mm_andnot_ps(Float4{-0.0F, -0.0F, -0.0F, -0.0F}, a); }
#else
inline Float4 fused(Float4 a, Float4 b, Float4 c) {
  return Float4{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                std::fma(a[3], b[3], c[3])};
}
inline Double4 fused(Double4 a, Double4 b, Double4 c) {
  return Double4{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                 std::fma(a[3], b[3], c[3])};
}
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
inline Float4 abs4(Float4 a) { return a < Float4{} ? -a : a; }
#endif
/// x by[0] + y by[1] + z by[2]
inline Float4 combine(Float4 x, Float4 y, Float4 z, Float4 by) {
  return fused(x, lane<0>(by), fused(y, lane<1>(by), z * lane<2>(by)));
}
inline float sum3(Float4 a) { return a[0] + a[1] + a[2]; }

/// The columns of a matrix given by its rows.
struct Transposed {
  Float4 x, y, z;
  Transposed(Float4 a, Float4 b, Float4 c) {
    const Float4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    x = __builtin_shufflevector(ab, c, 0, 1, 4, 7);
    y = __builtin_shufflevector(ab, c, 2, 3, 5, 7);
    z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 6, 3, 7), c, 0, 1, 6, 7);
  }
};

/// u_a = rotation * u_b + translation, for the frames of two nodes.
struct alignas(16) RelativeFrame {
  float rotation[3][4];  // rows, the last number of each of no account
  float translation[4];
  float margin;
};

/// The pose of a query, prepared for two trees.
class WidePose {
 public:
  WidePose(const WideTree& a, const WideTree& b, const Pose& a_from_b) {
    const Vec3 t = a_from_b * b.center - a.center;
    translation_ = Double4{t.x, t.y, t.z, 0.0};
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 c = a_from_b.rotation.column(j);
      column_[j] = Double4{c.x, c.y, c.z, 0.0};
      const Vec3& r = a_from_b.rotation[j];
      row_[j] =
          Float4{static_cast<float>(r.x), static_cast<float>(r.y), static_cast<float>(r.z), 0.0F};
    }
    // What the doubles of the translation may be off, of coordinates far from the origin above all,
    // and what squares of hardly any length are.
    const Vec3 far = abs(a_from_b.translation) + abs(a.center);
    rounding_ = static_cast<float>(1e-15 * (norm(far) + norm(b.center) + a.radius + b.radius)) +
                kVanishingLength;
  }

  [[nodiscard]] RelativeFrame relative(const WideFrame& a, const WideFrame& b) const {
    RelativeFrame r;
    // Where B's origin is, seen from A's: differences in double, so that nodes near to each other
    // but far from their models' centres lose nothing.
    const Double4 origin_a = __builtin_convertvector(load3(a.origin), Double4);
    const Double4 origin_b = __builtin_convertvector(load3(b.origin), Double4);
    const Double4 apart =
        fused(column_[0], lane<0>(origin_b),
              fused(column_[1], lane<1>(origin_b),
                    fused(column_[2], lane<2>(origin_b), translation_ - origin_a)));
    const Float4 d = __builtin_convertvector(apart, Float4);
    const Transposed axes_a(load3(a.axes[0]), load3(a.axes[1]), load3(a.axes[2]));
    const Transposed axes_b(load3(b.axes[0]), load3(b.axes[1]), load3(b.axes[2]));
    for (int i = 0; i < 3; ++i) {
      const Float4 p = combine(row_[0], row_[1], row_[2], load3(a.axes[i]));
      store4(r.rotation[i], combine(axes_b.x, axes_b.y, axes_b.z, p));
    }
    const Float4 t = combine(axes_a.x, axes_a.y, axes_a.z, d);
    store4(r.translation, t);
    r.margin = kFloatError * (sum3(abs4(t)) + a.radius + b.radius) + rounding_;
    return r;
  }

 private:
  Double4 column_[3];  // of the rotation
  Double4 translation_;
  Float4 row_[3];
  float rounding_;
};

/// Eight boxes, or eight views of boxes: centres and half sizes, one array a coordinate.
struct Boxes8 {
  Float8 center[3];
  Float8 half[3];
};

inline Boxes8 boxes_of(const WideNode& node) {
  Boxes8 b;
  for (int k = 0; k < 3; ++k) {
    b.center[k] = load8(node.center[k]);
    b.half[k] = load8(node.half[k]);
  }
  return b;
}

/// B's boxes in A's frame.
inline Boxes8 seen_in_a(const Boxes8& b, const RelativeFrame& r) {
  Boxes8 v;
  for (int k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(r.rotation[k][0]);
    const Float8 m1 = broadcast8(r.rotation[k][1]);
    const Float8 m2 = broadcast8(r.rotation[k][2]);
    v.center[k] =
        fused(m0, b.center[0],
              fused(m1, b.center[1], fused(m2, b.center[2], broadcast8(r.translation[k]))));
    v.half[k] = fused(abs(m0), b.half[0], fused(abs(m1), b.half[1], abs(m2) * b.half[2]));
  }
  return v;
}

/// A's boxes in B's frame.
inline Boxes8 seen_in_b(const Boxes8& a, const RelativeFrame& r) {
  Boxes8 v;
  const Float8 c0 = a.center[0] - broadcast8(r.translation[0]);
  const Float8 c1 = a.center[1] - broadcast8(r.translation[1]);
  const Float8 c2 = a.center[2] - broadcast8(r.translation[2]);
  for (int k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(r.rotation[0][k]);
    const Float8 m1 = broadcast8(r.rotation[1][k]);
    const Float8 m2 = broadcast8(r.rotation[2][k]);
    v.center[k] = fused(m0, c0, fused(m1, c1, m2 * c2));
    v.half[k] = fused(abs(m0), a.half[0], fused(abs(m1), a.half[1], abs(m2) * a.half[2]));
  }
  return v;
}

/// Squared distances of eight axis-aligned boxes from one box of the same frame.
inline Float8 squared_gaps(const Boxes8& a, const float (&center)[3], const float (&half)[3]) {
  Float8 sum = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = abs(a.center[k] - broadcast8(center[k]));
    const Float8 gap = max(apart - (a.half[k] + broadcast8(half[k])), broadcast8(0.0F));
    sum = fused(gap, gap, sum);
  }
  return sum;
}

/// Lower bounds of the distances of eight boxes of A from one box of B, not yet lowered by the
/// margin: the boxes as seen in either frame, and both along the line of their centres.
struct PairBounds {
  Float8 squares;  // of the larger of the two distances of axis-aligned boxes
  Float8 line;     // distance along the line of centres, times its length
  Float8 line_length_sq;

  /// `in_a` is B's box seen in A's frame, `own` the same in B's; a_in_b are A's boxes in B's frame.
  PairBounds(const Boxes8& a, const Boxes8& a_in_b, const float (&in_a_center)[3],
             const float (&in_a_half)[3], const float (&own_center)[3],
             const float (&own_half)[3]) {
    const Float8 zero = broadcast8(0.0F);
    Float8 square_a = zero;
    Float8 square_b = zero;
    Float8 spans = zero;
    line_length_sq = zero;
    for (int k = 0; k < 3; ++k) {
      const Float8 apart_a = abs(a.center[k] - broadcast8(in_a_center[k]));
      const Float8 gap_a = max(apart_a - (a.half[k] + broadcast8(in_a_half[k])), zero);
      square_a = fused(gap_a, gap_a, square_a);
      line_length_sq = fused(apart_a, apart_a, line_length_sq);
      spans = fused(apart_a, a.half[k], spans);
      const Float8 apart_b = abs(a_in_b.center[k] - broadcast8(own_center[k]));
      const Float8 gap_b = max(apart_b - (a_in_b.half[k] + broadcast8(own_half[k])), zero);
      square_b = fused(gap_b, gap_b, square_b);
      spans = fused(apart_b, broadcast8(own_half[k]), spans);
    }
    squares = max(square_a, square_b);
    line = max(line_length_sq - spans, zero);
  }
  /// Which of the eight may be closer than the limit, given by its square; bits of empty slots may
  /// be set. Equal is kept: squares of tiny lengths are zero.
  [[nodiscard]] unsigned below(Float8 limit_sq) const {
    return ~bits_less(limit_sq, squares) & ~bits_less(limit_sq * line_length_sq, line * line);
  }
  [[nodiscard]] Float8 bound() const {
    const Float8 tiny = broadcast8(1e-30F);
    return max(sqrt(squares), line / sqrt(max(line_length_sq, tiny)));
  }
};

/// The boxes of two nodes, each in its own frame and seen from the other's.
struct OwnBoxes {
  Float4 half_a, half_b, t, row[3], size[3], center_b;

  OwnBoxes(const WideFrame& a, const WideFrame& b, const RelativeFrame& r)
      : half_a(load3(a.half_size)),
        half_b(load3(b.half_size)),
        t(load4(r.translation)),
        row{load4(r.rotation[0]), load4(r.rotation[1]), load4(r.rotation[2])},
        size{abs4(row[0]), abs4(row[1]), abs4(row[2])},
        center_b(combine(row[0], row[1], row[2], t)) {}

  /// Square of the larger distance of B's box in A's frame from A's, and the other way.
  [[nodiscard]] float faces_sq() const {
    const Transposed column(row[0], row[1], row[2]);
    const Float4 seen_a = combine(abs4(column.x), abs4(column.y), abs4(column.z), half_b);
    const Float4 seen_b = combine(size[0], size[1], size[2], half_a);
    const Float4 zero{};
    const Float4 gap_a = max4(abs4(t) - (seen_a + half_a), zero);
    const Float4 gap_b = max4(abs4(center_b) - (seen_b + half_b), zero);
    return std::max(sum3(gap_a * gap_a), sum3(gap_b * gap_b));
  }
  /// Along the line of centres: the distance is at least `line` over the root of `length_sq`.
  struct Line {
    float line, length_sq;
  };
  [[nodiscard]] Line line() const {
    const float length_sq = sum3(t * t);
    return {length_sq - sum3(abs4(t) * half_a + abs4(center_b) * half_b), length_sq};
  }
  /// Along the products of their axes, which are no longer than one: three at a time.
  [[nodiscard]] float edges() const {
    const Float4 next_b = __builtin_shufflevector(half_b, half_b, 1, 2, 0, 3);
    const Float4 last_b = __builtin_shufflevector(half_b, half_b, 2, 0, 1, 3);
    const Float4 at[3] = {lane<0>(t), lane<1>(t), lane<2>(t)};
    const Float4 half[3] = {lane<0>(half_a), lane<1>(half_a), lane<2>(half_a)};
    Float4 gap = Float4{};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      const Float4 apart = abs4(fused(row[j], at[k], -(row[k] * at[j])));
      const Float4 span_a = fused(size[k], half[j], size[j] * half[k]);
      const Float4 next = __builtin_shufflevector(size[i], size[i], 1, 2, 0, 3);
      const Float4 last = __builtin_shufflevector(size[i], size[i], 2, 0, 1, 3);
      gap = max4(gap, apart - (span_a + (next_b * last + last_b * next)));
    }
    return std::max(gap[0], std::max(gap[1], gap[2]));
  }
};

/// The columns of Boxes8 in memory, to take one box out.
struct BoxColumns {
  alignas(32) float center[3][kWidth];
  alignas(32) float half[3][kWidth];
  explicit BoxColumns(const Boxes8& b) {
    for (int k = 0; k < 3; ++k) {
      store8(center[k], b.center[k]);
      store8(half[k], b.half[k]);
    }
  }
};

}  // namespace clearance::detail
