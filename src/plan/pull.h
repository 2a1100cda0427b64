// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Taking a part out by pulling it: in many directions, each a bit further in turn, turning as it
// has to (slide.h). What a person would do first, and what gets nearly every part out: pegs slide,
// lids lift, nuts turn.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>

#include "plan/free_space.h"
#include "plan/place.h"
#include "plan/slide.h"

namespace clearance::detail {

struct PullOptions {
  double step = 0.0;     ///< as for a search [m]
  double margin = 0.0;   ///< [m]
  double comfort = 0.0;  ///< [m]
};

class Pulls {
 public:
  Pulls(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
        const std::vector<Vec3>& directions, const PullOptions& options);

  /// Works until `operations` more are done, a pull is out (true), or all are stuck.
  bool run(std::uint64_t operations, const Monitor* monitor);
  /// The way of the pull that is out.
  [[nodiscard]] const std::vector<Place>& way() const { return pulls_[current_].way; }
  /// The pull that is out is none after all: it is given up.
  void refuse() { pulls_[current_].stuck = true; }
  [[nodiscard]] bool all_stuck() const;
  [[nodiscard]] std::size_t places() const;
  [[nodiscard]] FreeSpace& space() { return space_; }
  [[nodiscard]] const FreeSpace& space() const { return space_; }

 private:
  struct Pull {
    Vec3 direction;
    Slider slider;
    std::vector<Place> way;
    Near near;
    double forward = 0.0;  ///< as far as it came along the direction
    double mark = 0.0;     ///< where it was when it last came on
    double since = 0.0;    ///< the way it has gone since then
    Step6 momentum{};      ///< the mean of the last steps
    double shorter = 1.0;  ///< how much shorter than usual its steps are
    int careful = 0;       ///< for so many more of them
    bool stuck = false;
  };
  /// One step; true when it is out.
  bool step(Pull& pull);

  FreeSpace space_;
  Box bounds_;
  PullOptions options_;
  std::vector<Pull> pulls_;
  std::size_t current_ = 0;
};

/// Directions to pull in: those of the world, of the body, across the faces near the start, and
/// between the axes.
[[nodiscard]] std::vector<Vec3> pull_directions(const PlanProblem& problem);

}  // namespace clearance::detail
