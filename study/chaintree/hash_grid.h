// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Balls hashed by the cell of a grid they are in. The hash of a cell is a sum of its coordinates
// times odd strides, modulo the size of the table: neighbouring cells are near in memory, a compact
// chain has no two cells in one slot, a straight one goes through the whole table before it comes
// back to a slot, and no key needs to be compared, as a ball from another cell with the same slot
// is merely too far away.
//
// Cells are two reaches wide (a reach is the greatest distance at which centres can touch): what
// touches a ball is then in the eight cells around the corner nearest to it. Cells of one reach
// would be smaller but 27.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chaintree/placed_chain.h"

namespace clearance::study {

class HashGrid {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  HashGrid(std::uint32_t ball_count, double largest_radius)
      : next_(ball_count, kNone), slots_(ball_count, kNone) {
    // A little wider, so that rounding of coordinates cannot take a ball out of the eight cells.
    constexpr double kWider = 1.0 + 1e-9;
    const double reach = 2.0 * largest_radius;
    per_cell_ = reach > 0.0 ? 1.0 / (2.0 * reach * kWider) : 1.0;
    // Twice as many slots as balls or more. A cube of cells that fills a third of the table has a
    // slot for each.
    const auto bits = static_cast<unsigned>(std::bit_width(2 * std::max(ball_count, 8U)));
    stride_y_ = (1U << ((bits + 2) / 3)) + 1;
    stride_z_ = (stride_y_ << ((bits + 1) / 3)) + 1;
    heads_.assign(std::size_t{1} << bits, kNone);
    mask_ = static_cast<std::uint32_t>(heads_.size() - 1);
    for (std::uint32_t k = 0; k < 8; ++k) {
      around_[k] = (k & 1U) + ((k >> 1U) & 1U) * stride_y_ + (k >> 2U) * stride_z_;
    }
  }

  void clear() { std::fill(heads_.begin(), heads_.end(), kNone); }

  [[nodiscard]] std::uint32_t slot_of(const Ball& ball) const { return hash(ball, 0.0) & mask_; }
  /// The slot a ball is in, or was last in.
  [[nodiscard]] std::uint32_t last_slot(std::uint32_t ball) const { return slots_[ball]; }

  void insert(std::uint32_t ball, std::uint32_t slot) {
    slots_[ball] = slot;
    next_[ball] = heads_[slot];
    heads_[slot] = ball;
  }
  void remove(std::uint32_t ball) {
    std::uint32_t* link = &heads_[slots_[ball]];
    while (*link != ball) link = &next_[*link];
    *link = next_[ball];
  }

  /// Calls visit(index) for every ball in the cells in which something may touch this one (and for
  /// others that share their slots), until it returns true; whether it did.
  template <typename Visit>
  [[nodiscard]] bool any_near(const Ball& ball, const Visit& visit) const {
    // The cells that are not empty first: which they are cannot be foreseen, so no jumps here.
    constexpr double kHalfCell = 0.5;
    const std::uint32_t corner = hash(ball, kHalfCell);
    std::array<std::uint32_t, 8> lists;
    std::size_t count = 0;
    for (const std::uint32_t step : around_) {
      const std::uint32_t head = heads_[(corner + step) & mask_];
      lists[count] = head;
      count += head != kNone ? 1 : 0;
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (std::uint32_t i = lists[k]; i != kNone; i = next_[i]) {
        if (visit(i)) return true;
      }
    }
    return false;
  }

 private:
  /// The hash of the cell a ball is in, the grid shifted by `offset` cells, before it is wrapped.
  [[nodiscard]] std::uint32_t hash(const Ball& ball, double offset) const {
    const auto cell = [&](double coordinate) {
      return static_cast<std::uint32_t>(
          static_cast<std::int64_t>(std::floor(coordinate * per_cell_ - offset)));
    };
    return cell(ball.x) + cell(ball.y) * stride_y_ + cell(ball.z) * stride_z_;
  }

  double per_cell_ = 1.0;
  std::uint32_t mask_ = 0;
  std::uint32_t stride_y_ = 0;
  std::uint32_t stride_z_ = 0;
  std::array<std::uint32_t, 8> around_{};  ///< hashes of the eight cells less that of the first
  std::vector<std::uint32_t> heads_;       ///< by slot
  std::vector<std::uint32_t> next_;        ///< by ball
  std::vector<std::uint32_t> slots_;       ///< by ball
};

}  // namespace clearance::study
