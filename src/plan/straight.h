// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The search for the open: two trees, from the start and from the goal, that grow in straight lines
// towards the points of a low-discrepancy sequence and towards each other (as RRT-Connect does:
// Kuffner and LaValle, 2000). Asks the cheapest question there is, whether the surfaces touch, at
// places far apart; no distance is asked for, and lines are looked at
// closely only when they are part of a way. What it finds is cut short, and proven by whoever
// asked for it: most of it is free, and refuse() takes out what is not.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>

#include "plan/free_space.h"
#include "plan/place_sequence.h"
#include "plan/place_tree.h"

namespace clearance::detail {

struct StraightOptions {
  /// How far a tree grows towards one point of the sequence: now far, now near, in the metric of
  /// places [m]. Far is quick in a room, near goes through doors. The first targets are gone to
  /// twice as far.
  double far = 0.0;
  double near = 0.0;
  /// Lines are looked at in places so far apart, by the way of the fastest point, when a tree grows
  /// by them: most are of no use later [m]...
  double spacing = 0.0;
  double way_spacing = 0.0;    ///< ...and so far apart when they are part of a way [m]
  double least_spacing = 0.0;  ///< neither is less than this, once ways were refused [m]
  std::uint64_t sequence = 0;  ///< which part of the sequence
  /// Of three targets one is gone to without a turn, and one is turned to on the spot: large bodies
  /// get round corners and through doors so. False: all six numbers at once, which is quicker where
  /// there is room.
  bool apart = false;
};

class StraightTrees {
 public:
  /// As for a search (search.h).
  StraightTrees(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
                const std::vector<Place>& goals, const StraightOptions& options);

  /// Works until `operations` more are done or a way is found; true then.
  bool run(std::uint64_t operations, const Monitor* monitor);
  /// The way found, start to goal.
  [[nodiscard]] const std::vector<Place>& way() const { return way_; }
  /// Those places of the way, first and last included, that will do: the lines from each to the
  /// next look clear, too.
  [[nodiscard]] const std::vector<std::size_t>& short_cuts() const { return short_cuts_; }
  /// Piece `piece` of the way (from its place to the next) is not free after all.
  void refuse(std::size_t piece);

  [[nodiscard]] std::size_t nodes() const { return trees_[0].size() + trees_[1].size(); }
  /// The place reached from the start that is nearest to a goal.
  [[nodiscard]] Place closest() const { return closest_to_roots(trees_[0], trees_[1]); }
  [[nodiscard]] FreeSpace& space() { return space_; }
  [[nodiscard]] const FreeSpace& space() const { return space_; }

 private:
  /// Is the line between two places clear, its ends left out, where it is looked at? The middle
  /// first, then the quarters: what is in the way is found soon.
  [[nodiscard]] bool is_clear(const Place& from, const Place& to, double spacing);
  /// Looks for short cuts of the way that was found, and closer at the pieces that are left of it.
  /// False when one of them is not clear after all: the way is cut there.
  [[nodiscard]] bool straighten();
  /// Takes out what hangs on a piece of the way, which is none then.
  void cut(std::size_t piece);
  /// Grows a tree from a node by one line of at most `range`; the new node, or none. `reached`: it
  /// is the target.
  std::uint32_t grow(int which, std::uint32_t from, const Place& target, double range,
                     bool& reached);
  void join(std::uint32_t in_first, std::uint32_t in_second);
  bool greet();
  bool iterate();

  FreeSpace space_;
  Box bounds_;
  StraightOptions options_;
  PlaceTree trees_[2];
  PlaceSequence sequence_;
  std::uint32_t greeted_ = 0;  ///< goals tried directly from the start
  std::size_t goals_ = 0;
  std::uint64_t turn_ = 0;
  std::vector<Place> way_;
  std::vector<std::size_t> short_cuts_;  ///< of the way
  /// The nodes of the way in the two trees, those of the second from where they meet; none for a
  /// direct way. The first of the second is at the place of the last of the first.
  std::vector<std::uint32_t> ends_[2];
};

}  // namespace clearance::detail
