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

#include <cmath>
#include <cstdint>

#include <clearance/geometry/pose.h>

#include "bvh/float8.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

/// u_a = rotation * u_b + translation, for the frames of two nodes.
struct RelativeFrame {
  float rotation[3][3];
  float translation[3];
  float margin;
};

/// The pose of a query, prepared for two trees.
class WidePose {
 public:
  WidePose(const WideTree& a, const WideTree& b, const Pose& a_from_b) {
    const Vec3 t = a_from_b * b.center - a.center;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        rotation_[i][j] = a_from_b.rotation[i][j];
        rotation_float_[i][j] = static_cast<float>(rotation_[i][j]);
      }
      translation_[i] = t[i];
    }
    // What the doubles of the translation may be off, of coordinates far from the origin above all.
    const Vec3 far = abs(a_from_b.translation) + abs(a.center);
    rounding_ = static_cast<float>(1e-15 * (norm(far) + norm(b.center) + a.radius + b.radius));
  }

  [[nodiscard]] RelativeFrame relative(const WideFrame& a, const WideFrame& b) const {
    RelativeFrame r;
    // Where B's origin is, seen from A's: differences in double, so that nodes near to each other
    // but far from their models' centres lose nothing.
    double d[3];
    for (int i = 0; i < 3; ++i) {
      d[i] = rotation_[i][0] * static_cast<double>(b.origin[0]) +
             rotation_[i][1] * static_cast<double>(b.origin[1]) +
             rotation_[i][2] * static_cast<double>(b.origin[2]) +
             (translation_[i] - static_cast<double>(a.origin[i]));
    }
    const float df[3] = {static_cast<float>(d[0]), static_cast<float>(d[1]),
                         static_cast<float>(d[2])};
    float length_sq = 0.0F;
    float rb[3][3];  // rotation * axes_bᵀ
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        rb[i][j] = rotation_float_[i][0] * b.axes[j][0] + rotation_float_[i][1] * b.axes[j][1] +
                   rotation_float_[i][2] * b.axes[j][2];
      }
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        r.rotation[i][j] =
            a.axes[i][0] * rb[0][j] + a.axes[i][1] * rb[1][j] + a.axes[i][2] * rb[2][j];
      }
      r.translation[i] = a.axes[i][0] * df[0] + a.axes[i][1] * df[1] + a.axes[i][2] * df[2];
      length_sq += r.translation[i] * r.translation[i];
    }
    r.margin = kFloatError * (std::sqrt(length_sq) + a.radius + b.radius) + rounding_;
    return r;
  }

 private:
  double rotation_[3][3];
  double translation_[3];
  float rotation_float_[3][3];
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
