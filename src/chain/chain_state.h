// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is behind a ChainTree: one implementation for each ChainVolume. One virtual call a query,
// none inside a descent. The members mean what those of ChainTree say.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <clearance/chain/chain_tree.h>

#include "chain/chain_part.h"
#include "chain/chain_proposal.h"

namespace clearance {

struct ChainTree::State {
  /// The rotations of its joints are good to kRoundedRotation.
  explicit State(Chain description);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State() = default;

  [[nodiscard]] virtual ChainVolume volume() const = 0;
  /// As proposed.
  [[nodiscard]] virtual const Pose& joint(std::size_t i) const { return chain.joints[i]; }
  [[nodiscard]] virtual Pose relative(std::size_t a, std::size_t b) const = 0;
  [[nodiscard]] virtual std::vector<Pose> poses() const = 0;
  /// Of everything but `chain` and `proposal`.
  [[nodiscard]] virtual std::size_t tree_bytes() const = 0;

  virtual void change(std::span<const JointChange> changes) = 0;
  virtual void reshape(std::size_t link, std::span<const Sphere> spheres) = 0;
  virtual void accept() = 0;
  virtual void reject() = 0;
  virtual void exchange() = 0;

  [[nodiscard]] virtual ChainCollision collide_changed(ChainMemory* memory) const = 0;
  [[nodiscard]] virtual ChainCollision collide_self() const = 0;
  [[nodiscard]] virtual std::vector<LinkPair> contacts() const = 0;
  [[nodiscard]] virtual ChainDistance distance_self() const = 0;
  /// `changed_only`: of the pairs whose relative pose or shape is not as accepted.
  virtual void pairs_within(double cutoff, bool changed_only, const PairVisitor& visit) const = 0;
  virtual void sphere_pairs_within(double cutoff, bool changed_only,
                                   const SphereVisitor& visit) const = 0;

  /// The whole chain as one part, link 0 at this pose.
  [[nodiscard]] virtual detail::ChainPart whole(const Pose& world_from_link0) const;
  /// Appends what a part that is not a link is made of; links without a body are left out.
  virtual void open(const detail::ChainPart& part, std::vector<detail::ChainPart>& out) const;

  /// Every number a state consists of, in a fixed order:
  /// tests compare it to see that a reject restores all of it.
  virtual void append_bytes(std::vector<std::byte>& out) const = 0;

  /// False for neighbours and for pairs the chain ignores. a < b.
  [[nodiscard]] bool is_tested(std::uint32_t a, std::uint32_t b) const {
    return b - a > chain.neighbours && (chain.ignored.empty() || !is_ignored({a, b}));
  }
  [[nodiscard]] bool is_ignored(LinkPair pair) const;

  /// What the pose of one link in the frame of another may be off, where their bodies are, both
  /// within an extent: rounding, as poses are multiplied link by link.
  [[nodiscard]] double pose_slack(double extent) const {
    return relative_error_ * (extent + farthest_frame_);
  }
  /// Called before each change, and after it was accepted or rejected.
  void note_joint(std::uint32_t joint, const Pose& pose, double error_sq);
  void note_spheres(std::span<const Sphere> spheres);
  void note_accepted();
  void note_rejected();

  /// As proposed, but for a joint that is deferred; `ignored` sorted, a < b, each once.
  Chain chain;
  detail::ChainProposal proposal;  ///< what differs from the accepted state

 private:
  /// What decides how far off relative poses may be.
  struct Lengths {
    double joint_error_sq = 0.0;  // the farthest any joint was from a rotation, squared
    double body_offset = 0.0;     // the farthest the frame of a link was from its body
    double bare_way = 0.0;        // at least the length of all joints beside a link without a body
  };
  [[nodiscard]] bool is_bare(std::size_t link) const;
  [[nodiscard]] double bare_way() const;
  void weigh();

  bool some_bare_ = false;
  double summed_bare_way_ = 0.0;  // when it was last added up anew
  Lengths accepted_, proposed_;
  bool unlike_ = false;          // these two are
  double relative_error_ = 0.0;  // of either state
  double farthest_frame_ = 0.0;
};

namespace detail {

/// Rotations this near to one are as good as products of rotations are; others are mended.
inline constexpr double kRoundedRotation = 1e-14;

/// The states behind each ChainVolume. The chain has passed check().
std::unique_ptr<ChainTree::State> make_wide_chain(Chain chain);
std::unique_ptr<ChainTree::State> make_binary_chain(Chain chain, ChainVolume volume);

}  // namespace detail
}  // namespace clearance
