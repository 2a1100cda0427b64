// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_split.h"

#include <algorithm>
#include <array>
#include <limits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "bvh/wide_tree.h"

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
/// Runs this short are cut in half along their longest axis: looking for a better cut costs more
/// than it gains.
constexpr std::size_t kShortRun = 64;

#ifdef __SSE2__
inline Float4 min4(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max4(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
#else
inline Float4 min4(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
#endif
// Without the number in the last lane: read as a float it is tiny, and arithmetic on such numbers
// is a hundred times slower than on others.
inline Float4 low_of(const SplitItem& i) {
  return __builtin_shufflevector(*reinterpret_cast<const Float4*>(i.low), Float4{}, 0, 1, 2, 4);
}
inline Float4 high_of(const SplitItem& i) { return *reinterpret_cast<const Float4*>(i.high); }

struct Bounds4 {
  Float4 low{kInfinity, kInfinity, kInfinity, kInfinity};
  Float4 high{-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  void include(const Bounds4& b) { low = min4(low, b.low), high = max4(high, b.high); }
  [[nodiscard]] float half_area() const {
    const Float4 s = high - low;
    return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
  }
};

/// Calls use(item) for the sample of a run: one item out of each of equal pieces, at a place in it
/// that looks random, since meshes come in strips and rings whose period an even step would hit.
template <class Use>
void for_sample(std::span<const SplitItem> items, const Use& use) {
  const std::size_t step = items.size() / (items.size() > kLongRun ? kLongSample : kSample);
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

// Of twice the centres, the sums of low and high.
Bounds4 centre_bounds(std::span<const SplitItem> items) {
  Bounds4 b;
  for_sample(items, [&](const SplitItem& i) {
    const Float4 c = low_of(i) + high_of(i);
    b.low = min4(b.low, c);
    b.high = max4(b.high, c);
  });
  return b;
}

struct Bins {
  std::array<std::array<Bounds4, kMaxBins>, 3> bounds;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count{};
};

// Which bin: one formula for counting and for parting, so that they agree. Items outside the sample
// may lie beyond the first or the last bin.
struct BinMap {
  Float4 low;
  Float4 scale;
  Float4 last;  // number of the last bin
  [[nodiscard]] Int4 operator()(const SplitItem& i) const {
    const Float4 place = (low_of(i) + high_of(i) - low) * scale;
    return __builtin_convertvector(min4(max4(place, Float4{}), last), Int4);
  }
};

void fill(Bins& bins, const BinMap& map, std::span<const SplitItem> items) {
  for_sample(items, [&](const SplitItem& i) {
    const Int4 k = map(i);
    const Float4 low = low_of(i);
    const Float4 high = high_of(i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto bin = static_cast<std::size_t>(k[axis]);
      Bounds4& b = bins.bounds[axis][bin];
      b.low = min4(b.low, low);
      b.high = max4(b.high, high);
      ++bins.count[axis][bin];
    }
  });
}

struct Cut {
  int axis = -1;
  std::uint32_t bin = 0;  // first bin of the right part
  float cost = kInfinity;
};

Cut best_cut(const Bins& bins, const Float4& spread) {
  Cut best;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(spread[axis] > 0.0F)) continue;
    // Costs of the right parts, from the right; then the sweep from the left.
    std::array<float, kMaxBins> right_cost{};
    Bounds4 b;
    std::uint32_t n = 0;
    for (std::size_t k = kMaxBins - 1; k > 0; --k) {
      b.include(bins.bounds[axis][k]);
      n += bins.count[axis][k];
      right_cost[k] = n == 0 ? 0.0F : b.half_area() * static_cast<float>(n);
    }
    const std::uint32_t total = n + bins.count[axis][0];
    b = {};
    n = 0;
    for (std::size_t k = 1; k < kMaxBins; ++k) {
      b.include(bins.bounds[axis][k - 1]);
      n += bins.count[axis][k - 1];
      if (n == 0 || n == total) continue;
      const float cost = b.half_area() * static_cast<float>(n) + right_cost[k];
      if (cost < best.cost) best = {axis, static_cast<std::uint32_t>(k), cost};
    }
  }
  return best;
}

// Puts the `count` items with the lowest centres along the axis first. Ties by number: the order
// must not depend on the order the items came in.
void select_lowest(std::span<SplitItem> items, std::size_t count, int axis) {
  if (count == items.size()) return;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count), items.end(),
                   [axis](const SplitItem& a, const SplitItem& b) {
                     const float ca = a.low[axis] + a.high[axis];
                     const float cb = b.low[axis] + b.high[axis];
                     return ca < cb || (ca == cb && a.triangle < b.triangle);
                   });
}

// Puts the items for which `first` holds in front, the order kept; returns how many. Writes each
// item to both sides and moves on only one: no branch, for none of these could be foreseen.
template <class Predicate>
std::size_t part_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                       const Predicate& first) {
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const SplitItem item = items[i];
    const bool in_front = first(item);
    items[left] = item;
    scratch[right] = item;
    left += in_front ? 1 : 0;
    right += in_front ? 0 : 1;
  }
  std::copy_n(scratch.begin(), right, items.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

}  // namespace

