// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/plan/directions.h>
#include <clearance/plan/proof.h>

#include "plan/assembly_parts.h"

namespace clearance {
namespace {

using test::box;
using test::model_of;

PlanProblem out_of(const Mesh& body, const Mesh& obstacles, const Pose& start = {},
                   double clearance = 0.0) {
  return {model_of(body), model_of(obstacles), start, {}, {}, clearance};
}

/// A square peg of half width 0.3 in a blind hole of half width 0.3 + play.
PlanProblem peg(double play) {
  return out_of(box({-0.3, -0.3, -0.79}, {0.3, 0.3, 0.5}), test::blind_hole(0.3 + play));
}

/// A cube in a closed box, with room to move but no way out.
PlanProblem caught() {
  return out_of(box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), test::hollow_box(0.6));
}

TEST(TryDirection, ProvesAFreeWayWithItsClearance) {
  const PlanProblem problem = peg(0.01);
  const Way way = try_direction(problem, {0, 0, 1});
  EXPECT_EQ(way.status, WayStatus::Free);
  EXPECT_GT(way.clearance_lower, 0.0);
  EXPECT_LE(way.clearance_lower, way.clearance_upper);
  EXPECT_NEAR(way.clearance_upper, 0.01, 1e-9);
  EXPECT_NEAR(way.length, 0.79, 1e-6);  // from -0.79 to the top at 0
  const PlanPath path = way.path(problem);
  EXPECT_TRUE(is_out(problem, path.poses.back()));
}

TEST(TryDirection, GivesAPoseThatCollidesAsCertificate) {
  const PlanProblem problem = peg(0.01);
  DirectionOptions options;
  options.how_far = true;
  const Way way = try_direction(problem, {1, 0, 0.2}, options);
  ASSERT_EQ(way.status, WayStatus::Blocked);
  Pose there = problem.start;
  there.translation += way.blocked_at * way.direction;
  EXPECT_TRUE(collide(problem.obstacles, problem.body, there).hit);
  EXPECT_NE(way.obstacle_triangle, kNoTriangle);
  // The peg has 0.01 of play along x.
  EXPECT_NEAR(way.reached * way.direction.x, 0.01, 1e-4);
  EXPECT_LE(way.reached, way.blocked_at);
}

// A start that is a rotation to seven digits only: the transpose taken for its inverse, the swept
// body rose by 5e-6 m on the way to a threshold, and passed it.
TEST(TryDirection, SweepsTheBodyStraightFromAStartThatIsNotQuiteARotation) {
  const Mesh obstacles = test::together({box({-0.5, 0.5, -1.0}, {0.5, 1.0, 1.0}),
                                         box({6.0, -1.0, -1.0}, {6.01, 2e-6, 1.0}),
                                         box({9.0, 0.5, -1.0}, {10.0, 1.0, 1.0})});
  Pose start;
  start.rotation[0][1] = start.rotation[1][0] = 4e-7;
  const PlanProblem problem = out_of(box({-0.1, 0.0, -0.1}, {0.1, 0.2, 0.1}), obstacles, start);
  EXPECT_EQ(try_direction(problem, {1, 0, 0}).status, WayStatus::Blocked);
  PlanProblem exact = problem;
  exact.start = {};
  EXPECT_EQ(try_direction(exact, {1, 0, 0}).status, WayStatus::Blocked);
}

TEST(TryDirection, KeepsTheClearanceAskedFor) {
  PlanProblem problem = peg(0.01);
  problem.clearance = 0.009;
  EXPECT_EQ(try_direction(problem, {0, 0, 1}).status, WayStatus::Free);
  problem.clearance = 0.0;
  // 0.5 degrees off the axis the peg comes nearer to the wall: 0.8 * 0.0087 = 0.007 of the 0.01.
  EXPECT_EQ(try_direction(problem, {0.0087, 0, 1}).status, WayStatus::Free);
  problem.clearance = 0.005;
  EXPECT_EQ(try_direction(problem, {0.0087, 0, 1}).status, WayStatus::Blocked);
}

TEST(TryDirection, AgreesWithTheProofOfThePathAlongRandomDirections) {
  // A ring around a bent rod among balls: free and blocked ways of all sorts.
  const Mesh rod = test::together(
      {box({-0.1, -0.1, -2.0}, {0.1, 0.1, 0.05}), box({-0.1, -0.1, -0.05}, {2.0, 0.1, 0.1}),
       test::uv_sphere(0.3, 6, {0.5, 1.5, 0.8}), test::uv_sphere(0.01, 3, {-1.0, -1.0, -1.0})});
  const PlanProblem problem =
      out_of(test::ring(0.3, 0.6, -0.1, 0.1, 12), rod, Pose::translate({0.0, 0.0, -0.8}));
  Random random(5);
  std::size_t free = 0;
  constexpr std::size_t kTries = 200;
  for (std::size_t i = 0; i < kTries; ++i) {
    const Vec3 u{random.uniform(-0.25, 0.25), random.uniform(-0.25, 0.25), -1.0};
    const Way way = try_direction(problem, u);
    const PathProof proof = prove_path(problem, way.path(problem));
    ASSERT_NE(way.status, WayStatus::Undecided);
    EXPECT_EQ(way.status == WayStatus::Free, proof.status == ProofStatus::Free);
    if (way.status != WayStatus::Free) continue;
    ++free;
    EXPECT_LE(proof.clearance_lower, way.clearance_upper * (1.0 + 1e-9));
    EXPECT_GE(proof.clearance_upper, way.clearance_lower * (1.0 - 1e-9));
    const PathProof own = proof_of(problem, way);
    EXPECT_EQ(own.status, ProofStatus::Free);
    EXPECT_NEAR(own.clearance_upper, own.clearance_lower, 1e-9);
    EXPECT_EQ(own.narrowest.distance, own.clearance_upper);
  }
  EXPECT_GT(free, kTries / 10);
  EXPECT_LT(free, kTries * 9 / 10);
}

TEST(RemoveStraight, TakesThePegOutOfTheBlindHole) {
  const PlanProblem problem = peg(1e-3);
  const Removal removal = remove_straight(problem);
  ASSERT_TRUE(removal.found);
  EXPECT_GT(removal.ways[removal.best].direction.z, 0.999);
  EXPECT_GT(removal.blocked, 100U);
}

TEST(RemoveStraight, FindsTheAxisOfATiltedHoleWithLittlePlay) {
  // A round peg of 0.3 m with 20 um of play, tilted every which way: only the axis will do.
  const Pose tilt{rotation_from_rpy(0.7, -0.4, 1.1), {0.3, -2.0, 5.0}};
  const Mesh hole = transformed(test::ring(0.30002, 1.0, -1.0, 0.0, 96), tilt);
  const PlanProblem problem = out_of(test::ring(0.0, 0.3, -0.9, 0.2, 96), hole, tilt);
  const Removal removal = remove_straight(problem);
  ASSERT_TRUE(removal.found);
  const Vec3 axis = tilt.rotation * Vec3{0, 0, 1};
  EXPECT_GT(std::abs(dot(removal.ways[removal.best].direction, axis)), 1.0 - 1e-9);
  EXPECT_GT(removal.ways[removal.best].clearance_lower, 0.0);
}

TEST(RemoveStraight, HasACertificateForEveryDirectionOfAStuckBody) {
  const PlanProblem problem = caught();
  const Removal removal = remove_straight(problem);
  EXPECT_FALSE(removal.found);
  EXPECT_EQ(removal.blocked, removal.ways.size());
  for (const Way& way : removal.ways) {
    Pose there = problem.start;
    there.translation += way.blocked_at * way.direction;
    EXPECT_TRUE(collide(problem.obstacles, problem.body, there).hit);
  }
}

TEST(RemoveStraight, GivesTheSameForAnyNumberOfThreads) {
  const PlanProblem problem = peg(1e-3);
  DirectionOptions one;
  one.threads = {1};
  DirectionOptions three;
  three.threads = {3};
  const Removal a = remove_straight(problem, one);
  const Removal b = remove_straight(problem, three);
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.work, b.work);
  ASSERT_EQ(a.ways.size(), b.ways.size());
  for (std::size_t i = 0; i < a.ways.size(); ++i) {
    EXPECT_EQ(a.ways[i].blocked_at, b.ways[i].blocked_at);
    EXPECT_EQ(a.ways[i].clearance_lower, b.ways[i].clearance_lower);
  }
}

