// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/straight.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

// Lines are looked at so much closer after each way that was refused: walls are thin here.
constexpr double kFiner = 0.7;
// Targets that are grown to with one range before the next has its turn: one for each tree.
constexpr std::uint64_t kTargetsOfRange = 2;
// Far is so many times as far for so many targets: what is open at all is open for long lines, and
// found by then. In rooms behind rooms shorter ones get on better.
constexpr double kFirstFar = 2.0;
constexpr std::uint64_t kFirstTargets = 100;

}  // namespace

StraightTrees::StraightTrees(const PlanProblem& problem, const BodyMeasures& measures,
                             const Box& bounds, const std::vector<Place>& goals,
                             const StraightOptions& options)
    : space_(problem, measures),
      bounds_(bounds),
      options_(options),
      trees_{PlaceTree(space_.radius()), PlaceTree(space_.radius())},
      sequence_(options.sequence),
      goals_(goals.size()) {
  trees_[0].add(place_of(problem.start, space_.pivot()), {}, kNoPlace);
  for (const Place& goal : goals) trees_[1].add(goal, {}, kNoPlace);
}

bool StraightTrees::is_clear(const Place& from, const Place& to, double spacing) {
  const Step6 step = between(from, to, space_.radius());
  const int parts = static_cast<int>(std::ceil(space_.longest_way(step) / spacing));
  int half = 1;
  while (2 * half < parts) half *= 2;
  for (; half > 0; half /= 2) {
    for (int i = half; i < parts; i += 2 * half) {
      const double part = static_cast<double>(i) / parts;
      if (!space_.is_clear(moved(from, part * step, space_.radius()))) return false;
    }
  }
  return true;
}

std::uint32_t StraightTrees::grow(int which, std::uint32_t from, const Place& target, double range,
                                  bool& reached) {
  const Place start = trees_[which][from].place;
  const Step6 step = between(start, target, space_.radius());
  const double length = norm(step);
  reached = length <= range;
  const Place end = reached ? target : moved(start, (range / length) * step, space_.radius());
  if (!space_.is_clear(end) || !is_clear(start, end, options_.spacing)) {
    reached = false;
    return kNoPlace;
  }
  return trees_[which].add(end, {}, from);
}

void StraightTrees::join(std::uint32_t in_first, std::uint32_t in_second) {
  ends_[0] = trees_[0].way_to(in_first);
  ends_[1] = trees_[1].way_to(in_second);
  std::reverse(ends_[1].begin(), ends_[1].end());
  way_.clear();
  for (const std::uint32_t node : ends_[0]) way_.push_back(trees_[0][node].place);
  for (std::size_t i = 1; i < ends_[1].size(); ++i) way_.push_back(trees_[1][ends_[1][i]].place);
}

void StraightTrees::cut(std::size_t piece) {
  if (!ends_[0].empty()) {
    const std::size_t first = ends_[0].size();
    if (piece + 1 < first)
      trees_[0].cut(ends_[0][piece + 1]);
    else
      trees_[1].cut(ends_[1][piece + 1 - first]);
  }
  way_.clear();
}

void StraightTrees::refuse(std::size_t piece) {
  options_.spacing = std::max(options_.least_spacing, kFiner * options_.spacing);
  options_.way_spacing = std::max(options_.least_spacing, kFiner * options_.way_spacing);
  cut(piece);
}

bool StraightTrees::straighten() {
  const bool looked_at = options_.spacing <= options_.way_spacing;
  const std::size_t last = way_.size() - 1;
  short_cuts_ = {0};
  for (std::size_t here = 0; here < last; here = short_cuts_.back()) {
    std::size_t next = last;
    while (next > here + 1 && !is_clear(way_[here], way_[next], options_.way_spacing))
      next = here + std::max<std::size_t>(1, (next - here) * 3 / 4);
    if (next == here + 1 && !looked_at && !is_clear(way_[here], way_[next], options_.way_spacing)) {
      options_.spacing = std::max(options_.way_spacing, kFiner * options_.spacing);
      cut(here);
      return false;
    }
    short_cuts_.push_back(next);
  }
  return true;
}

bool StraightTrees::greet() {
  const Place start = trees_[0][0].place;
  const Place goal = trees_[1][greeted_++].place;
  if (!is_clear(start, goal, options_.way_spacing)) return false;
  ends_[0].clear();
  ends_[1].clear();
  way_ = {start, goal};
  short_cuts_ = {0, 1};
  return true;
}

bool StraightTrees::iterate() {
  if (greeted_ < goals_) return greet();
  // The smaller one, so that neither end waits for the other.
  const int active = trees_[0].size() <= trees_[1].size() ? 0 : 1;
  const double far = (turn_ < kFirstTargets ? kFirstFar : 1.0) * options_.far;
  const double range = turn_ / kTargetsOfRange % 2 == 0 ? far : options_.near;
  ++turn_;
  std::uint64_t compared = 0;
  Place target = sequence_.place(bounds_);
  const std::uint32_t from = trees_[active].near_to(target, compared);
  space_.count(kOperationsOfPoint + compared / kPlacesPerOperation);
  if (options_.apart && turn_ % 3 == 0) target.turn = trees_[active][from].place.turn;
  if (options_.apart && turn_ % 3 == 1) target.position = trees_[active][from].place.position;
  bool reached = false;
  const std::uint32_t grown = grow(active, from, target, range, reached);
  if (grown == kNoPlace) return false;
  const Place place = trees_[active][grown].place;
  compared = 0;
  std::uint32_t met = trees_[1 - active].near_to(place, compared);
  space_.count(compared / kPlacesPerOperation);
  do {
    met = grow(1 - active, met, place, range, reached);
  } while (met != kNoPlace && !reached);
  if (!reached) return false;
  if (active == 0)
    join(grown, met);
  else
    join(met, grown);
  return straighten();
}

bool StraightTrees::run(std::uint64_t operations, const Monitor* monitor) {
  const std::uint64_t until = space_.operations() + operations;
  while (space_.operations() < until) {
    if (is_cancelled(monitor)) return false;
    if (iterate()) return true;
  }
  return false;
}

}  // namespace clearance::detail
