// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clearance::detail {
namespace {

// Places of one way are listed in steps of this part of the range: a way of many short steps would
// else crowd out the others when the nearest is looked for.
constexpr double kListedPart = 0.25;
// One of so many targets is from anywhere where the others are in passages.
constexpr std::uint64_t kAnywhere = 3;
// A node that failed takes targets within this many steps.
constexpr double kDomainSteps = 20.0;
// Places nearer to each other than this part of the size of the body are one.
constexpr double kSame = 1e-9;
constexpr std::uint64_t kMeetings = 4;
constexpr double kAnyWay = std::numeric_limits<double>::infinity();
// Trees nearer than this many sizes of the body try to meet each time, others now and then.
constexpr double kNearMeeting = 1.0;
constexpr std::uint64_t kDistantMeetings = 8;

}  // namespace

Search::Search(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
               const std::vector<Place>& goals, const SearchOptions& options)
    : space_(problem, measures),
      bounds_(bounds),
      options_(options),
      walker_(space_, bounds, {options.step, options.margin, options.comfort}),
      trees_{PlaceTree(space_.radius() * options.turn_weight),
             PlaceTree(space_.radius() * options.turn_weight)},
      covered_{Coverage(options.coverage, space_.radius()),
               Coverage(options.coverage, space_.radius())},
      sequence_(options.sequence) {
  if (options.fitted) fitted_.emplace(problem, measures, bounds, options.sequence);
  const double bound = kFarthestLook * space_.size();
  const Place start = place_of(problem.start, space_.pivot());
  add(0, start, space_.look(start, bound), kNoPlace, true);
  for (const Place& goal : goals) add(1, goal, space_.look(goal, bound), kNoPlace, true);
}

std::uint32_t Search::add(int tree, const Place& place, const Near& near, std::uint32_t parent,
                          bool listed) {
  const std::uint32_t node = trees_[tree].add(place, near, parent, listed);
  if (options_.coverage > 0.0 && listed) covered_[tree].add(node, place);
  return node;
}

Place Search::next_target() {
  const Place anywhere = sequence_.place(bounds_);
  if (!fitted_ || sequence_.counter() % kAnywhere == 0 || !fitted_->is_due(space_)) return anywhere;
  return fitted_->next(space_).value_or(anywhere);
}

Place Search::sample_near(const Place& place) {
  // Now a way, now a turn, now both.
  const std::array<double, 6> u = sequence_.numbers();
  const std::uint64_t kind = sequence_.counter() % 3;
  const double way = kind == 1 ? 0.0 : options_.range;
  const double turn = kind == 0 ? 0.0 : options_.range;
  const Step6 step{way * Vec3{2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 2.0 * u[2] - 1.0},
                   turn * Vec3{2.0 * u[3] - 1.0, 2.0 * u[4] - 1.0, 2.0 * u[5] - 1.0}};
  return moved(place, step, space_.radius());
}

Search::Reach Search::grow(int which, std::uint32_t from, const Place& target, double range,
                           int slides) {
  Reach reach{from};
  double way = 0.0;
  double unlisted = 0.0;
  const Place place = trees_[which][from].place;
  const Near near = trees_[which][from].near;
  const auto add_next = [&](const Place& next, const Near& there, double length) {
    way += length;
    unlisted += length;
    const bool listed = way >= range || unlisted > kListedPart * options_.range ||
                        norm(between(next, target, space_.radius())) < kSame * space_.size();
    if (listed) unlisted = 0.0;
    reach.node = add(which, next, there, reach.node, listed);
    reach.grew = true;
  };
  reach.reached = walker_.walk(place, near, target, range, slides, monitor_, add_next);
  return reach;
}

void Search::join(std::uint32_t in_first, std::uint32_t in_second) {
  ends_[0] = trees_[0].way_to(in_first);
  ends_[1] = trees_[1].way_to(in_second);
  std::reverse(ends_[1].begin(), ends_[1].end());
  way_.clear();
  for (const std::uint32_t node : ends_[0]) way_.push_back(trees_[0][node].place);
  for (const std::uint32_t node : ends_[1]) way_.push_back(trees_[1][node].place);
}

