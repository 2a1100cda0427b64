// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completeness up to a resolution: the poses of a lattice around one place that are free, reached
// from cell to cell.
//
// Any pose is within a bounded way of a pose of the lattice: `spread`, the farthest that any point
// of the body is moved between the two. A path that keeps more than this beyond its clearance
// therefore passes cells whose poses are free, each the neighbour of the last. When all free cells
// that hang together are known and none is at the goal, there is no such path.
//
// Turns are vectors about the place (angle times axis), whose exponential brings turns no farther
// apart than the vectors are; beyond half a turn a vector goes on at the other side of the ball.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include <clearance/base/monitor.h>

#include "plan/free_space.h"
#include "plan/place.h"

namespace clearance::detail {

enum class FloodStatus : std::uint8_t {
  Running,
  Exhausted,  ///< all cells known, no goal among them: no path with more room than spread()
  Reached,    ///< way() leads to a goal
  TooMany,    ///< more cells than it may keep
};

class Flood {
 public:
  /// From `origin`; `goals` as for a search, empty: out. `spacing`: of the lattice, in the metric
  /// of places [m].
  Flood(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
        const Place& origin, const std::vector<Place>& goals, double spacing);

  /// Works until `operations` more are done or the status is decided.
  FloodStatus run(std::uint64_t operations, const Monitor* monitor);
  [[nodiscard]] FloodStatus status() const { return status_; }
  /// What a path must keep beyond the clearance to be found for certain [m].
  [[nodiscard]] double spread() const { return spread_; }
  /// Poses of the lattice from the origin to the goal, when reached.
  [[nodiscard]] std::vector<Place> way() const;
  [[nodiscard]] std::size_t cells() const { return cells_.size(); }
  [[nodiscard]] FreeSpace& space() { return space_; }

 private:
  using Key = std::array<std::int32_t, 6>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Cell {
    Key key{};
    std::uint32_t parent = 0;
  };
  struct Next {
    double value = 0.0;
    std::uint32_t cell = 0;
    bool operator<(const Next& b) const {
      return value != b.value ? value > b.value : cell > b.cell;
    }
  };
  [[nodiscard]] Place place_at(const Key& key) const;
  void visit(const Key& key, std::uint32_t parent);
  void expand(std::uint32_t cell);

  FreeSpace space_;
  Box bounds_;
  Place origin_;
  std::vector<Place> goals_;
  double way_spacing_ = 0.0;   // [m]
  double turn_spacing_ = 0.0;  // [rad]
  double spread_ = 0.0;
  FloodStatus status_ = FloodStatus::Running;
  std::vector<Cell> cells_;
  std::unordered_map<Key, bool, KeyHash> seen_;
  std::priority_queue<Next> open_;
  std::uint32_t reached_ = 0;
};

}  // namespace clearance::detail
