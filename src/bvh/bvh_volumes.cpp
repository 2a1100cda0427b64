// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/bvh/bvh_volumes.h>

#include "bvh/binary_tree.h"
#include "bvh/wide_tree.h"

namespace clearance {
namespace {

using namespace detail;

/// A box along the axes of a frame of the wide tree.
BvhVolume wide_volume(const WideTree& tree, const WideFrame& frame, const Vec3& center,
                      const Vec3& half_size) {
  BvhVolume volume;
  Mat3 axes;  // rows
  Vec3 origin;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) axes[i][j] = frame.axes[i][j];
    origin[i] = frame.origin[i];
  }
  volume.tree_from_box = {transpose(axes), tree.center + origin + transpose_times(axes, center)};
  volume.half_size = half_size;
  return volume;
}

std::vector<BvhVolume> wide_volumes(const WideTree& tree, std::size_t depth, std::size_t most) {
  struct Entry {
    std::uint32_t ref;
    std::size_t depth;
    BvhVolume volume;
  };
  const WideFrame& root = tree.frame(tree.root);
  std::vector<Entry> stack{
      {tree.root, 0,
       wide_volume(tree, root, {}, {root.half_size[0], root.half_size[1], root.half_size[2]})}};
  std::vector<BvhVolume> volumes;
  while (!stack.empty()) {
    Entry entry = stack.back();
    stack.pop_back();
    entry.volume.is_leaf = (entry.ref & kLeafBit) != 0;
    if (entry.volume.is_leaf || entry.depth == depth) {
      if (volumes.size() == most) return {};
      volumes.push_back(entry.volume);
      continue;
    }
    const WideNode& node = tree.nodes[entry.ref];
    // The first child is on top of the stack in the end.
    for (std::size_t i = kWidth; i-- > 0;) {
      if (node.child[i] == kNoChild) continue;
      stack.push_back(
          {node.child[i], entry.depth + 1,
           wide_volume(tree, node.frame, {node.center[0][i], node.center[1][i], node.center[2][i]},
                       {node.half[0][i], node.half[1][i], node.half[2][i]})});
    }
  }
  return volumes;
}

std::vector<BvhVolume> binary_volumes(const BinaryTree& tree, std::size_t depth, std::size_t most) {
  struct Entry {
    std::uint32_t node;
    std::size_t depth;
  };
  std::vector<Entry> stack{{0, 0}};
  std::vector<BvhVolume> volumes;
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    const BinaryNode& node = tree.nodes[entry.node];
    if (node.is_leaf() || entry.depth == depth) {
      if (volumes.size() == most) return {};
      const RoundedBox& box = node.volume;
      volumes.push_back({{box.axes, box.center}, box.half_size, box.radius, node.is_leaf()});
      continue;
    }
    stack.push_back({node.right, entry.depth + 1});
    stack.push_back({entry.node + 1, entry.depth + 1});
  }
  return volumes;
}

}  // namespace

std::vector<BvhVolume> volumes_at(const Bvh& tree, std::size_t depth, std::size_t most) {
  return tree.wide() != nullptr ? wide_volumes(*tree.wide(), depth, most)
                                : binary_volumes(*tree.binary(), depth, most);
}

}  // namespace clearance
