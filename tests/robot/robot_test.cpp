// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/robot/robot.h>

#include "robot/robot_parts.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two links of 2 m and 1 m in the plane, and a hand at the end of the second.
RobotParts two_joint_arm() {
  RobotParts parts("base");
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

TEST(Robot, SlidesAlongTheAxisOfTheJoint) {
  RobotParts parts("rail");
  // The x of the joint is the y of the rail.
  parts.add("cart", 0, JointKind::Prismatic,
            {rotation_from_rpy(0.0, 0.0, kPi / 2.0), {1.0, 0.0, 0.0}}, {3.0, 0.0, 0.0});
  const Robot robot = parts.made();
  EXPECT_EQ(robot.joints()[0].unit_axis, (Vec3{1.0, 0.0, 0.0}));
  const Pose cart = robot.link_poses(std::vector{0.25})[1];
  EXPECT_NEAR(distance(cart.translation, {1.0, 0.25, 0.0}), 0.0, 1e-16);
  EXPECT_NEAR(distance(cart * Vec3{1.0, 0.0, 0.0}, {1.0, 1.25, 0.0}), 0.0, 1e-15);
}

TEST(Robot, MimicsFollowAndHaveNoNumberOfTheirOwn) {
  RobotParts parts("palm");
  parts.add("left", 0, JointKind::Prismatic, Pose::identity(), {0.0, 1.0, 0.0});
  parts.add("right", 0, JointKind::Prismatic, Pose::identity(), {0.0, 1.0, 0.0}).mimic = {0, -2.0,
                                                                                          0.5};
  // A mimic may come before what it follows.
  parts.add("thumb", 0, JointKind::Revolute, Pose::identity()).mimic = {3, 1.0, 0.0};
  parts.add("wrist", 0, JointKind::Revolute, Pose::identity());
  const Robot hand = parts.made();
  EXPECT_EQ(std::vector(hand.free_joints().begin(), hand.free_joints().end()),
            (std::vector<std::uint32_t>{0, 3}));
  const std::vector<Pose> poses = hand.link_poses(std::vector{0.1, 0.7});
  EXPECT_EQ(poses[1].translation.y, 0.1);
  EXPECT_DOUBLE_EQ(poses[2].translation.y, -2.0 * 0.1 + 0.5);
  EXPECT_EQ(poses[3], poses[4]);
}

TEST(Robot, RestIsZeroOrTheMiddleOfTheLimits) {
  RobotParts parts("base");
  const auto add = [&](double lower, double upper) {
    RobotJoint& joint = parts.add("l" + std::to_string(parts.joints.size()), 0,
                                  JointKind::Prismatic, Pose::identity());
    joint.lower = lower;
    joint.upper = upper;
  };
  add(-1.0, 3.0);
  add(1.0, 3.0);
  add(-kInfinity, kInfinity);
  add(2.0, kInfinity);
  add(-kInfinity, -2.0);
  add(0.5, 0.5);
  const Robot robot = parts.made();
  EXPECT_EQ(robot.rest(), (std::vector<double>{0.0, 2.0, 0.0, 2.0, -2.0, 0.5}));
  EXPECT_TRUE(robot.check(robot.rest()));
}

TEST(Robot, RandomConfigurationsFillTheLimits) {
  RobotParts parts("base");
  parts.add("a", 0, JointKind::Revolute, Pose::identity()).lower = -0.5;
  parts.joints[0].upper = 2.0;
  parts.add("b", 0, JointKind::Continuous, Pose::identity());
  parts.add("c", 0, JointKind::Prismatic, Pose::identity());
  parts.add("d", 0, JointKind::Prismatic, Pose::identity()).lower = 5.0;
  parts.add("e", 0, JointKind::Revolute, Pose::identity()).upper = -5.0;
  const Robot robot = parts.made();
  const double low[] = {-0.5, -kPi, -1.0, 5.0, -5.0 - 2.0 * kPi};
  const double high[] = {2.0, kPi, 1.0, 7.0, -5.0};
  std::vector<double> least(5, kInfinity);
  std::vector<double> most(5, -kInfinity);
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> values = robot.random(random);
    ASSERT_TRUE(robot.check(values));
    for (std::size_t k = 0; k < 5; ++k) {
      least[k] = std::min(least[k], values[k]);
      most[k] = std::max(most[k], values[k]);
    }
  }
  for (std::size_t k = 0; k < 5; ++k) {
    const double margin = 0.01 * (high[k] - low[k]);
    EXPECT_GE(least[k], low[k]);
    EXPECT_LE(least[k], low[k] + margin);
    EXPECT_LE(most[k], high[k]);
    EXPECT_GE(most[k], high[k] - margin);
  }
  Random first(3);
  Random second(3);
  EXPECT_EQ(robot.random(first), robot.random(second));
}

TEST(Robot, ChecksConfigurations) {
  const Robot arm = two_joint_arm().made();
  const auto refused = [&](const std::vector<double>& values) {
    const Status status = arm.check(values);
    return status ? "accepted" : status.error().message();
  };
  EXPECT_EQ(refused({0.0, 2.0}), "accepted");
  EXPECT_EQ(refused({0.0, 2.0 + 5e-10}), "accepted");
  EXPECT_SAYS(refused({0.0, 2.0 + 5e-9}), "joint 'to_lower': its value (2.000000) is not within");
  EXPECT_SAYS(refused({-4.0, 0.0}), "joint 'to_upper': its value (-4.0");
  EXPECT_SAYS(refused({0.0}), "has 2 joints to set, not 1");
  EXPECT_SAYS(refused({0.0, std::nan("")}), "joint 'to_lower': its value is not finite");
  EXPECT_SAYS(refused({kInfinity, 0.0}), "not finite");
}

