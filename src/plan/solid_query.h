// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queries of bodies as a problem wants them: as solids (solid.h), or as surfaces where it says so.
#pragma once

#include <clearance/plan/problem.h>

namespace clearance::detail {

inline SolidDistance distance_of(const PlanProblem& problem, const Pose& pose,
                                 Coherence* coherence = nullptr) {
  if (problem.solid) return distance(problem.obstacles, problem.body, pose, {}, coherence);
  SolidDistance result;
  result.surface = distance(problem.obstacles.bvh(), problem.body.bvh(), pose, {}, coherence);
  result.distance = result.surface.distance;
  result.lower = result.surface.lower;
  result.upper = result.surface.upper;
  if (!(result.distance > 0.0)) result.touch = Touch::Surfaces;
  result.work = result.surface.work;
  return result;
}

/// At `limit` or closer? `body`: that of the problem, or one in its place.
inline bool is_within(const PlanProblem& problem, const Model& body, const Pose& pose, double limit,
                      Work& work, Coherence* coherence = nullptr) {
  if (problem.solid) {
    const SolidWithin found = within(problem.obstacles, body, pose, limit, coherence);
    work += found.work;
    return found.within;
  }
  const Within found = within(problem.obstacles.bvh(), body.bvh(), pose, limit, coherence);
  work += found.work;
  return found.within;
}
inline bool is_within(const PlanProblem& problem, const Model& body, const Pose& pose, double limit,
                      Coherence* coherence = nullptr) {
  Work work;
  return is_within(problem, body, pose, limit, work, coherence);
}

}  // namespace clearance::detail
