// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/clearing.h"

#include <cmath>
#include <limits>

namespace clearance::detail {
namespace {

/// Sums and products of floats that are compared, rounded to the safe side.
constexpr float kUp = 1.0F + 2e-6F;

float rounded_down(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) > v ? std::nextafter(f, -std::numeric_limits<float>::infinity())
                                    : f;
}

float rounded_up(double v) { return -rounded_down(-v); }

std::array<float, 3> narrowed(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

BallClearing::BallClearing(const Sphere& ball) : center_(narrowed(ball.center)) {
  const double moved = distance(ball.center, {center_[0], center_[1], center_[2]});
  radius_ = rounded_up(ball.radius + moved * (1.0 + 1e-12));
}

void BallClearing::prove(const Pose& a_from_b, double clear) {
  clear_ = rounded_down(clear);
  there_ = narrowed(a_from_b * Vec3{center_[0], center_[1], center_[2]});
  for (std::size_t i = 0; i < 9; ++i)
    turned_[i] = static_cast<float>(a_from_b.rotation[i / 3][i % 3]);
}

unsigned BallClearing::holds(const PoseLanes& a_from_b) const {
  const auto& r = a_from_b.rotation;
  const Float8 x = broadcast8(center_[0]);
  const Float8 y = broadcast8(center_[1]);
  const Float8 z = broadcast8(center_[2]);
  Float8 way_sq{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Float8 now =
        fused(r[3 * i], x, fused(r[3 * i + 1], y, fused(r[3 * i + 2], z, a_from_b.translation[i])));
    const Float8 way = now - there_[i];
    way_sq = fused(way, way, way_sq);
  }
  Float8 turn_sq{};
  for (std::size_t i = 0; i < 9; ++i) {
    const Float8 turn = r[i] - turned_[i];
    turn_sq = fused(turn, turn, turn_sq);
  }
  // The largest stretch of the difference of two rotations is its Frobenius norm over the root of
  // two.
  const Float8 left = clear_ - sqrt(0.5F * turn_sq) * (radius_ * kUp);
  return bits((left > 0.0F) & (way_sq * kUp < left * left));
}

PointClearing::PointClearing(const Vec3& point) : point_(narrowed(point)) {}

void PointClearing::prove(const Pose& a_from_b, double clear) {
  clear_ = rounded_down(clear);
  there_ = narrowed(inverse(a_from_b) * Vec3{point_[0], point_[1], point_[2]});
}

unsigned PointClearing::holds(const PoseLanes& a_from_b) const {
  if (!(clear_ > 0.0F)) return 0;
  const auto& r = a_from_b.rotation;
  const Float8 x = point_[0] - a_from_b.translation[0];
  const Float8 y = point_[1] - a_from_b.translation[1];
  const Float8 z = point_[2] - a_from_b.translation[2];
  Float8 way_sq{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Float8 way =
        fused(r[i], x, fused(r[3 + i], y, fused(r[6 + i], z, broadcast8(-there_[i]))));
    way_sq = fused(way, way, way_sq);
  }
  return bits(way_sq * kUp < broadcast8(clear_ * clear_));
}

}  // namespace clearance::detail
