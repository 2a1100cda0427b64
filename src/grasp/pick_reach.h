// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a robot reaches a grasp.
#pragma once

#include <span>

#include <clearance/geometry/pose.h>
#include <clearance/grasp/pick.h>

namespace clearance::detail {

/// Joint values within the limits are found for the first pose of the gripper (in the world), from
/// one of some guesses, and from there for each of the others. The same arguments give the same
/// answer. "No" does not prove that there are none.
[[nodiscard]] bool is_reached(const PickRobot& robot, std::span<const Pose> world_from_gripper);

}  // namespace clearance::detail
