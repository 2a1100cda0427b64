// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nearly the nearest of many places that keep coming. What came last lies in a short list that is
// looked through; each time it is full it becomes a tree of boxes, together with all trees that are
// no larger (Bentley and Saxe, 1980). So a place is put into a tree a few times in all, and there
// are never more than a few trees. In the metric of squared_gap() a place is a point of seven
// numbers, the position and a scaled quaternion that counts with either sign: boxes of such points
// bound it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/place.h"

namespace clearance::detail {

inline constexpr std::uint32_t kNoPlace = 0xffffffffU;

class PlaceIndex {
 public:
  /// `turn_weight`: the radius of the metric [m] that turns are compared with.
  explicit PlaceIndex(double turn_weight);

  /// `name`: what near_to() calls it; below 2^31.
  void add(const Place& place, std::uint32_t name);
  /// One that is at most 1.3 times as far as the nearest: the nearest itself of fewer than 256. The
  /// lowest name among those as far; kNoPlace when there is none. Adds the number of places and
  /// boxes that were looked at to `compared`.
  [[nodiscard]] std::uint32_t near_to(const Place& place, std::uint64_t& compared) const;
  /// Forgets those for which this is true.
  void remove_if(const std::function<bool(std::uint32_t)>& gone);

 private:
  static constexpr std::size_t kLanes = 8;
  /// Position and quaternion, in single precision: enough to compare them, which is all they
  /// are for.
  static constexpr std::size_t kNumbers = 7;
  struct Entry {
    float value[kNumbers];
    std::uint32_t name;
  };
  struct Block {
    float value[kNumbers][kLanes];
    std::uint32_t name[kLanes];
  };
  /// The boxes of eight nodes or, at the bottom, of eight blocks.
  struct Node {
    float low[kNumbers][kLanes];  // scaled; empty where there is no child
    float high[kNumbers][kLanes];
    std::uint32_t child[kLanes];
    bool bottom;  // its children are blocks
  };
  struct Tree {
    std::vector<Node> nodes;  // the root is the last
    std::vector<Block> blocks;
  };
  struct Best;
  struct Query;

  static void put(Block& block, std::size_t lane, const Entry& entry);
  static void clear(Block& block, std::size_t lane);
  static void look_at(const Block& block, const Query& query, Best& best);
  /// Lower bounds, as precise as single precision, of the squared gaps to the boxes of a node.
  static void gaps_to(const Node& node, const Query& query, float (&gaps)[kLanes]);
  /// Makes a node of these entries, which it reorders; its number.
  std::uint32_t build(Tree& tree, Entry* begin, Entry* end) const;
  void bound(Node& node, std::size_t lane, const Entry* begin, const Entry* end) const;
  static void take_all(const Block& block, std::vector<Entry>& entries);

  float turn_square_;  ///< the weight of 1 - cosine
  float turn_scale_;   ///< of quaternions, so that squares of their differences weigh as much
  std::vector<Block> recent_;
  std::size_t recent_count_ = 0;
  std::vector<Tree> trees_;  ///< each is empty or about twice as large as the one before
};

}  // namespace clearance::detail
