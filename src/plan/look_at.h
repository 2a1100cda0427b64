// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// look_at_pose() of problem.h, as thorough as the caller wants.
#pragma once

#include <clearance/plan/problem.h>

namespace clearance::detail {

/// Bounds of the depth as close as the options ask; a free pose is looked for only when proposed.
[[nodiscard]] PoseReport look_at(const PlanProblem& problem, const Pose& world_from_body,
                                 const PenetrationOptions& depth_options, bool propose);

}  // namespace clearance::detail
