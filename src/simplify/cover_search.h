// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The search for few balls within an error that cover a kept volume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/random.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"
#include "simplify/cover_points.h"

namespace clearance::detail {

struct CoverSearchOptions {
  PointSpacing spacing;
  std::size_t steps_per_ball = 120;  ///< exchanges of the local search in each round
  int rounds = 2;                    ///< of search and looking for gaps
  int closing_rounds = 16;           ///< then, of mending gaps until none is seen
  std::uint64_t seed = 1;
  Threads threads;
  Monitor* monitor = nullptr;
};

/// A search that can be gone on with: when a proof finds a gap that it did not see, it is told.
class CoverSearch {
 public:
  /// The field and the edges must outlive the search.
  CoverSearch(const BallField& field, const std::vector<SharpEdge>& edges,
              const CoverSearchOptions& options);

  /// From the start, or from the balls of the last run. False when cancelled.
  bool run();
  /// Points that a proof found to be left open: to be covered by the next run as well.
  void note(std::span<const Vec3> points) { (void)add_gaps(points); }
  /// Radii are field.radius() of the centres.
  [[nodiscard]] const std::vector<Sphere>& balls() const { return balls_; }

 private:
  void make_candidates();
  void explore();
  void close_gaps();
  void choose(std::size_t steps_per_ball, double far);
  [[nodiscard]] std::vector<Vec3> gaps(bool fine) const;
  std::vector<Vec3> add_gaps(std::span<const Vec3> gaps);
  void add_balls(std::span<const Vec3> points);
  [[nodiscard]] std::vector<Sphere> balls_about(std::vector<Vec3> centers, bool to_ridges) const;
  void append_beside(const Sphere& ball, int count, double far, std::vector<Vec3>& centers);

  const BallField& field_;
  const std::vector<SharpEdge>& edges_;
  CoverSearchOptions options_;
  Random random_;
  std::vector<Vec3> points_;
  std::vector<Sphere> candidates_;
  std::vector<Sphere> balls_;
  std::uint64_t searches_ = 0;
};

}  // namespace clearance::detail
