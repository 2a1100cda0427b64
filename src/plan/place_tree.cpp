// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/place_tree.h"

#include <algorithm>

namespace clearance::detail {
namespace {

// Where places are put that are not to be found: squares of it stay finite.
constexpr float kNowhere = 1e18F;

}  // namespace

std::uint32_t PlaceTree::add(const Place& place, const Near& near, std::uint32_t parent,
                             bool listed) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({place, near, parent});
  if (!listed) return index;
  const std::size_t lane = listed_.size() % kLanes;
  listed_.push_back(index);
  if (lane == 0) {
    Block& empty = blocks_.emplace_back();
    for (std::size_t i = 0; i < kLanes; ++i) {
      empty.x[i] = empty.y[i] = empty.z[i] = kNowhere;
      empty.qx[i] = empty.qy[i] = empty.qz[i] = empty.qw[i] = 0.0F;
    }
  }
  Block& block = blocks_.back();
  block.x[lane] = static_cast<float>(place.position.x);
  block.y[lane] = static_cast<float>(place.position.y);
  block.z[lane] = static_cast<float>(place.position.z);
  block.qx[lane] = static_cast<float>(place.turn.x);
  block.qy[lane] = static_cast<float>(place.turn.y);
  block.qz[lane] = static_cast<float>(place.turn.z);
  block.qw[lane] = static_cast<float>(place.turn.w);
  return index;
}

std::uint32_t PlaceTree::nearest(const Place& place) const {
  const auto px = static_cast<float>(place.position.x);
  const auto py = static_cast<float>(place.position.y);
  const auto pz = static_cast<float>(place.position.z);
  const auto qx = static_cast<float>(place.turn.x);
  const auto qy = static_cast<float>(place.turn.y);
  const auto qz = static_cast<float>(place.turn.z);
  const auto qw = static_cast<float>(place.turn.w);
  const auto weight = static_cast<float>(8.0 * turn_weight_ * turn_weight_);
  float best[kLanes];
  std::int32_t where[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    best[i] = std::numeric_limits<float>::infinity();
    where[i] = -1;
  }
  const auto count = static_cast<std::int32_t>(blocks_.size());
  for (std::int32_t b = 0; b < count; ++b) {
    const Block& block = blocks_[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < kLanes; ++i) {
      const float dx = block.x[i] - px;
      const float dy = block.y[i] - py;
      const float dz = block.z[i] - pz;
      const float c = block.qx[i] * qx + block.qy[i] * qy + block.qz[i] * qz + block.qw[i] * qw;
      const float gap = dx * dx + dy * dy + dz * dz + weight * (1.0F - (c < 0.0F ? -c : c));
      const bool nearer = gap < best[i];
      best[i] = nearer ? gap : best[i];
      where[i] = nearer ? b : where[i];
    }
  }
  std::uint32_t found = kNoPlace;
  float least = kNowhere * kNowhere;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (where[i] < 0 || best[i] >= kNowhere) continue;
    const std::uint32_t index = listed_[static_cast<std::size_t>(where[i]) * kLanes + i];
    if (best[i] < least || (best[i] == least && index < found)) {
      least = best[i];
      found = index;
    }
  }
  return found;
}

void PlaceTree::cut(std::uint32_t node) {
  // Children come after their parents: one pass finds all that hang on the node.
  nodes_[node].gone = true;
  for (std::uint32_t i = node; i < nodes_.size(); ++i) {
    const std::uint32_t parent = nodes_[i].parent;
    if (parent != kNoPlace && nodes_[parent].gone) nodes_[i].gone = true;
  }
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    if (nodes_[listed_[i]].gone) blocks_[i / kLanes].x[i % kLanes] = kNowhere;
  }
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
