// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <clearance/robot/robot_file.h>

#include "support/data.h"

namespace clearance {
namespace {

using namespace clearance::test;

struct RealRobot {
  const char* file;
  std::size_t links;
  std::size_t moving;  // joints
  std::size_t free;    // joints
  std::size_t collision_triangles;
};

TEST(ReadRobot, ReadsRealRobots) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const RealRobot& expected : {
           RealRobot{"abb_irb4400_support/urdf/irb4400l_30_243.urdf", 9, 6, 6, 604},
           RealRobot{"example-robot-data/robots/panda_description/urdf/panda_collision_only.urdf",
                     13, 9, 8, 2396},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur5_robot_collision_only.urdf",
                     11, 6, 6, 5340},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur10_robot_collision_only.urdf",
                     11, 6, 6, 5874},
           RealRobot{"robotiq_85/robotiq.urdf", 9, 6, 1, 3930},
           RealRobot{"atlas_description/urdf/atlas_v3_right_arm_sandia_hand.urdf", 36, 18, 18,
                     126204},
           RealRobot{"snake_sim/urdf/snake.urdf", 21, 20, 20, 412944},
       }) {
    SCOPED_TRACE(expected.file);
    const std::filesystem::path path = data_path(std::string("robots/") + expected.file);
    if (path.empty()) continue;
    const Result<RobotFile> file = read_robot(path.string());
    ASSERT_TRUE(file) << file.error().message();
    const Robot& robot = file->robot;
    EXPECT_EQ(robot.links().size(), expected.links);
    EXPECT_EQ(robot.degrees_of_freedom(), expected.free);
    EXPECT_EQ(std::ranges::count_if(robot.joints(),
                                    [](const RobotJoint& j) { return j.kind != JointKind::Fixed; }),
              static_cast<std::ptrdiff_t>(expected.moving));
    std::size_t triangles = 0;
    for (const RobotLink& link : robot.links()) {
      for (const RobotShape& shape : link.collision)
        triangles += surface_of(shape).triangle_count();
    }
    EXPECT_EQ(triangles, expected.collision_triangles);
    EXPECT_TRUE(robot.check(robot.rest()));
  }
}

}  // namespace
}  // namespace clearance
