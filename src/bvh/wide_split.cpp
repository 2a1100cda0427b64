// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_split.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "bvh/wide_tree.h"

namespace clearance::detail {
namespace {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kMaxBins = 16;
/// Runs above this length are measured in pieces of kPiece by all threads.
constexpr std::size_t kParallelRun = 65536;
constexpr std::size_t kPiece = 16384;

inline Float4 min4(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
inline Float4 low_of(const SplitItem& i) { return *reinterpret_cast<const Float4*>(i.low); }
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

// Twice the centres: the sum of low and high.
Bounds4 centre_bounds(std::span<const SplitItem> items) {
  Bounds4 b;
  for (const SplitItem& i : items) {
    const Float4 c = low_of(i) + high_of(i);
    b.low = min4(b.low, c);
    b.high = max4(b.high, c);
  }
  return b;
}

struct Bins {
  std::array<std::array<Bounds4, kMaxBins>, 3> bounds;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count{};
};

// Which bin: one formula for counting and for parting, so that they agree.
struct BinMap {
  Float4 low;
  Float4 scale;
  [[nodiscard]] Int4 operator()(const SplitItem& i) const {
    return __builtin_convertvector((low_of(i) + high_of(i) - low) * scale, Int4);
  }
};

void fill(Bins& bins, const BinMap& map, std::span<const SplitItem> items) {
  for (const SplitItem& i : items) {
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
  }
}

template <class Value, class Measure, class Merge>
Value in_pieces(std::span<const SplitItem> items, Threads threads, const Measure& measure,
                const Merge& merge) {
  if (items.size() <= kParallelRun) {
    Value v;
    measure(v, items);
    return v;
  }
  const std::size_t pieces = (items.size() + kPiece - 1) / kPiece;
  std::vector<Value> values(pieces);
  parallel_for(threads, pieces, [&](std::size_t p) {
    const std::size_t first = p * kPiece;
    measure(values[p], items.subspan(first, std::min(kPiece, items.size() - first)));
  });
  for (std::size_t p = 1; p < pieces; ++p) merge(values[0], values[p]);
  return values[0];
}

struct Cut {
  int axis = -1;
  std::uint32_t bin = 0;  // first bin of the right part
  std::size_t left_count = 0;
  float cost = kInfinity;
};

Cut best_cut(const Bins& bins, std::size_t bin_count, const Float4& spread) {
  Cut best;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(spread[axis] > 0.0F)) continue;
    // Costs of the right parts, from the right; then the sweep from the left.
    std::array<float, kMaxBins> right_cost{};
    Bounds4 b;
    std::uint32_t n = 0;
    for (std::size_t k = bin_count - 1; k > 0; --k) {
      b.include(bins.bounds[axis][k]);
      n += bins.count[axis][k];
      right_cost[k] = n == 0 ? 0.0F : b.half_area() * static_cast<float>(n);
    }
    const std::uint32_t total = n + bins.count[axis][0];
    b = {};
    n = 0;
    for (std::size_t k = 1; k < bin_count; ++k) {
      b.include(bins.bounds[axis][k - 1]);
      n += bins.count[axis][k - 1];
      if (n == 0 || n == total) continue;
      const float cost = b.half_area() * static_cast<float>(n) + right_cost[k];
      if (cost < best.cost) best = {axis, static_cast<std::uint32_t>(k), n, cost};
    }
  }
  return best;
}

// Puts the `count` items with the lowest centres along the axis first. Ties by number: the order
// must not depend on the order the items came in.
void select_lowest(std::span<SplitItem> items, std::size_t count, int axis) {
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count), items.end(),
                   [axis](const SplitItem& a, const SplitItem& b) {
                     const float ca = a.low[axis] + a.high[axis];
                     const float cb = b.low[axis] + b.high[axis];
                     return ca < cb || (ca == cb && a.triangle < b.triangle);
                   });
}

}  // namespace

float half_area_of(std::span<const SplitItem> items) {
  Bounds4 b;
  for (const SplitItem& i : items)
    b.low = min4(b.low, low_of(i)), b.high = max4(b.high, high_of(i));
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

std::size_t split_items(std::span<SplitItem> items, std::size_t grain, Threads threads) {
  const Bounds4 centres = in_pieces<Bounds4>(
      items, threads,
      [](Bounds4& v, std::span<const SplitItem> piece) { v = centre_bounds(piece); },
      [](Bounds4& v, const Bounds4& w) { v.include(w); });
  const Float4 spread = centres.high - centres.low;
  const std::size_t bin_count = items.size() < 64 ? 8 : kMaxBins;
  BinMap map{centres.low, {}};
  for (int axis = 0; axis < 3; ++axis) {
    // Just below the number of bins: the highest centre falls into the last one.
    const float scale = 0.9999F * static_cast<float>(bin_count) / spread[axis];
    map.scale[axis] = spread[axis] > 0.0F && scale < kInfinity ? scale : 0.0F;
  }
  const Bins bins = in_pieces<Bins>(
      items, threads, [&](Bins& v, std::span<const SplitItem> piece) { fill(v, map, piece); },
      [&](Bins& v, const Bins& w) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          for (std::size_t k = 0; k < bin_count; ++k) {
            v.bounds[axis][k].include(w.bounds[axis][k]);
            v.count[axis][k] += w.count[axis][k];
          }
        }
      });
  const Cut cut = best_cut(bins, bin_count, spread);
  if (cut.axis < 0) return split_in_half(items, grain);
  if (grain > 1) {
    // The nearest whole number of grains.
    const std::size_t most = (items.size() - 1) / grain;
    const std::size_t grains =
        std::clamp((cut.left_count + grain / 2) / grain, std::size_t{1}, most);
    select_lowest(items, grains * grain, cut.axis);
    return grains * grain;
  }
  const auto axis = static_cast<std::size_t>(cut.axis);
  const auto bin = static_cast<std::int32_t>(cut.bin);
  const auto middle = std::partition(items.begin(), items.end(),
                                     [&](const SplitItem& i) { return map(i)[axis] < bin; });
  return static_cast<std::size_t>(middle - items.begin());
}

}  // namespace clearance::detail
