// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/scene_tree.h"

#include <algorithm>
#include <cmath>

#include <clearance/base/assert.h>

namespace clearance::detail {
namespace {

/// The tree is built anew after changes to this fraction of the bodies, and so many more: often
/// enough to stay near its best, seldom enough that building does not count.
constexpr std::size_t kChangesPerRebuild = 4;
constexpr std::size_t kFewChanges = 16;

double area(const Box& box) {
  const Vec3 s = box.size();
  return s.x * s.y + s.y * s.z + s.z * s.x;
}

Box joined(Box a, const Box& b) {
  a.include(b);
  return a;
}

}  // namespace

double box_gap(const Box& a, const Box& b) {
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double gap = std::max({0.0, a.low[k] - b.high[k], b.low[k] - a.high[k]});
    square += gap * gap;
  }
  // Six roundings of 1.1e-16 each, halved by the root.
  return std::sqrt(square) * (1.0 - 1e-15);
}

std::uint32_t SceneTree::new_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t i = free_.back();
  free_.pop_back();
  nodes_[i] = {};
  return i;
}

void SceneTree::insert(std::uint32_t body, const Box& box) {
  const std::uint32_t leaf = new_node();
  nodes_[leaf].box = box;
  nodes_[leaf].body = body;
  if (leaf_of_.size() <= body) leaf_of_.resize(body + 1, kNone);
  leaf_of_[body] = leaf;
  ++leaf_count_;
  if (root_ == kNone) {
    root_ = leaf;
    return;
  }
  // Down the side that grows less, to the leaf that becomes the neighbour.
  std::uint32_t sibling = root_;
  while (!nodes_[sibling].is_leaf()) {
    const Node& n = nodes_[sibling];
    const Box& left = nodes_[n.left].box;
    const Box& right = nodes_[n.right].box;
    const double grow_left = area(joined(left, box)) - area(left);
    const double grow_right = area(joined(right, box)) - area(right);
    sibling = grow_right < grow_left ? n.right : n.left;
  }
  const std::uint32_t parent = new_node();
  const std::uint32_t above = nodes_[sibling].parent;
  nodes_[parent].parent = above;
  nodes_[parent].left = sibling;
  nodes_[parent].right = leaf;
  nodes_[sibling].parent = parent;
  nodes_[leaf].parent = parent;
  if (above == kNone) {
    root_ = parent;
  } else {
    (nodes_[above].left == sibling ? nodes_[above].left : nodes_[above].right) = parent;
  }
  refit_from(parent);
  count_change();
}

void SceneTree::update(std::uint32_t body, const Box& box) {
  const std::uint32_t leaf = leaf_of_[body];
  nodes_[leaf].box = box;
  refit_from(nodes_[leaf].parent);
  count_change();
}

void SceneTree::remove(std::uint32_t body) {
  const std::uint32_t leaf = leaf_of_[body];
  const std::uint32_t parent = nodes_[leaf].parent;
  leaf_of_[body] = kNone;
  --leaf_count_;
  free_.push_back(leaf);
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  // The neighbour takes the parent's place.
  const std::uint32_t sibling =
      nodes_[parent].left == leaf ? nodes_[parent].right : nodes_[parent].left;
  const std::uint32_t above = nodes_[parent].parent;
  nodes_[sibling].parent = above;
  if (above == kNone) {
    root_ = sibling;
  } else {
    (nodes_[above].left == parent ? nodes_[above].left : nodes_[above].right) = sibling;
  }
  free_.push_back(parent);
  refit_from(above);
  count_change();
}

void SceneTree::refit_from(std::uint32_t i) {
  for (; i != kNone; i = nodes_[i].parent) {
    const Box box = joined(nodes_[nodes_[i].left].box, nodes_[nodes_[i].right].box);
    if (box == nodes_[i].box) return;
    nodes_[i].box = box;
  }
}

void SceneTree::count_change() {
  if (++changes_ > leaf_count_ / kChangesPerRebuild + kFewChanges) rebuild();
}

void SceneTree::rebuild() {
  changes_ = 0;
  std::vector<std::uint32_t> leaves;
  leaves.reserve(leaf_count_);
  std::vector<Node> old;
  old.swap(nodes_);
  free_.clear();
  for (std::uint32_t& leaf : leaf_of_) {
    if (leaf == kNone) continue;
    Node node;
    node.box = old[leaf].box;
    node.body = old[leaf].body;
    leaf = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    leaves.push_back(leaf);
  }
  root_ = leaves.empty() ? kNone : build(leaves, 0, leaves.size());
}

// Halves the leaves along the axis on which their centres spread most; log n deep.
std::uint32_t SceneTree::build(std::vector<std::uint32_t>& leaves, std::size_t first,
                               std::size_t last) {
  if (last - first == 1) return leaves[first];
  Box centres;
  for (std::size_t i = first; i < last; ++i) centres.include(nodes_[leaves[i]].box.center());
  const Vec3 size = centres.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const std::size_t middle = first + (last - first) / 2;
  const auto at = [&](std::size_t i) { return leaves.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(first), at(middle), at(last), [&](std::uint32_t a, std::uint32_t b) {
    const double ca = nodes_[a].box.center()[axis];
    const double cb = nodes_[b].box.center()[axis];
    return ca != cb ? ca < cb : a < b;
  });
  const std::uint32_t left = build(leaves, first, middle);
  const std::uint32_t right = build(leaves, middle, last);
  const std::uint32_t parent = new_node();
  nodes_[parent].left = left;
  nodes_[parent].right = right;
  nodes_[parent].box = joined(nodes_[left].box, nodes_[right].box);
  nodes_[left].parent = parent;
  nodes_[right].parent = parent;
  return parent;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> SceneTree::pairs_within(double limit) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  if (root_ == kNone) return found;
  // Pairs of nodes; a node paired with itself stands for the pairs among its own leaves.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{root_, root_}};
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const Node& a = nodes_[i];
    const Node& b = nodes_[j];
    if (i == j) {
      if (a.is_leaf()) continue;
      stack.insert(stack.end(), {{a.left, a.left}, {a.right, a.right}, {a.left, a.right}});
      continue;
    }
    if (box_gap(a.box, b.box) > limit) continue;
    if (a.is_leaf() && b.is_leaf()) {
      found.emplace_back(std::minmax(a.body, b.body));
    } else if (b.is_leaf() || (!a.is_leaf() && area(a.box) >= area(b.box))) {
      stack.insert(stack.end(), {{a.left, j}, {a.right, j}});
    } else {
      stack.insert(stack.end(), {{i, b.left}, {i, b.right}});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace clearance::detail
