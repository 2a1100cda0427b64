// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads: found by the shapes alone, whatever the axis and the hand, and proven pair by pair.
#include "plan/screw.h"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/plan/plan.h>
#include <clearance/plan/proof.h>

#include "plan/assembly_parts.h"
#include "plan/proof_pairs.h"

namespace clearance {
namespace {

Mesh mapped(const Mesh& mesh, const Pose& pose, bool mirrored) {
  std::vector<Vec3> vertices;
  for (Vec3 v : mesh.vertices()) {
    if (mirrored) v.x = -v.x;
    vertices.push_back(pose * v);
  }
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  if (mirrored) {
    for (Face& face : faces) std::swap(face[1], face[2]);
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Model model(const Mesh& mesh) { return Model::build(mesh).value(); }

/// The nut of directions_test.cpp on its bolt with a head below, or the bolt out of the nut.
PlanProblem threaded(const Pose& pose, bool mirrored, bool bolt_moves) {
  const Mesh nut = mapped(test::thread(1.05, 0.2, 0.8, -0.6, 0.2, 2.0), pose, mirrored);
  const Mesh bolt = mapped(test::together({test::thread(1.0, 0.2, 0.8, -1.0, 0.6),
                                           test::ring(0.0, 2.0, -1.5, -0.9, 24)}),
                           pose, mirrored);
  return {.body = model(bolt_moves ? bolt : nut), .obstacles = model(bolt_moves ? nut : bolt)};
}

Pose askew() { return {rotation_about(normalized(Vec3{1.0, 2.0, -0.5}), 0.9), {3.0, -1.0, 0.5}}; }

TEST(Screw, IsFoundByShapeAboutAnyAxisAndOfEitherHand) {
  for (const bool mirrored : {false, true}) {
    const Pose pose = askew();
    Work work;
    const auto screw = detail::screw_of(threaded(pose, mirrored, false), work);
    ASSERT_TRUE(screw.has_value());
    const Vec3 axis = pose.rotation * Vec3{0.0, 0.0, 1.0};
    EXPECT_GT(std::abs(dot(screw->axis, axis)), 0.999);
    // Of 24 facets to a turn: a first guess, which is made exact by feeling for the play.
    EXPECT_NEAR(screw->pitch, mirrored ? -0.8 : 0.8, 0.3);
  }
}

TEST(Screw, IsNoneOfARoundPegNorOfABlock) {
  Work work;
  const PlanProblem peg{.body = model(test::ring(0.0, 0.29, -0.5, 0.5, 48)),
                        .obstacles = model(test::ring(0.3, 1.0, -0.6, 0.6, 48))};
  EXPECT_FALSE(detail::screw_of(peg, work).has_value());
  const PlanProblem block{.body = model(test::cube(1.0, {0.0, 0.0, 1.1})),
                          .obstacles = model(test::cube(1.0))};
  EXPECT_FALSE(detail::screw_of(block, work).has_value());
}

TEST(PlanPath, UnscrewsNutsAndBoltsOfEitherHandTheSameForAnyThreads) {
  for (const bool mirrored : {false, true}) {
    for (const bool bolt_moves : {false, true}) {
      const PlanProblem problem = threaded(askew(), mirrored, bolt_moves);
      PlanOptions one;
      one.threads = {1};
      one.improve = false;
      const Plan plan = plan_path(problem, one);
      ASSERT_EQ(plan.status, PlanStatus::Found);
      EXPECT_EQ(plan.method, "screw");
      EXPECT_EQ(prove_path(problem, plan.path).status, ProofStatus::Free);
      EXPECT_TRUE(is_out(problem, plan.path.poses.back()));
      PlanOptions two = one;
      two.threads = {2};
      const Plan again = plan_path(problem, two);
      EXPECT_EQ(again.path.poses, plan.path.poses);
      EXPECT_EQ(again.operations, plan.operations);
    }
  }
}

/// A cube above a plate goes across it, so far above, and down by `sinks` on its way.
detail::Looks across_plate(double gap, double sinks, double clearance) {
  const Model plate = model(test::cube(1.0));
  const Model cube = model(test::cube(0.1));
  const Pose from = Pose::translate({0.2, 0.4, 1.0 + gap});
  const Pose to{rotation_about({0.0, 0.0, 1.0}, 1.0), {0.7, 0.4, 1.0 + gap - sinks}};
  const RigidMotion motion = RigidMotion::interpolated(from, to);
  const detail::MotionToProve it{.obstacles = plate,
                                 .body = cube,
                                 .motion = motion,
                                 .speed = motion.longest_way(cube.bvh()),
                                 .clearance = clearance,
                                 .rounding = 1e-13,
                                 .used = 0.5};
  detail::Looks looks;
  looks.left = {{0.0, 1.0}};
  Coherence coherence;
  detail::PairProver(plate, cube).cover(it, nullptr, coherence, looks);
  return looks;
}

TEST(PairProver, ProvesHalfOfAGapAlongWhichABodySlidesAndTurns) {
  for (const double gap : {1e-2, 1e-4, 1e-6}) {
    const detail::Looks looks = across_plate(gap, 0.0, 0.0);
    EXPECT_EQ(looks.status, ProofStatus::Free) << gap;
    EXPECT_TRUE(looks.left.empty());
    EXPECT_LE(looks.lower, gap * (1.0 + 1e-6));
    EXPECT_GE(looks.lower, 0.5 * gap * (1.0 - 1e-6));
    EXPECT_LT(looks.count, 10U);
  }
}

TEST(PairProver, RefusesWhatSinksInOrComesCloserThanTheClearance) {
  EXPECT_EQ(across_plate(1e-4, 1e-4 + 1e-6, 0.0).status, ProofStatus::Refused);
  EXPECT_EQ(across_plate(1e-4, 1e-4 - 1e-6, 0.0).status, ProofStatus::Free);
  EXPECT_NE(across_plate(1e-4, 0.0, 1.01e-4).status, ProofStatus::Free);
  EXPECT_EQ(across_plate(1e-4, 0.0, 0.99e-4).status, ProofStatus::Free);
}

}  // namespace
}  // namespace clearance
