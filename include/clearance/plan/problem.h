// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is to be planned: one rigid body with six degrees of freedom among fixed obstacles, from a
// start to a goal, or merely out. plan.h finds the path, proof.h proves it, improve.h betters it.
//
// Free means: at every moment the body is farther than `clearance` from the obstacles, and neither
// is inside the other (solid.h, for closed meshes). Frames: world_from_body poses of the body's
// own coordinates; the obstacles are in the world.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/solid.h>

namespace clearance {

struct PlanProblem {
  Model body;       ///< in its own frame [m]
  Model obstacles;  ///< in the world [m]; both trees wide, or both binary (query.h)
  Pose start;       ///< world_from_body
  /// Absent: out. Any pose will do at which the bounding box of the body (of its vertices, along
  /// the axes of the world) is clear of that of the obstacles by more than the clearance.
  std::optional<Pose> goal;
  /// Where the pivot (below) may be, in the world [m]. Absent: plan_bounds() of the problem.
  std::optional<Box> bounds;
  /// The least distance that the whole path must keep [m]; 0: it must not touch.
  double clearance = 0.0;
  /// A closed mesh has an inside, and what is in there touches it. Otherwise meshes are surfaces,
  /// and the body may be inside a closed one: rooms drawn as shells.
  bool solid = true;
};

/// The point of the body that paths move straight: the middle of its bounding box, body frame [m].
[[nodiscard]] Vec3 pivot_of(const Model& body);

/// The region that is searched when none is given: the box of the obstacles, the start and the
/// goal, enlarged by the size of the body so that it can pass and leave everywhere.
[[nodiscard]] Box plan_bounds(const PlanProblem& problem);

/// Is the body out at this pose? See PlanProblem::goal.
[[nodiscard]] bool is_out(const PlanProblem& problem, const Pose& world_from_body);

/// How the body stands at one pose, as far as a user wants to know why it is refused.
struct PoseReport {
  bool free = false;      ///< farther than the clearance, and nothing inside
  double distance = 0.0;  ///< of the bodies [m]; 0 when they touch
  Touch touch = Touch::None;
  Vec3 on_obstacle, on_body;                      ///< closest points, world [m]
  std::uint32_t obstacle_triangle = kNoTriangle;  ///< of the closest or touching pair
  std::uint32_t body_triangle = kNoTriangle;
  /// When they touch: proven bounds of the depth of penetration [m] (solid.h).
  double depth_lower = 0.0;
  double depth_upper = 0.0;
  /// When not free: the nearest free pose that was found, by moving without turning. A proposal.
  std::optional<Pose> nearest_free;
};
[[nodiscard]] PoseReport look_at_pose(const PlanProblem& problem, const Pose& world_from_body);

/// Refuses what cannot be planned: poses that are not rigid, a start or goal that is not free (says
/// by how much, with which triangles, and the nearest free pose), bounds that leave out start or
/// goal, a negative clearance, and no clearance in an assembly whose parts touch (advice: relieve).
[[nodiscard]] Status check_problem(const PlanProblem& problem);

/// Parts that touch when assembled. Their contact is allowed by relieving the body: every vertex
/// is moved inward, against the normals of its triangles, by at most `depth` [m]. What is then
/// proven free is a body whose surface is nowhere farther than `depth` from the real one; results
/// say so. Vertices at one place stay at one place; faces do not turn over where the body is
/// thicker than twice the depth.
[[nodiscard]] Mesh relieved(const Mesh& body, double depth);

struct Relief {
  double depth = 0.0;  ///< [m]; 0: the start was free as it is
  Model body;          ///< the relieved body
  PoseReport before;   ///< how the start stood with the body as given; no free pose proposed
};
/// The least relief (to a factor of 1.25) up to `limit` [m] at which the body is free at the start.
/// Error Invalid when none is: with how deep the parts overlap.
[[nodiscard]] Result<Relief> relieve_start(const PlanProblem& problem, double limit);

}  // namespace clearance
