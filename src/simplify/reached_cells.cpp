// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/reached_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <clearance/base/assert.h>

namespace clearance::detail {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

std::uint64_t key_of(const ReachedCells::Cell& cell) {
  static_assert(3 * ReachedCells::kMostLevels < 64);
  return cell.at[0] | (std::uint64_t{cell.at[1]} << ReachedCells::kMostLevels) |
         (std::uint64_t{cell.at[2]} << (2 * ReachedCells::kMostLevels));
}

std::uint64_t spread(std::uint64_t key) {
  key *= 0x9e3779b97f4a7c15U;
  return key ^ (key >> 29U);
}

ReachedCells::Cell parent_of(const ReachedCells::Cell& cell) {
  return {cell.level - 1, {cell.at[0] >> 1U, cell.at[1] >> 1U, cell.at[2] >> 1U}};
}

/// Sets that are joined, each named by its least member.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

void ReachedCells::Table::reserve(std::size_t count) {
  keys_.assign(std::bit_ceil(2 * count + 2), kEmpty);
  values_.resize(keys_.size());
}

bool ReachedCells::Table::insert(std::uint64_t key, std::uint32_t value) {
  const std::size_t mask = keys_.size() - 1;
  std::size_t i = spread(key) & mask;
  for (; keys_[i] != kEmpty; i = (i + 1) & mask)
    if (keys_[i] == key) return false;
  keys_[i] = key;
  values_[i] = value;
  return true;
}

std::uint32_t ReachedCells::Table::find(std::uint64_t key) const {
  if (keys_.empty()) return kNone;
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t i = spread(key) & mask; keys_[i] != kEmpty; i = (i + 1) & mask)
    if (keys_[i] == key) return values_[i];
  return kNone;
}

ReachedCells::ReachedCells(const Box& root, std::span<const Cell> cells)
    : root_(root), edge_(root.high.x - root.low.x) {
  flood(cells);
  all_reached_ =
      std::all_of(reached_.begin(), reached_.end(), [](std::uint8_t one) { return one != 0; });
  note_inner(cells);
}

// A place on the border of two cells is in both: if it is free, neither is missing. So where cells
// meet at an edge or corner in a free place, neighbours across faces lead from one to the other.
void ReachedCells::flood(std::span<const Cell> cells) {
  std::vector<std::size_t> counts(kMostLevels + 1);
  for (const Cell& cell : cells) {
    CLEARANCE_ASSERT(cell.level <= kMostLevels);
    ++counts[cell.level];
  }
  cells_.resize(counts.size());
  for (std::size_t level = 0; level < counts.size(); ++level)
    if (counts[level] > 0) cells_[level].reserve(counts[level]);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells_[cells[i].level].insert(key_of(cells[i]), static_cast<std::uint32_t>(i));

  const auto outside = static_cast<std::uint32_t>(cells.size());
  Sets sets(cells.size() + 1);
  for (std::uint32_t i = 0; i < outside; ++i) {
    const Cell& cell = cells[i];
    const std::uint32_t last = (1U << cell.level) - 1U;
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (const bool up : {false, true}) {
        if (cell.at[axis] == (up ? last : 0U)) {
          sets.join(i, outside);
          continue;
        }
        // Where the neighbour is smaller it finds this one.
        Cell beside = cell;
        beside.at[axis] += up ? 1U : ~0U;
        if (const std::uint32_t j = find(beside); j != kNone) sets.join(i, j);
      }
    }
  }
  const std::uint32_t free = sets.find(outside);
  reached_.resize(cells.size());
  for (std::uint32_t i = 0; i < outside; ++i) reached_[i] = sets.find(i) == free ? 1 : 0;
}

void ReachedCells::note_inner(std::span<const Cell> cells) {
  std::vector<std::vector<std::uint64_t>> keys(kMostLevels + 1);
  std::vector<Cell> now;
  for (std::uint32_t level = kMostLevels; level > 0; --level) {
    // Parents of what is reached on this level, and of what has some of it below.
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i].level == level && reached_[i] != 0) now.push_back(cells[i]);
    for (Cell& cell : now) cell = parent_of(cell);
    std::sort(now.begin(), now.end(),
              [](const Cell& a, const Cell& b) { return key_of(a) < key_of(b); });
    now.erase(std::unique(now.begin(), now.end(),
                          [](const Cell& a, const Cell& b) { return key_of(a) == key_of(b); }),
              now.end());
    for (const Cell& cell : now) keys[level - 1].push_back(key_of(cell));
  }
  inner_.resize(keys.size());
  for (std::size_t level = 0; level < keys.size(); ++level) {
    if (keys[level].empty()) continue;
    inner_[level].reserve(keys[level].size());
    for (const std::uint64_t key : keys[level]) inner_[level].insert(key, 0);
  }
}

std::uint32_t ReachedCells::find(const Cell& cell) const {
  Cell at = cell;
  while (true) {
    if (!cells_[at.level].empty()) {
      const std::uint32_t i = cells_[at.level].find(key_of(at));
      if (i != kNone) return i;
    }
    if (at.level == 0) return kNone;
    at = parent_of(at);
  }
}

bool ReachedCells::holds(const Vec3& place) const {
  const Vec3 part = (place - root_.low) / edge_;
  if (!(part.x >= 0.0 && part.y >= 0.0 && part.z >= 0.0 && part.x < 1.0 && part.y < 1.0 &&
        part.z < 1.0)) {
    return true;
  }
  const auto fine = static_cast<double>(1U << kMostLevels);
  const Cell cell{
      kMostLevels,
      {static_cast<std::uint32_t>(part.x * fine), static_cast<std::uint32_t>(part.y * fine),
       static_cast<std::uint32_t>(part.z * fine)}};
  const std::uint32_t i = find(cell);
  return i != kNone && reached_[i] != 0;
}

bool ReachedCells::meets(const Box& box) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (box.low[axis] <= root_.low[axis] || box.high[axis] >= root_.high[axis]) return true;
  return meets(Cell{}, box);
}

bool ReachedCells::meets(const Cell& cell, const Box& box) const {
  const double size = std::ldexp(edge_, -static_cast<int>(cell.level));
  // Cells touch by rounding rather than not.
  const double slack = 1e-9 * size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = root_.low[axis] + size * cell.at[axis];
    if (box.high[axis] < low - slack || box.low[axis] > low + size + slack) return false;
  }
  const std::uint64_t key = key_of(cell);
  if (const std::uint32_t i = cells_[cell.level].find(key); i != kNone) return reached_[i] != 0;
  if (inner_[cell.level].find(key) == kNone) return false;
  for (unsigned k = 0; k < 8; ++k) {
    const Cell part{cell.level + 1,
                    {2 * cell.at[0] + (k & 1U), 2 * cell.at[1] + ((k >> 1U) & 1U),
                     2 * cell.at[2] + ((k >> 2U) & 1U)}};
    if (meets(part, box)) return true;
  }
  return false;
}

}  // namespace clearance::detail
