// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tree of places reached from its roots, and the nearest of them to any place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/free_space.h"
#include "plan/place.h"

namespace clearance::detail {

inline constexpr std::uint32_t kNoPlace = 0xffffffffU;
/// Places compared in the time of one test, when the nearest is looked for.
inline constexpr std::uint64_t kPlacesPerOperation = 16;
/// What a point of a sequence costs, in tests: most of it where no place takes it.
inline constexpr std::uint64_t kOperationsOfPoint = 30;

class PlaceTree {
 public:
  /// `turn_weight`: the radius of the metric [m] that nearest() compares turns with.
  explicit PlaceTree(double turn_weight) : turn_weight_(turn_weight) {}

  struct Node {
    Place place;
    Near near;
    std::uint32_t parent = kNoPlace;
    /// Targets farther than this are not for this node: set once a step towards one failed [m].
    double domain = std::numeric_limits<double>::infinity();
    bool gone = false;  ///< cut()
  };

  /// `listed`: nearest() may find it. Places close together on one way need not all be found.
  std::uint32_t add(const Place& place, const Near& near, std::uint32_t parent, bool listed = true);
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const Node& operator[](std::uint32_t i) const { return nodes_[i]; }
  [[nodiscard]] Node& operator[](std::uint32_t i) { return nodes_[i]; }

  /// The nearest node that is left; the lowest number among equal ones. kNoPlace when none is.
  [[nodiscard]] std::uint32_t nearest(const Place& place) const;
  /// Takes the node and all that was reached through it out of nearest().
  void cut(std::uint32_t node);
  [[nodiscard]] bool is_left(std::uint32_t node) const { return !nodes_[node].gone; }
  /// From the root to the node.
  [[nodiscard]] std::vector<std::uint32_t> way_to(std::uint32_t node) const;

 private:
  static constexpr std::size_t kLanes = 8;
  /// Eight places, in single precision: enough to find the nearest, which is all they are for.
  struct Block {
    float x[kLanes], y[kLanes], z[kLanes];
    float qx[kLanes], qy[kLanes], qz[kLanes], qw[kLanes];
  };
  double turn_weight_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> listed_;  // the nodes in the blocks, in their order
  std::vector<Block> blocks_;
};

/// The place of a tree that is nearest to any of the roots of another, turns counted as on a body
/// of one metre.
[[nodiscard]] Place closest_to_roots(const PlaceTree& tree, const PlaceTree& other);

}  // namespace clearance::detail