/// The evidence is what it says: the body overlaps all over a ball, and collides somewhere along
/// any direction of a cell; and where all is proven, every direction has its evidence.
void expect_sound(const PlanProblem& problem, const StuckProof& proof) {
  Random random(3);
  const auto any_direction = [&] {
    return normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
  };
  for (std::size_t i = 0; i < proof.balls.size(); i += proof.balls.size() / 40 + 1) {
    const BlockedBall& ball = proof.balls[i];
    for (int k = 0; k < 4; ++k) {
      Pose there = problem.start;
      there.translation += ball.translation + 0.999 * ball.radius * any_direction();
      EXPECT_TRUE(collide(problem.obstacles, problem.body, there).hit);
    }
  }
  const std::size_t stride = proof.blocked_cells.size() / 20 + 1;
  for (std::size_t i = 0; i < proof.blocked_cells.size(); i += stride) {
    const auto& [a, b, c] = proof.blocked_cells[i].corners;
    const Vec3 within = random.uniform(0, 1) * a + random.uniform(0, 1) * b + 0.1 * c;
    EXPECT_EQ(try_direction(problem, within).status, WayStatus::Blocked);
  }
  if (!proof.all) return;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 u = any_direction();
    const bool in_ball =
        std::any_of(proof.balls.begin(), proof.balls.end(), [&](const BlockedBall& ball) {
          return norm(cross(u, ball.translation)) < ball.radius && dot(u, ball.translation) > 0.0;
        });
    const bool in_cell = std::any_of(
        proof.blocked_cells.begin(), proof.blocked_cells.end(), [&](const BlockedCell& cell) {
          const auto& [a, b, c] = cell.corners;
          const double side = dot(a, cross(b, c)) > 0.0 ? 1.0 : -1.0;
          return side * dot(u, cross(a, b)) >= -1e-12 && side * dot(u, cross(b, c)) >= -1e-12 &&
                 side * dot(u, cross(c, a)) >= -1e-12;
        });
    EXPECT_TRUE(in_ball || in_cell);
  }
}

