// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_descent.h"

#include <algorithm>
#include <bit>

namespace clearance::detail {
namespace {

constexpr std::uint32_t kTriangle = 0x80000000U;

}  // namespace

void LowestTriangles::compute(const WideTree& tree) {
  of_leaf.clear();
  for (const WideLeaf& leaf : tree.leaves)
    of_leaf.push_back(*std::min_element(leaf.triangle, leaf.triangle + kWidth));
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

bool ProbeDescent::is_later(const Waiting& a, const Waiting& b) {
  if (a.bound != b.bound) return a.bound > b.bound;
  const std::uint32_t segment_a = a.segment & ~kTriangle;
  const std::uint32_t segment_b = b.segment & ~kTriangle;
  return segment_a != segment_b ? segment_a > segment_b : a.lowest > b.lowest;
}

void ProbeDescent::push(const Waiting& waiting) {
  queue_.push_back(waiting);
  std::push_heap(queue_.begin(), queue_.end(), is_later);
}

void ProbeDescent::run(const WideTree& tree, const LowestTriangles& lowest,
                       std::span<const SegmentKernel> kernels, std::size_t first_segment,
                       std::size_t segment_count, Contest& contest) {
  queue_.clear();
  for (std::size_t i = 0; i < segment_count; ++i)
    push({0.0F, tree.root, static_cast<std::uint32_t>(first_segment + i), 0});

  while (!queue_.empty()) {
    const Waiting next = queue_.front();
    std::pop_heap(queue_.begin(), queue_.end(), is_later);
    queue_.pop_back();
    const std::uint32_t segment = next.segment & ~kTriangle;
    const double limit = contest.limit(segment);
    if (static_cast<double>(next.bound) > limit || !contest.can_win(segment, next.lowest)) continue;
    if ((next.segment & kTriangle) != 0) {
      contest.measure(segment, next.ref);
      continue;
    }

    // Bounds of what is below, and the limit they are held against, all in single precision.
    const bool is_leaf = (next.ref & kLeafBit) != 0;
    const WideLeaf* leaf = is_leaf ? &tree.leaves[next.ref & ~kLeafBit] : nullptr;
    const WideNode* node = is_leaf ? nullptr : &tree.nodes[next.ref];
    const Bounds8 bounds =
        is_leaf ? kernels[segment].bounds(*leaf) : kernels[segment].bounds(*node);
    contest.work.bounds += kWidth;
    const auto& below = is_leaf ? leaf->triangle : node->child;
    const Float8 lower = bounds.value - broadcast8(bounds.margin);
    unsigned near = ~bits_less(broadcast8(float_above(limit)), lower) & bits(load8(below) != -1);
    alignas(32) float bound[kWidth];
    store8(bound, max(lower, broadcast8(0.0F)));
    for (; near != 0; near &= near - 1) {
      const int i = std::countr_zero(near);
      const std::uint32_t ref = below[i];
      if (is_leaf) {
        push({bound[i], ref, segment | kTriangle, ref});
      } else {
        push({bound[i], ref, segment, lowest[ref]});
      }
    }
  }
}

}  // namespace clearance::detail
