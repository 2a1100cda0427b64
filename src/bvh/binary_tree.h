// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binary trees of rectangle swept spheres, oriented boxes, axis-aligned boxes or spheres, one
// triangle a leaf: the trees of the paper, for comparison and as a second opinion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <clearance/bvh/bvh.h>

#include "bvh/volumes.h"

namespace clearance::detail {

using Faces = std::span<const std::array<std::uint32_t, 3>>;

/// A volume and what is in it. The left child of node i is node i + 1.
struct BinaryNode {
  RoundedBox volume;
  std::uint32_t right = 0;     ///< the right child; 0 in a leaf
  std::uint32_t triangle = 0;  ///< of a leaf

  [[nodiscard]] bool is_leaf() const { return right == 0; }
};

/// Nodes in depth-first order, so that a subtree of n triangles is 2n - 1 nodes in a row: where a
/// node goes follows from the splits above it, not from who builds it when.
struct BinaryTree {
  Volume volume = Volume::Rss;
  Fitter fitter = Fitter::Inertia;
  std::vector<BinaryNode> nodes;
};

/// Builds the tree; the arrays were checked by the caller.
std::shared_ptr<const BinaryTree> build_binary_tree(std::span<const Vec3> vertices, Faces faces,
                                                    Volume volume, Fitter fitter, Threads threads);
/// The same splits and axes around moved vertices.
std::shared_ptr<const BinaryTree> refit_binary_tree(const BinaryTree& tree,
                                                    std::span<const Vec3> vertices, Faces faces,
                                                    Threads threads);
BvhStatistics statistics_of(const BinaryTree& tree);

}  // namespace clearance::detail
