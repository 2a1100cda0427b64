// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/flood.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clearance::detail {
namespace {

// Cells kept at most: some hundred megabytes.
constexpr std::size_t kMostCells = 500'000;

}  // namespace

std::size_t Flood::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const std::int32_t part : key) {
    hash ^= static_cast<std::uint32_t>(part);
    hash *= 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

Flood::Flood(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
             const Place& origin, const std::vector<Place>& goals, double spacing)
    : space_(problem, measures), bounds_(bounds), origin_(origin), goals_(goals) {
  way_spacing_ = spacing;
  turn_spacing_ = std::min(1.0, spacing / space_.reach());
  // Half the diagonal of a cell, in the way of the pivot and in the turn of the farthest vertex.
  const double half_diagonal = 0.5 * std::sqrt(3.0);
  spread_ = half_diagonal * (way_spacing_ + turn_spacing_ * space_.reach());
  visit(Key{}, 0);
}

Place Flood::place_at(const Key& key) const {
  const Vec3 way{key[0] * way_spacing_, key[1] * way_spacing_, key[2] * way_spacing_};
  const Vec3 turn{key[3] * turn_spacing_, key[4] * turn_spacing_, key[5] * turn_spacing_};
  return {origin_.position + way, unit(turn_by(turn) * origin_.turn)};
}

void Flood::visit(const Key& key, std::uint32_t parent) {
  if (!seen_.emplace(key, true).second) return;
  const Place place = place_at(key);
  // The cells of poses within the bounds may lie half a cell beyond them.
  const double slack = way_spacing_;
  for (std::size_t i = 0; i < 3; ++i) {
    if (place.position[i] < bounds_.low[i] - slack || place.position[i] > bounds_.high[i] + slack) {
      return;
    }
  }
  const double turn = turn_spacing_ * std::sqrt(static_cast<double>(key[3]) * key[3] +
                                                static_cast<double>(key[4]) * key[4] +
                                                static_cast<double>(key[5]) * key[5]);
  if (turn > std::numbers::pi + 2.0 * turn_spacing_) return;
  // The origin's cell counts as free: the place itself is.
  if (!cells_.empty() && !(space_.look(place, 0.1 * spread_).room > 0.0)) return;

  const auto index = static_cast<std::uint32_t>(cells_.size());
  cells_.push_back({key, parent});
  double value = 0.0;
  if (goals_.empty()) {
    if (is_out(space_.problem(), pose_of(place, space_.pivot()))) {
      reached_ = index;
      status_ = FloodStatus::Reached;
    }
    value = -squared_norm(place.position - origin_.position);
  } else {
    value = std::numeric_limits<double>::infinity();
    for (const Place& goal : goals_) {
      const Step6 left = between(place, goal, space_.reach());
      value = std::min(value, dot(left, left));
      const Vec3 way = abs(left.way);
      if (largest_component(way) <= way_spacing_ &&
          norm(left.turn) / space_.reach() <= std::sqrt(3.0) * turn_spacing_) {
        reached_ = index;
        status_ = FloodStatus::Reached;
      }
    }
  }
  open_.push({value, index});
  if (cells_.size() >= kMostCells && status_ == FloodStatus::Running)
    status_ = FloodStatus::TooMany;
}

void Flood::expand(std::uint32_t cell) {
  const Key key = cells_[cell].key;
  Key next{};
  constexpr int kNeighbours = 729;
  for (int n = 0; n < kNeighbours && status_ == FloodStatus::Running; ++n) {
    int code = n;
    for (std::size_t i = 0; i < 6; ++i, code /= 3) next[i] = key[i] + code % 3 - 1;
    visit(next, cell);
  }
  // Across half a turn: the vector of the same turn at the other side of the ball.
  const Vec3 turn{key[3] * turn_spacing_, key[4] * turn_spacing_, key[5] * turn_spacing_};
  const double angle = norm(turn);
  if (angle < std::numbers::pi - 2.0 * turn_spacing_) return;
  const Vec3 across = ((angle - 2.0 * std::numbers::pi) / angle) * turn;
  const std::array<double, 3> at{across.x / turn_spacing_, across.y / turn_spacing_,
                                 across.z / turn_spacing_};
  for (int n = 0; n < kNeighbours && status_ == FloodStatus::Running; ++n) {
    int code = n;
    for (std::size_t i = 0; i < 6; ++i, code /= 3) {
      const std::int32_t middle =
          i < 3 ? key[i] : static_cast<std::int32_t>(std::lround(at[i - 3]));
      next[i] = middle + code % 3 - 1;
    }
    visit(next, cell);
  }
}

FloodStatus Flood::run(std::uint64_t operations, const Monitor* monitor) {
  const std::uint64_t until = space_.operations() + operations;
  while (status_ == FloodStatus::Running && space_.operations() < until && !is_cancelled(monitor)) {
    if (open_.empty()) {
      status_ = FloodStatus::Exhausted;
      break;
    }
    const std::uint32_t cell = open_.top().cell;
    open_.pop();
    expand(cell);
  }
  return status_;
}

std::vector<Place> Flood::way() const {
  std::vector<Place> places;
  for (std::uint32_t cell = reached_; cell != 0; cell = cells_[cell].parent) {
    places.push_back(place_at(cells_[cell].key));
  }
  places.push_back(origin_);
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace clearance::detail
