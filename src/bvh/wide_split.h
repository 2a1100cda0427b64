// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the wide tree splits a run of triangles in two: the cut with the least surface-area cost
// among bins along the three coordinate axes.
#pragma once

#include <cstdint>
#include <span>

namespace clearance::detail {

/// The box of one triangle and its number. Coordinates are rounded to nearest: they steer the
/// build and bound nothing.
struct alignas(32) SplitItem {
  float low[3];
  std::uint32_t triangle;
  float high[3];
  std::uint32_t unused;
};

/// About half the surface area of the box around the items: the order in which a node opens its
/// children.
[[nodiscard]] float half_area_of(std::span<const SplitItem> items);

/// Reorders the items and returns how many of them form the first part: a multiple of `grain`, at
/// least one grain and not all items. Needs more items than a grain.
/// `scratch` is room for as many.
[[nodiscard]] std::size_t split_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                                      std::size_t grain);

/// The cut at the middle of the longest axis, for runs that resist: halves the count.
[[nodiscard]] std::size_t split_in_half(std::span<SplitItem> items, std::size_t grain);

}  // namespace clearance::detail
