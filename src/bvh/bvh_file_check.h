// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a tree that came from a file one that a query can walk? Whatever the numbers in it are, after
// these checks no query, refit or statistic reads outside its arrays or runs forever. That the
// boxes are around their triangles is left to the checksum: it says that they are as they were
// built.
#pragma once

#include <cstddef>
#include <span>

#include <clearance/base/result.h>

#include "bvh/binary_tree.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

/// A tree in which every node and leaf is met once from the root, every triangle is in one leaf,
/// and frames, boxes and corners are of the size of the model, whose bounds are given. The error
/// has place and reason, no file. Cost: linear.
Status check_wide_tree(const WideTree& tree, const Box& bounds, std::size_t triangle_count);
/// The same for the nodes of a binary tree, which lie in depth-first order.
Status check_binary_nodes(std::span<const BinaryNode> nodes, std::size_t triangle_count);

}  // namespace clearance::detail
