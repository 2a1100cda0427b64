// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The search for few balls within an error that cover a kept volume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"
#include "simplify/ball_spread.h"
#include "simplify/ball_squeeze.h"
#include "simplify/cover_points.h"
#include "simplify/point_blocks.h"
#include "simplify/symmetry.h"

namespace clearance::detail {

struct CoverSearchOptions {
  /// Of the points that a first cover is chosen for, and of those that it is squeezed for.
  PointSpacing spacing;
  PointSpacing fine{.face = 0.3, .edge = 0.12, .inside = 0.6};
  std::size_t steps_per_ball = 20;        ///< exchanges of the local search
  std::size_t long_steps_per_ball = 120;  ///< and where that costs little
  bool is_rough = false;                  ///< a guess of how many: no more than the first choice
  int closing_rounds = 16;                ///< of mending gaps until none is seen
  /// Gaps are those that balls larger by this would not hold, as a part of the error; negative:
  /// that smaller ones would not.
  double gap_depth = 0.0;
  /// Those of the body, the smallest first.
  std::vector<Symmetry> symmetries = std::vector<Symmetry>(1);
  std::uint64_t seed = 1;
  Threads threads;
  Monitor* monitor = nullptr;
};

/// A search that can be gone on with: when a proof finds a gap that it did not see, it is told.
class CoverSearch {
 public:
  /// The field and the edges must outlive the search.
  CoverSearch(BallField& field, const std::vector<SharpEdge>& edges,
              const CoverSearchOptions& options);

  /// From the start, or from the balls of the last run. False when cancelled.
  bool run();
  /// Points that a proof found to be left open: to be covered by the next run as well.
  void note(std::span<const Vec3> points);
  /// Moves the balls so that such points are held, if that does. False when cancelled.
  bool close(std::span<const Vec3> points);
  /// Radii are field.radius() of the centres.
  [[nodiscard]] const std::vector<Sphere>& balls() const { return balls_; }

 private:
  void choose();
  void choose_again(int round);
  void settle();
  void unfold();
  std::size_t learn();
  SpreadGap spread(int steps, std::optional<double> enough);
  void squeeze();
  void mend();
  [[nodiscard]] const PointBlocks& blocks();
  [[nodiscard]] std::size_t note_gaps(double depth);
  [[nodiscard]] std::vector<Sphere> balls_about(const std::vector<Vec3>& centers) const;
  [[nodiscard]] std::vector<Sphere> balls_beside(const std::vector<Sphere>& balls, int count,
                                                 double far, std::uint64_t seed) const;
  void choose_among(const std::vector<Sphere>& candidates, std::size_t known);

  // In cover_saving.cpp:
  void save_balls();
  [[nodiscard]] std::vector<std::uint32_t> least_missed();
  [[nodiscard]] std::vector<Sphere> without_apart(std::span<const std::uint32_t> order,
                                                  std::size_t most) const;
  [[nodiscard]] bool is_enough(std::vector<Sphere> balls, SpreadGap& gap);
  [[nodiscard]] bool save_some(std::span<const std::uint32_t> some, SpreadGap& gap);
  void add_balls(const SpreadGap& gap);

  BallField& field_;
  const std::vector<SharpEdge>& edges_;
  CoverSearchOptions options_;
  // Balls stand for all their images, and points are of its home.
  Symmetry symmetry_;
  std::optional<BallSpread> spread_;
  std::vector<Vec3> points_;
  PointBlocks blocks_;  // of the first so many points
  // Fewer, to see where balls meet, and all gaps that were found.
  std::vector<Vec3> seeds_;
  PointBlocks seed_blocks_;
  std::vector<Sphere> candidates_;
  bool is_small_ = false;
  std::vector<Sphere> balls_;
};

}  // namespace clearance::detail