void Search::refuse(std::size_t piece) {
  const std::size_t first = ends_[0].size();
  // The piece across, between the two trees, has no node of its own: the end of the first tree
  // goes.
  if (piece + 1 < first) {
    trees_[0].cut(ends_[0][piece + 1]);
  } else if (piece + 1 == first) {
    if (first > 1)
      trees_[0].cut(ends_[0][first - 1]);
    else if (ends_[1].size() > 1)
      trees_[1].cut(ends_[1][0]);
  } else {
    trees_[1].cut(ends_[1][piece - first]);
  }
  way_.clear();
}

bool Search::iterate() {
  // First the direct ways, from either end.
  if (greeted_ < trees_[1].size() && greeted_ < 64 &&
      trees_[1][static_cast<std::uint32_t>(greeted_)].parent == kNoPlace) {
    const auto goal = static_cast<std::uint32_t>(greeted_++);
    const Reach there = grow(0, 0, trees_[1][goal].place, kAnyWay, options_.slides);
    if (there.reached) return join(there.node, goal), true;
    const Reach back = grow(1, goal, trees_[0][there.node].place, kAnyWay, options_.slides);
    if (back.reached) return join(there.node, back.node), true;
    return false;
  }
  const int active = trees_[0].size() <= trees_[1].size() ? 0 : 1;
  PlaceTree& tree = trees_[active];
  PlaceTree& other = trees_[1 - active];
  std::uint32_t near = kNoPlace;
  Place target;
  if (options_.coverage > 0.0) {
    near = covered_[active].next();
    if (!tree.is_left(near)) return false;
    target = sample_near(tree[near].place);
  } else {
    target = next_target();
    std::uint64_t compared = 0;
    near = tree.near_to(target, compared);
    space_.count(compared / kPlacesPerOperation);
    if (near == kNoPlace) return false;
    const double gap =
        std::sqrt(squared_gap(tree[near].place, target, space_.radius() * options_.turn_weight));
    if (gap > tree[near].domain) return false;
  }
  const Reach grown = grow(active, near, target, options_.range, options_.slides);
  if (!grown.grew) {
    tree[near].domain = std::max(kDomainSteps * options_.step,
                                 std::isfinite(tree[near].domain) ? 0.5 * tree[near].domain : 0.0);
    return false;
  }
  const Place& reached = tree[grown.node].place;
  std::uint64_t compared = 0;
  const std::uint32_t from = other.near_to(reached, compared);
  space_.count(compared / kPlacesPerOperation);
  if (from == kNoPlace) return false;
  // Trees that are far apart are seldom joined by the next straight line.
  const bool far = squared_gap(other[from].place, reached, space_.radius()) >
                   kNearMeeting * kNearMeeting * space_.size() * space_.size();
  const bool only_straight = options_.slides == 0;
  if (far && !only_straight && ++distant_ % kDistantMeetings != 0) return false;
  // Giving way all along is dear, and mostly in vain: the straight way is tried each time, the
  // other now and then.
  const bool straight = ++meetings_ % kMeetings != 0;
  const Reach met = grow(1 - active, from, reached, kAnyWay, straight ? 0 : options_.slides);
  if (!met.reached) return false;
  if (active == 0)
    join(grown.node, met.node);
  else
    join(met.node, grown.node);
  return true;
}

bool Search::run(std::uint64_t operations, const Monitor* monitor) {
  const std::uint64_t until = space_.operations() + operations;
  monitor_ = monitor;
  while (space_.operations() < until) {
    if (is_cancelled(monitor)) return false;
    space_.count(kOperationsOfPoint);
    if (iterate()) return true;
  }
  return false;
}

}  // namespace clearance::detail
