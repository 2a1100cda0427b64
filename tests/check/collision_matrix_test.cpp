// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include <clearance/check/collision_matrix.h>
#include <clearance/robot/robot_file.h>

#include "check/check_scenes.h"
#include "support/data.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

std::string reason_of(const CollisionMatrix& matrix, std::uint32_t a, std::uint32_t b) {
  const PairRule* rule = matrix.rule(a, b);
  return rule == nullptr ? "tested" : name_of(rule->reason);
}

/// A chain of cubes of 0.1 along x, 0.2 from each other, joined by turning joints; link 2 has no
/// shape, a cube hangs fixed on link 3, and link 5 overlaps link 1.
struct Chain {
  Robot robot;
  std::vector<CheckBody> bodies;  // of links 0, 1, 3, 4 (fixed on 3), 5

  static Chain make() {
    RobotParts parts("0");
    const Pose step = Pose::translate({0.2, 0.0, 0.0});
    parts.add("1", 0, JointKind::Revolute, step);
    parts.add("2", 1, JointKind::Revolute, step);
    parts.add("3", 2, JointKind::Revolute, step);
    parts.add("4", 3, JointKind::Fixed, step);
    parts.add("5", 3, JointKind::Revolute, Pose::translate({-0.37, 0.0, 0.0}));
    for (const std::uint32_t i : {0U, 1U, 3U, 4U, 5U})
      parts.links[i].collision.push_back(box_shape({0.1, 0.1, 0.1}));
    for (RobotJoint& joint : parts.joints) {
      joint.lower = -1.0;
      joint.upper = 1.0;
    }
    Robot robot = parts.made();
    std::vector<CheckBody> bodies = std::move(robot_bodies(robot).value());
    return {robot, bodies};
  }
};

TEST(CollisionMatrix, LeavesOutWhatCannotMeetAndSaysWhy) {
  const Chain chain = Chain::make();
  const CollisionMatrix matrix = std::move(collision_matrix(chain.robot, chain.bodies).value());
  EXPECT_EQ(reason_of(matrix, 0, 1), "adjacent");
  EXPECT_EQ(reason_of(matrix, 1, 2), "adjacent");  // only link 2, without shapes, between them
  EXPECT_EQ(reason_of(matrix, 2, 3), "rigid");     // a fixed joint
  EXPECT_EQ(reason_of(matrix, 2, 4), "adjacent");
  EXPECT_EQ(reason_of(matrix, 1, 4), "at_rest");  // 0.03 apart in the middle, 0.1 wide
  EXPECT_EQ(reason_of(matrix, 4, 1), "at_rest");
  EXPECT_EQ(reason_of(matrix, 0, 2), "tested");
  EXPECT_EQ(reason_of(matrix, 3, 4), "tested");
  EXPECT_EQ(matrix.tested.size() + matrix.left_out.size(), 10U);
  EXPECT_TRUE(matrix.never_found.empty());
}

TEST(CollisionMatrix, TwoFingersOfAPalmWithoutShapeAreTested) {
  RobotParts parts("palm");
  parts.add("left", 0, JointKind::Prismatic, Pose::translate({0.2, 0, 0}), {1, 0, 0});
  parts.add("right", 0, JointKind::Prismatic, Pose::translate({-0.2, 0, 0}), {1, 0, 0});
  for (const std::uint32_t i : {1U, 2U}) {
    parts.links[i].collision.push_back(box_shape({0.1, 0.1, 0.1}));
    parts.joints[i - 1].lower = -0.3;
    parts.joints[i - 1].upper = 0.3;
  }
  const Robot robot = parts.made();
  const std::vector<CheckBody> bodies = std::move(robot_bodies(robot).value());
  const CollisionMatrix matrix = std::move(collision_matrix(robot, bodies).value());
  EXPECT_EQ(matrix.tested, (std::vector<BodyPair>{{0, 1}}));
}

