// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The broad phase of a scene: a binary tree of axis-aligned boxes, one leaf a body. Changes touch
// the way from a leaf to the root; after enough of them the tree is built anew, so that a change
// costs log n on average and the tree stays good. Which pairs are found does not depend on the
// shape of the tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// A lower bound of the distance of two boxes, rounded down.
[[nodiscard]] double box_gap(const Box& a, const Box& b);

class SceneTree {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Node {
    Box box;
    std::uint32_t parent = kNone;
    std::uint32_t left = kNone;  // kNone in a leaf
    std::uint32_t right = kNone;
    std::uint32_t body = kNone;  // of a leaf
    [[nodiscard]] bool is_leaf() const { return left == kNone; }
  };

  void insert(std::uint32_t body, const Box& box);
  void update(std::uint32_t body, const Box& box);
  void remove(std::uint32_t body);

  /// kNone when empty.
  [[nodiscard]] std::uint32_t root() const { return root_; }
  [[nodiscard]] const Node& node(std::uint32_t i) const { return nodes_[i]; }

  /// All pairs of bodies (the lower number first) whose boxes are at the limit or closer, sorted.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_within(
      double limit) const;

 private:
  std::uint32_t new_node();
  void refit_from(std::uint32_t node);
  void count_change();
  void rebuild();
  std::uint32_t build(std::vector<std::uint32_t>& leaves, std::size_t first, std::size_t last);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> leaf_of_;  // by body
  std::uint32_t root_ = kNone;
  std::size_t leaf_count_ = 0;
  std::size_t changes_ = 0;  // since the tree was built
};

}  // namespace clearance::detail
