// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that do not come straight up may come out another way: grasp says which they are, plan
// looks for the way. Here the two meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <clearance/base/result.h>
#include <clearance/grasp/pick.h>
#include <clearance/plan/path.h>
#include <clearance/plan/proof.h>

namespace clearance::cli {

enum class WayOutStatus : std::uint8_t {
  Found,         ///< proven for the part with the closed gripper, over its whole length
  Locked,        ///< proven: the part alone has no way out, at the resolution stated
  NotFound,      ///< the operations are used up; there may be one
  GripperStuck,  ///< the part alone comes out; with the gripper at the grasps tried it does not
  TooDeep,       ///< the part overlaps something by more than the contact: nothing can be proven
  NoRoomAbove,   ///< an obstacle is where the part is to be in the end
};
[[nodiscard]] const char* name_of(WayOutStatus status);  ///< "found", "locked", "not found", ...

struct WayOut {
  WayOutStatus status = WayOutStatus::NotFound;
  std::uint32_t grasp = 0;  ///< the gripper's, when found
  /// world_from_part; the gripper goes along. Ends as turned as at the start, above everything in
  /// the bin and at least `retreat` higher.
  PlanPath path;
  PathProof proof;        ///< of part and gripper as one body
  double relief = 0.0;    ///< the part's surface is moved inward by at most this for it [m]
  std::size_t tried = 0;  ///< grasps
  /// Proven where it is locked or none was found: the part alone has no way that keeps twice this
  /// free [m]. 0: not known.
  double resolution = 0.0;
  std::uint64_t operations = 0;
};

/// What a way out is looked for among.
struct WayOutScene {
  const Model& part;
  const Gripper& gripper;
  std::span<const Grasp> grasps;
  const Pile& pile;
  const PickObstacles& obstacles;
  const PickOptions& asked;  ///< with a contact and a retreat above 0
  std::uint64_t operations;  ///< of each search, at most
};

/// Whether a way out is worth looking for: a grasp holds the part, and straight up is blocked.
[[nodiscard]] bool may_come_out(const Candidate& candidate);

/// First the part alone is taken out, without its gripper: where that has no way, nothing has. The
/// best of its grasps with which gripper and part go that very way is taken; where there is none,
/// some grasps that differ get a search of their own. Deterministic for any number of threads.
/// Errors: cancelled; shapes no tree can be made of.
[[nodiscard]] Result<WayOut> find_way_out(const WayOutScene& scene, const Candidate& candidate);

}  // namespace clearance::cli
