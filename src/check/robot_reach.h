// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far from the origin anything on a robot can get: what single precision loses is a fraction of
// that.
#pragma once

#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/robot/robot.h>

namespace clearance::detail {

/// By value of a configuration: the largest that robot_reach() holds for. Joints that turn have
/// none; those that slide without limits, 100 m.
std::vector<double> largest_values(const Robot& robot);

/// No origin of a link gets farther from that of the world than this, for values up to the largest
/// [m].
double robot_reach(const Robot& robot, const Pose& world_from_base,
                   const std::vector<double>& largest);

}  // namespace clearance::detail
