// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Joint values that bring the tool centre point to a pose: by damped least squares from a first
// guess, within the limits. For a robot of six joints a solution near the guess is found where
// there is one; it is not claimed that none exists where none was found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/robot/robot.h>

namespace clearance {

struct InverseOptions {
  double position_error = 1e-8;  ///< counts as reached [m]
  double angle_error = 1e-8;     ///< counts as reached [rad]
  int iterations = 200;
};

struct InverseResult {
  bool reached = false;
  std::vector<double> values;           ///< the best found, within the limits
  double position_error = 0.0;          ///< what is left [m]
  double angle_error = 0.0;             ///< what is left [rad]
  std::vector<std::uint32_t> at_limit;  ///< joints at a limit, as numbers of Robot::joints()
};

/// Which point is brought where.
struct InverseTarget {
  std::uint32_t link = 0;  ///< the tool centre point moves with this link...
  Pose link_from_tool;     ///< ...and is here
  Pose root_from_target;   ///< where it shall be, in the frame of the robot's root
};

/// `guess` has a number for each free joint (asserted); values outside the limits are brought
/// inside first. The same arguments give the same bits. Cost: about 2 microseconds a joint and
/// iteration; from a near guess three to five iterations.
[[nodiscard]] InverseResult inverse_kinematics(const Robot& robot, const InverseTarget& target,
                                               std::span<const double> guess,
                                               const InverseOptions& options = {});

}  // namespace clearance
