// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The second opinion on narrow ways (verify.h): what a triangle of the body passes in a short time
// is within a known distance of the hull of itself before and after, and a plane between that hull
// and a triangle of the obstacles tells that they do not meet. Shares nothing with the proof by
// pairs (proof_pairs.h): other places in between, another bound, another tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/geometry/pose.h>
#include <clearance/plan/problem.h>

namespace clearance::detail {

/// A motion whose pivot goes straight while the body turns about it at a constant rate.
struct TurningMotion {
  std::function<Pose(double)> at;  ///< world from body, for times from 0 to 1
  Vec3 pivot;                      ///< body's frame [m]
  double turn = 0.0;               ///< in all [rad]
  double slack = 0.0;              ///< what rounding may do to a point [m]
};

class ChordCheck {
 public:
  /// Sorts the obstacles' triangles into a pyramid of boxes.
  explicit ChordCheck(const PlanProblem& problem);

  /// True only when every point of the body keeps the clearance from `begin` to `end`. False says
  /// nothing: too close, closer than chords can tell, stopped by the monitor, or more than
  /// `operations` tests.
  [[nodiscard]] bool proves(const TurningMotion& motion, double begin, double end,
                            std::uint64_t operations, const Monitor* monitor, Work& work) const;

 private:
  class Run;
  /// The boxes of eight entries each of the level below; level 0 has those of eight triangles.
  using Level = std::vector<Box>;

  double clearance_;
  std::vector<Triangle> obstacles_;  ///< neighbours near each other
  std::vector<Box> boxes_;           ///< of each
  std::vector<Level> levels_;
  std::vector<Triangle> body_;
};

}  // namespace clearance::detail
