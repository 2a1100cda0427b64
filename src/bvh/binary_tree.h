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

#include <clearance/bvh/bvh.h>

namespace clearance::detail {

using Faces = std::span<const std::array<std::uint32_t, 3>>;

struct BinaryTree;

/// Builds the tree; the arrays were checked by the caller.
std::shared_ptr<const BinaryTree> build_binary_tree(std::span<const Vec3> vertices, Faces faces,
                                                    Volume volume, Fitter fitter, Threads threads);
/// The same splits around moved vertices.
std::shared_ptr<const BinaryTree> refit_binary_tree(const BinaryTree& tree,
                                                    std::span<const Vec3> vertices, Faces faces,
                                                    Threads threads);
BvhStatistics statistics_of(const BinaryTree& tree);

}  // namespace clearance::detail
