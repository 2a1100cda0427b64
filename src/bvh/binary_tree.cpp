// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/binary_tree.h"

#include <algorithm>
#include <utility>

namespace clearance::detail {
namespace {

/// Inner nodes fitted by one piece of the parallel loop.
constexpr std::size_t kRefitBlock = 1024;

/// How many nodes the subtree at each node has. Children come after their parents, so one way back
/// through the array meets them first.
std::vector<std::uint32_t> subtree_sizes(const std::vector<BinaryNode>& nodes) {
  std::vector<std::uint32_t> sizes(nodes.size(), 1);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!nodes[i].is_leaf()) sizes[i] = 1 + sizes[i + 1] + sizes[nodes[i].right];
  }
  return sizes;
}

}  // namespace

std::shared_ptr<const BinaryTree> refit_binary_tree(const BinaryTree& tree,
                                                    std::span<const Vec3> vertices, Faces faces,
                                                    Threads threads) {
  auto refitted = std::make_shared<BinaryTree>(tree);
  // The triangles in the order of the leaves: those of any node are then a range.
  std::vector<Triangle> triangles;
  triangles.reserve(faces.size());
  std::vector<std::uint32_t> leaves_before(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    leaves_before[i] = static_cast<std::uint32_t>(triangles.size());
    if (!tree.nodes[i].is_leaf()) continue;
    const auto& f = faces[tree.nodes[i].triangle];
    triangles.push_back({vertices[f[0]], vertices[f[1]], vertices[f[2]]});
  }
  const std::vector<std::uint32_t> sizes = subtree_sizes(tree.nodes);
  const std::size_t blocks = (tree.nodes.size() + kRefitBlock - 1) / kRefitBlock;
  parallel_for(threads, blocks, [&](std::size_t block) {
    const std::size_t end = std::min(tree.nodes.size(), (block + 1) * kRefitBlock);
    for (std::size_t i = block * kRefitBlock; i < end; ++i) {
      const std::span<const Triangle> set(triangles.data() + leaves_before[i], (sizes[i] + 1) / 2);
      RoundedBox& volume = refitted->nodes[i].volume;
      volume = set.size() == 1 ? volume_of_triangle(tree.volume, set.front())
                               : fit_volume(tree.volume, volume.axes, set);
    }
  });
  return refitted;
}

BvhStatistics statistics_of(const BinaryTree& tree) {
  BvhStatistics result;
  result.node_count = tree.nodes.size();
  result.leaf_count = (tree.nodes.size() + 1) / 2;
  std::vector<std::uint32_t> depths(tree.nodes.size(), 1);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const BinaryNode& node = tree.nodes[i];
    result.total_area += surface_area(node.volume.half_size, node.volume.radius);
    result.total_volume += enclosed_volume(node.volume.half_size, node.volume.radius);
    result.depth = std::max<std::size_t>(result.depth, depths[i]);
    if (!node.is_leaf()) depths[i + 1] = depths[node.right] = depths[i] + 1;
  }
  result.triangles_per_leaf = 1.0;
  result.children_per_node = tree.nodes.size() > 1 ? 2.0 : 0.0;
  result.memory_bytes = tree.nodes.size() * sizeof(BinaryNode);
  return result;
}

}  // namespace clearance::detail
