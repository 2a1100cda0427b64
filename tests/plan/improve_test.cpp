// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/plan/improve.h>
#include <clearance/plan/proof.h>
#include <clearance/plan/verify.h>

#include "plan/plan_paths.h"
#include "planning.h"

namespace clearance {
namespace {

using test::box;
using test::cube;
using test::unit_cube_among;

TEST(ImprovePath, AZigzagInTheOpenBecomesStraight) {
  const PlanProblem problem = unit_cube_among(cube(1.0, {0.0, 0.0, 50.0}));
  PlanPath path;
  path.pivot = test::kCubeMiddle;
  for (int i = 0; i <= 20; ++i) {
    path.poses.push_back(
        {rotation_about({0.0, 0.0, 1.0}, 0.3 * (i % 3)), {1.0 * i, i % 2 == 0 ? 0.0 : 3.0, 0.0}});
  }
  const Improved improved = improve_path(problem, path);
  EXPECT_EQ(improved.path.poses.size(), 2U);
  EXPECT_EQ(improved.path.poses.front(), path.poses.front());
  EXPECT_EQ(improved.path.poses.back(), path.poses.back());
  EXPECT_GT(improved.before.translation, 60.0);
  EXPECT_LT(improved.after.translation, 21.0);
  EXPECT_GT(improved.operations, 0U);
}

/// A detour around a wall: over its top at y = 3, far above it.
PlanPath detour() {
  PlanPath path;
  path.pivot = test::kCubeMiddle;
  for (const Vec3& place :
       {Vec3{-5.0, 0.0, 0.0}, Vec3{-5.0, 9.0, 0.0}, Vec3{5.0, 9.0, 0.0}, Vec3{5.0, 0.0, 0.0}}) {
    path.poses.push_back(Pose::translate(place));
  }
  return path;
}

PlanProblem wall() { return unit_cube_among(box({-0.5, -50.0, -50.0}, {0.5, 3.0, 50.0})); }

TEST(ImprovePath, CutsTheCornersOfADetour) {
  ImproveOptions options;
  options.widen_to = 0.0;
  const Improved improved = improve_path(wall(), detour(), options);
  // Straight to the edges of the wall and over it is sqrt(3.5² + 3²) * 2 + 2; the path was 28.
  const double shortest = 2.0 * std::hypot(3.5, 3.0) + 2.0;
  EXPECT_LT(improved.after.translation, 1.1 * shortest);
  EXPECT_EQ(prove_path(wall(), improved.path).status, ProofStatus::Free);
}

TEST(ImprovePath, WidensWhereThereIsRoom) {
  ImproveOptions close;
  close.widen_to = 0.0;
  const PlanPath grazing = improve_path(wall(), detour(), close).path;
  const double before = prove_path(wall(), grazing).clearance_lower;
  ImproveOptions wide;
  wide.shorten = false;
  wide.widen_to = 0.5;
  const Improved improved = improve_path(wall(), grazing, wide);
  const PathProof proof = prove_path(wall(), improved.path);
  EXPECT_EQ(proof.status, ProofStatus::Free);
  EXPECT_GT(proof.clearance_upper, 0.3);
  EXPECT_GT(proof.clearance_lower, before);
}

TEST(ImprovePath, KeepsTheRequiredClearance) {
  PlanProblem problem = wall();
  problem.clearance = 0.7;
  ASSERT_EQ(prove_path(problem, detour()).status, ProofStatus::Free);
  const Improved improved = improve_path(problem, detour());
  EXPECT_LT(improved.after.translation, 0.8 * improved.before.translation);
  EXPECT_EQ(prove_path(problem, improved.path).status, ProofStatus::Free);
}

TEST(ImprovePath, HalfTurnsGetAPoseInTheMiddle) {
  const PlanProblem problem = unit_cube_among(cube(1.0, {0.0, 0.0, 50.0}));
  PlanPath path;
  path.pivot = test::kCubeMiddle;
  path.poses = {Pose::identity(), {rotation_about({0.0, 0.0, 1.0}, 3.14159), {5.0, 0.0, 0.0}}};
  const Improved improved = improve_path(problem, path);
  EXPECT_EQ(improved.path.poses.size(), 3U);
  EXPECT_NEAR(improved.after.rotation, improved.before.rotation, 1e-9);
}

class ImproveScenes : public testing::TestWithParam<const char*> {};

TEST_P(ImproveScenes, FreeAndSameBitsForAnyNumberOfThreads) {
  const scenes::PlanningScene scene = scenes::planning_scene(GetParam()).value();
  ASSERT_TRUE(scene.known);
  ImproveOptions options;
  options.operations = 20'000'000;
  options.threads.count = 1;
  const Improved one = improve_path(scene.problem, *scene.known, options);
  options.threads.count = 2;
  const Improved two = improve_path(scene.problem, *scene.known, options);
  EXPECT_EQ(one.path.poses, two.path.poses);
  EXPECT_EQ(one.operations, two.operations);
  EXPECT_EQ(one.path.poses.front(), scene.known->poses.front());
  EXPECT_EQ(one.path.poses.back(), scene.known->poses.back());
  EXPECT_EQ(prove_path(scene.problem, one.path).status, ProofStatus::Free);
  EXPECT_TRUE(verify_path(scene.problem, one.path).holds());
  EXPECT_LE(one.after.translation, one.before.translation * 1.05);
  RecordProperty("translation", std::to_string(one.before.translation) + " to " +
                                    std::to_string(one.after.translation));
}

INSTANTIATE_TEST_SUITE_P(Scene, ImproveScenes,
                         testing::Values("ring_on_pipe", "ring_on_pipe_hard", "ring_on_coil",
                                         "peg_in_hole_hard"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace clearance