TEST(CollisionMatrix, NeverFoundIsTestedUnlessAskedOtherwise) {
  const Chain chain = Chain::make();
  CollisionMatrixOptions options;
  options.samples = 200;
  const CollisionMatrix kept =
      std::move(collision_matrix(chain.robot, chain.bodies, options).value());
  EXPECT_EQ(reason_of(kept, 0, 3), "tested");
  EXPECT_NE(std::ranges::find(kept.never_found, BodyPair{0, 3}), kept.never_found.end());
  options.leave_out_never = true;
  const CollisionMatrix dropped =
      std::move(collision_matrix(chain.robot, chain.bodies, options).value());
  EXPECT_EQ(reason_of(dropped, 0, 3), "never");
  EXPECT_EQ(dropped.samples, 200U);
  EXPECT_TRUE(dropped.never_found.empty());
  options.threads = {3};
  const CollisionMatrix again =
      std::move(collision_matrix(chain.robot, chain.bodies, options).value());
  EXPECT_EQ(again.tested, dropped.tested);
}

TEST(CollisionMatrix, AlwaysInContactIsFoundBySamples) {
  const Chain chain = Chain::make();
  CollisionMatrixOptions options;
  options.leave_out_at_rest = false;
  options.samples = 100;
  // Link 5 hangs on link 3 almost where link 1 is: with joints 1 to 3 nearly still it stays there.
  std::vector<RobotJoint> joints(chain.robot.joints().begin(), chain.robot.joints().end());
  for (RobotJoint& joint : joints) joint.lower = -1e-3, joint.upper = 1e-3;
  const Robot stiff = std::move(
      Robot::make("stiff", {chain.robot.links().begin(), chain.robot.links().end()}, joints)
          .value());
  const CollisionMatrix matrix = std::move(collision_matrix(stiff, chain.bodies, options).value());
  EXPECT_EQ(reason_of(matrix, 1, 4), "always");
}

TEST(CollisionMatrix, TakesWhatSrdfAndCellSay) {
  const Chain chain = Chain::make();
  const Srdf srdf{"r", {{"3", "0", "User"}, {"0", "gone", ""}}, {}};
  std::vector<CheckBody> bodies = chain.bodies;
  bodies.push_back(std::move(
      make_body("table", kNoLink, std::vector{box_shape({1, 1, 0.1}, {0, 0, -1})}).value()));
  bodies.push_back(std::move(
      make_body("tool", 3, std::vector{box_shape({0.1, 0.1, 0.1}, {0, 0, 0.3})}).value()));
  CollisionMatrixOptions options;
  options.srdf = &srdf;
  options.allowed = {{3, 5}};
  const CollisionMatrix matrix = std::move(collision_matrix(chain.robot, bodies, options).value());
  EXPECT_EQ(reason_of(matrix, 0, 2), "srdf");
  EXPECT_EQ(matrix.rule(0, 2)->note, "User");
  EXPECT_EQ(reason_of(matrix, 3, 5), "allowed");
  EXPECT_EQ(reason_of(matrix, 0, 5), "rigid");   // the base and the table both stand still
  EXPECT_EQ(reason_of(matrix, 2, 6), "rigid");   // the tool is mounted on it
  EXPECT_EQ(reason_of(matrix, 0, 6), "tested");  // the SRDF means the link, not what it carries
  EXPECT_EQ(reason_of(matrix, 5, 6), "tested");
  ASSERT_EQ(matrix.notes.size(), 1U);
  EXPECT_SAYS(matrix.notes[0], "gone");
}

TEST(CollisionMatrix, OfARealArmFindsItsOwnLinksFreeToMove) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::filesystem::path urdf =
      data_path("robots/abb_irb4400_support/urdf/irb4400l_30_243.urdf");
  const RobotFile file = std::move(read_robot(urdf.string(), {.visual = false}).value());
  const std::vector<CheckBody> bodies = std::move(robot_bodies(file.robot).value());
  const CollisionMatrix matrix = std::move(collision_matrix(file.robot, bodies).value());
  EXPECT_EQ(bodies.size(), 7U);
  EXPECT_GE(matrix.tested.size(), 5U);
  EXPECT_GE(matrix.left_out.size(), 6U);
}

}  // namespace
}  // namespace clearance
