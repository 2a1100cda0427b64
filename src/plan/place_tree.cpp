// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/place_tree.h"

#include <algorithm>

namespace clearance::detail {

std::uint32_t PlaceTree::add(const Place& place, const Near& near, std::uint32_t parent,
                             bool listed) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({place, near, parent});
  if (listed) index_.add(place, number);
  return number;
}

void PlaceTree::cut(std::uint32_t node) {
  // Children come after their parents: one pass finds all that hang on the node.
  nodes_[node].gone = true;
  for (std::uint32_t i = node; i < nodes_.size(); ++i) {
    const std::uint32_t parent = nodes_[i].parent;
    if (parent != kNoPlace && nodes_[parent].gone) nodes_[i].gone = true;
  }
  index_.remove_if([this](std::uint32_t number) { return nodes_[number].gone; });
}

std::vector<std::uint32_t> PlaceTree::way_to(std::uint32_t node) const {
  std::vector<std::uint32_t> way;
  for (std::uint32_t i = node; i != kNoPlace; i = nodes_[i].parent) way.push_back(i);
  std::reverse(way.begin(), way.end());
  return way;
}

Place closest_to_roots(const PlaceTree& tree, const PlaceTree& other) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    for (std::uint32_t root = 0; root < other.size() && other[root].parent == kNoPlace; ++root) {
      const double gap = squared_gap(tree[i].place, other[root].place, 1.0);
      if (gap < least) least = gap, best = i;
    }
  }
  return tree[best].place;
}

}  // namespace clearance::detail