TEST(ProveStuck, ProvesACubeInAClosedBoxStuckInAllDirections) {
  const PlanProblem problem = caught();
  const StuckProof proof = prove_stuck(problem);
  EXPECT_TRUE(proof.all);
  EXPECT_EQ(proof.fraction, 1.0);
  EXPECT_FALSE(proof.open_direction.has_value());
  expect_sound(problem, proof);
}

TEST(ProveStuck, ProvesThinPartsStuckAsWell) {
  // A plate of 1 mm in a box of 1 m with walls of 20 mm: overlaps are shallow, cones narrow.
  const PlanProblem problem =
      out_of(box({-0.3, -0.3, -5e-4}, {0.3, 0.3, 5e-4}), test::hollow_box(0.98));
  const StuckProof proof = prove_stuck(problem);
  EXPECT_TRUE(proof.all) << proof.fraction << " after " << proof.cells;
  expect_sound(problem, proof);
}

TEST(ProveStuck, LeavesTheConeOfAPegInABlindHoleOpen) {
  const PlanProblem problem = peg(0.01);
  const StuckProof proof = prove_stuck(problem);
  EXPECT_FALSE(proof.all);
  EXPECT_GT(proof.fraction, 0.98);
  EXPECT_LT(proof.fraction, 1.0);
  ASSERT_TRUE(proof.open_direction.has_value());
  EXPECT_GT(proof.open_direction->z, 0.98);
  expect_sound(problem, proof);
}

TEST(ProveStuck, ProvesOpenSurfacesStuckWhereTheyCannotPass) {
  // A sheet in a box that lacks a triangle smaller than the sheet.
  const Mesh sheet = Mesh::make({{-0.4, -0.4, 0}, {0.4, -0.4, 0}, {0.4, 0.4, 0}, {-0.4, 0.4, 0}},
                                {{0, 1, 2}, {0, 2, 3}})
                         .value();
  const PlanProblem closed = out_of(sheet, test::hollow_box(0.6));
  const StuckProof proof = prove_stuck(closed);
  EXPECT_TRUE(proof.all) << proof.fraction;
  expect_sound(closed, proof);
}

