// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/plan/problem.h>

#include "plan/assembly_parts.h"

namespace clearance {
namespace {

using test::box;
using test::model_of;

/// A unit cube beside a unit cube, apart by `gap` along x.
PlanProblem cubes(double gap, double clearance = 0.0) {
  PlanProblem problem{model_of(test::cube()),
                      model_of(test::cube()),
                      Pose::translate({1.0 + gap, 0.0, 0.0}),
                      {},
                      {},
                      clearance};
  return problem;
}

TEST(PlanProblem, PivotIsTheMiddleOfTheBox) {
  EXPECT_EQ(pivot_of(model_of(box({0, 0, 0}, {2, 4, 6}))), (Vec3{1, 2, 3}));
}

TEST(PlanProblem, BoundsLeaveRoomBesideTheObstaclesForAnyOrientation) {
  const PlanProblem problem = cubes(0.5);
  const Box bounds = plan_bounds(problem);
  const double diagonal = std::sqrt(3.0);
  EXPECT_LE(bounds.low.x, -0.5 * diagonal);
  EXPECT_GE(bounds.high.x, 1.0 + 0.5 * diagonal);
  EXPECT_GE(bounds.high.x, 2.0);  // the pivot at the start
}

TEST(PlanProblem, OutMeansTheBoxesAreApartByMoreThanTheClearance) {
  PlanProblem problem = cubes(0.0);
  EXPECT_FALSE(is_out(problem, Pose::translate({1.0, 0.0, 0.0})));
  EXPECT_TRUE(is_out(problem, Pose::translate({1.0 + 1e-9, 0.0, 0.0})));
  EXPECT_TRUE(is_out(problem, Pose::translate({0.0, -1.1, 0.0})));
  problem.clearance = 0.2;
  EXPECT_FALSE(is_out(problem, Pose::translate({0.0, -1.1, 0.0})));
  EXPECT_TRUE(is_out(problem, Pose::translate({0.0, -1.3, 0.0})));
}

TEST(PlanProblem, OutIsJudgedByTheTurnedVerticesNotByTheTurnedBox) {
  // A thin diagonal sliver: its own box, turned by 45 degrees, is much larger than itself.
  const Mesh sliver = Mesh::make({{0, 0, 0}, {1, 1, 0}, {1, 1, 0.01}}, {{0, 1, 2}}).value();
  const PlanProblem problem{
      model_of(sliver), model_of(test::cube()), Pose::identity(), {}, {}, 0.0};
  const Pose turned{rotation_about({0, 0, 1}, 0.78539816339744831), {-0.1, 0.0, 0.0}};
  EXPECT_TRUE(is_out(problem, turned));  // all along the y axis at x = -0.1
}

TEST(LookAtPose, GivesTheDistanceOfAFreePose) {
  const PoseReport report = look_at_pose(cubes(0.25), Pose::translate({1.25, 0.0, 0.0}));
  EXPECT_TRUE(report.free);
  EXPECT_DOUBLE_EQ(report.distance, 0.25);
  EXPECT_EQ(report.touch, Touch::None);
  EXPECT_FALSE(report.nearest_free.has_value());
}

TEST(LookAtPose, MeasuresOverlapAndProposesTheNearestFreePose) {
  const PlanProblem problem = cubes(-0.1, 0.02);
  const PoseReport report = look_at_pose(problem, problem.start);
  EXPECT_FALSE(report.free);
  EXPECT_EQ(report.touch, Touch::Surfaces);
  EXPECT_LE(report.depth_lower, 0.1 + 1e-9);
  EXPECT_GE(report.depth_upper, 0.1 - 1e-9);
  EXPECT_LE(report.depth_upper, 0.11);
  ASSERT_TRUE(report.nearest_free.has_value());
  // 0.1 out of the overlap and 0.02 of clearance on top.
  EXPECT_LT(distance(report.nearest_free->translation, problem.start.translation), 0.125);
  EXPECT_TRUE(look_at_pose(problem, *report.nearest_free).free);
}

TEST(LookAtPose, CentresABodyThatIsTooCloseToOneSideOfAGap) {
  // A slab of 1 in a gap of 1.2, at 0.01 from one side; 0.09 is asked for and there is room.
  const Mesh walls = test::together({box({-5, -5, -1}, {5, 5, 0}), box({-5, -5, 1.2}, {5, 5, 2})});
  const PlanProblem problem{
      model_of(test::cube()), model_of(walls), Pose::translate({0.0, 0.0, 0.01}), {}, {}, 0.09};
  const PoseReport report = look_at_pose(problem, problem.start);
  EXPECT_FALSE(report.free);
  ASSERT_TRUE(report.nearest_free.has_value());
  EXPECT_NEAR(report.nearest_free->translation.z, 0.09, 0.01);
  EXPECT_TRUE(look_at_pose(problem, *report.nearest_free).free);
}

TEST(CheckProblem, AcceptsAFreeStartAndGoal) {
  PlanProblem problem = cubes(0.1, 0.05);
  problem.goal = Pose::translate({3.0, 0.0, 0.0});
  EXPECT_TRUE(check_problem(problem).ok());
}

TEST(CheckProblem, SaysHowDeepAnOverlapIsAndWhichTrianglesAndWhereItIsFree) {
  const Status status = check_problem(cubes(-0.1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Invalid);
  EXPECT_EQ(status.error().place, "start");
  EXPECT_NE(status.error().reason.find("mm deep"), std::string::npos) << status.error().reason;
  EXPECT_NE(status.error().reason.find("triangle"), std::string::npos);
  EXPECT_NE(status.error().advice.find("nearest free pose"), std::string::npos);
  EXPECT_EQ(status.error().advice.find("--touching"), std::string::npos);
}

TEST(CheckProblem, AdvisesReliefWherePartsMerelyTouch) {
  const Status status = check_problem(cubes(0.0));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().advice.find("--touching auto"), std::string::npos)
      << status.error().advice;
}

TEST(CheckProblem, TellsABodyThatIsTooCloseFromOneThatTouches) {
  const Status status = check_problem(cubes(0.01, 0.02));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().reason.find("10 mm"), std::string::npos) << status.error().reason;
  EXPECT_NE(status.error().reason.find("20 mm"), std::string::npos) << status.error().reason;
}

TEST(CheckProblem, RefusesABodyInsideTheObstacles) {
  const PlanProblem problem{model_of(test::cube(0.1)),
                            model_of(test::cube()),
                            Pose::translate({0.45, 0.45, 0.45}),
                            {},
                            {},
                            0.0};
  const Status status = check_problem(problem);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().reason.find("inside"), std::string::npos) << status.error().reason;
}

