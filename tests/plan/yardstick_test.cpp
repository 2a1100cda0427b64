// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <clearance/plan/verify.h>
#include <clearance/plan/yardstick.h>

#include "plan/plan_paths.h"
#include "planning.h"

namespace clearance {
namespace {

#define SKIP_WITHOUT_OMPL() \
  if (!has_ompl()) GTEST_SKIP() << "OMPL is not built in"

class OmplPlanners : public testing::TestWithParam<std::string> {};

TEST_P(OmplPlanners, SolveAnEasyScene) {
  SKIP_WITHOUT_OMPL();
  const scenes::PlanningScene scene = scenes::stick_in_ring(0.2);
  YardstickOptions options;
  options.planner = GetParam();
  options.seconds = 30.0;
  options.prove_motions = true;
  const Result<Yardstick> result = plan_with_ompl(scene.problem, options);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_TRUE(result->solved);
  EXPECT_EQ(result->plan.status, PlanStatus::Found);
  EXPECT_EQ(result->plan.method, "ompl:" + GetParam());
  EXPECT_EQ(result->plan.path.poses.front(), scene.problem.start);
  EXPECT_EQ(result->plan.path.poses.back(), *scene.problem.goal);
  EXPECT_TRUE(verify_path(scene.problem, result->plan.path).holds());
}

INSTANTIATE_TEST_SUITE_P(Planner, OmplPlanners,
                         testing::Values("rrtconnect", "kpiece", "biest", "pdst", "est", "prm"),
                         [](const auto& tested) { return tested.param; });

TEST(PlanWithOmpl, FindsAWayOut) {
  SKIP_WITHOUT_OMPL();
  scenes::PlanningScene scene = scenes::bug_trap(0.3);
  scene.problem.goal.reset();
  YardstickOptions options;
  options.seconds = 30.0;
  options.prove_motions = true;
  const Result<Yardstick> result = plan_with_ompl(scene.problem, options);
  ASSERT_TRUE(result.ok() && result->solved);
  EXPECT_EQ(result->plan.status, PlanStatus::Found);
  EXPECT_TRUE(is_out(scene.problem, result->plan.path.poses.back()));
}

TEST(PlanWithOmpl, AThinWallBetweenSamplesIsSeenByTheProof) {
  SKIP_WITHOUT_OMPL();
  // A cube on either side of a plate much thinner than OMPL's steps, in a closed room.
  PlanProblem problem = test::unit_cube_among(test::box({9.9, -40.0, -40.0}, {9.9001, 41.0, 41.0}));
  problem.start = Pose::identity();
  problem.goal = Pose::translate({19.0, 0.0, 0.0});
  problem.bounds = Box{{-1.0, -1.0, -1.0}, {21.0, 2.0, 2.0}};
  YardstickOptions options;
  options.resolution = 0.5;
  options.seconds = 20.0;
  const Result<Yardstick> result = plan_with_ompl(problem, options);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->solved);
  EXPECT_NE(result->plan.status, PlanStatus::Found);
  EXPECT_EQ(result->plan.proof.status, ProofStatus::Refused);
}

TEST(PlanWithOmpl, AnotherCheckerIsAsked) {
  SKIP_WITHOUT_OMPL();
  const scenes::PlanningScene scene = scenes::stick_in_ring(0.2);
  std::atomic<int> asked = 0;
  YardstickOptions options;
  options.seconds = 30.0;
  options.is_free = [&](const Pose& pose) {
    ++asked;
    return !collide(scene.problem.obstacles, scene.problem.body, pose).hit;
  };
  const Result<Yardstick> result = plan_with_ompl(scene.problem, options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->solved);
  EXPECT_GT(asked, 0);
}

TEST(PlanWithOmpl, TheSameSeedGivesTheSamePath) {
  SKIP_WITHOUT_OMPL();
  const scenes::PlanningScene scene = scenes::stick_in_ring(0.2);
  YardstickOptions options;
  options.seed = 7;
  const Result<Yardstick> one = plan_with_ompl(scene.problem, options);
  const Result<Yardstick> two = plan_with_ompl(scene.problem, options);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->plan.path.poses, two->plan.path.poses);
}

TEST(PlanWithOmpl, TimeOfTheProcessorIsWhatIsCountedWhenAsked) {
  SKIP_WITHOUT_OMPL();
  const scenes::PlanningScene scene = scenes::stick_in_ring(0.2);
  YardstickOptions options;
  options.seconds = 0.5;
  options.processor_time = true;
  // Sleeps beyond its limit before it can have found anything.
  std::atomic<int> asked = 0;
  options.is_free = [&](const Pose& pose) {
    if (++asked == 3) std::this_thread::sleep_for(std::chrono::seconds(1));
    return !collide(scene.problem.obstacles, scene.problem.body, pose).hit;
  };
  const auto before = std::chrono::steady_clock::now();
  const Result<Yardstick> result = plan_with_ompl(scene.problem, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  ASSERT_TRUE(result.ok());
  EXPECT_GT(asked, 3);
  EXPECT_TRUE(result->solved);
  EXPECT_LT(result->seconds, wall.count() - 1.0);
}

TEST(PlanWithOmpl, UnknownPlannersAreRefused) {
  SKIP_WITHOUT_OMPL();
  YardstickOptions options;
  options.planner = "a-star";
  const Result<Yardstick> result = plan_with_ompl(scenes::stick_in_ring(0.2).problem, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Invalid);
  EXPECT_EQ(ompl_planners().size(), 6U);
}

}  // namespace
}  // namespace clearance
