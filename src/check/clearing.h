// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs that last: a part of body B that was found some distance away from body A is free of it at
// every pose to which no point of the part has moved by as much, in the frame of A, since. Asked of
// eight poses at once, in single precision, rounded to the safe side.
#pragma once

#include <array>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

#include "check/forward_lanes.h"

namespace clearance::detail {

/// Of a ball on B.
struct BallClearing {
  /// In the frame of B. Proves nothing yet.
  explicit BallClearing(const Sphere& ball);

  /// What is in the ball was `clear` away from A at this pose [m], rounding and what single
  /// precision loses taken off.
  void prove(const Pose& a_from_b, double clear);
  /// Lanes in which it is free of A still.
  [[nodiscard]] unsigned holds(const PoseLanes& a_from_b) const;

 private:
  std::array<float, 3> center_{};
  float radius_ = 0.0F;
  float clear_ = 0.0F;             // then
  std::array<float, 3> there_{};   // the centre then, in the frame of A
  std::array<float, 9> turned_{};  // the rotation then
};

/// Of a point of A: it was outside of B, and away from B's surface.
struct PointClearing {
  /// In the frame of A.
  explicit PointClearing(const Vec3& point);

  void prove(const Pose& a_from_b, double clear);
  [[nodiscard]] unsigned holds(const PoseLanes& a_from_b) const;

 private:
  std::array<float, 3> point_{};
  float clear_ = 0.0F;
  std::array<float, 3> there_{};  // then, in the frame of B
};

/// What a `clear` must be less by for single precision, as a fraction of the largest coordinate of
/// B in the frame of A and of A itself. A centre is three products and three sums of floats, each
/// right to 2^-24 of it, of a rotation, a centre and a translation rounded to floats before: below
/// ten such errors; where it was then, two; a rotation's nine entries, rounded twice, times the
/// radius: six. The rest is for the squares and their roots.
inline constexpr double kClearingMargin = 0x1p-19;

}  // namespace clearance::detail
