// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads: found by the shapes alone, whatever the axis and the hand, and followed until out.
#include "plan/screw.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/plan/plan.h>
#include <clearance/plan/proof.h>
#include <clearance/plan/verify.h>

#include "plan/assembly_parts.h"

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
    // Facets of 45 degrees of the wave are out of step with it by a few percent.
    EXPECT_NEAR(screw->pitch, mirrored ? -0.8 : 0.8, 0.05);
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
    const bool bolt_moves = mirrored;
    const PlanProblem problem = threaded(askew(), mirrored, bolt_moves);
    PlanOptions one;
    one.threads = {1};
    const Plan plan = plan_path(problem, one);
    ASSERT_EQ(plan.status, PlanStatus::Found);
    EXPECT_EQ(plan.method, "screw");
    EXPECT_EQ(plan.proof.status, ProofStatus::Free);
    EXPECT_FALSE(plan.proof.samples.empty());
    EXPECT_TRUE(is_out(problem, plan.path.poses.back()));
    EXPECT_TRUE(verify_path(problem, plan.path).holds());
    PlanOptions two = one;
    two.threads = {2};
    const Plan again = plan_path(problem, two);
    EXPECT_EQ(again.path.poses, plan.path.poses);
    EXPECT_EQ(again.operations, plan.operations);
    EXPECT_EQ(again.proof.clearance_lower, plan.proof.clearance_lower);
  }
}

TEST(Screw, IsFollowedOutOfEitherThreadAtThePitchItHas) {
  for (const bool mirrored : {false, true}) {
    for (const bool bolt_moves : {false, true}) {
      const Pose pose = askew();
      const PlanProblem problem = threaded(pose, mirrored, bolt_moves);
      const detail::ScrewWay way = detail::way_by_screw(problem, {});
      ASSERT_FALSE(way.poses.empty());
      EXPECT_TRUE(is_out(problem, way.poses.back()));
      // Felt for in the middle of the play, whatever the facets showed.
      EXPECT_NEAR(way.pitch, mirrored ? -0.8 : 0.8, 0.01);
      // The head is at the lower end: the nut leaves upward, the bolt down.
      EXPECT_GT(dot(way.axis, pose.rotation * Vec3{0.0, 0.0, bolt_moves ? -1.0 : 1.0}), 0.9999);
    }
  }
}

TEST(Screw, IsGivenUpWhenOutOfOperationsOrCancelled) {
  const PlanProblem problem = threaded(Pose::identity(), false, false);
  const detail::ScrewWay all = detail::way_by_screw(problem, {});
  ASSERT_FALSE(all.poses.empty());
  const std::uint64_t used = all.work.volume_tests + all.work.triangle_tests;
  const detail::ScrewWay half = detail::way_by_screw(problem, {used / 2, nullptr});
  EXPECT_TRUE(half.poses.empty());
  EXPECT_LT(half.work.volume_tests + half.work.triangle_tests, used);
  class StopsAtOnce : public Monitor {
   public:
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  };
  const StopsAtOnce monitor;
  EXPECT_TRUE(detail::way_by_screw(problem, {.monitor = &monitor}).poses.empty());
}

PlanProblem m16() {
  const std::string folder = "factory_nut_bolt_m16/";
  return {.body = model(test::read_part(folder + "factory_nut_m16_loose_subdiv_3x.obj")),
          .obstacles = model(test::read_part(folder + "factory_bolt_m16_loose.obj")),
          .start = Pose::translate({0.0, 0.0, 0.002})};
}

TEST(VerifyPath, HoldsTheM16NutsWayAndRefusesItPushedIntoAFlank) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const PlanProblem problem = m16();
  // A quarter of a turn at the pitch of 2 mm; and one that is 0.12 mm too high at its end, where
  // the play is 0.1 mm.
  const auto quarter = [&](double end) {
    const double turn = 1.5707963267948966;
    return PlanPath{pivot_of(problem.body),
                    {problem.start, {rotation_about({0.0, 0.0, 1.0}, turn), {0.0, 0.0, end}}}};
  };
  const PathCheck check = verify_path(problem, quarter(0.0025));
  EXPECT_EQ(check.status, ProofStatus::Free);
  // By queries of the whole bodies alone it takes thousands.
  EXPECT_LT(check.checks, 300U);
  EXPECT_EQ(verify_path(problem, quarter(0.00262)).status, ProofStatus::Refused);
}

TEST(ProvePath, ProvesTwoTurnsOfTheM16NutPairByPair) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const PlanProblem problem = m16();
  PlanPath path{pivot_of(problem.body), {problem.start}};
  for (int i = 1; i <= 8; ++i) {
    const double turns = 0.25 * i;
    path.poses.push_back({rotation_about({0.0, 0.0, 1.0}, 6.283185307179586 * turns),
                          {0.0, 0.0, 0.002 + 0.002 * turns}});
  }
  const PathProof proof = prove_path(problem, path);
  EXPECT_EQ(proof.status, ProofStatus::Free);
  // By looks alone it takes thousands.
  EXPECT_LT(proof.looks, 20U);
  EXPECT_GE(proof.clearance_lower, 0.49 * proof.clearance_upper);
  EXPECT_LT(proof.clearance_upper, 1e-4);
  path.poses.back().translation.z += 1.2e-4;
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Refused);
}

}  // namespace
}  // namespace clearance
