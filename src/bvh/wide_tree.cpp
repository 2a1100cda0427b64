// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_tree.h"

#include <algorithm>

#include "bvh/wide_fit.h"

namespace clearance::detail {
namespace {

struct Measured {
  std::size_t depth = 0;
  std::size_t child_count = 0;
};

double area_of(const float* half) {
  return 8.0 * (static_cast<double>(half[0]) * half[1] + static_cast<double>(half[1]) * half[2] +
                static_cast<double>(half[2]) * half[0]);
}
double volume_of(const float* half) {
  return 8.0 * static_cast<double>(half[0]) * half[1] * half[2];
}

}  // namespace

BvhStatistics statistics_of(const WideTree& tree) {
  BvhStatistics s;
  s.leaf_count = tree.leaves.size();
  s.memory_bytes = tree.nodes.size_bytes() + tree.leaves.size_bytes() + sizeof(WideTree);
  // One box for the root, and one for each child of each node.
  const WideFrame& root = tree.frame(tree.root);
  s.total_area = area_of(root.half_size);
  s.total_volume = volume_of(root.half_size);
  std::size_t triangles = 0;
  for (const WideLeaf& leaf : tree.leaves)
    triangles += static_cast<std::size_t>(std::count_if(
        leaf.triangle, leaf.triangle + kWidth, [](std::uint32_t t) { return t != kNoChild; }));
  std::size_t children = 0;
  for (const WideNode& node : tree.nodes) {
    for (std::size_t i = 0; i < kWidth && node.child[i] != kNoChild; ++i) {
      const float half[3] = {node.half[0][i], node.half[1][i], node.half[2][i]};
      s.total_area += area_of(half);
      s.total_volume += volume_of(half);
      ++children;
    }
  }
  s.node_count = children + 1;
  s.triangles_per_leaf =
      static_cast<double>(triangles) / static_cast<double>(std::max<std::size_t>(1, s.leaf_count));
  s.children_per_node = static_cast<double>(children) /
                        static_cast<double>(std::max<std::size_t>(1, tree.nodes.size()));
  // Depth by an explicit stack.
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{tree.root, 1}};
  while (!stack.empty()) {
    const auto [ref, depth] = stack.back();
    stack.pop_back();
    s.depth = std::max(s.depth, depth);
    if ((ref & kLeafBit) != 0) continue;
    for (const std::uint32_t child : tree.nodes[ref].child) {
      if (child != kNoChild) stack.emplace_back(child, depth + 1);
    }
  }
  return s;
}

}  // namespace clearance::detail
