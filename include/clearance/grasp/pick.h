// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which part to take from a pile: every candidate with every grasp, against all that is in the way
// (the paper, Section III), and whether the gripper gets there and back and the part comes along.
//
// A grasp of a candidate is free when the open gripper at the grasp touches neither the other
// parts, the bin, nor what the camera saw; its clearance is the distance to the nearest of them. A
// candidate is rated by the number of its free grasps (the paper). Beyond the paper:
//
// - The way in, along the approach, and the closing of the fingers are swept, not only the final
//   pose looked at; so is the way out, straight up, with the fingers closed.
// - A candidate must come out as well: the part alone is lifted straight up, and what stops it
//   holds it down. Parts at rest touch each other, which is no obstacle: two parts that are closer
//   than `contact` at the start are first moved apart by as much, along the line of their closest
//   points or the shortest way found out of each other, and lifted from there. Proven for each
//   pair by itself: while it is lifted, no part gets into another deeper than `contact`.
// - A robot must reach.
// - There may be no time to try all grasps with all candidates. Some are tried first (choose.h),
// and
//   the rest only with those candidates that have no free grasp among them: "no free grasp" is said
//   of no candidate that has one.
//
// Contacts are those of solid.h: never a false "free".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/grasp/depth_view.h>
#include <clearance/grasp/grasp.h>
#include <clearance/grasp/gripper.h>
#include <clearance/grasp/pile.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>
#include <clearance/robot/robot.h>

namespace clearance {

/// What a gripper may not touch beside the parts. A camera sees the candidate itself as well, and
/// that is no obstacle to grasping and lifting it: points whose balls come within `contact` of it
/// are left out, and of depth images what shows it (model_without() of depth_view.h).
struct PickObstacles {
  std::vector<Model> models;       ///< in the world: fixtures, never left out
  std::vector<DepthMap> seen;      ///< depth images
  std::vector<PointCloud> points;  ///< in the world: points a camera saw
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
  /// Grasps that are tried first, by number among those given; empty: all. Candidates that have no
  /// free grasp among them are tried with the rest, all of it.
  std::vector<std::uint32_t> first;
  double clearance = 0.0;  ///< grasps nearer to something than this do not count [m]
  /// The way in: from this far back along the approach [m]; 0: only the final pose is looked at.
  double approach = 0.0;
  /// The way out: straight up by this much with the part [m]; 0: not looked at, and no part counts
  /// as buried.
  double retreat = 0.0;
  /// Parts this close at the start touch, which is no obstacle to lifting [m]; 0: 0.2 % of the
  /// part's diagonal.
  double contact = 0.0;
  bool measure_clearance = true;  ///< of each free grasp; costs a distance query each
  std::optional<PickRobot> robot;
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Why a grasp of a candidate does not count; the first that applies.
enum class GraspFate : std::uint8_t {
  Free,
  HitsBin,   ///< wall or floor; "hits" is: touches, or is nearer than the clearance asked for
  HitsPart,  ///< another part
  HitsObstacle,
  ApproachBlocked,  ///< on the way in, by anything and the candidate itself; or closing
  RetreatBlocked,   ///< the gripper on the way out; the part itself: is_buried
  OutOfReach,       ///< no joint values were found for the grasp and the ends of the ways
};
inline constexpr std::size_t kGraspFateCount = 7;
[[nodiscard]] const char* name_of(GraspFate fate);  ///< "free", "hits part", ...

struct FreeGrasp {
  std::uint32_t grasp = 0;  ///< number among those given
  /// To the nearest other part, wall or floor, or obstacle [m]; infinity when not measured. With
  /// depth images it is cut at the part's radius: farther ones are not looked for.
  double clearance = std::numeric_limits<double>::infinity();
};
struct Candidate {
  std::size_t part = 0;                              ///< number in the pile
  std::vector<FreeGrasp> free;                       ///< the best quality first
  std::array<std::size_t, kGraspFateCount> fates{};  ///< how many of those tried had each fate
  /// None of the grasps tried first was free: all were tried, and `free` has those of the rest.
  bool tried_rest = false;
  /// Grasps with that fate, the best quality first: they hold the part, and only straight up the
  /// gripper is stopped. Another way may be free (plan.h). Reach is not looked at.
  std::vector<std::uint32_t> retreat_blocked;
  /// It cannot be lifted straight up by `retreat`.
  bool is_buried = false;
  /// How far it comes before it touches something [m]; infinity when it comes out.
  double lift = std::numeric_limits<double>::infinity();
  /// The parts that stop it, the one it meets first in front. None: a wall or an obstacle does.
  std::vector<std::size_t> held_by;
  /// How strongly it is held down: so many parts lie on it, directly or on others that do, each
  /// with the weight of a part. At least held_by.size().
  std::size_t load = 0;
};
struct PickResult {
  /// Those with a free grasp and not buried first, by the number of free grasps, then by the best
  /// quality, then by number; then the others with a free grasp in the same order; then those with
  /// none. Of the first two kinds those that needed the rest of the grasps are behind the others:
  /// more grasps were tried with them, and the numbers cannot be compared.
  std::vector<Candidate> ranked;
  std::size_t valid = 0;  ///< the first so many can be picked
};

/// Part, gripper and grasps made ready, for many piles: trees are there, simple shapes around and
/// inside the part are made once (about a second for large meshes). An immutable value: copies
/// share their data, and any number of threads may ask.
class Picker {
 public:
  /// `grasps` best first, as GraspSet has them. Errors: no grasps, poses that are not rigid.
  static Result<Picker> make(const Model& part, const Gripper& gripper,
                             std::span<const Grasp> grasps);
  /// The same bits for any number of threads. Errors: candidates or grasps to try first that
  /// are not there or named twice, no parts, poses that are not rigid, options that make no sense;
  /// cancelled. Cost without ways and clearances: about a microsecond a grasp of a candidate; a
  /// swept way or a clearance about a hundred, for those that are free so far.
  [[nodiscard]] Result<PickResult> evaluate(const Pile& pile, const PickObstacles& obstacles = {},
                                            const PickOptions& options = {}) const;

 private:
  struct Data;
  explicit Picker(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Whether a robot brings the gripper to poses in the world: joint values within the limits are
/// found for the first, from one of some guesses, and from there for each of the others. The same
/// arguments give the same answer. "No" does not prove that there are none.
[[nodiscard]] bool is_reached(const PickRobot& robot, std::span<const Pose> world_from_gripper);

/// Picker::make() and evaluate() in one.
[[nodiscard]] Result<PickResult> evaluate_picks(const Model& part, const Gripper& gripper,
                                                std::span<const Grasp> grasps, const Pile& pile,
                                                const PickObstacles& obstacles,
                                                const PickOptions& options = {});

}  // namespace clearance
