// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/plan/verify.h>

#include "plan/plan_paths.h"
#include "planning.h"

namespace clearance {
namespace {

using test::cube;
using test::cube_and_ball;
using test::random_path;
using test::straight;
using test::unit_cube_among;

TEST(VerifyPath, AgreesWithTheProofAndWithSampling) {
  int free = 0;
  constexpr int kPaths = 120;
  Random random(31);
  for (int n = 0; n < kPaths; ++n) {
    const PlanProblem problem = cube_and_ball(n % 3 == 0 ? 0.1 : 0.0);
    const PlanPath path = random_path(random, 1 + n % 3);
    const PathCheck check = verify_path(problem, path);
    EXPECT_EQ(check.status, prove_path(problem, path).status);
    if (check.status == ProofStatus::Free) {
      ++free;
      EXPECT_GT(test::sampled_clearance(problem, path, 100), problem.clearance);
    }
  }
  EXPECT_GT(free, kPaths * 3 / 10);
  EXPECT_LT(free, kPaths * 7 / 10);
}

TEST(VerifyPath, KnownSolutionsHold) {
  for (const char* name : {"ring_on_pipe", "ring_on_coil", "peg_in_hole"}) {
    const scenes::PlanningScene scene = scenes::planning_scene(name).value();
    const PathCheck check = verify_path(scene.problem, *scene.known);
    EXPECT_TRUE(check.holds()) << name;
    EXPECT_GT(check.checks, 0U);
  }
}

TEST(VerifyPath, PushedIntoTheObstacleByAMicrometreIsRefused) {
  const PlanProblem problem = unit_cube_among(cube());
  const PathCheck beside =
      verify_path(problem, straight({-1e-3, 1.0 + 1e-6, 0.3}, {1e-3, 1.0 + 1e-6, 0.3}));
  EXPECT_EQ(beside.status, ProofStatus::Free);
  const PathCheck pushed = verify_path(problem, straight({-5.0, 1.0 - 1e-6, 0.3}, {5.0, 1.0, 0.3}));
  EXPECT_EQ(pushed.status, ProofStatus::Refused);
  EXPECT_NE(pushed.pair.triangle_a, kNoTriangle);
  EXPECT_EQ(verify_path(problem, straight({5.0, 0.0, 0.0}, {1.0 + 1e-6, 0.0, 0.0})).status,
            ProofStatus::Free);
  EXPECT_NE(verify_path(problem, straight({5.0, 0.0, 0.0}, {1.0 - 1e-6, 0.0, 0.0})).status,
            ProofStatus::Free);
}

TEST(VerifyPath, FindsAThinPlateAndSaysWhere) {
  const PlanProblem problem =
      unit_cube_among(test::box({43.21, -3.0, -3.0}, {43.21 + 1e-6, 3.0, 3.0}));
  const PathCheck check = verify_path(problem, straight({0.0, 0.0, 0.0}, {100.0, 0.0, 0.0}));
  EXPECT_NE(check.status, ProofStatus::Free);
  EXPECT_GE(check.time, 0.42);
  EXPECT_LE(check.time, 0.44);
}

TEST(VerifyPath, ACubeInsideACubeIsRefused) {
  const PlanProblem problem = unit_cube_among(cube(10.0, {-5.0, -5.0, -5.0}));
  EXPECT_EQ(verify_path(problem, straight({-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0})).status,
            ProofStatus::Refused);
}

TEST(VerifyPath, StartAndGoalMustBeThoseOfTheProblem) {
  PlanProblem problem = unit_cube_among(cube());
  problem.start = Pose::translate({5.0, 0.0, 0.0});
  problem.goal = Pose::translate({5.0, 5.0, 0.0});
  PlanPath path = straight({5.0, 0.0, 0.0}, {5.0, 5.0, 0.0});
  EXPECT_TRUE(verify_path(problem, path).holds());
  path.poses.back().translation.z = 1e-3;
  EXPECT_FALSE(verify_path(problem, path).reaches_goal);
  EXPECT_EQ(verify_path(problem, path).status, ProofStatus::Free);
  problem.goal.reset();
  EXPECT_TRUE(verify_path(problem, path).reaches_goal);
  path.poses.front().translation.z = 1e-3;
  EXPECT_FALSE(verify_path(problem, path).starts_at_start);
  // Beside the obstacle, but its box is not clear of the obstacle's by the clearance.
  problem.clearance = 4.5;
  EXPECT_FALSE(verify_path(problem, path).reaches_goal);
}

TEST(VerifyPath, BothWaysOfAHalfTurnAreChecked) {
  // A long bar turns by half a turn about z; a post stands in one of the two ways.
  for (const double side : {-1.0, 1.0}) {
    const Vec3 post{-0.1, side * 2.0 - 0.1, -5.0};
    const PlanProblem problem{test::model(test::box({-0.1, -0.1, -0.1}, {3.0, 0.1, 0.1})),
                              test::model(test::box(post, post + Vec3{0.2, 0.2, 10.0}))};
    PlanPath path;
    path.poses = {Pose::identity(),
                  {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {0.0, 0.0, 0.0}}};
    EXPECT_EQ(verify_path(problem, path).status, ProofStatus::Refused);
  }
}

TEST(VerifyPath, PosesThatAreNotRigidAreNeverFree) {
  const PlanProblem problem = unit_cube_among(cube());
  PlanPath path = straight({0.0, 5.0, 0.0}, {0.0, 6.0, 0.0});
  path.poses[1].rotation[0].x = 1.1;
  EXPECT_EQ(verify_path(problem, path).status, ProofStatus::Refused);
  path.poses[1] = Pose::translate({std::nan(""), 0.0, 0.0});
  EXPECT_EQ(verify_path(problem, path).status, ProofStatus::Refused);
  path.poses.clear();
  EXPECT_EQ(verify_path(problem, path).status, ProofStatus::Undecided);
}

TEST(VerifyPath, SameAnswerForAnyNumberOfThreads) {
  const PlanProblem problem = cube_and_ball();
  Random random(9);
  for (int n = 0; n < 20; ++n) {
    const PlanPath path = random_path(random, 4);
    VerifyOptions options;
    options.threads.count = 1;
    const PathCheck one = verify_path(problem, path, options);
    options.threads.count = 3;
    const PathCheck three = verify_path(problem, path, options);
    EXPECT_EQ(one.status, three.status);
    EXPECT_EQ(one.piece, three.piece);
    EXPECT_EQ(one.time, three.time);
    EXPECT_EQ(one.checks, three.checks);
    EXPECT_EQ(one.work, three.work);
  }
}

}  // namespace
}  // namespace clearance
