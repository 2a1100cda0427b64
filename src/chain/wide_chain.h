// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chain under nodes of eight children (ChainVolume::Wide).
//
// Level 0 has a node for every eight links, level 1 one for every eight nodes of level 0, and so on
// up to a handful: a root above so few would cost an update and a test more than it spares. The
// frame of a node is that of the child in its middle (the anchor), on level 0 turned such that the
// frames of all nodes were parallel when the tree was built: boxes of boxes stay tight. A node
// knows the poses of its children in its frame, and their boxes; a change of joint j touches one
// node a level: the poses and boxes on that side of the joint where the anchor is not are made
// anew, the rest stays. That is half of what a frame at one end would have to move, and of what an
// update of a long chain has to fetch from memory.
//
// A change of a single joint leaves the nodes alone at first, and the joint itself as well: both
// sides of the joint are as they were, and the test for collision moves one against the other. Most
// of what is rejected never reaches a node. accept() and all other questions bring them up to date.
//
// Boxes are those of cores: what is left of the shapes after taking off `skin`, the smallest radius
// in the chain (0 when there is a convex body or a mesh). Two links are at least as far apart as
// their cores less twice the skin.
//
// Of single spheres of one size at the origins of their links, the cores are points. The nodes of
// level 1 then hold the points of their 64 links, in their own frame: two such nodes tell the
// distances of all their links, eight at a time, and need no pose of the nodes below.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bvh/large_array.h"
#include "chain/chain_boxes.h"
#include "chain/chain_state.h"

namespace clearance::detail {

inline constexpr std::uint32_t kChainShift = 3;  // of a link's number to its node's

/// No level is built above one of so many nodes or fewer.
inline constexpr std::uint32_t kMostChainTops = 4;

struct alignas(64) ChainNode {
  // What an update of the parent needs of a node comes first: a few whole cache lines.
  ChainBox box;                              // around all boxes
  ChainPose leave;                           // node_from_link, of the first link behind the node
  ChainPose enter;                           // node_from_link, of the first link of the node
  ChainBoxes boxes;                          // of the children, in the frame of the node
  std::array<ChainPose, kChainWidth> child;  // node_from_child
  std::uint64_t saved_in;  // the last proposal that changed it; no part of a state

  [[nodiscard]] float radius() const { return box.radius; }
  void set_boxes(const BoxRows& rows) {
    rows.store(boxes);
    const FittedBox around = box_around(rows);
    box = chain_box(around, radius_of(around));
  }
};

class WideChain final : public ChainTree::State {
 public:
  explicit WideChain(Chain description);

  [[nodiscard]] ChainVolume volume() const override { return ChainVolume::Wide; }
  [[nodiscard]] const Pose& joint(std::size_t i) const override;
  [[nodiscard]] Pose relative(std::size_t a, std::size_t b) const override;
  [[nodiscard]] std::vector<Pose> poses() const override;
  [[nodiscard]] std::size_t tree_bytes() const override;

  void change(std::span<const JointChange> changes) override;
  void reshape(std::size_t link, std::span<const Sphere> spheres) override;
  void accept() override;
  void reject() override;
  void exchange() override;

  [[nodiscard]] ChainCollision collide_changed(ChainMemory* memory) const override;
  [[nodiscard]] ChainCollision collide_self() const override;
  [[nodiscard]] std::vector<LinkPair> contacts() const override;
  [[nodiscard]] ChainDistance distance_self() const override;
  void pairs_within(double cutoff, bool changed_only,
                    const ChainTree::PairVisitor& visit) const override;
  void sphere_pairs_within(double cutoff, bool changed_only,
                           const ChainTree::SphereVisitor& visit) const override;
  [[nodiscard]] ChainPart whole(const Pose& world_from_link0) const override;
  void open(const ChainPart& part, std::vector<ChainPart>& out) const override;
  void append_bytes(std::vector<std::byte>& out) const override;

