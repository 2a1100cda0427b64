// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/mesh/mesh.h>
#include <clearance/plan/plan.h>
#include <clearance/plan/verify.h>

#include "plan/assembly_parts.h"
#include "planning.h"
#include "support/data.h"

namespace clearance {
namespace {

using test::box;
using test::model_of;

/// What every found plan must be: proven, from start to goal (or out), the same for any threads.
void expect_found(const PlanProblem& problem, const PlanOptions& options = {}) {
  const Plan plan = plan_path(problem, options);
  ASSERT_EQ(plan.status, PlanStatus::Found);
  EXPECT_EQ(plan.proof.status, ProofStatus::Free);
  EXPECT_GT(plan.proof.clearance_lower, problem.clearance);
  ASSERT_GE(plan.path.poses.size(), 2U);
  EXPECT_EQ(plan.path.poses.front(), problem.start);
  if (problem.goal) {
    EXPECT_EQ(plan.path.poses.back(), *problem.goal);
  } else {
    EXPECT_TRUE(is_out(problem, plan.path.poses.back()));
  }
  EXPECT_TRUE(verify_path(problem, plan.path).holds());
}

PlanProblem cube_out_of_box(double hole) {
  // A box of five walls and a lid with a square hole, a cube of 0.4 inside.
  const double a = 0.5 - 0.5 * hole;
  const double b = 0.5 + 0.5 * hole;
  const Mesh walls = test::together(
      {box({-0.1, -0.1, -0.1}, {1.1, 1.1, 0.0}), box({-0.1, -0.1, 0.0}, {0.0, 1.1, 1.0}),
       box({1.0, -0.1, 0.0}, {1.1, 1.1, 1.0}), box({0.0, -0.1, 0.0}, {1.0, 0.0, 1.0}),
       box({0.0, 1.0, 0.0}, {1.0, 1.1, 1.0}), box({-0.1, -0.1, 1.0}, {a, 1.1, 1.1}),
       box({b, -0.1, 1.0}, {1.1, 1.1, 1.1}), box({a, -0.1, 1.0}, {b, a, 1.1}),
       box({a, b, 1.0}, {b, 1.1, 1.1})});
  return {model_of(box({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2})), model_of(walls),
          Pose::translate({0.3, 0.7, 0.4})};
}

TEST(PlanPath, LeavesThroughAHoleItHasToFind) { expect_found(cube_out_of_box(0.5)); }

TEST(PlanPath, KeepsTheClearanceAskedFor) {
  PlanProblem problem = cube_out_of_box(0.5);
  problem.clearance = 0.03;
  expect_found(problem);
}

TEST(PlanPath, SaysThatThereIsNoWayOutOfAClosedBox) {
  // The hole is smaller than the cube; what it can do inside is little.
  PlanProblem problem = cube_out_of_box(0.3);
  problem.body = model_of(box({-0.45, -0.45, -0.45}, {0.45, 0.45, 0.45}));
  problem.start = Pose::translate({0.5, 0.5, 0.5});
  const Plan plan = plan_path(problem, {.resolution = 0.2});
  EXPECT_EQ(plan.status, PlanStatus::NoPath);
  EXPECT_GT(plan.resolution, 0.0);
  EXPECT_LE(plan.resolution, 0.2);
  EXPECT_TRUE(plan.path.poses.empty());
}

TEST(PlanPath, OutOfBudgetIsSaidAndNamesWhatBlocks) {
  PlanProblem problem = cube_out_of_box(0.3);
  const Plan plan = plan_path(problem, {.operations = 1'000'000});
  EXPECT_EQ(plan.status, PlanStatus::OutOfBudget);
  EXPECT_TRUE(look_at_pose(problem, plan.closest_pose).free);
}

TEST(PlanPath, StepsThatCannotBeShortenedEndTheWalk) {
  // Along the edges of the bent window a step of the shortest length leads to a free place by one
  // that is not; it was tried again for ever.
  const PlanProblem problem = scenes::crank_through_wall(3.0).problem;
  const Plan plan = plan_path(problem, {.operations = 60'000'000, .improve = false});
  EXPECT_TRUE(plan.status == PlanStatus::OutOfBudget || plan.status == PlanStatus::Found);
}

TEST(PlanPath, InTheOpenStraightLinesAreFound) {
  const Plan plan = plan_path(scenes::wall_with_windows().problem, {.improve = false});
  EXPECT_EQ(plan.status, PlanStatus::Found);
  EXPECT_EQ(plan.method, "straight lines");
}

TEST(PlanPath, AClosedShellMayHoldTheBodyWhereMeshesAreSurfaces) {
  // A room drawn as one closed box, without a wall: as a solid it is full.
  PlanProblem problem{model_of(box({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2})),
                      model_of(box({0.0, 0.0, 0.0}, {4.0, 4.0, 4.0})),
                      Pose::translate({1.0, 1.0, 1.0}), Pose::translate({3.0, 3.0, 2.0})};
  EXPECT_FALSE(check_problem(problem).ok());
  problem.solid = false;
  EXPECT_TRUE(check_problem(problem).ok());
  expect_found(problem);
  // Through the shell there is no way.
  problem.goal = Pose::translate({6.0, 3.0, 2.0});
  const PlanPath through{pivot_of(problem.body), {problem.start, *problem.goal}};
  EXPECT_EQ(prove_path(problem, through).status, ProofStatus::Refused);
  EXPECT_FALSE(verify_path(problem, through).holds());
}

TEST(PlanPath, RefusesAStartInCollision) {
  PlanProblem problem = cube_out_of_box(0.5);
  problem.start = Pose::translate({0.0, 0.0, 0.0});
  EXPECT_EQ(plan_path(problem).status, PlanStatus::NoPath);
}

TEST(PlanPath, IsTheSameForAnyNumberOfThreadsAndOnRepeatedRuns) {
  const scenes::PlanningScene scene = scenes::planning_scene("stick_in_ring_hard").value();
  const Plan one = plan_path(scene.problem, {.threads = {1}});
  ASSERT_EQ(one.status, PlanStatus::Found);
  for (const int threads : {1, 2, 4}) {
    const Plan other = plan_path(scene.problem, {.threads = {threads}});
    EXPECT_EQ(other.path.poses, one.path.poses) << threads;
    EXPECT_EQ(other.method, one.method);
    EXPECT_EQ(other.operations, one.operations);
    EXPECT_EQ(other.nodes, one.nodes);
    EXPECT_EQ(other.proof.clearance_lower, one.proof.clearance_lower);
    EXPECT_EQ(other.proof.looks, one.proof.looks);
  }
}

TEST(PlanPath, WorksOnBinaryTreesAsWell) {
  PlanProblem problem = scenes::planning_scene("stick_in_ring").value().problem;
  const BvhOptions options{.volume = Volume::Rss, .fitter = Fitter::Inertia};
  problem.body = Model::build(problem.body.mesh(), options).value();
  problem.obstacles = Model::build(problem.obstacles.mesh(), options).value();
  const Plan plan = plan_path(problem, {.improve = false});
  EXPECT_EQ(plan.status, PlanStatus::Found);
  EXPECT_EQ(plan.proof.status, ProofStatus::Free);
}

TEST(PlanPath, TakesAboutTheSameWorkInAnyUnitAndAnywhere) {
  // A scene in other units, far from the origin of the world, and with a body far from its own.
  const PlanProblem scene = scenes::planning_scene("stick_in_ring").value().problem;
  const auto changed = [&](double scale, double world, double body) {
    const Vec3 world_shift = world * Vec3{1.0, -1.0, 0.5};
    const Vec3 body_shift = body * Vec3{1.0, 0.3, -1.0};
    const auto mesh = [&](const Mesh& given, const Vec3& by) {
      return model_of(transformed(scaled(given, {scale, scale, scale}), Pose::translate(by)));
    };
    const auto pose = [&](const Pose& given) {
      return Pose{given.rotation,
                  scale * given.translation + world_shift - given.rotation * body_shift};
    };
    return PlanProblem{mesh(scene.body.mesh(), body_shift),
                       mesh(scene.obstacles.mesh(), world_shift), pose(scene.start),
                       pose(*scene.goal)};
  };
  const auto operations = [](const PlanProblem& problem) {
    const Plan plan = plan_path(problem, {.improve = false});
    EXPECT_EQ(plan.status, PlanStatus::Found);
    EXPECT_TRUE(verify_path(problem, plan.path).holds());
    return static_cast<double>(plan.operations);
  };
  const double as_it_is = operations(changed(1.0, 0.0, 0.0));
  for (const PlanProblem& problem :
       {changed(1e3, 0.0, 0.0), changed(1e-3, 0.0, 0.0), changed(1.0, 1e5, 0.0),
        changed(1.0, 0.0, 1e4), changed(1e-3, 10.0, 10.0)}) {
    EXPECT_NEAR(operations(problem), as_it_is, 0.2 * as_it_is);
  }
}

class PlanScene : public testing::TestWithParam<const char*> {};

TEST_P(PlanScene, IsSolvedAndProven) {
  const Result<scenes::PlanningScene> scene =
      scenes::planning_scene(GetParam(), test::data_folder());
  if (!scene) GTEST_SKIP() << scene.error().message();
  expect_found(scene->problem);
}

INSTANTIATE_TEST_SUITE_P(Generated, PlanScene,
                         testing::Values("wall_with_windows", "stick_in_ring", "stick_in_ring_hard",
                                         "l_through_window", "table_through_home", "peg_in_hole",
                                         "star_through_clutter", "hook_among_elbows",
                                         "ball_out_of_cage", "stick_through_winding_slot",
                                         "hook_through_sheets"),
                         [](const auto& scene) { return std::string(scene.param); });
INSTANTIATE_TEST_SUITE_P(Real, PlanScene,
                         testing::Values("alpha_15", "alpha_12", "torus_stick", "box_with_hole",
                                         "round_peg", "rectangular_peg", "drawer", "lamp"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace clearance
