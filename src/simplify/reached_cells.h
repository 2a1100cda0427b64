// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which free places can be reached from outside. The cells of an octree that may hold a free place
// hold all of them, so a way from one to another leads through neighbours among these cells: what
// is not connected to the outside by cells is not connected to it at all. The other way round is
// not known: places that cells connect may be apart, by less than the cells are large.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

class ReachedCells {
 public:
  static constexpr std::uint32_t kMostLevels = 20;
  /// A cell of 2^level along each edge of the root, at this place among them.
  struct Cell {
    std::uint32_t level = 0;  // up to kMostLevels
    std::array<std::uint32_t, 3> at{};
  };

  /// `root`: a cube that all places outside of are free. `cells`: closed cells, none within
  /// another, that hold all free places of the cube.
  ReachedCells(const Box& root, std::span<const Cell> cells);

  /// Of each cell as given: may a place in it be reached? Where not, no free one can, proven.
  [[nodiscard]] std::span<const std::uint8_t> reached() const { return reached_; }
  [[nodiscard]] bool all_reached() const { return all_reached_; }
  /// Is a free place in a cell that is reached, or outside of the root?
  [[nodiscard]] bool holds(const Vec3& place) const;
  /// Does the box touch a cell that is reached, or the outside of the root?
  [[nodiscard]] bool meets(const Box& box) const;

 private:
  /// Numbers by key, as a table of a power of two of places.
  class Table {
   public:
    void reserve(std::size_t count);
    /// False when it is there already.
    bool insert(std::uint64_t key, std::uint32_t value);
    [[nodiscard]] std::uint32_t find(std::uint64_t key) const;
    [[nodiscard]] bool empty() const { return keys_.empty(); }

   private:
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> values_;
  };
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void flood(std::span<const Cell> cells);
  void note_inner(std::span<const Cell> cells);
  /// The cell that holds this one, or is it; kNone when none does.
  [[nodiscard]] std::uint32_t find(const Cell& cell) const;
  [[nodiscard]] bool meets(const Cell& cell, const Box& box) const;

  Box root_;
  double edge_ = 0.0;
  std::vector<Table> cells_;  // by level
  std::vector<Table> inner_;  // by level: what has cells that are reached below it
  std::vector<std::uint8_t> reached_;
  bool all_reached_ = true;
};

}  // namespace clearance::detail
