// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where links are, against a computation of another kind: 4x4 matrices of long doubles, rotations
// about an axis as the exponential series of its cross product, from the root to one link at a
// time.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/robot/robot_file.h>

#include "robot/robot_parts.h"
#include "support/data.h"

namespace clearance {
namespace {

using namespace clearance::test;

using Real = long double;
struct Matrix {
  Real m[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      c.m[i][j] = 0;
      for (int k = 0; k < 4; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  }
  return c;
}

Matrix matrix(const Pose& pose) {
  Matrix out;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out.m[i][j] = pose.rotation[i][j];
    out.m[i][3] = pose.translation[i];
  }
  return out;
}

/// exp of a twist, sum of X^n / n!: a turn about an axis through the origin, or a slide along it.
Matrix exponential(const Vec3& turn, const Vec3& slide, Real value) {
  const Real x = value * turn.x;
  const Real y = value * turn.y;
  const Real z = value * turn.z;
  const Matrix twist{{{0, -z, y, value * slide.x},
                      {z, 0, -x, value * slide.y},
                      {-y, x, 0, value * slide.z},
                      {0, 0, 0, 0}}};
  Matrix sum;
  Matrix term;
  for (int n = 1; n < 80; ++n) {
    term = product(term, twist);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        term.m[i][j] /= n;
        sum.m[i][j] += term.m[i][j];
      }
    }
  }
  return sum;
}

Real value_of(const Robot& robot, std::uint32_t joint, const std::vector<double>& values) {
  const RobotJoint& moved = robot.joints()[joint];
  if (moved.mimic) {
    return Real{moved.mimic->multiplier} * value_of(robot, moved.mimic->joint, values) +
           Real{moved.mimic->offset};
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (robot.free_joints()[k] == joint) return values[k];
  return 0;
}

Matrix reference(const Robot& robot, std::uint32_t link, const std::vector<double>& values,
                 const Pose& world_from_root) {
  Matrix root_from_link;
  for (std::uint32_t at = link; robot.links()[at].parent != kNoLink;
       at = robot.links()[at].parent) {
    const std::uint32_t number = robot.links()[at].joint;
    const RobotJoint& joint = robot.joints()[number];
    const bool slides = joint.kind == JointKind::Prismatic;
    const bool turns = joint.kind == JointKind::Revolute || joint.kind == JointKind::Continuous;
    const Matrix moved =
        exponential(turns ? joint.unit_axis : Vec3{}, slides ? joint.unit_axis : Vec3{},
                    value_of(robot, number, values));
    root_from_link = product(product(matrix(joint.parent_from_joint), moved), root_from_link);
  }
  return product(matrix(world_from_root), root_from_link);
}

/// The largest difference, lengths as a part of `extent`.
double difference(const Pose& pose, const Matrix& exact, double extent) {
  const Matrix found = matrix(pose);
  Real largest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j)
      largest = std::max(largest, std::abs(found.m[i][j] - exact.m[i][j]) / (j == 3 ? extent : 1));
  }
  return static_cast<double>(largest);
}

Vec3 direction(Random& random) {
  return normalized({random.normal(), random.normal(), random.normal()});
}

/// A tree of any form, joints of all kinds, some of them mimics.
Robot random_robot(Random& random, std::uint32_t links) {
  RobotParts parts("l0");
  for (std::uint32_t i = 1; i < links; ++i) {
    const auto kind = static_cast<JointKind>(random.below(4));
    const Pose origin{rotation_about(direction(random), random.uniform(-3.0, 3.0)),
                      random.uniform() * direction(random)};
    // Mostly long branches.
    const auto parent = static_cast<std::uint32_t>(random.below(3) == 0 ? random.below(i) : i - 1);
    RobotJoint& joint = parts.add("l" + std::to_string(i), parent, kind, origin, direction(random));
    if (kind == JointKind::Fixed || random.below(4) != 0) continue;
    const auto other = static_cast<std::uint32_t>(random.below(i));
    const RobotJoint& followed = parts.joints[other];
    if (other + 1 < i && followed.kind != JointKind::Fixed && !followed.mimic)
      joint.mimic = JointMimic{other, random.uniform(-2.0, 2.0), random.uniform(-1.0, 1.0)};
  }
  return parts.made();
}

TEST(RobotKinematics, AgreesWithExponentialsInLongDoubles) {
  Random random(11);
  std::size_t mimics = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Robot robot = random_robot(random, 2 + static_cast<std::uint32_t>(random.below(30)));
    for (const RobotJoint& joint : robot.joints()) mimics += joint.mimic.has_value() ? 1 : 0;
    const std::vector<double> values = robot.random(random);
    const Pose root{rotation_about(direction(random), 1.0), 3.0 * direction(random)};
    const std::vector<Pose> poses = robot.link_poses(values, root);
    for (std::uint32_t link = 0; link < poses.size(); ++link)
      EXPECT_LT(difference(poses[link], reference(robot, link, values, root), 10.0), 1e-14);
  }
  EXPECT_GT(mimics, 50U);
}

TEST(RobotKinematics, RealRobotsAgreeToo) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  RobotFileOptions joints_only;
  joints_only.visual = joints_only.collision = false;
  Random random(5);
  std::size_t robots = 0;
  for (const auto& path : files_below(data_folder() / "robots", {".urdf"})) {
    SCOPED_TRACE(path.string());
    const Result<RobotFile> file = read_robot(path.string(), joints_only);
    ASSERT_TRUE(file) << file.error().message();
    ++robots;
    const std::vector<double> values = file->robot.random(random);
    const std::vector<Pose> poses = file->robot.link_poses(values);
    for (std::uint32_t link = 0; link < poses.size(); ++link) {
      EXPECT_LT(difference(poses[link], reference(file->robot, link, values, {}), 1.0), 1e-14);
    }
  }
  EXPECT_EQ(robots, 7U);
}

// The figures of the data sheet of the UR5: all joints at 0, the arm lies along x. The upper arm is
// 425 mm, the forearm 392.25 mm long; the wrist is 109.15 and 82.3 mm beside the base, and the tool
// 94.65 mm below the shoulder, which is 89.159 mm above the floor.
TEST(RobotKinematics, Ur5ReachesAsItsDataSheetSays) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto path = data_path(
      "robots/example-robot-data/robots/ur_description/urdf/ur5_robot_collision_only.urdf");
  if (path.empty()) GTEST_SKIP() << "the data folder has no ur5_robot_collision_only.urdf";
  const Result<RobotFile> file = read_robot(path.string());
  ASSERT_TRUE(file) << file.error().message();
  const Robot& robot = file->robot;
  const std::vector<Pose> poses = robot.link_poses(std::vector<double>(6, 0.0));
  const Vec3 tool = poses[*robot.link("ee_link")].translation;
  EXPECT_NEAR(tool.x, 0.425 + 0.39225, 1e-9);
  EXPECT_NEAR(tool.y, 0.10915 + 0.0823, 1e-9);
  EXPECT_NEAR(tool.z, 0.089159 - 0.09465, 1e-9);
}

}  // namespace
}  // namespace clearance
