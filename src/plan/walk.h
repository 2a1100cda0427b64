// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way from one place towards another: in the open in steps that one distance proves, along
// obstacles by giving way (slide.h) or not at all. What all searches grow with.
#pragma once

#include <functional>

#include <clearance/base/monitor.h>

#include "plan/free_space.h"
#include "plan/place.h"
#include "plan/slide.h"

namespace clearance::detail {

/// Distances are asked for up to this part of the size of the body.
inline constexpr double kFarthestLook = 0.5;

struct WalkOptions {
  double step = 0.0;     ///< longest step along obstacles [m]
  double margin = 0.0;   ///< room that every place keeps [m]
  double comfort = 0.0;  ///< room that is kept where it can be (slide.h) [m]
};

class Walker {
 public:
  Walker(FreeSpace& space, const Box& bounds, const WalkOptions& options);

  /// Told of each place that was reached, with the length of the step to it [m].
  using Visitor = std::function<void(const Place& place, const Near& near, double length)>;
  /// Goes from a place with room (`near`: what look() said there) until the target is reached
  /// (true), something is in the way, or it went as far as `range` [m]. `slides`: steps along
  /// obstacles at most; none stops where something is in the way. Steps are looked at where they
  /// end, and between where that does not prove them.
  bool walk(const Place& from, const Near& near, const Place& target, double range, int slides,
            const Monitor* monitor, const Visitor& visit);

 private:
  /// Is the step free at places between its ends, no farther apart than kLookEvery?
  bool free_between(const Place& from, const Near& near, const Place& to, const Near& there);

  FreeSpace& space_;
  Box bounds_;
  WalkOptions options_;
  Slider slider_;
};

}  // namespace clearance::detail
