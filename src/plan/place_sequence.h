// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Places from a low-discrepancy sequence: even from the first point on, and the same every time.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <clearance/geometry/shapes.h>

#include "plan/place.h"

namespace clearance::detail {

class PlaceSequence {
 public:
  /// `part`: which part of the sequence.
  explicit PlaceSequence(std::uint64_t part) : part_(part) {}

  /// The next point of the cube of six dimensions.
  [[nodiscard]] std::array<double, 6> numbers() {
    ++counter_;
    const auto n = static_cast<double>(counter_ + part_);
    std::array<double, 6> u{};
    double power = 1.0;
    for (double& value : u) {
      power /= kGolden6;
      const double sum = 0.5 + n * power;
      value = sum - std::floor(sum);
    }
    return u;
  }
  /// The next place, its position within the box.
  [[nodiscard]] Place place(const Box& box) {
    const std::array<double, 6> u = numbers();
    const Vec3 size = box.high - box.low;
    return {{box.low.x + u[0] * size.x, box.low.y + u[1] * size.y, box.low.z + u[2] * size.z},
            turn_from(u[3], u[4], u[5])};
  }
  [[nodiscard]] std::uint64_t counter() const { return counter_; }

 private:
  // The generalised golden ratio of six dimensions: the root of x^7 = x + 1. Multiples of its
  // inverse powers, modulo one, fill the cube evenly from the first point on (Roberts, 2018).
  static constexpr double kGolden6 = 1.1127756842787055;

  /// A turn from three numbers in [0, 1): even numbers give evenly distributed turns (Shoemake,
  /// 1992).
  static Quaternion turn_from(double u, double v, double w) {
    const double a = std::sqrt(1.0 - u);
    const double b = std::sqrt(u);
    const double s = 2.0 * std::numbers::pi * v;
    const double t = 2.0 * std::numbers::pi * w;
    return {a * std::sin(s), a * std::cos(s), b * std::sin(t), b * std::cos(t)};
  }

  std::uint64_t part_;
  std::uint64_t counter_ = 0;
};

}  // namespace clearance::detail