TEST(CheckProblem, RefusesAGoalInCollisionByName) {
  PlanProblem problem = cubes(0.5);
  problem.goal = Pose::translate({0.5, 0.0, 0.0});
  const Status status = check_problem(problem);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().place, "goal");
}

TEST(CheckProblem, RefusesPosesThatAreNotRigid) {
  PlanProblem problem = cubes(0.5);
  problem.start.rotation = 1.1 * Mat3::identity();
  const Status status = check_problem(problem);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().place, "start");
}

TEST(CheckProblem, RefusesNegativeClearanceAndBoundsWithoutTheStart) {
  PlanProblem problem = cubes(0.5, -1.0);
  EXPECT_FALSE(check_problem(problem).ok());
  problem.clearance = 0.0;
  problem.bounds = Box{{-1, -1, -1}, {1, 1, 1}};
  const Status status = check_problem(problem);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().place, "bounds");
}

TEST(CheckProblem, RefusesTreesOfDifferentKinds) {
  PlanProblem problem = cubes(0.5);
  BvhOptions rss;
  rss.volume = Volume::Rss;
  rss.fitter = Fitter::Pqp;
  problem.body = Model::build(test::cube(), rss).value();
  EXPECT_FALSE(check_problem(problem).ok());
}

}  // namespace
}  // namespace clearance
