// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How large the coordinates of a problem are: what rounding is a fraction of.
#pragma once

#include <clearance/plan/problem.h>

namespace clearance::detail {

/// No coordinate of body and obstacles is larger when the body is at this pose [m].
inline double scene_size(const PlanProblem& problem, const Pose& world_from_body) {
  const auto reach = [](const Box& box) { return norm(max(abs(box.low), abs(box.high))); };
  return reach(problem.obstacles.bvh().bounds()) + reach(problem.body.bvh().bounds()) +
         norm(world_from_body.translation);
}

}  // namespace clearance::detail
