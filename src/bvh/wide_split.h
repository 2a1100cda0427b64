// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the wide tree splits a run of triangles in two: the cut with the least surface-area cost
// among bins along the three coordinate axes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bvh/wide_tree.h"

namespace clearance::detail {

/// The box of one triangle and its number. Coordinates are rounded to nearest: they steer the
/// build and bound nothing. Their lower bounds are kept with the opposite sign, so that the box
/// around many is one maximum.
struct alignas(32) SplitItem {
  float minus_low[3];
  std::uint32_t triangle;
  float high[3];
  std::uint32_t unused;
};

/// About half the surface area of the box around the items: the order in which a node opens its
/// children.
[[nodiscard]] float half_area_of(std::span<const SplitItem> items);

/// Reorders the items and returns how many of them form the first part: a multiple of `grain`, at
/// least one grain and not all items. Needs more items than a grain. Within the parts, items keep
/// their order, hence always that of their triangle numbers.
/// `scratch` is room for as many.
[[nodiscard]] std::size_t split_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                                      std::size_t grain);

/// The cut at the middle of the longest axis, for runs that resist: halves the count.
[[nodiscard]] std::size_t split_in_half(std::span<SplitItem> items, std::span<SplitItem> scratch,
                                        std::size_t grain);

/// Runs up to this length are cut in half along their longest axis until their parts are leaves:
/// looking for better cuts costs more than it gains.
inline constexpr std::size_t kShortRun = kWidth * kWidth;

/// The sizes of up to eight parts of a run that follow each other.
struct PartSizes {
  std::array<std::size_t, kWidth> size{};
  std::size_t count = 0;
};

/// Writes the triangle numbers of a short run leaf by leaf, and returns how many each leaf has.
PartSizes leaves_of(std::span<const SplitItem> items, std::span<std::uint32_t> order);

}  // namespace clearance::detail