  [[nodiscard]] std::uint32_t link_count() const {
    return static_cast<std::uint32_t>(chain.links.size());
  }
  [[nodiscard]] std::uint32_t level_count() const {
    return static_cast<std::uint32_t>(levels_.size());
  }
  [[nodiscard]] const ChainNode& node(std::uint32_t level, std::uint32_t index) const {
    return levels_[level][index];
  }
  [[nodiscard]] std::uint32_t node_count(std::uint32_t level) const {
    return static_cast<std::uint32_t>(levels_[level].size());
  }
  [[nodiscard]] double skin() const { return skin_; }
  /// The nodes of the highest level, in the frame of the first of them: of the accepted state while
  /// pending().
  struct Tops {
    std::uint32_t count;
    double reach;  // all of the chain is within this of the origin
    ChainPose pose[kMostChainTops];
  };
  [[nodiscard]] Tops tops() const;
  /// Every link is one sphere, and all are of one size: their boxes are points.
  [[nodiscard]] bool all_points() const { return all_points_; }
  /// The same, and every sphere is at the origin of its link: points() is what they are.
  [[nodiscard]] bool centered() const { return centered_; }
  /// Of a node of level 1.
  [[nodiscard]] const ChainPoints& points(std::uint32_t index) const { return points_[index]; }
  /// Pose of link b in the frame of link a, as proposed. `known`: the tops, or null.
  [[nodiscard]] ChainPose between_links(std::uint32_t a, std::uint32_t b, const Tops* known) const;
  /// One joint was changed, and it and the nodes are still those of the accepted state.
  [[nodiscard]] bool pending() const { return pending_; }
  /// While pending: how the links behind the joint moved, in the frame of the link before it.
  [[nodiscard]] ChainPose pending_motion() const;
  [[nodiscard]] std::uint32_t child_count(std::uint32_t level, std::uint32_t index) const {
    const std::uint32_t all = level == 0 ? link_count() : node_count(level - 1);
    return std::min(kChainWidth, all - index * kChainWidth);
  }
  /// Nodes made anew since the tree was built: what an update costs.
  [[nodiscard]] std::uint64_t nodes_updated() const { return nodes_updated_; }

 private:
  struct SavedNode {
    std::uint32_t level;
    std::uint32_t index;
    ChainNode node;
  };
  struct SavedPoints {
    std::uint32_t index;  // of a node of level 1
    ChainPoints points;
  };
  /// What of a node is not as it was: children before its anchor, behind it, or both.
  struct Dirty {
    std::uint32_t index;  // of the node
    bool enter, leave;    // so is the way from the anchor to that end of the node
    std::uint8_t before;  // children [0, before) are elsewhere
    std::uint8_t behind;  // and those from here on
    std::uint8_t bent;    // a bit for each child that changed in itself

    /// These are elsewhere or changed in themselves, a bit each: their boxes are made anew.
    [[nodiscard]] unsigned boxes(std::uint32_t count) const {
      return (((1U << before) - 1U) | (0xffU << behind) | bent) & ((1U << count) - 1U);
    }
    void merge(const Dirty& other);
  };

  [[nodiscard]] FittedBox fit_link(std::uint32_t link, const ChainPose& node_from_link) const;
  /// The child whose place in the frame of the node is fixed.
  [[nodiscard]] std::uint32_t anchor(std::uint32_t level, std::uint32_t index) const {
    return child_count(level, index) / 2;
  }
  /// What a change of a joint makes of its node of level 0.
  [[nodiscard]] Dirty dirty_above(std::uint32_t joint) const;
  /// What a change of a node of the level below makes of its parent.
  [[nodiscard]] Dirty dirty_above(std::uint32_t level, const Dirty& child) const;
  void place_children(std::uint32_t level, const Dirty& dirty);
  void place_links(const Dirty& dirty);
  /// Of these children, a bit each; and the box around all.
  void fit_boxes(std::uint32_t level, std::uint32_t index, unsigned children);
  void update_node(std::uint32_t level, const Dirty& dirty);
  void update_path(std::uint32_t joint, bool keep_old);
  void settle();
  // What a query must see is computed when the first one asks for it.
  void settle() const {
    if (pending_) const_cast<WideChain*>(this)->settle();
  }
  void save(std::uint32_t level, std::uint32_t index);
  void forget_saved();
  [[nodiscard]] bool has_points(std::uint32_t level) const {
    return level == 1 && points_.size() > 0;
  }
  /// Calls visit(first, end) for each stretch of memory an update of this joint uses, where it is
  /// likely to be in no cache.
  template <class Visit>
  void visit_path(std::uint32_t joint, const Visit& visit) const;
  /// Asks for all of these lines, without waiting: by the time a test is over, what accept() needs
  /// has come.
  void fetch_path(std::uint32_t joint) const;
  [[nodiscard]] ChainPart child_part(const ChainPart& part, std::uint32_t slot,
                                     const ChainPose& part_from_child) const;
  void open_tops(const ChainPart& part, std::vector<ChainPart>& out) const;

  double skin_ = 0.0;
  bool all_points_ = false;
  bool centered_ = false;  // all_points_, and every sphere is at the origin of its link
  std::vector<LargeArray<ChainNode>> levels_;
  LargeArray<ChainPoints> points_;  // of the nodes of level 1; none unless the chain began centered
  // The nodes of the other state, and their points: the first so many of these.
  std::vector<SavedNode> saved_;
  std::size_t saved_count_ = 0;
  std::vector<SavedPoints> saved_points_;
  std::size_t saved_points_count_ = 0;
  bool pending_ = false;
  std::uint64_t proposal_number_ = 1;
  std::uint64_t nodes_updated_ = 0;
  std::vector<Dirty> dirty_;
};

}  // namespace clearance::detail
