// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which grasps of a part to try in a pile, when there is no time for all of them. The best ones by
// quality lie side by side, and what blocks one of them blocks its neighbours. A spread choice has
// as many that are good and differ.
//
// The rule. From the best grasp on, one is taken when no grasp taken before it is within a reach.
// The reach is the smallest for which no more than the number wanted are taken; places left over go
// to the best of the rest. So each grasp that is left out has one among the chosen ones within the
// reach that is at least as good, and the best grasp is always among them. It depends on the grasps
// alone: no pile is looked at.
//
// How far two grasps are apart is how far the gripper is moved and turned from one to the other, in
// one length: sqrt(|dp|^2 + radius^2 (|dz|^2 + |dx|^2)), p the place between the fingertips, z the
// approach and x the pinching direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/grasp/grasp.h>
#include <clearance/grasp/gripper.h>

namespace clearance {

struct SpreadOptions {
  /// At which turns count [m], above 0: mean_radius() of the grasps.
  double radius = 0.0;
  /// A gripper turned by half a turn about its approach is the same: dx is to the nearer of x and
  /// -x. is_symmetric() of the gripper.
  bool is_symmetric = true;
};

/// What turns of a sampled set were measured at: the mean distance of the part's surface from its
/// wire-frame [m], as nearly as whole numbers of steps tell.
[[nodiscard]] double mean_radius(const GraspSet& set);

/// Whether half a turn about the approach brings a gripper upon itself: no corner of it is farther
/// than a hundredth of its opening from its surface then.
[[nodiscard]] bool is_symmetric(const Gripper& gripper);

/// How far two grasps are apart [m].
[[nodiscard]] double distance_of(const Grasp& a, const Grasp& b, const SpreadOptions& options);

struct SpreadGrasps {
  std::vector<std::uint32_t> chosen;  ///< numbers among those given, the best quality first
  /// Each that is not chosen has a chosen one within this that is at least as good [m]; within a
  /// hundredth of the smallest for which the rule finds so few. 0: all are chosen.
  double reach = 0.0;
};
/// `count` of the grasps, or all when there are no more. In any order: those of equal quality are
/// told apart by their poses. Cost: some milliseconds for a few thousand.
[[nodiscard]] SpreadGrasps spread_grasps(std::span<const Grasp> grasps, std::size_t count,
                                         const SpreadOptions& options);

}  // namespace clearance