TEST(ProveStuck, GivesTheSameForAnyNumberOfThreads) {
  StuckOptions one;
  one.threads = {1};
  one.cells = 300;
  StuckOptions three = one;
  three.threads = {3};
  const StuckProof a = prove_stuck(peg(0.01), one);
  const StuckProof b = prove_stuck(peg(0.01), three);
  EXPECT_EQ(a.fraction, b.fraction);
  ASSERT_EQ(a.balls.size(), b.balls.size());
  for (std::size_t i = 0; i < a.balls.size(); ++i) {
    EXPECT_EQ(a.balls[i].translation, b.balls[i].translation);
  }
  EXPECT_EQ(a.blocked_cells.size(), b.blocked_cells.size());
}

TEST(RemoveStraight, TakesTheGearWith13MicrometresOfPlayOffItsShaft) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const PlanProblem problem =
      out_of(test::read_part("factory_gear/factory_gear_small_space_5e-4.obj"),
             test::read_part("factory_gear/factory_gear_base_loose_space_5e-4_subdiv_4x.obj"),
             Pose::translate({0, 0, 0.001}));
  const Removal removal = remove_straight(problem);
  ASSERT_TRUE(removal.found);
  EXPECT_GT(removal.ways[removal.best].direction.z, 0.9999);
  EXPECT_LT(removal.ways[removal.best].clearance_upper, 13e-6);
}

TEST(RemoveStraight, DoesNotPullTheNutOffItsBolt) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const PlanProblem problem =
      out_of(test::read_part("factory_nut_bolt_m16/factory_nut_m16_loose_subdiv_3x.obj"),
             test::read_part("factory_nut_bolt_m16/factory_bolt_m16_loose.obj"),
             Pose::translate({0, 0, 0.002}));
  const Removal removal = remove_straight(problem);
  EXPECT_FALSE(removal.found);
  EXPECT_EQ(removal.blocked, removal.ways.size());
  const StuckProof proof = prove_stuck(problem);
  EXPECT_TRUE(proof.all) << proof.fraction << " of the sphere after " << proof.cells << " cells";
}

/// A coarse nut with 0.03 of play all round on a bolt with a head at its lower end.
PlanProblem nut_on_bolt() {
  return out_of(test::thread(1.05, 0.2, 0.8, -0.6, 0.2, 2.0),
                test::together({test::thread(1.0, 0.2, 0.8, -1.0, 0.6),
                                test::ring(0.0, 2.0, -1.5, -0.9, 24)}));
}

TEST(RemoveByScrew, UnscrewsANut) {
  const PlanProblem problem = nut_on_bolt();
  ASSERT_TRUE(problem.body.is_solid());
  EXPECT_FALSE(remove_straight(problem).found);
  const ScrewRemoval removal = remove_by_screw(problem);
  ASSERT_TRUE(removal.found);
  EXPECT_NEAR(removal.axis.z, 1.0, 1e-6);
  EXPECT_NEAR(removal.pitch, 0.8, 0.02);
  EXPECT_EQ(removal.proof.status, ProofStatus::Free);
  EXPECT_TRUE(is_out(problem, removal.path.poses.back()));
}

TEST(RemoveByScrew, FindsNoThreadInABearing) {
  const PlanProblem problem = out_of(
      test::ring(0.0, 0.29, -0.5, 0.5, 48),
      test::together({test::ring(0.3, 1.0, -0.6, 0.6, 48), test::ring(0.0, 1.0, 0.6, 0.8, 48),
                      test::ring(0.0, 1.0, -0.8, -0.6, 48)}));
  EXPECT_FALSE(remove_by_screw(problem).found);
}

TEST(PartOfTriangle, FindsTheNamedRange) {
  const std::vector<Mesh> meshes{test::cube(), test::cube(1.0, {3, 0, 0})};
  const std::vector<std::string> names{"a", "b"};
  const Mesh both = merged(meshes, names).value();
  EXPECT_EQ(part_of_triangle(both, 11), 0U);
  EXPECT_EQ(part_of_triangle(both, 12), 1U);
  EXPECT_FALSE(part_of_triangle(both, 24).has_value());
}

}  // namespace
}  // namespace clearance
