// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several searches in straight lines (straight.h) side by side, each with its own part of the
// sequence: how long one takes differs by a factor of ten from part to part, and the first of two
// is seldom slow. Each has a clock of counted operations; the way that was found earliest by these
// clocks is proven, and if it is refused the race goes on. Which one wins is the same for any
// number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>

#include "plan/mend.h"
#include "plan/straight.h"

namespace clearance::detail {

class StraightRace {
 public:
  /// As for one search; `options.sequence` is the part of the first.
  StraightRace(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
               const std::vector<Place>& goals, const StraightOptions& options);

  /// Works until `operations` more are done by all together, or a way is proven; true then.
  bool run(std::uint64_t operations, Threads threads, const Monitor* monitor);
  [[nodiscard]] const ProvenWay& way() const { return way_; }

  /// Done so far; once a way was proven, what the searches have done when they go abreast until it
  /// is found, and its proof.
  [[nodiscard]] std::uint64_t operations() const;
  /// Kept by all; once a way was proven, by the search that found it.
  [[nodiscard]] std::size_t nodes() const;
  [[nodiscard]] Place closest() const { return runners_.front()->trees.closest(); }

 private:
  struct Runner {
    StraightTrees trees;
    std::uint64_t handicap = 0;  ///< operations that the first does before this one sets out
    bool there = false;          ///< has a way that is not proven yet...
    std::uint64_t found_at = 0;  ///< ...by its clock
    [[nodiscard]] std::uint64_t clock() const { return handicap + trees.space().operations(); }
  };
  /// The first to have a way before the limit; null when none has, or when cancelled.
  Runner* first_there(Threads threads, const Monitor* monitor);

  std::vector<std::unique_ptr<Runner>> runners_;
  Mender mender_;
  std::uint64_t limit_ = 0;  ///< of each clock
  std::uint64_t slice_;      ///< all clocks are beyond this before any goes on
  ProvenWay way_;
  const Runner* winner_ = nullptr;
};

}  // namespace clearance::detail
