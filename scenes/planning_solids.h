// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning scenes out of simple solids.
#pragma once

#include <string>
#include <utility>

#include "planning.h"
#include "simple_solids.h"

namespace clearance::scenes {

/// A body that goes from one pose to another among obstacles, within bounds.
inline PlanningScene scene(std::string name, const SolidBuilder& body,
                           const SolidBuilder& obstacles, const Pose& start, const Pose& goal,
                           const Box& bounds) {
  PlanProblem problem{Model::build(body.mesh()).value(), Model::build(obstacles.mesh()).value(),
                      start, goal};
  problem.bounds = bounds;
  return {std::move(name), std::move(problem), {}};
}

}  // namespace clearance::scenes
