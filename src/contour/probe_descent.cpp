// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_descent.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace clearance::detail {
namespace {

// Marks the segment of a triangle that waits.
constexpr std::uint32_t kTriangle = 0x80000000U;

/// The children of a node, or the triangles of a leaf, with their bounds.
struct Below {
  bool is_leaf;
  const std::uint32_t* ref;
  unsigned near;                    // a bit for each that is not above the limit
  alignas(32) float bound[kWidth];  // not negative

  Below(const WideTree& tree, const SegmentKernel& kernel, std::uint32_t from, double limit)
      : is_leaf((from & kLeafBit) != 0) {
    const float most = float_above(limit);
    Bounds8 bounds{};
    if (is_leaf) {
      const WideLeaf& leaf = tree.leaves[from & ~kLeafBit];
      ref = leaf.triangle;
      bounds = kernel.bounds(leaf, most);
    } else {
      const WideNode& node = tree.nodes[from];
      ref = node.child;
      bounds = kernel.bounds(node);
    }
    const Float8 lower = bounds.value - broadcast8(bounds.margin);
    near = ~bits_less(broadcast8(most), lower) & bits(load8(ref) != -1);
    store8(bound, max(lower, broadcast8(0.0F)));
  }
  /// Of those near, of which there must be one.
  [[nodiscard]] int nearest() const {
    int best = std::countr_zero(near);
    for (unsigned rest = near; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      if (bound[i] < bound[best]) best = i;
    }
    return best;
  }
};

/// The segment that may be nearest, as far as the children of the root tell.
std::uint32_t nearest_segment(const ProbeDescent::Scene& scene, std::uint32_t begin,
                              std::uint32_t end, Contest& contest) {
  std::uint32_t nearest = begin;
  float least = std::numeric_limits<float>::infinity();
  for (std::uint32_t s = begin; s < end; ++s) {
    const Below below(scene.tree, scene.kernels[s], scene.tree.root, contest.limit(s));
    contest.work.bounds += kWidth;
    if (below.near == 0) continue;
    const float bound = below.bound[below.nearest()];
    if (bound < least) {
      least = bound;
      nearest = s;
    }
  }
  return nearest;
}

/// Bounds are not negative: as bits they are in the order of their values. Among equals the lowest
/// segment goes first and its lowest triangle, as far as 32 bits tell.
std::uint64_t rank_of(float bound, std::uint32_t segment, std::uint32_t lowest) {
  constexpr std::uint32_t kMostSegments = 0xfff;
  const std::uint32_t tie = std::min(segment, kMostSegments) << 20 | lowest >> 12;
  return std::uint64_t{std::bit_cast<std::uint32_t>(bound)} << 32 | tie;
}

}  // namespace

void LowestTriangles::compute(const WideTree& tree) {
  of_leaf.resize(tree.leaves.size());
  for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
    const auto& triangle = tree.leaves[i].triangle;
    of_leaf[i] = *std::min_element(triangle, triangle + kWidth);
  }
  of_node.assign(tree.nodes.size(), kNoChild);
  if ((tree.root & kLeafBit) != 0) return;
  // Parents are met before their children, so backwards is upwards.
  std::vector<std::uint32_t> order{tree.root};
  order.reserve(tree.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t child : tree.nodes[order[i]].child) {
      if ((child & kLeafBit) == 0) order.push_back(child);
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    std::uint32_t& lowest = of_node[order[i]];
    for (const std::uint32_t child : tree.nodes[order[i]].child) {
      if (child != kNoChild) lowest = std::min(lowest, (*this)[child]);
    }
  }
}

float ProbeDescent::Waiting::bound() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(rank >> 32));
}

void ProbeDescent::run(const Scene& scene, std::size_t first_segment, std::size_t segment_count,
                       Contest& contest) {
  const auto begin = static_cast<std::uint32_t>(first_segment);
  const auto end = static_cast<std::uint32_t>(first_segment + segment_count);
  if (contest.prize() == Contest::Prize::ForAll) {
    if (!contest.hit(begin).found())
      plunge(scene, nearest_segment(scene, begin, end, contest), contest);
    run_together(scene, begin, end, contest);
    return;
  }
  for (std::uint32_t s = begin; s < end; ++s) {
    if (!contest.hit(s).found()) plunge(scene, s, contest);
    run_together(scene, s, s + 1, contest);
  }
}

void ProbeDescent::run_together(const Scene& scene, std::uint32_t begin, std::uint32_t end,
                                Contest& contest) {
  queue_.clear();
  for (std::uint32_t s = begin; s < end; ++s) open(scene, scene.tree.root, s, contest);
  while (!queue_.empty()) {
    const Waiting next = queue_.front();
    const std::uint32_t segment = next.segment & ~kTriangle;
    // All others are as far at least.
    if (static_cast<double>(next.bound()) > contest.limit(segment)) break;
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
    if ((next.segment & kTriangle) != 0) {
      contest.measure(segment, next.ref);
    } else if (contest.can_win(segment, scene.lowest[next.ref])) {
      open(scene, next.ref, segment, contest);
    }
  }
}

void ProbeDescent::open(const Scene& scene, std::uint32_t ref, std::uint32_t segment,
                        Contest& contest) {
  const Below below(scene.tree, scene.kernels[segment], ref, contest.limit(segment));
  contest.work.bounds += kWidth;
  for (unsigned near = below.near; near != 0; near &= near - 1) {
    const int i = std::countr_zero(near);
    const std::uint32_t child = below.ref[i];
    const std::uint32_t lowest = below.is_leaf ? child : scene.lowest[child];
    queue_.push_back({rank_of(below.bound[i], segment, lowest), child,
                      below.is_leaf ? segment | kTriangle : segment});
    std::push_heap(queue_.begin(), queue_.end());
  }
}

void ProbeDescent::plunge(const Scene& scene, std::uint32_t segment, Contest& contest) {
  std::uint32_t ref = scene.tree.root;
  for (;;) {
    const Below below(scene.tree, scene.kernels[segment], ref, contest.limit(segment));
    contest.work.bounds += kWidth;
    if (below.near == 0) return;
    ref = below.ref[below.nearest()];
    if (below.is_leaf) break;
  }
  contest.measure(segment, ref);
}

}  // namespace clearance::detail
