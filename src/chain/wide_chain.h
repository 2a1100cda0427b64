// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chain under nodes of eight children (ChainVolume::Wide).
//
// Level 0 has a node for every eight links, level 1 one for every eight nodes of level 0, and so on
// up to a single root. The frame of a node is that of its first link, turned such that the frames
// of all nodes were parallel when the tree was built: boxes of boxes stay tight. A node knows the
// poses of its children in its frame, and their boxes; a change of joint j touches one node a
// level: the poses and boxes behind the joint are made anew, the rest stays.
//
// A change of a single joint leaves the nodes alone at first: both sides of the joint are as they
// were, and the test for collision moves one against the other. Most of what is rejected never
// reaches a node. accept() and all other questions bring the nodes up to date.
//
// Boxes are those of cores: what is left of the shapes after taking off `skin`, the smallest radius
// in the chain (0 when there is a convex body or a mesh). Two links are at least as far apart as
// their cores less twice the skin. Of single spheres of one size, the cores are points, and the
// boxes of two nodes tell the exact distances.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bvh/large_array.h"
#include "chain/chain_boxes.h"
#include "chain/chain_state.h"

namespace clearance::detail {

inline constexpr std::uint32_t kChainShift = 3;  // of a link's number to its node's

/// What the doubles of a relative pose may be off, as a fraction of the extent: a product of two
/// dozen poses, four roundings each, and the distance itself.
inline constexpr double kChainPoseError = 1e-14;

struct ChainNode {
  ChainBoxes boxes;                       // of the children, in the frame of the node
  std::array<Affine, kChainWidth> child;  // node_from_child
  Affine through;                         // node_from_next: the frame of the node that follows
  ChainBox box;                           // around all boxes
  float radius;                           // all of it is within this of the origin
  std::uint64_t saved_in;                 // the last proposal that changed it; no part of a state

  void set_bounds() {
    box = box_around(boxes);
    radius = box.radius();
  }
};

class WideChain final : public ChainTree::State {
 public:
  explicit WideChain(Chain description);

  [[nodiscard]] ChainVolume volume() const override { return ChainVolume::Wide; }
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
  /// Every link is one sphere, and all are of one size: their boxes are points.
  [[nodiscard]] bool all_points() const { return all_points_; }
  /// Pose of link b in the frame of link a, as proposed.
  [[nodiscard]] Affine between_links(std::uint32_t a, std::uint32_t b) const;
  /// One joint was changed, and the nodes are still those of the accepted state.
  [[nodiscard]] bool pending() const { return pending_; }
  /// While pending: how the links behind the joint moved, in the frame of the link before it.
  [[nodiscard]] Affine pending_motion() const;
  [[nodiscard]] std::uint32_t child_count(std::uint32_t level, std::uint32_t index) const;
  /// Nodes made anew since the tree was built: what an update costs.
  [[nodiscard]] std::uint64_t nodes_updated() const { return nodes_updated_; }

 private:
  struct SavedNode {
    std::uint32_t level;
    std::uint32_t index;
    ChainNode node;
  };
  struct Dirty {
    std::uint32_t index;  // of a node
    std::uint32_t slot;   // the first of its children that is not as it was
  };

  void set_link_box(ChainBoxes& boxes, std::uint32_t slot, std::uint32_t link,
                    const Affine& pose) const;
  /// Poses of the children behind `slot`, and the way through.
  void place_children(std::uint32_t level, std::uint32_t index, std::uint32_t slot);
  void fit_boxes(std::uint32_t level, std::uint32_t index, std::uint32_t first, std::uint32_t last);
  void update_node(std::uint32_t level, std::uint32_t index, std::uint32_t slot);
  void update_path(std::uint32_t joint, bool keep_old);
  void settle();
  // What a query must see is computed when the first one asks for it.
  void settle() const {
    if (pending_) const_cast<WideChain*>(this)->settle();
  }
  void save(std::uint32_t level, std::uint32_t index);
  void prefetch_path(std::uint32_t joint) const;

  double skin_ = 0.0;
  bool all_points_ = false;
  bool centered_ = false;  // all_points_, and every sphere is at the origin of its link
  std::vector<LargeArray<ChainNode>> levels_;
  // The nodes of the other state: the first saved_count_ of these.
  std::vector<SavedNode> saved_;
  std::size_t saved_count_ = 0;
  bool pending_ = false;
  std::uint64_t proposal_number_ = 1;
  std::uint64_t nodes_updated_ = 0;
  std::vector<Dirty> dirty_;
};

}  // namespace clearance::detail
