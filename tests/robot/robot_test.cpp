// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/robot/robot.h>

namespace clearance {
namespace {

constexpr double kPi = std::numbers::pi;

struct Parts {
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;

  explicit Parts(const std::string& root) { links.emplace_back().name = root; }
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

/// Two links of 2 m and 1 m in the plane, and a hand at the end of the second.
Parts two_joint_arm() {
  Parts parts("base");
  parts.add("upper", 0, JointKind::Revolute, Pose::translate({0.0, 0.0, 0.5}));
  parts.add("lower", 1, JointKind::Revolute, Pose::translate({2.0, 0.0, 0.0}));
  parts.add("hand", 2, JointKind::Fixed, Pose::translate({1.0, 0.0, 0.0}));
  parts.joints[0].lower = -kPi;
  parts.joints[0].upper = kPi;
  parts.joints[1].lower = -2.0;
  parts.joints[1].upper = 2.0;
  return parts;
}

TEST(Robot, TwoJointArmStandsWhereTheFormulaSays) {
  const Robot arm = two_joint_arm().made();
  ASSERT_EQ(arm.degrees_of_freedom(), 2U);
  // The hand is at 2 (cos a, sin a) + (cos (a + b), sin (a + b)), 0.5 above the floor. For a = 90
  // and b = -90 degrees: (0, 2) + (1, 0).
  const std::vector<Pose> poses = arm.link_poses(std::vector{kPi / 2.0, -kPi / 2.0});
  ASSERT_EQ(poses.size(), 4U);
  EXPECT_NEAR(distance(poses[3].translation, {1.0, 2.0, 0.5}), 0.0, 1e-15);
  // For a = 60 and b = 60 degrees: (1, sqrt 3) + (-1/2, sqrt 3 / 2).
  const std::vector<Pose> bent = arm.link_poses(std::vector{kPi / 3.0, kPi / 3.0});
  EXPECT_NEAR(distance(bent[3].translation, {0.5, 1.5 * std::sqrt(3.0), 0.5}), 0.0, 1e-15);
  // The root elsewhere: all the rest goes with it.
  const std::vector<Pose> moved =
      arm.link_poses(std::vector{kPi / 3.0, kPi / 3.0}, Pose::translate({0.0, 0.0, 10.0}));
  EXPECT_NEAR(distance(moved[3].translation, {0.5, 1.5 * std::sqrt(3.0), 10.5}), 0.0, 1e-14);
}

TEST(Robot, RefusesWhatIsNoTree) {
  EXPECT_EQ(two_joint_arm().refused(), "accepted");
  Parts parts = two_joint_arm();
  parts.links[2].name = "upper";
  EXPECT_NE(parts.refused().find("link 'upper': is there twice"), std::string::npos);
}

}  // namespace
}  // namespace clearance
