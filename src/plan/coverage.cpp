// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/coverage.h"

#include <cmath>

namespace clearance::detail {
namespace {

// Nodes kept for one cell: more of them are more of the same.
constexpr std::size_t kMostNodes = 64;
constexpr double kTurns = 0.0;

}  // namespace

std::size_t Coverage::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const std::int32_t part : key) {
    hash ^= static_cast<std::uint32_t>(part);
    hash *= 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

void Coverage::add(std::uint32_t node, const Place& place) {
  // A quaternion and its negative are one turn. The radius times twice the difference of
  // quaternions is about the way of a point there.
  const double sign = place.turn.w < 0.0 ? -1.0 : 1.0;
  const double turns = sign * kTurns * radius_ / spacing_;
  const auto part = [](double value) { return static_cast<std::int32_t>(std::floor(value)); };
  const Key key{part(place.position.x / spacing_), part(place.position.y / spacing_),
                part(place.position.z / spacing_), part(place.turn.x * turns),
                part(place.turn.y * turns),        part(place.turn.z * turns),
                part(place.turn.w * turns)};
  const auto [found, fresh] = index_.emplace(key, static_cast<std::uint32_t>(cells_.size()));
  if (fresh) {
    cells_.emplace_back();
    waiting_.push({0, found->second});
  }
  std::vector<std::uint32_t>& nodes = cells_[found->second].nodes;
  if (nodes.size() < kMostNodes) nodes.push_back(node);
}

std::uint32_t Coverage::next() {
  const Waiting best = waiting_.top();
  waiting_.pop();
  Cell& cell = cells_[best.cell];
  const std::uint32_t node = cell.nodes[cell.uses % cell.nodes.size()];
  ++cell.uses;
  waiting_.push({best.uses + 1, best.cell});
  return node;
}

}  // namespace clearance::detail
