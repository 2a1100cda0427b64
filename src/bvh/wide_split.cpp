// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_split.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "bvh/float8.h"

namespace clearance::detail {
namespace {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kMaxBins = 16;
/// Of a longer run, about this many items, spread over it, choose the cut; more of a very long one,
/// whose cut matters more and whose large triangles are rarer.
constexpr std::size_t kSample = 512;
constexpr std::size_t kLongSample = 2048;
constexpr std::size_t kLongRun = 4096;

#ifdef __SSE2__
inline Float4 min4(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max4(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
#else
inline Float4 min4(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
#endif

/// Minus the lower bounds, zero, the upper bounds, zero: the maximum of several is the box around
/// them. Without the number in the fourth lane: read as a float it is tiny, and arithmetic on such
/// numbers is a hundred times slower than on others.
inline Float8 box_of(const SplitItem& i) {
  Int8 bits;
  std::memcpy(&bits, &i, sizeof bits);
  return (Float8)(bits & Int8{-1, -1, -1, 0, -1, -1, -1, 0});
}
inline Float4 upper_half(Float8 v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
inline Float4 lower_half(Float8 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
/// Twice the centre: the sum of the bounds.
inline Float4 centre_of(Float8 box) { return upper_half(box) - lower_half(box); }
inline float centre_of(const SplitItem& i, std::size_t axis) {
  return i.high[axis] - i.minus_low[axis];
}
inline float half_area(Float8 box) {
  const Float4 size = upper_half(box) + lower_half(box);
  const Float4 faces = size * __builtin_shufflevector(size, size, 1, 2, 0, 3);
  return faces[0] + faces[1] + faces[2];
}

struct Bounds4 {
  Float4 low{kInfinity, kInfinity, kInfinity, kInfinity};
  Float4 high{-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  void include(Float4 v) { low = min4(low, v), high = max4(high, v); }
  [[nodiscard]] std::size_t longest_axis() const {
    const Float4 spread = high - low;
    const std::size_t axis = spread[1] > spread[0] ? 1 : 0;
    return spread[2] > spread[axis] ? 2 : axis;
  }
};

/// A sample of a run takes one item out of each so many.
std::size_t step_of(std::size_t count) {
  return count / (count > kLongRun ? kLongSample : kSample);
}

/// Calls use(item) for the sample of a run: one item out of each of equal pieces, at a place in it
/// that looks random, since meshes come in strips and rings whose period an even step would hit.
template <class Use>
void for_sample(std::span<const SplitItem> items, const Use& use) {
  const std::size_t step = step_of(items.size());
  if (step <= 1) {
    for (const SplitItem& i : items) use(i);
    return;
  }
  std::uint32_t state = 0x9e3779b9U;
  for (std::size_t i = 0; i + step <= items.size(); i += step) {
    state = state * 1664525U + 1013904223U;
    use(items[i + ((state >> 8U) * step >> 24U)]);
  }
}

Bounds4 centre_bounds(std::span<const SplitItem> items) {
  Bounds4 b;
  for_sample(items, [&](const SplitItem& i) { b.include(centre_of(box_of(i))); });
  return b;
}

struct Bins {
  std::array<std::array<Float8, kMaxBins>, 3> box;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count{};
  Bins() {
    for (auto& axis : box) axis.fill(broadcast8(-kInfinity));
  }
};

constexpr auto kLastBin = static_cast<float>(kMaxBins - 1);

// Where among the bins, along each axis and along one: one formula, so that they agree. Items
// outside the sample may lie beyond the first or the last bin, and belong to it.
struct BinMap {
  Float4 low;
  Float4 scale;
  explicit BinMap(const Bounds4& centres) : low(centres.low), scale{} {
    const Float4 spread = centres.high - centres.low;
    for (int axis = 0; axis < 3; ++axis) {
      const float s = static_cast<float>(kMaxBins) / spread[axis];
      scale[axis] = spread[axis] > 0.0F && s < kInfinity ? s : 0.0F;
    }
  }
  [[nodiscard]] Int4 bins_of(Float4 centre) const {
    const Float4 place = (centre - low) * scale;
    const Float4 last{kLastBin, kLastBin, kLastBin, kLastBin};
    return __builtin_convertvector(min4(max4(place, Float4{}), last), Int4);
  }
};

class AxisMap {
 public:
  AxisMap(const BinMap& map, std::size_t axis)
      : axis_(axis), low_(map.low[axis]), scale_(map.scale[axis]) {}
  [[nodiscard]] float place_of(const SplitItem& i) const {
    return (centre_of(i, axis_) - low_) * scale_;
  }
  [[nodiscard]] std::size_t bin_of(const SplitItem& i) const {
    float place = place_of(i);
    place = place > 0.0F ? place : 0.0F;
    place = place < kLastBin ? place : kLastBin;
    return static_cast<std::size_t>(static_cast<std::int32_t>(place));
  }

 private:
  std::size_t axis_;
  float low_;
  float scale_;
};

void fill(Bins& bins, const BinMap& map, std::span<const SplitItem> items) {
  for_sample(items, [&](const SplitItem& i) {
    const Float8 box = box_of(i);
    const Int4 k = map.bins_of(centre_of(box));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto bin = static_cast<std::size_t>(k[axis]);
      bins.box[axis][bin] = max(bins.box[axis][bin], box);
      ++bins.count[axis][bin];
    }
  });
}

struct Cut {
  int axis = -1;
  std::size_t bin = 0;  // first bin of the right part
  float cost = kInfinity;
};

Cut best_cut(const Bins& bins, const BinMap& map) {
  Cut best;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(map.scale[axis] > 0.0F)) continue;
    // Costs of the right parts, from the right; then the sweep from the left.
    std::array<float, kMaxBins> right_cost{};
    Float8 box = broadcast8(-kInfinity);
    std::uint32_t n = 0;
    for (std::size_t k = kMaxBins - 1; k > 0; --k) {
      box = max(box, bins.box[axis][k]);
      n += bins.count[axis][k];
      right_cost[k] = n == 0 ? 0.0F : half_area(box) * static_cast<float>(n);
    }
    const std::uint32_t total = n + bins.count[axis][0];
    box = broadcast8(-kInfinity);
    n = 0;
    for (std::size_t k = 1; k < kMaxBins; ++k) {
      box = max(box, bins.box[axis][k - 1]);
      n += bins.count[axis][k - 1];
      if (n == 0 || n == total) continue;
      const float cost = half_area(box) * static_cast<float>(n) + right_cost[k];
      if (cost < best.cost) best = {axis, k, cost};
    }
  }
  return best;
}

/// Orders floats as signed integers.
inline std::int32_t ordered(float v) {
  const auto bits = std::bit_cast<std::int32_t>(v);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
/// By centre along an axis, and by number where those are equal.
inline std::int64_t key_of(const SplitItem& i, std::size_t axis) {
  return static_cast<std::int64_t>(ordered(centre_of(i, axis))) << 32 | i.triangle;
}

// Puts the items for which `first` holds in front, the order kept; returns how many. Writes each
// item to both sides and moves on only one: no branch, for none of these could be foreseen.
template <class Predicate>
std::size_t part_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                       const Predicate& first) {
  SplitItem* left = items.data();
  SplitItem* right = scratch.data();
  for (const SplitItem& item : items) {
    const bool in_front = first(item);
    Float8 whole;
    std::memcpy(&whole, &item, sizeof whole);
    std::memcpy(left, &whole, sizeof whole);
    std::memcpy(right, &whole, sizeof whole);
    left += in_front ? 1 : 0;
    right += in_front ? 0 : 1;
  }
  std::copy(scratch.data(), right, left);
  return static_cast<std::size_t>(left - items.data());
}

// Puts the items with the lowest keys first: those up to the one with `rank` among the given keys.
void part_at_rank(std::span<SplitItem> items, std::span<SplitItem> scratch,
                  std::vector<std::int64_t>& keys, std::size_t rank, std::size_t axis) {
  const auto nth = keys.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(keys.begin(), nth, keys.end());
  const std::int64_t last = *nth;
  part_items(items, scratch, [=](const SplitItem& i) { return key_of(i, axis) <= last; });
}

/// Of a short run: twice the centre, and the number of the triangle in the last lane.
using ShortItem = Int4;

class ShortRunDivider {
 public:
  explicit ShortRunDivider(std::span<std::uint32_t> order) : order_(order) {}

  // Divides `items` until its parts are leaves, and takes them up in order. Both arrays are room
  // for `count` items; the other one's content does not matter.
  void divide(ShortItem* items, ShortItem* other, std::size_t count) {
    if (count <= kWidth) {
      for (std::size_t i = 0; i < count; ++i)
        order_[met_ + i] = static_cast<std::uint32_t>(items[i][3]);
      met_ += count;
      sizes_.size[sizes_.count++] = count;
      return;
    }
    Bounds4 centres;
    for (std::size_t i = 0; i < count; ++i) centres.include((Float4)items[i]);
    const std::size_t axis = centres.longest_axis();

    // The place of an item in the lowest bits of its key makes all keys different; centres that
    // differ in these bits only may as well be equal.
    alignas(32) std::array<std::int32_t, kShortRun> keys;
    std::size_t padded = 0;
    for (; padded < count; ++padded) {
      constexpr std::int32_t kPlaces = kShortRun - 1;
      keys[padded] = (ordered(std::bit_cast<float>(items[padded][axis])) & ~kPlaces) |
                     static_cast<std::int32_t>(padded);
    }
    for (; padded % kWidth != 0; ++padded) keys[padded] = std::numeric_limits<std::int32_t>::max();

    // Counting the lower keys of each item needs no branches, and eight are counted at once.
    const std::size_t left = std::max(kWidth, count / 2 / kWidth * kWidth);
    std::ptrdiff_t low = 0;
    auto high = static_cast<std::ptrdiff_t>(left);
    for (std::size_t i = 0; i < padded; i += kWidth) {
      Int8 own;
      std::memcpy(&own, &keys[i], sizeof own);
      Int8 rank{};
      for (std::size_t j = 0; j < count; ++j) rank -= own > keys[j];
      const Int8 in_front = rank < static_cast<std::int32_t>(left);
      alignas(32) std::array<std::int32_t, kWidth> mask;
      std::memcpy(mask.data(), &in_front, sizeof in_front);
      // Without a branch here either.
      for (std::size_t k = 0; k < std::min(kWidth, count - i); ++k) {
        const std::ptrdiff_t is_low = mask[k];  // minus one, or zero
        other[high + ((low - high) & is_low)] = items[i + k];
        low -= is_low;
        high += 1 + is_low;
      }
    }
    divide(other, items, left);
    divide(other + left, items + left, count - left);
  }

  [[nodiscard]] const PartSizes& sizes() const { return sizes_; }

 private:
  std::span<std::uint32_t> order_;
  std::size_t met_ = 0;
  PartSizes sizes_;
};

}  // namespace

float half_area_of(std::span<const SplitItem> items) {
  Float8 box = broadcast8(-kInfinity);
  for_sample(items, [&](const SplitItem& i) { box = max(box, box_of(i)); });
  return half_area(box);
}

std::size_t split_in_half(std::span<SplitItem> items, std::span<SplitItem> scratch,
                          std::size_t grain) {
  const std::size_t axis = centre_bounds(items).longest_axis();
  const std::size_t count = std::max(grain, items.size() / 2 / grain * grain);
  std::vector<std::int64_t> keys;
  keys.reserve(items.size());
  for (const SplitItem& i : items) keys.push_back(key_of(i, axis));
  part_at_rank(items, scratch, keys, count - 1, axis);
  return count;
}

std::size_t split_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                        std::size_t grain) {
  if (items.size() <= kShortRun) return split_in_half(items, scratch, grain);
  const BinMap map(centre_bounds(items));
  Bins bins;
  fill(bins, map, items);
  const Cut cut = best_cut(bins, map);
  if (cut.axis < 0) return split_in_half(items, scratch, grain);

  const auto axis = static_cast<std::size_t>(cut.axis);
  const AxisMap along(map, axis);
  if (grain == 1) {
    const auto limit = static_cast<float>(cut.bin);
    return part_items(items, scratch,
                      [&](const SplitItem& i) { return along.place_of(i) < limit; });
  }

  // The nearest whole number of grains. Only within the bin where that many end the order matters.
  std::array<std::uint32_t, kMaxBins> counts = bins.count[axis];
  if (step_of(items.size()) > 1) {
    counts.fill(0);
    for (const SplitItem& i : items) ++counts[along.bin_of(i)];
  }
  std::size_t left = 0;
  for (std::size_t k = 0; k < cut.bin; ++k) left += counts[k];
  const std::size_t most = (items.size() - 1) / grain;
  const std::size_t count = grain * std::clamp((left + grain / 2) / grain, std::size_t{1}, most);
  std::size_t last = 0;
  std::size_t before = 0;
  while (before + counts[last] < count) before += counts[last++];
  // Room for one more: as when parting, each key is written, and the next one over it.
  std::vector<std::int64_t> keys(counts[last] + 1);
  const float from = last == 0 ? -kInfinity : static_cast<float>(last);
  const float to = last == kMaxBins - 1 ? kInfinity : static_cast<float>(last + 1);
  std::size_t found = 0;
  for (const SplitItem& i : items) {
    const float place = along.place_of(i);
    keys[found] = key_of(i, axis);
    found += static_cast<std::size_t>(place >= from) & static_cast<std::size_t>(place < to);
  }
  keys.pop_back();
  part_at_rank(items, scratch, keys, count - before - 1, axis);
  return count;
}

PartSizes leaves_of(std::span<const SplitItem> items, std::span<std::uint32_t> order) {
  std::array<ShortItem, kShortRun> centres;
  std::array<ShortItem, kShortRun> room;
  for (std::size_t i = 0; i < items.size(); ++i) {
    centres[i] = (ShortItem)centre_of(box_of(items[i]));
    centres[i][3] = static_cast<std::int32_t>(items[i].triangle);
  }
  ShortRunDivider divider(order);
  divider.divide(centres.data(), room.data(), items.size());
  return divider.sizes();
}

}  // namespace clearance::detail
