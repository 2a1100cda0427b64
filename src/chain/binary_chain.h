// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chain under the paper's binary hierarchy (ChainVolume::LooseObb, TightObb, Rss).
//
// Node i of level l holds the links from i 2^l on, 2^l of them or as many as there are. Its frame
// is that of its first link. It has a volume around its links and, unless it is the last of its
// level, the shortcut to the next node, the product of the joints in between. A change of a joint
// touches one node a level; the others stay.
#pragma once

#include <cstdint>
#include <vector>

#include "bvh/volume_pair.h"
#include "chain/binary_chain_volumes.h"
#include "chain/chain_state.h"

namespace clearance::detail {

class BinaryChain final : public ChainTree::State {
 public:
  /// Any volume but Wide.
  BinaryChain(Chain description, ChainVolume volume);

  [[nodiscard]] ChainVolume volume() const override { return volume_; }
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
  void append_bytes(std::vector<std::byte>& out) const override;

  [[nodiscard]] std::uint32_t link_count() const {
    return static_cast<std::uint32_t>(chain.links.size());
  }
  [[nodiscard]] std::uint32_t level_count() const {
    return static_cast<std::uint32_t>(levels_.size());
  }
  [[nodiscard]] std::uint32_t node_count(std::uint32_t level) const {
    return static_cast<std::uint32_t>(levels_[level].volumes.size());
  }
  [[nodiscard]] const RoundedBox& node_volume(std::uint32_t level, std::uint32_t index) const {
    return levels_[level].volumes[index];
  }
  /// Pose of the next node of the level in the frame of this one, which is not the last.
  [[nodiscard]] const Pose& shortcut(std::uint32_t level, std::uint32_t index) const {
    return level == 0 ? chain.joints[index] : levels_[level].shortcuts[index];
  }
  [[nodiscard]] Volume kind() const { return kind_; }
  /// The links of a node: [first, end).
  [[nodiscard]] std::uint32_t first_link(std::uint32_t level, std::uint32_t index) const {
    return index << level;
  }
  [[nodiscard]] std::uint32_t end_link(std::uint32_t level, std::uint32_t index) const {
    const std::uint64_t end = (std::uint64_t{index} + 1) << level;
    return static_cast<std::uint32_t>(end < link_count() ? end : link_count());
  }
  /// What poses within a node may be off, in the distance of points of its links: rounding.
  [[nodiscard]] double pose_error(std::uint32_t level, std::uint32_t index) const;
  /// The same for its volumes, which are moved as if all joints were rotations to the last digit.
  [[nodiscard]] double volume_error(std::uint32_t level, std::uint32_t index) const;

 private:
  struct Level {
    std::vector<RoundedBox> volumes;
    std::vector<Pose> shortcuts;          // empty on level 0: the joints
    std::vector<std::uint64_t> saved_in;  // the proposal that saved the node last
  };
  struct SavedNode {
    std::uint32_t level;
    std::uint32_t index;
    RoundedBox volume;
    Pose shortcut;
  };

  /// Makes a node above level 0 anew from its children.
  void fit_node(std::uint32_t level, std::uint32_t index, bool shortcut_too);
  /// The faces pushed in until they touch a link, or the volume of one without a simple shape.
  [[nodiscard]] RoundedBox shrunk(std::uint32_t level, std::uint32_t index,
                                  const RoundedBox& box) const;
  /// The greatest coordinate of a link of the node along a direction of the node's frame; links
  /// that cannot be beyond `known` are not looked at.
  [[nodiscard]] double farthest_link(std::uint32_t level, std::uint32_t index,
                                     const Vec3& direction, double known) const;
  void save(std::uint32_t level, std::uint32_t index);

  ChainVolume volume_;
  Volume kind_;
  std::vector<Level> levels_;
  std::vector<SavedNode> saved_;  // the nodes of the other state
  std::uint64_t proposal_number_ = 1;
  std::vector<std::uint32_t> dirty_;
};

}  // namespace clearance::detail
