// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Few balls that hold all points: the problem of covering with as few sets as possible. A greedy
// choice first, then a local search that takes a ball away and mends the cover by exchanges, with
// weights on points that are hard to cover (after Gao, Weise, Li: "An efficient local search
// heuristic with row weighting for the unicost set covering problem", 2015).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// Which ball holds which point, from both sides.
class BallIncidence {
 public:
  /// Balls of negative radius hold nothing. The same for any number of threads.
  BallIncidence(std::span<const Sphere> balls, std::span<const Vec3> points, Threads threads);
  /// Of any shapes: the points that each holds, of so many.
  BallIncidence(std::span<const std::vector<std::uint32_t>> held, std::size_t point_count);

  [[nodiscard]] std::size_t ball_count() const { return point_begin_.size() - 1; }
  [[nodiscard]] std::size_t point_count() const { return ball_begin_.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> points_of(std::size_t ball) const {
    return std::span(points_).subspan(point_begin_[ball],
                                      point_begin_[ball + 1] - point_begin_[ball]);
  }
  [[nodiscard]] std::span<const std::uint32_t> balls_of(std::size_t point) const {
    return std::span(balls_).subspan(ball_begin_[point],
                                     ball_begin_[point + 1] - ball_begin_[point]);
  }

 private:
  void fill(std::span<const std::vector<std::uint32_t>> held, std::size_t point_count);

  std::vector<std::size_t> point_begin_, ball_begin_;
  std::vector<std::uint32_t> points_, balls_;
};

struct SetCoverOptions {
  /// Exchanges, for each ball of the first cover: at least the first number, and up to the second
  /// while they look at no more than most_work pairs of a ball and a point in all. Covers of few
  /// balls gain from a long search, and it costs them little.
  std::size_t steps_per_ball = 20;
  std::size_t most_steps_per_ball = 20;
  double most_work = 0.0;
  std::uint64_t seed = 1;
  Monitor* monitor = nullptr;
};

/// Numbers of balls that hold all points which any ball holds, ascending. `first`: balls to begin
/// with; the outcome has no more, if they hold all.
[[nodiscard]] std::vector<std::uint32_t> cover_with_few(const BallIncidence& incidence,
                                                        std::span<const std::uint32_t> first,
                                                        const SetCoverOptions& options);

}  // namespace clearance::detail
