// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One way of searching: two trees of places, from the start and from the goal, that grow towards
// the points of a low-discrepancy sequence, towards places in narrow passages (fitted_places.h) and
// towards each other by motion that gives way (slide.h). Deterministic: a Search does the same
// whatever runs beside it.
//
// Steps are looked at where they end. In the open, the distance there proves the whole step; along
// obstacles it does not, and the proof of the whole way comes later: refuse() takes out what it
// disproved, and the search goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>

#include "plan/coverage.h"
#include "plan/fitted_places.h"
#include "plan/free_space.h"
#include "plan/place_sequence.h"
#include "plan/place_tree.h"
#include "plan/walk.h"

namespace clearance::detail {

struct SearchOptions {
  double step = 0.0;     ///< longest step along obstacles [m]
  double margin = 0.0;   ///< room that every place keeps [m]
  double comfort = 0.0;  ///< room that is kept where it can be (slide.h) [m]
  double range = 0.0;    ///< how far a tree grows towards one point of the sequence [m]
  double turn_weight =
      1.0;  ///< of turns when the nearest place is looked for; 1: as the body moves
  std::uint64_t sequence = 0;  ///< which part of the sequence
  /// Above 0: the tree sets out from the cell it used least, of this spacing (coverage.h), instead
  /// of the place nearest to the target [m].
  double coverage = 0.0;
  /// Two of three targets are places in narrow passages as long as those are due
  /// (fitted_places.h).
  bool fitted = false;
  /// Steps along obstacles in one go, at most: none stops where something is in the way, many
  /// thread passages, few are quick in the open.
  int slides = 1'000'000;
  std::string name;
};

class Search {
 public:
  /// `goals`: free places that are all as good. The problem must outlive the search.
  Search(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
         const std::vector<Place>& goals, const SearchOptions& options);

  /// Works until `operations` more are done or a way is found; true then.
  bool run(std::uint64_t operations, const Monitor* monitor);
  /// The way found, start to goal.
  [[nodiscard]] const std::vector<Place>& way() const { return way_; }
  /// Piece `piece` of the way (from its place to the next) is not free after all.
  void refuse(std::size_t piece);

  [[nodiscard]] const SearchOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t operations() const { return space_.operations(); }
  [[nodiscard]] std::size_t nodes() const { return trees_[0].size() + trees_[1].size(); }
  /// The place reached from the start that is nearest to a goal (out: nearest to any).
  [[nodiscard]] Place closest() const { return closest_to_roots(trees_[0], trees_[1]); }
  [[nodiscard]] FreeSpace& space() { return space_; }

 private:
  struct Reach {
    std::uint32_t node = kNoPlace;  ///< the last one added, or where it began
    bool grew = false;
    bool reached = false;
  };
  Reach grow(int which, std::uint32_t from, const Place& target, double range, int slides);
  /// What the next tree grows towards.
  [[nodiscard]] Place next_target();
  /// A place at about the range from this one.
  [[nodiscard]] Place sample_near(const Place& place);
  std::uint32_t add(int tree, const Place& place, const Near& near, std::uint32_t parent,
                    bool listed);
  void join(std::uint32_t in_first, std::uint32_t in_second);
  bool iterate();

  FreeSpace space_;
  const Monitor* monitor_ = nullptr;  ///< of the run
  Box bounds_;
  SearchOptions options_;
  std::uint64_t meetings_ = 0;
  std::uint64_t distant_ = 0;
  Walker walker_;
  PlaceTree trees_[2];
  Coverage covered_[2];
  PlaceSequence sequence_;
  std::optional<FittedPlaces> fitted_;
  std::size_t greeted_ = 0;  ///< goals tried directly from the start
  std::vector<Place> way_;
  std::vector<std::uint32_t> ends_[2];  ///< the nodes of the way in the two trees
};

}  // namespace clearance::detail
