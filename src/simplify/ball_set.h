// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Balls to be looked up by place, with radii moved inward and outward by what rounding may do: the
// vocabulary of proofs about unions of balls.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// Bound of the rounding of a point made by repeated halving, and of its distance from a centre, as
/// a fraction of the coordinates: 60 halvings and ten operations of 1.1e-16 each, doubled.
inline constexpr double kHalvingRounding = 2e-14;

struct Ball {
  Vec3 center;
  double radius = 0.0;  // as given
  double inner = 0.0;   // distances computed as at most this are in the ball; may be negative
  double outer = 0.0;   // distances computed as more than this are not
};

class BallSet {
 public:
  /// Leaves out balls that are none: radius negative or not finite, centre not finite. `reach`:
  /// largest coordinate of the points that will be looked at.
  BallSet(std::span<const Sphere> spheres, double reach);

  [[nodiscard]] std::span<const Ball> balls() const { return balls_; }
  [[nodiscard]] const Ball& operator[](std::uint32_t i) const { return balls_[i]; }
  [[nodiscard]] std::size_t size() const { return balls_.size(); }

  /// Appends the balls that have a point within `radius` of `center`, for all that is known;
  /// ascending.
  void near(const Vec3& center, double radius, std::vector<std::uint32_t>& found) const;
  /// The ball nearest to a point, and how far it is, negative inside: least |p - center| - radius.
  /// Infinity without balls.
  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    std::uint32_t ball = 0;
  };
  [[nodiscard]] Nearest nearest(const Vec3& p) const;

 private:
  struct Node {
    Vec3 center;
    double reach = 0.0;  // of the balls below, from the centre
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t second = 0;  // the other child; the first follows. 0: a leaf
  };
  void build(std::uint32_t begin, std::uint32_t end);

  std::vector<Ball> balls_;
  std::vector<std::uint32_t> order_;  // of the balls, in the leaves
  std::vector<Node> nodes_;
};

}  // namespace clearance::detail