TEST(Robot, FindsLinksAndJointsByName) {
  const Robot arm = two_joint_arm().made();
  EXPECT_EQ(arm.link("hand"), 3U);
  EXPECT_EQ(arm.joint("to_lower"), 1U);
  EXPECT_FALSE(arm.link("to_lower"));
  EXPECT_FALSE(arm.joint("hand"));
}

TEST(Robot, RefusesWhatIsNoTree) {
  EXPECT_EQ(two_joint_arm().refused(), "accepted");
  const auto changed = [](auto change) {
    RobotParts parts = two_joint_arm();
    change(parts.links, parts.joints);
    return parts.refused();
  };
  EXPECT_SAYS(changed([](auto& links, auto&) { links.clear(); }), "no link");
  EXPECT_SAYS(changed([](auto& links, auto&) { links[2].name = "upper"; }),
              "link 'upper': is there twice");
  EXPECT_SAYS(changed([](auto&, auto& joints) { joints[2].name = "to_upper"; }),
              "joint 'to_upper': is there twice");
  EXPECT_SAYS(changed([](auto& links, auto&) { links[1].name = ""; }), "no name");
  // Out of order, two roots, a loop.
  EXPECT_SAYS(changed([](auto&, auto& joints) { std::swap(joints[0], joints[1]); }),
              "does not stand before");
  EXPECT_SAYS(changed([](auto& links, auto&) { links[1].parent = kNoLink; }),
              "does not stand before link 'upper'");
  EXPECT_SAYS(changed([](auto&, auto& joints) { joints.pop_back(); }), "one joint less");
  EXPECT_SAYS(changed([](auto& links, auto&) { links[0].parent = 2; }), "the first link");
  EXPECT_SAYS(changed([](auto& links, auto& joints) { links[1].parent = joints[0].parent = 3; }),
              "link 'upper': hangs on a link that does not come before it");
}

TEST(Robot, RefusesBadJoints) {
  const auto changed = [](auto change) {
    RobotParts parts = two_joint_arm();
    change(parts.joints);
    return parts.refused();
  };
  EXPECT_SAYS(changed([](auto& joints) { joints[0].unit_axis = {}; }),
              "joint 'to_upper': the axis has no length");
  EXPECT_SAYS(changed([](auto& joints) { joints[0].unit_axis.x = kInfinity; }), "not finite");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].lower = 3.0; }), "above the upper one");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].upper = std::nan(""); }), "not a number");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].velocity = 0.0; }), "velocity");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].parent_from_joint.rotation[0].x = 2.0; }),
              "not a rotation");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].parent_from_joint.translation.x = 1e16; }),
              "too far away");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].lower = joints[1].upper = 1e16; }),
              "limits are too far away");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].mimic = {7}; }), "not there");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].mimic = {2}; }), "'to_hand', which is fixed");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].mimic = {1}; }), "which mimics another");
  EXPECT_SAYS(changed([](auto& joints) { joints[2].mimic = {1}; }), "is fixed, and yet mimics");
  EXPECT_SAYS(changed([](auto& joints) { joints[1].mimic = {0, kInfinity}; }), "not finite");
  // An axis whose square overflows has a direction, and limits of 1e16 are none.
  RobotParts parts = two_joint_arm();
  parts.joints[0].unit_axis = {0.0, 1e200, 1e200};
  parts.joints[0].lower = -1e16;
  parts.joints[0].upper = 1e308;
  const Robot robot = parts.made();
  EXPECT_DOUBLE_EQ(robot.joints()[0].unit_axis.z, std::sqrt(0.5));
  EXPECT_EQ(robot.joints()[0].lower, -kInfinity);
  EXPECT_EQ(robot.joints()[0].upper, kInfinity);
}

TEST(Robot, RefusesBadShapes) {
  const auto with = [](const RobotShape& shape) {
    RobotParts parts = two_joint_arm();
    parts.links[1].collision.push_back(shape);
    return parts.refused();
  };
  EXPECT_EQ(with({"", {}, SphereShape{1.0}}), "accepted");
  EXPECT_SAYS(with({"", {}, SphereShape{0.0}}), "link 'upper': the radius of a sphere");
  EXPECT_SAYS(with({"", {}, SphereShape{kInfinity}}), "radius");
  EXPECT_SAYS(with({"", {}, BoxShape{{1.0, -1.0, 1.0}}}), "a size of a box");
  EXPECT_SAYS(with({"", {}, CylinderShape{1.0, std::nan("")}}), "a size of a cylinder");
  EXPECT_SAYS(with({"", {}, MeshShape{}}), "no triangle");
  EXPECT_SAYS(with({"", Pose::translate({1e16, 0.0, 0.0}), SphereShape{1.0}}), "too far away");
  EXPECT_SAYS(with({"", {Mat3::zero(), {}}, SphereShape{1.0}}), "not a rotation");
}

#if defined(CLEARANCE_CHECKED)
TEST(RobotDeathTest, PlacingLinksNeedsAValueForEachFreeJoint) {
  const Robot arm = two_joint_arm().made();
  EXPECT_DEATH((void)arm.link_poses(std::vector{0.0}), "assertion failed");
}
#endif

}  // namespace
}  // namespace clearance
