// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/robot_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/joint_chain.h"

namespace clearance::detail {
namespace {

/// Values of joints that slide may be this far outside their limits [m].
constexpr double kLimitSlack = 1e-3;
/// How far a joint without limits may slide [m].
constexpr double kLongestSlide = 100.0;

}  // namespace

std::vector<double> largest_values(const Robot& robot) {
  std::vector<double> largest(robot.degrees_of_freedom(), std::numeric_limits<double>::infinity());
  for (std::uint32_t i = 1; i < robot.links().size(); ++i) {
    const RobotJoint& joint = robot.joints()[i - 1];
    if (joint.kind != JointKind::Prismatic) continue;
    const std::uint32_t value = joints_between(robot, i, joint.parent).front().value;
    const RobotJoint& driver = robot.joints()[robot.free_joints()[value]];
    const double stroke = std::max(std::abs(driver.lower), std::abs(driver.upper));
    largest[value] = std::isfinite(stroke) ? stroke + kLimitSlack : kLongestSlide;
  }
  return largest;
}

double robot_reach(const Robot& robot, const Pose& world_from_base,
                   const std::vector<double>& largest) {
  double reach = norm(world_from_base.translation);
  for (std::uint32_t i = 1; i < robot.links().size(); ++i) {
    const RobotJoint& joint = robot.joints()[i - 1];
    reach += norm(joint.parent_from_joint.translation);
    if (joint.kind != JointKind::Prismatic) continue;
    const ChainJoint drive = joints_between(robot, i, joint.parent).front();
    reach += std::abs(drive.multiplier) * largest[drive.value];
    if (joint.mimic) reach += std::abs(joint.mimic->offset);
  }
  return reach;
}

}  // namespace clearance::detail
