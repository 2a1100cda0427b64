// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robots put together link by link.
#pragma once

#include <string>
#include <vector>

#include <clearance/robot/robot.h>

namespace clearance::test {

struct RobotParts {
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;

  explicit RobotParts(const std::string& root) { links.emplace_back().name = root; }
  /// A link, and the joint before it, called "to_LINK".
  RobotJoint& add(const std::string& link, std::uint32_t parent, JointKind kind, const Pose& origin,
                  const Vec3& axis = {0.0, 0.0, 1.0}) {
    const auto number = static_cast<std::uint32_t>(joints.size());
    RobotLink& added = links.emplace_back();
    added.name = link;
    added.parent = parent;
    added.joint = number;
    RobotJoint& joint = joints.emplace_back();
    joint.name = "to_" + link;
    joint.kind = kind;
    joint.parent = parent;
    joint.child = number + 1;
    joint.parent_from_joint = origin;
    joint.unit_axis = axis;
    return joint;
  }
  [[nodiscard]] Robot made() const { return std::move(Robot::make("r", links, joints).value()); }
  [[nodiscard]] std::string refused() const {
    const Result<Robot> robot = Robot::make("r", links, joints);
    return robot ? "accepted" : robot.error().message();
  }
};

}  // namespace clearance::test
