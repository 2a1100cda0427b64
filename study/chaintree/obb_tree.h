// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A hierarchy of oriented boxes around balls, built from scratch in O(N log N) as in OBBTree
// (Gottschalk, Lin and Manocha 1996): axes from the covariance, split at the mean of the longest.
// Memory is kept between builds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/vector.h>

#include "chaintree/placed_chain.h"

namespace clearance::study {

class ObbTree {
 public:
  struct Node {
    Mat3 axes;  ///< the rows; axes * (p - center) is p in the frame of the box
    Vec3 center;
    Vec3 half_size;
    double size = 0.0;        ///< half of the diagonal
    std::uint32_t child = 0;  ///< the first of two in a row; 0 in a leaf
    std::uint32_t begin = 0;  ///< the balls, in balls()
    std::uint32_t end = 0;
  };

  /// At most `leaf_size` balls in a leaf.
  explicit ObbTree(std::uint32_t leaf_size) : leaf_size_(leaf_size) {}

  /// A tree around the balls, the first of which has the number `first`.
  void build(std::span<const Ball> balls, std::uint32_t first);

  [[nodiscard]] bool empty() const { return balls_.empty(); }
  [[nodiscard]] const Node& node(std::uint32_t i) const { return nodes_[i]; }
  [[nodiscard]] const Ball& ball(std::uint32_t i) const { return balls_[i]; }
  /// The number of a ball of the tree.
  [[nodiscard]] std::uint32_t number(std::uint32_t i) const { return numbers_[i]; }

 private:
  void fit(Node& node) const;
  /// Where the balls of the second child begin.
  [[nodiscard]] std::uint32_t split(const Node& node);

  std::uint32_t leaf_size_;
  std::vector<Node> nodes_;
  std::vector<Ball> balls_;             ///< leaf by leaf
  std::vector<std::uint32_t> numbers_;  ///< of balls_
};

/// True only when the boxes are apart: an axis separates them by more than rounding.
[[nodiscard]] bool boxes_apart(const ObbTree::Node& a, const ObbTree::Node& b);

}  // namespace clearance::study
