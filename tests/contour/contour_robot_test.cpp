// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/contour/contour_robot.h>

namespace clearance {
namespace {

Contour tube(double length, double radius) {
  const std::vector<Vec3> line{{0, 0, 0}, {0, 0, length / 2}, {0, 0, length}};
  const std::vector<double> radii(3, radius);
  return *Contour::along(line, radii);
}

/// Two links of 1 m along z; the second turns about the x axis at the end of the first.
Robot two_links() {
  std::vector<RobotLink> links(2);
  links[0].name = "base";
  links[1].name = "tip";
  links[1].parent = 0;
  links[1].joint = 0;
  RobotJoint joint;
  joint.name = "elbow";
  joint.kind = JointKind::Revolute;
  joint.parent = 0;
  joint.child = 1;
  joint.parent_from_joint = Pose::translate({0, 0, 1});
  joint.lower = -3.0;
  joint.upper = 3.0;
  return *Robot::make("two", links, {joint});
}

void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_LT(distance(a, b), 1e-12) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(ContourRobot, RigidBodyMovesAllSeriesTogether) {
  const auto body = ContourRobot::rigid({tube(1.0, 0.1), tube(2.0, 0.2)});
  ASSERT_TRUE(body.ok());
  EXPECT_FALSE(body->robot().has_value());
  ASSERT_EQ(body->segment_count(), 4U);
  const Pose pose{rotation_about({1, 0, 0}, std::numbers::pi / 2), {5, 0, 0}};
  const std::vector<ContourSegment> placed = body->place({}, pose);
  // z becomes -y.
  expect_near(placed[1].end.center, {5, -1, 0});
  expect_near(placed[3].end.center, {5, -2, 0});
  EXPECT_EQ(body->series_of(1), 0U);
  EXPECT_EQ(body->series_of(2), 1U);
}

TEST(ContourRobot, SeriesFollowTheirLinks) {
  const auto robot = ContourRobot::on_links(two_links(), {{.link = 1, .contour = tube(1.0, 0.1)},
                                                          {.link = 0, .contour = tube(1.0, 0.2)}});
  ASSERT_TRUE(robot.ok());
  const double quarter = std::numbers::pi / 2;
  const std::vector<ContourSegment> placed =
      robot->place(std::span(&quarter, 1), Pose::translate({0, 0, 10}));
  // Series stay in the order given: the tip first, bent towards -y about (0, 0, 11).
  expect_near(placed[0].start.center, {0, 0, 11});
  expect_near(placed[1].end.center, {0, -1, 11});
  expect_near(placed[3].end.center, {0, 0, 11});
  EXPECT_NEAR(norm(placed[0].start.u), 0.1, 1e-15);
}

TEST(ContourRobot, PlacesIntoMemoryOfTheCaller) {
  const auto robot = ContourRobot::on_links(two_links(), {{.link = 1, .contour = tube(1.0, 0.1)}});
  const double value = 0.3;
  std::vector<ContourSegment> segments(robot->segment_count());
  std::vector<Pose> scratch;
  robot->place(std::span(&value, 1), Pose::identity(), segments, scratch);
  const Pose* const before = scratch.data();
  robot->place(std::span(&value, 1), Pose::identity(), segments, scratch);
  EXPECT_EQ(scratch.data(), before);
  expect_near(segments[1].end.center, robot->place(std::span(&value, 1))[1].end.center);
}

TEST(ContourRobot, RefusesNothingAndLinksThatAreNotThere) {
  EXPECT_FALSE(ContourRobot::rigid({}).ok());
  EXPECT_FALSE(ContourRobot::on_links(two_links(), {}).ok());
  const auto wrong = ContourRobot::on_links(two_links(), {{.link = 2, .contour = tube(1, 1)}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().place, "series 0");
  EXPECT_NE(wrong.error().reason.find("link 2"), std::string::npos);
}

}  // namespace
}  // namespace clearance
