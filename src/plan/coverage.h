// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which parts of the space of places a tree has been to, and how often it set out from each: cells
// of positions and turns. The next step is from the cell that was used least, so that what is new
// is followed up at once: good in mazes, where the nearest place to a far target leads into a
// corner.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include "plan/place.h"

namespace clearance::detail {

class Coverage {
 public:
  /// `spacing`: of cells [m]; turns count with `radius` [m].
  Coverage(double spacing, double radius) : spacing_(spacing), radius_(radius) {}

  /// A place the tree came to.
  void add(std::uint32_t node, const Place& place);
  /// The node to set out from: of the cell used least, the oldest of these first; within a cell the
  /// nodes take turns. Counts as a use.
  [[nodiscard]] std::uint32_t next();
  [[nodiscard]] std::size_t cells() const { return cells_.size(); }

 private:
  using Key = std::array<std::int32_t, 7>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Cell {
    std::vector<std::uint32_t> nodes;
    std::uint64_t uses = 0;
  };
  struct Waiting {
    std::uint64_t uses = 0;
    std::uint32_t cell = 0;
    bool operator<(const Waiting& b) const {
      return uses != b.uses ? uses > b.uses : cell > b.cell;
    }
  };
  double spacing_;
  double radius_;
  std::vector<Cell> cells_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;
  std::priority_queue<Waiting> waiting_;
};

}  // namespace clearance::detail
