// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which part to take from a pile: every candidate with every grasp, against all that is in the way.
//
// A grasp of a candidate is free when the open gripper at the grasp touches neither the other
// parts, the bin, nor what the camera saw; its clearance is the distance to the nearest of them. A
// candidate is rated by the number of its free grasps (the paper). Beyond the paper: the way in and
// the way out are swept, not only the final pose; the part must come out along the retreat without
// touching the rest, or it counts as buried; and a robot must reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/grasp/grasp.h>
#include <clearance/grasp/gripper.h>
#include <clearance/grasp/pile.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>
#include <clearance/robot/robot.h>

namespace clearance {

/// What a gripper may not touch beside the parts.
struct PickObstacles {
  std::vector<Model> models;       ///< in the world: fixtures, a depth map's mesh
  std::vector<PointCloud> points;  ///< in the world: what a camera saw
};

/// A robot that holds the gripper, as the last filter.
struct PickRobot {
  Robot robot;
  Pose world_from_base;
  std::uint32_t link = 0;  ///< the gripper is fixed to this link...
  Pose link_from_gripper;  ///< ...here
};

struct PickOptions {
  std::vector<std::size_t> candidates;  ///< numbers of parts; empty: all
  double clearance = 0.0;               ///< grasps nearer to something than this do not count [m]
  /// The way in: from this far back along the approach [m]; 0: only the final pose is looked at.
  double approach = 0.0;
  /// The way out: straight up by this much with the part [m]; 0: not looked at.
  double retreat = 0.0;
  bool measure_clearance = true;  ///< of each free grasp; costs a distance query each
  std::optional<PickRobot> robot;
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Why a grasp of a candidate does not count; the first that applies.
enum class GraspFate : std::uint8_t {
  Free,
  HitsPart,
  HitsBin,
  HitsObstacle,
  ApproachBlocked,
  RetreatBlocked,
  OutOfReach,
};
[[nodiscard]] const char* name_of(GraspFate fate);  ///< "free", "hits part", ...

struct FreeGrasp {
  std::uint32_t grasp = 0;                                     ///< number among those given
  double clearance = std::numeric_limits<double>::infinity();  ///< to the nearest thing [m]
};
struct Candidate {
  std::size_t part = 0;            ///< number in the pile
  std::vector<FreeGrasp> free;     ///< the best quality first
  std::vector<std::size_t> fates;  ///< how many grasps had each fate, by GraspFate
  /// Lifted straight up without touching the rest? How far it comes before it touches [m], and
  /// which parts lie on it.
  bool is_buried = false;
  double lift = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> held_by;
};
struct PickResult {
  /// Those with a free grasp and not buried first, by the number of free grasps, then by the best
  /// quality, then by number; then the others.
  std::vector<Candidate> ranked;
  std::size_t valid = 0;  ///< the first so many can be picked
};

/// `grasps` best first, as GraspSet has them. The same bits for any number of threads. Errors:
/// candidates that are not there, no grasps, no parts, options that make no sense; cancelled.
[[nodiscard]] Result<PickResult> evaluate_picks(const Model& part, const Gripper& gripper,
                                                std::span<const Grasp> grasps, const Pile& pile,
                                                const PickObstacles& obstacles,
                                                const PickOptions& options = {});

}  // namespace clearance
