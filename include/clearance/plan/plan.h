// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The planner: deterministic, proven, complete up to a resolution that it states.
//
//   PlanProblem problem{body, obstacles, start, goal};
//   const Plan plan = plan_path(problem);
//   if (plan.status == PlanStatus::Found) use(plan.path);   // proven free over its whole length
//
// The same problem and options give the same bits on any machine, for any number of threads: work
// is counted in operations, not in seconds. `seconds` is a limit for people; where it strikes, the
// status says so, and only then can two machines differ.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>
#include <clearance/plan/proof.h>

namespace clearance {

struct PlanOptions {
  /// Work at most, in tests of two bounding volumes or triangles, and what takes as long. The
  /// default is some five minutes of two cores.
  std::uint64_t operations = 60'000'000'000;
  /// Wall-clock limit [s].
  double seconds = std::numeric_limits<double>::infinity();
  /// Steps finer than this are not tried [m]: the resolution of completeness. 0: 1e-4 of the size
  /// of the body.
  double resolution = 0.0;
  /// Shorten and widen the path that was found (improve.h), and look at its clearance everywhere.
  /// The way along a thread stays as it is.
  bool improve = true;
  Threads threads{};
  Monitor* monitor = nullptr;
};

enum class PlanStatus : std::uint8_t {
  Found,        ///< `path` is proven free
  NoPath,       ///< proven: none exists at the resolution stated
  OutOfBudget,  ///< the operations are used up
  OutOfTime,    ///< the seconds are used up
  Cancelled,
};
[[nodiscard]] const char* name_of(PlanStatus status);  ///< "found", "no_path", ...

struct Plan {
  PlanStatus status = PlanStatus::OutOfBudget;
  PlanPath path;  ///< when found; else the way to the closest approach
  /// Of `path`, when found. Without PlanOptions::improve it is the one that the search made: there
  /// are no samples, and clearance_lower is above the clearance by a tenth of what the looks found,
  /// at least. prove_path() gives the other.
  PathProof proof;
  PathLength raw_length;    ///< of the path as found, before it was improved
  std::string method;       ///< which of the planner's ways found it
  double resolution = 0.0;  ///< [m]: paths with twice this clearance would have been found (NoPath)
  /// How near the search came: when not found, the pose of the body closest to the goal (or
  /// farthest out), and what stands in the way there.
  Pose closest_pose;
  double closest_distance = 0.0;  ///< to the goal, as pose_distance, or left until out [m]
  std::vector<std::uint32_t> blocking_triangles;  ///< of the obstacles, ascending
  std::size_t nodes = 0;                          ///< poses kept by the search
  std::uint64_t operations = 0;
  Work work;
};

/// Finds, improves and proves a path. The problem must pass check_problem (otherwise: NoPath with
/// nothing in it).
[[nodiscard]] Plan plan_path(const PlanProblem& problem, const PlanOptions& options = {});

}  // namespace clearance