float half_area_of(std::span<const SplitItem> items) {
  Bounds4 b;
  for_sample(items, [&](const SplitItem& i) {
    b.low = min4(b.low, low_of(i));
    b.high = max4(b.high, high_of(i));
  });
  return b.half_area();
}

std::size_t split_in_half(std::span<SplitItem> items, std::size_t grain) {
  const Bounds4 centres = centre_bounds(items);
  const Float4 spread = centres.high - centres.low;
  int axis = spread[1] > spread[0] ? 1 : 0;
  if (spread[2] > spread[axis]) axis = 2;
  const std::size_t count = std::max(grain, items.size() / 2 / grain * grain);
  select_lowest(items, count, axis);
  return count;
}

std::size_t split_items(std::span<SplitItem> items, std::span<SplitItem> scratch,
                        std::size_t grain) {
  if (items.size() <= kShortRun) return split_in_half(items, grain);
  const Bounds4 centres = centre_bounds(items);
  const Float4 spread = centres.high - centres.low;
  constexpr auto kBins = static_cast<float>(kMaxBins);
  BinMap map{centres.low, {}, Float4{} + (kBins - 1.0F)};
  for (int axis = 0; axis < 3; ++axis) {
    const float scale = kBins / spread[axis];
    map.scale[axis] = spread[axis] > 0.0F && scale < kInfinity ? scale : 0.0F;
  }
  Bins bins;
  fill(bins, map, items);
  const Cut cut = best_cut(bins, spread);
  if (cut.axis < 0) return split_in_half(items, grain);

  const auto axis = static_cast<std::size_t>(cut.axis);
  const auto bin_of = [&](const SplitItem& i) { return map(i)[axis]; };
  if (grain == 1) {
    const auto bin = static_cast<std::int32_t>(cut.bin);
    return part_items(items, scratch, [&](const SplitItem& i) { return bin_of(i) < bin; });
  }

  // The nearest whole number of grains. Only the bin where that many end needs to be ordered.
  std::array<std::size_t, kMaxBins> counts{};
  for (const SplitItem& i : items) ++counts[static_cast<std::size_t>(bin_of(i))];
  std::size_t left = 0;
  for (std::size_t k = 0; k < cut.bin; ++k) left += counts[k];
  const std::size_t most = (items.size() - 1) / grain;
  const std::size_t count = grain * std::clamp((left + grain / 2) / grain, std::size_t{1}, most);
  std::size_t last = 0;
  std::size_t before = 0;
  while (before + counts[last] < count) before += counts[last++];
  const auto bin = static_cast<std::int32_t>(last);
  if (before > 0) part_items(items, scratch, [&](const SplitItem& i) { return bin_of(i) < bin; });
  const std::span<SplitItem> rest = items.subspan(before);
  const std::size_t same =
      part_items(rest, scratch, [&](const SplitItem& i) { return bin_of(i) == bin; });
  select_lowest(rest.first(same), count - before, cut.axis);
  return count;
}

}  // namespace clearance::detail
