// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/reached_cells.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

namespace clearance::detail {
namespace {

using Cell = ReachedCells::Cell;

/// A grid of 2^level cells a side; some of its blocks of eight are one cell.
struct Grid {
  std::uint32_t level = 0;
  std::vector<Cell> cells;
  std::vector<int> cell_of;  // by place; -1: none

  Grid(std::uint64_t seed, std::uint32_t level_) : level(level_) {
    Random random(seed);
    const double large = random.uniform(0.0, 0.3);
    const double small = random.uniform(0.0, 1.0);
    cell_of.assign(std::size_t{1} << (3 * level), -1);
    const std::uint32_t half = 1U << (level - 1);
    for (std::uint32_t i = 0; i < half * half * half; ++i) {
      const std::array<std::uint32_t, 3> block{i % half, i / half % half, i / half / half};
      const bool is_whole = random.uniform(0.0, 1.0) < large;
      if (is_whole) cells.push_back({level - 1, block});
      for (std::uint32_t k = 0; k < 8; ++k) {
        const std::array<std::uint32_t, 3> at{
            2 * block[0] + (k & 1U), 2 * block[1] + ((k >> 1U) & 1U), 2 * block[2] + (k >> 2U)};
        if (!is_whole && random.uniform(0.0, 1.0) < small)
          cells.push_back({level, at});
        else if (!is_whole)
          continue;
        cell_of[place(at)] = static_cast<int>(cells.size()) - 1;
      }
    }
  }
  [[nodiscard]] std::uint32_t size() const { return 1U << level; }
  [[nodiscard]] std::size_t place(const std::array<std::uint32_t, 3>& at) const {
    return at[0] + std::size_t{size()} * (at[1] + std::size_t{size()} * at[2]);
  }
  /// Place by place, from the border inward.
  [[nodiscard]] std::vector<std::uint8_t> reached() const {
    std::vector<std::uint8_t> seen(cells.size(), 0);
    bool has_grown = true;
    while (has_grown) {
      has_grown = false;
      for (std::uint32_t i = 0; i < cell_of.size(); ++i) {
        if (cell_of[i] < 0 || seen[cell_of[i]] != 0) continue;
        const std::array<std::uint32_t, 3> at{i % size(), i / size() % size(), i / size() / size()};
        for (unsigned axis = 0; axis < 3; ++axis) {
          for (const std::uint32_t way : {1U, ~0U}) {
            std::array<std::uint32_t, 3> beside = at;
            beside[axis] += way;
            const bool is_out = beside[axis] >= size();
            const int other = is_out ? -1 : cell_of[place(beside)];
            if (is_out || (other >= 0 && seen[other] != 0)) {
              has_grown = has_grown || seen[cell_of[i]] == 0;
              seen[cell_of[i]] = 1;
            }
          }
        }
      }
    }
    return seen;
  }
};

TEST(ReachedCells, AreThoseThatPlacesLeadToFromOutside) {
  std::size_t cut_off = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Grid grid(seed, 1 + static_cast<std::uint32_t>(seed % 4));
    const Vec3 low{-1.0, 2.0, 3.0};
    const ReachedCells reached(Box{low, low + Vec3{0.5, 0.5, 0.5}}, grid.cells);
    const std::vector<std::uint8_t> expected = grid.reached();
    ASSERT_EQ(std::vector<std::uint8_t>(reached.reached().begin(), reached.reached().end()),
              expected);
    bool is_all = true;
    const double size = 0.5 / grid.size();
    for (std::uint32_t i = 0; i < grid.cell_of.size(); ++i) {
      const Vec3 middle =
          low + size * Vec3{i % grid.size() + 0.5, i / grid.size() % grid.size() + 0.5,
                            double(i / grid.size() / grid.size()) + 0.5};
      const int cell = grid.cell_of[i];
      const bool is_reached = cell >= 0 && expected[cell] != 0;
      EXPECT_EQ(reached.holds(middle), is_reached);
      const Vec3 around = 0.4 * Vec3{size, size, size};
      EXPECT_EQ(reached.meets({middle - around, middle + around}), is_reached);
      is_all = is_all && (cell < 0 || is_reached);
      if (cell >= 0 && !is_reached) ++cut_off;
    }
    EXPECT_EQ(reached.all_reached(), is_all);
    EXPECT_TRUE(reached.holds(low - Vec3{0.1, 0.0, 0.0}));
    EXPECT_TRUE(reached.meets({low + Vec3{0.4, 0.4, 0.4}, low + Vec3{0.6, 0.45, 0.45}}));
  }
  EXPECT_GT(cut_off, 1000U);
}

}  // namespace
}  // namespace clearance::detail
