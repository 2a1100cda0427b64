// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain with link 0 at a pose in the world, as the descents against other things see it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <clearance/chain/chain_tree.h>

#include "chain/chain_part.h"
#include "chain/chain_state.h"

namespace clearance::detail {

inline Pose rigid(const Pose& pose) {
  if (rigidity_error(pose.rotation) <= kRoundedRotation) return pose;
  return {nearest_rotation(pose.rotation), pose.translation};
}

/// Finite, rigid, and not too far away.
inline bool can_be_placed(const Pose& pose) {
  return checked_pose(pose).ok() && largest_component(abs(pose.translation)) <= kLargestTranslation;
}

class PlacedChain {
 public:
  /// `extent`: the largest coordinate of what the chain is held against. `moved_only`: parts that
  /// are where they were in the accepted state do not matter.
  PlacedChain(const ChainTree& chain, const Pose& world_from_link0, double extent, bool moved_only)
      : state_(chain.state()),
        world_from_link0_(rigid(world_from_link0)),
        whole_(state_.whole(world_from_link0_)),
        slack_(kPlacedPoseError * (extent + reach_of(whole_.bounds)) +
               state_.pose_slack(2.0 * norm(whole_.box.half_size))),
        moved_only_(moved_only) {
    const auto joints = state_.proposal.joints();
    first_moved_ =
        joints.empty() ? static_cast<std::uint32_t>(state_.chain.links.size()) : joints.front() + 1;
  }

  [[nodiscard]] const ChainPart& whole() const { return whole_; }
  void open(const ChainPart& part, std::vector<ChainPart>& out) const { state_.open(part, out); }
  [[nodiscard]] const LinkShape& link(std::uint32_t i) const { return state_.chain.links[i]; }
  [[nodiscard]] Pose world_from_link(std::uint32_t i) const {
    return world_from_link0_ * state_.relative(0, i);
  }
  /// What distances may be off.
  [[nodiscard]] double slack() const { return slack_; }
  [[nodiscard]] bool matters(const ChainPart& part) const { return matters(part.first, part.last); }
  [[nodiscard]] bool matters(std::uint32_t first, std::uint32_t last) const {
    return !moved_only_ || last >= first_moved_ || state_.proposal.link_in(first, last + 1);
  }

 private:
  const ChainTree::State& state_;
  Pose world_from_link0_;
  ChainPart whole_;
  double slack_;
  bool moved_only_;
  std::uint32_t first_moved_ = 0;
};

}  // namespace clearance::detail
