// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points to be looked up by ball: in the order of a space-filling curve, so that those that follow
// each other are near each other, and many can be passed over at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

class PointBlocks {
 public:
  PointBlocks() = default;
  explicit PointBlocks(std::span<const Vec3> points);

  /// Numbers of points below are places along the curve.
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] Vec3 point(std::size_t place) const { return {x_[place], y_[place], z_[place]}; }
  /// Where a place was in the points given.
  [[nodiscard]] std::uint32_t given(std::size_t place) const { return order_[place]; }

  /// Calls each(place) for all points in a ball, ascending. A negative radius holds none.
  template <class Each>
  void in_ball(const Sphere& ball, const Each& each) const {
    if (!(ball.radius >= 0.0)) return;
    const double radius_sq = ball.radius * ball.radius;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!touches(ball, groups_[g])) continue;
      for (std::size_t b = g * kGroup; b < std::min(blocks_.size(), (g + 1) * kGroup); ++b) {
        if (!touches(ball, blocks_[b])) continue;
        // All of the block first, without a branch: the compiler takes several at a time.
        std::array<double, kBlock> distance_sq;
        for (std::size_t j = 0; j < kBlock; ++j) {
          const std::size_t i = b * kBlock + j;
          const double dx = x_[i] - ball.center.x;
          const double dy = y_[i] - ball.center.y;
          const double dz = z_[i] - ball.center.z;
          distance_sq[j] = dx * dx + dy * dy + dz * dz;
        }
        const std::size_t end = std::min(size() - b * kBlock, kBlock);
        for (std::size_t j = 0; j < end; ++j)
          if (distance_sq[j] <= radius_sq) each(b * kBlock + j);
      }
    }
  }

  /// Points that lie together, from the first group to the last.
  [[nodiscard]] std::size_t group_count() const { return groups_.size(); }
  /// Around all points of a group, which is of whole blocks.
  [[nodiscard]] const Sphere& around_group(std::size_t group) const { return groups_[group]; }
  [[nodiscard]] std::size_t first_block(std::size_t group) const { return group * kGroup; }
  [[nodiscard]] std::size_t end_block(std::size_t group) const {
    return std::min(blocks_.size(), (group + 1) * kGroup);
  }
  /// Around the points of a block, whose places are from first_place() to before end_place().
  [[nodiscard]] const Sphere& around_block(std::size_t block) const { return blocks_[block]; }
  [[nodiscard]] std::size_t first_place(std::size_t block) const { return block * kBlock; }
  [[nodiscard]] std::size_t end_place(std::size_t block) const {
    return std::min(size(), (block + 1) * kBlock);
  }
  /// For each point of a group the ball of least distance from its surface, negative inside, of
  /// those that touch the group: `holder` and `distance` by place. Points that none touches stay as
  /// they are. Groups may be looked at by several threads.
  void nearest_of(std::size_t group, std::span<const Sphere> balls,
                  std::vector<std::uint32_t>& holder, std::vector<double>& distance) const;

 private:
  static constexpr std::size_t kBlock = 16;  // points looked at together
  static constexpr std::size_t kGroup = 16;  // blocks passed over together

  static bool touches(const Sphere& ball, const Sphere& around) {
    const double touch = ball.radius + around.radius;
    return squared_norm(around.center - ball.center) <= touch * touch;
  }

  std::vector<std::uint32_t> order_;
  std::vector<double> x_, y_, z_;        // filled up to whole blocks
  std::vector<Sphere> blocks_, groups_;  // around their points
};

}  // namespace clearance::detail
