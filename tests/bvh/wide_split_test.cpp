// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_split.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

namespace clearance {
namespace {

using detail::kWidth;
using detail::PartSizes;
using detail::SplitItem;

/// Boxes of random places and sizes; places are whole numbers up to `places`, so that some agree.
std::vector<SplitItem> random_items(Random& random, std::size_t count, double places) {
  std::vector<SplitItem> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto low = static_cast<float>(std::floor(random.uniform(-places, places)));
      items[i].minus_low[k] = -low;
      items[i].high[k] = low + static_cast<float>(random.uniform(0.0, 2.0));
    }
    items[i].triangle = static_cast<std::uint32_t>(i);
    items[i].unused = 0;
  }
  return items;
}

bool in_order(std::span<const SplitItem> items) {
  return std::is_sorted(items.begin(), items.end(), [](const SplitItem& a, const SplitItem& b) {
    return a.triangle < b.triangle;
  });
}

TEST(SplitItems, GivesTwoPartsOfWholeGrainsInOrder) {
  Random random(5);
  for (const std::size_t count : {9, 65, 100, 600, 3000, 6000}) {
    for (const std::size_t grain : {1, 8, 64, 512}) {
      if (count <= grain) continue;
      for (const double places : {0.0, 3.0, 1e6}) {
        std::vector<SplitItem> items = random_items(random, count, places);
        std::vector<SplitItem> scratch(count);
        const std::size_t left = detail::split_items(items, scratch, grain);
        ASSERT_GT(left, 0U);
        ASSERT_LT(left, count);
        EXPECT_EQ(left % grain, 0U);
        EXPECT_TRUE(in_order({items.data(), left}));
        EXPECT_TRUE(in_order({items.data() + left, count - left}));
        std::vector<std::uint32_t> numbers;
        numbers.reserve(count);
        for (const SplitItem& i : items) numbers.push_back(i.triangle);
        std::sort(numbers.begin(), numbers.end());
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], i);
      }
    }
  }
}

TEST(SplitItems, SeparatesTwoHeaps) {
  Random random(6);
  std::vector<SplitItem> items = random_items(random, 640, 10.0);
  for (SplitItem& i : items) {
    if (i.triangle % 5 != 0) continue;
    i.minus_low[1] -= 1000.0F;
    i.high[1] += 1000.0F;
  }
  std::vector<SplitItem> scratch(items.size());
  const std::size_t left = detail::split_items(items, scratch, 1);
  EXPECT_EQ(left, items.size() - items.size() / 5);
  for (std::size_t i = 0; i < items.size(); ++i)
    EXPECT_EQ(items[i].triangle % 5 == 0, i >= left) << i;
}

TEST(SplitInHalf, PutsTheLowestFirstAndBreaksTiesByNumber) {
  Random random(7);
  std::vector<SplitItem> items = random_items(random, 80, 0.0);
  for (SplitItem& i : items) i.high[2] = -i.minus_low[2] + (i.triangle < 20 ? 8.0F : 4.0F);
  std::vector<SplitItem> scratch(items.size());
  ASSERT_EQ(detail::split_in_half(items, scratch, 8), 40U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(items[i].triangle, 20 + i);
}

TEST(LeavesOf, FillsEveryLeafButTheLastAndKeepsNeighboursTogether) {
  Random random(8);
  for (std::size_t count = kWidth + 1; count <= detail::kShortRun; ++count) {
    // In a row along z, numbered at random.
    std::vector<SplitItem> items(count);
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    for (std::size_t i = count; i-- > 1;)
      std::swap(numbers[i],
                numbers[static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(i + 1)))]);
    for (std::size_t i = 0; i < count; ++i) {
      const auto z = static_cast<float>(numbers[i]) - 20.0F;
      items[i] = {{0, 0, -z}, numbers[i], {0, 0, z}, 0};
    }
    std::vector<std::uint32_t> order(count);
    const PartSizes parts = detail::leaves_of(items, order);
    ASSERT_EQ(parts.count, (count + kWidth - 1) / kWidth);
    std::size_t first = 0;
    for (std::size_t p = 0; p < parts.count; ++p) {
      EXPECT_EQ(parts.size[p], std::min(kWidth, count - first));
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(parts.size[p]));
      first += parts.size[p];
    }
    ASSERT_EQ(first, count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
  }
}

}  // namespace
}  // namespace clearance
