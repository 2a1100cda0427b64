// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tree of places reached from its roots, and one of them near any place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/free_space.h"
#include "plan/place.h"
#include "plan/place_index.h"

namespace clearance::detail {

/// Places compared in the time of one test, when a near one is looked for.
inline constexpr std::uint64_t kPlacesPerOperation = 4;
/// What a point of a sequence costs, in tests: most of it where no place takes it.
inline constexpr std::uint64_t kOperationsOfPoint = 30;

class PlaceTree {
 public:
  /// `turn_weight`: the radius of the metric [m] that near_to() compares turns with.
  explicit PlaceTree(double turn_weight) : index_(turn_weight) {}

  struct Node {
    Place place;
    Near near;
    std::uint32_t parent = kNoPlace;
    /// Targets farther than this are not for this node: set once a step towards one failed [m].
    double domain = std::numeric_limits<double>::infinity();
    bool gone = false;  ///< cut()
  };

  /// `listed`: near_to() may find it. Places close together on one way need not all be found.
  std::uint32_t add(const Place& place, const Near& near, std::uint32_t parent, bool listed = true);
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const Node& operator[](std::uint32_t i) const { return nodes_[i]; }
  [[nodiscard]] Node& operator[](std::uint32_t i) { return nodes_[i]; }

  /// A node that is left and nearly the nearest (place_index.h); kNoPlace when none is. Adds the
  /// places that were looked at to `compared`.
  [[nodiscard]] std::uint32_t near_to(const Place& place, std::uint64_t& compared) const {
    return index_.near_to(place, compared);
  }
  /// Takes the node and all that was reached through it out of near_to().
  void cut(std::uint32_t node);
  [[nodiscard]] bool is_left(std::uint32_t node) const { return !nodes_[node].gone; }
  /// From the root to the node.
  [[nodiscard]] std::vector<std::uint32_t> way_to(std::uint32_t node) const;

 private:
  PlaceIndex index_;
  std::vector<Node> nodes_;
};

/// The place of a tree that is nearest to any of the roots of another, turns counted as on a body
/// of one metre.
[[nodiscard]] Place closest_to_roots(const PlaceTree& tree, const PlaceTree& other);

}  // namespace clearance::detail
