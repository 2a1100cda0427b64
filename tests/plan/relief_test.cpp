// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <gtest/gtest.h>

#include <clearance/mesh/health.h>
#include <clearance/plan/problem.h>

#include "plan/assembly_parts.h"

namespace clearance {
namespace {

using test::model_of;

double farthest_move(const Mesh& before, const Mesh& after) {
  double farthest = 0.0;
  for (std::size_t t = 0; t < before.triangle_count(); ++t) {
    const Triangle p = before.triangle(t);
    const Triangle q = after.triangle(t);
    farthest = std::max({farthest, distance(p.a, q.a), distance(p.b, q.b), distance(p.c, q.c)});
  }
  return farthest;
}

TEST(Relieved, MovesTheFacesOfACubeInByTheSameAndNoVertexFartherThanTheDepth) {
  const Mesh smaller = relieved(test::cube(), 0.01);
  const Box bounds = smaller.bounds();
  const double in = 0.01 / std::sqrt(3.0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(bounds.low[k], in, 0.02 * in);
    EXPECT_NEAR(bounds.high[k], 1.0 - in, 0.02 * in);
  }
  EXPECT_LE(farthest_move(test::cube(), smaller), 0.01 * (1.0 + 1e-12));
  EXPECT_GT(test::signed_volume(smaller), 0.9);
}

TEST(Relieved, KeepsASoupClosed) {
  const Mesh smaller = relieved(test::soup(test::uv_sphere(1.0, 12)), 0.05);
  EXPECT_TRUE(model_of(smaller).is_solid());
  EXPECT_LT(smaller.bounds().high.x, 1.0 - 0.025);
  EXPECT_EQ(smaller.triangle_count(), test::uv_sphere(1.0, 12).triangle_count());
}

TEST(Relieved, MovesTheWallOfAHoleIntoTheMaterial) {
  const Mesh tube = test::ring(0.5, 1.0, 0.0, 1.0, 64);
  const Mesh smaller = relieved(tube, 0.01);
  // The bore grows, the outside shrinks.
  double least = 1e9;
  for (const Vec3& v : smaller.vertices()) least = std::min(least, std::hypot(v.x, v.y));
  EXPECT_GT(least, 0.5 + 0.005);
  EXPECT_LT(smaller.bounds().high.x, 1.0 - 0.005);
}

TEST(Relieved, MovesAnOpenSurfaceAgainstItsNormals) {
  const Mesh open = test::without(test::cube(), {0});
  const Mesh smaller = relieved(open, 0.01);
  EXPECT_LT(smaller.bounds().size().x, 1.0);
  EXPECT_LE(farthest_move(open, smaller), 0.01 * (1.0 + 1e-12));
}

TEST(Relieved, ZeroDepthChangesNothing) {
  const Mesh cube = test::cube();
  EXPECT_EQ(relieved(cube, 0.0).vertices().data(), cube.vertices().data());
}

PlanProblem at_start(const Mesh& body, const Mesh& obstacles, const Pose& start = {}) {
  return {model_of(body), model_of(obstacles), start, {}, {}, 0.0};
}

TEST(RelieveStart, LeavesAFreeStartAlone) {
  const Result<Relief> relief =
      relieve_start(at_start(test::cube(), test::cube(), Pose::translate({1.5, 0, 0})), 0.01);
  ASSERT_TRUE(relief.ok());
  EXPECT_EQ(relief->depth, 0.0);
  EXPECT_TRUE(relief->before.free);
}

TEST(RelieveStart, FindsTheLeastReliefOfCubesPressedTogether) {
  // 1e-3 deep along x: a face must move in by that, which takes a relief of sqrt(3) times as much.
  const PlanProblem problem =
      at_start(test::cube(), test::cube(), Pose::translate({1.0 - 1e-3, 0.2, 0.2}));
  const Result<Relief> relief = relieve_start(problem, 0.1);
  ASSERT_TRUE(relief.ok()) << relief.error().message();
  EXPECT_GE(relief->depth, 1e-3);
  EXPECT_LE(relief->depth, 1.25 * std::sqrt(3.0) * 1.01e-3);
  EXPECT_EQ(relief->before.touch, Touch::Surfaces);
  PlanProblem after = problem;
  after.body = relief->body;
  EXPECT_TRUE(check_problem(after).ok());
}

TEST(RelieveStart, FreesABoltWhoseFacesCoincideWithItsHole) {
  const Mesh bolt = test::ring(0.0, 0.5, 0.0, 1.0, 48);
  const Mesh plate = test::ring(0.5, 2.0, 0.0, 1.0, 48);
  const Result<Relief> relief = relieve_start(at_start(bolt, plate), 1e-3);
  ASSERT_TRUE(relief.ok()) << relief.error().message();
  EXPECT_GT(relief->depth, 0.0);
  EXPECT_LT(relief->depth, 1e-9);  // coincident: any relief above rounding will do
}

TEST(RelieveStart, RefusesAnOverlapBeyondTheLimitAndSaysHowDeepItIs) {
  const PlanProblem problem =
      at_start(test::cube(), test::cube(), Pose::translate({0.8, 0.0, 0.0}));
  const Result<Relief> relief = relieve_start(problem, 1e-3);
  ASSERT_FALSE(relief.ok());
  EXPECT_NE(relief.error().reason.find("overlap by"), std::string::npos) << relief.error().reason;
}

TEST(RelieveStart, FreesTheBoltsOfAs1) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // Bolt 04 with its nut, its bracket and the plate: coincident faces all round.
  const Mesh bolt = test::read_part("as1/as1_04.stl");
  const std::vector<Mesh> others{
      test::read_part("as1/as1_05.stl"), test::read_part("as1/as1_10.stl"),
      test::read_part("as1/as1_11.stl"), test::read_part("as1/as1_18.stl")};
  const std::vector<std::string> names{"nut", "bracket", "plate", "bracket"};
  const PlanProblem problem = at_start(bolt, merged(others, names).value());
  const double size = bolt.bounds().diagonal();
  const Result<Relief> relief = relieve_start(problem, 0.05 * size);
  ASSERT_TRUE(relief.ok()) << relief.error().message();
  EXPECT_GT(relief->depth, 0.0);
  EXPECT_EQ(relief->before.touch, Touch::Surfaces);
}

TEST(RelieveStart, FreesThePressFitOfTheBeam) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto placed = [](const char* file, const Vec3& at, double yaw) {
    return transformed(test::read_part(file), {rotation_from_rpy(0, 0, yaw), at});
  };
  const Mesh post = placed("asap_beam/0.obj", {12.245, 3.8152, 7.0889}, 1.570796);
  const Mesh lower = placed("asap_beam/2.obj", {12.2424, 3.8152, 3.8614}, -1.570796);
  const PlanProblem problem = at_start(post, lower);
  const Result<Relief> relief = relieve_start(problem, 0.02 * post.bounds().diagonal());
  ASSERT_TRUE(relief.ok()) << relief.error().message();
  EXPECT_EQ(relief->before.touch, Touch::Surfaces);
  EXPECT_GT(relief->depth, 0.0);
}

TEST(RelieveStart, MeasuresTheDefectOfTheDrawer) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const PlanProblem problem =
      at_start(test::read_part("furniture_drawer/drawer_container_bottom.obj"),
               test::read_part("furniture_drawer/drawer_box.obj"));
  const Result<Relief> relief = relieve_start(problem, 1e-9);
  EXPECT_FALSE(relief.ok());
}

}  // namespace
}  // namespace clearance
