// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/obb_methods.h"

namespace clearance::study {

bool ObbMethod::leaves_touch(const ObbTree& tree_a, const ObbTree::Node& a, const ObbTree& tree_b,
                             const ObbTree::Node& b) {
  const bool same = &a == &b;
  for (std::uint32_t i = a.begin; i < a.end; ++i) {
    for (std::uint32_t j = same ? i + 1 : b.begin; j < b.end; ++j) {
      ++work_.sphere_tests;
      if (balls_touch(tree_a.ball(i), tree_b.ball(j)) &&
          !chain_.exempt(tree_a.number(i), tree_b.number(j))) {
        return true;
      }
    }
  }
  return false;
}

bool ObbMethod::trees_touch(const ObbTree& a, const ObbTree& b) {
  if (a.empty() || b.empty()) return false;
  const bool same = &a == &b;
  stack_.clear();
  stack_.emplace_back(0, 0);
  while (!stack_.empty()) {
    const auto [i, j] = stack_.back();
    stack_.pop_back();
    const ObbTree::Node& node_a = a.node(i);
    const ObbTree::Node& node_b = b.node(j);
    if (same && i == j) {
      // A box overlaps itself: no test.
      if (node_a.child == 0) {
        if (leaves_touch(a, node_a, b, node_b)) return true;
        continue;
      }
      stack_.emplace_back(node_a.child, node_a.child);
      stack_.emplace_back(node_a.child + 1, node_a.child + 1);
      stack_.emplace_back(node_a.child, node_a.child + 1);
      continue;
    }
    ++work_.box_tests;
    if (boxes_apart(node_a, node_b)) continue;
    // The larger one is opened.
    if (node_a.child != 0 && (node_b.child == 0 || node_a.size >= node_b.size)) {
      stack_.emplace_back(node_a.child, j);
      stack_.emplace_back(node_a.child + 1, j);
    } else if (node_b.child != 0) {
      stack_.emplace_back(i, node_b.child);
      stack_.emplace_back(i, node_b.child + 1);
    } else if (leaves_touch(a, node_a, b, node_b)) {
      return true;
    }
  }
  return false;
}

void OneObbTree::update(std::span<const JointChange> changes) {
  chain_.propose(changes);
  chain_.move_balls();
  tree_.build(chain_.balls(), 0);
}

bool OneObbTree::test() { return trees_touch(tree_, tree_); }

void KObbTrees::update(std::span<const JointChange> changes) {
  chain_.propose(changes);
  chain_.move_balls();
  if (trees_.size() < chain_.pieces().size())
    trees_.resize(chain_.pieces().size(), ObbTree(leaf_size_));
  for (std::size_t i = 0; i < chain_.pieces().size(); ++i) {
    const RigidPiece& piece = chain_.pieces()[i];
    trees_[i].build(chain_.balls().subspan(piece.begin, piece.end - piece.begin), piece.begin);
  }
}

bool KObbTrees::test() {
  for (std::size_t i = 0; i < chain_.pieces().size(); ++i) {
    for (std::size_t j = i + 1; j < chain_.pieces().size(); ++j) {
      if (trees_touch(trees_[i], trees_[j])) return true;
    }
  }
  return false;
}

}  // namespace clearance::study
