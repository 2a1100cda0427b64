// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/plan/proof.h>

#include "plan/plan_paths.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::box;
using test::cube;
using test::cube_and_ball;
using test::model;
using test::random_path;
using test::straight;
using test::unit_cube_among;

TEST(ProvePath, PastABoxKnowsTheClearance) {
  // The box ends at y = 1, the cube passes at y = 1.25.
  const PlanProblem problem = unit_cube_among(cube());
  const PathProof proof = prove_path(problem, straight({-5.0, 1.25, 0.1}, {5.0, 1.25, 0.1}));
  EXPECT_EQ(proof.status, ProofStatus::Free);
  EXPECT_DOUBLE_EQ(proof.clearance_upper, 0.25);
  EXPECT_GE(proof.clearance_lower, 0.125 * (1.0 - 1e-6));
  EXPECT_LE(proof.clearance_lower, 0.25);
  EXPECT_EQ(proof.narrowest.piece, 0U);
  EXPECT_NEAR(proof.narrowest.time, 0.5, 0.1);
  EXPECT_NEAR(proof.on_obstacle.y, 1.0, 1e-12);
  EXPECT_NEAR(proof.on_body.y, 1.25, 1e-12);
  EXPECT_EQ(proof.looks, proof.samples.size());
  EXPECT_TRUE(std::is_sorted(proof.samples.begin(), proof.samples.end(),
                             [](const auto& a, const auto& b) { return a.time < b.time; }));
}

TEST(ProvePath, InTheOpenOneLookCoversAPiece) {
  const PlanProblem problem = unit_cube_among(cube());
  const PathProof proof = prove_path(problem, straight({100.0, 0.0, 0.0}, {110.0, 3.0, 1.0}));
  EXPECT_EQ(proof.status, ProofStatus::Free);
  // The start, the end and the middle.
  EXPECT_EQ(proof.looks, 3U);
}

TEST(ProvePath, ClearanceIsKeptOrRefused) {
  const PlanPath path = straight({-5.0, 1.25, 0.0}, {5.0, 1.25, 0.0});
  EXPECT_EQ(prove_path(unit_cube_among(cube(), 0.2499), path).status, ProofStatus::Free);
  EXPECT_EQ(prove_path(unit_cube_among(cube(), 0.2501), path).status, ProofStatus::Refused);
  // Equal to the clearance is not farther than it.
  EXPECT_NE(prove_path(unit_cube_among(cube(), 0.25), path).status, ProofStatus::Free);
  const PathProof free = prove_path(unit_cube_among(cube(), 0.2), path);
  EXPECT_GE(free.clearance_lower, 0.2249);
}

TEST(ProvePath, PushedIntoTheObstacleByAMicrometreIsRefused) {
  const PlanProblem problem = unit_cube_among(cube());
  const PlanPath beside = straight({-1e-3, 1.0 + 1e-6, 0.3}, {1e-3, 1.0 + 1e-6, 0.3});
  EXPECT_EQ(prove_path(problem, beside).status, ProofStatus::Free);
  const PathProof pushed = prove_path(problem, straight({-5.0, 1.0 - 1e-6, 0.3}, {5.0, 1.0, 0.3}));
  EXPECT_EQ(pushed.status, ProofStatus::Refused);
  // Where the faces meet first: the cube has gone 4 of 10.
  EXPECT_NEAR(pushed.narrowest.time, 0.4, 2e-3);
  EXPECT_EQ(pushed.clearance_lower, 0.0);
  EXPECT_NE(pushed.obstacle_triangle, kNoTriangle);
  // Head on, no more than a micrometre.
  const PathProof touched = prove_path(problem, straight({5.0, 0.0, 0.0}, {1.0 - 1e-6, 0.0, 0.0}));
  EXPECT_EQ(touched.status, ProofStatus::Refused);
  EXPECT_EQ(prove_path(problem, straight({5.0, 0.0, 0.0}, {1.0 + 1e-6, 0.0, 0.0})).status,
            ProofStatus::Free);
}

TEST(ProvePath, FindsAThinPlateBetweenSamples) {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const double x = random.uniform(2.0, 90.0);
    const PlanProblem problem = unit_cube_among(box({x, -3.0, -3.0}, {x + 1e-6, 3.0, 3.0}));
    const PathProof proof = prove_path(problem, straight({0.0, 0.0, 0.0}, {100.0, 0.0, 0.0}));
    EXPECT_EQ(proof.status, ProofStatus::Refused);
    EXPECT_NEAR(proof.narrowest.time, (x - 1.0) / 100.0, 2e-3);
  }
}

TEST(ProvePath, ReportsTheFirstRefusalOfThePath) {
  // Plates at 20, 60 and 70; the pieces are 10 long.
  const PlanProblem problem = unit_cube_among(test::together(
      {box({60.0, -3.0, -3.0}, {60.1, 3.0, 3.0}), box({20.0, -3.0, -3.0}, {20.1, 3.0, 3.0}),
       box({70.0, -3.0, -3.0}, {70.1, 3.0, 3.0})}));
  PlanPath path;
  path.pivot = test::kCubeMiddle;
  for (int i = 0; i <= 10; ++i) path.poses.push_back(Pose::translate({10.0 * i, 0.0, 0.0}));
  const PathProof proof = prove_path(problem, path);
  EXPECT_EQ(proof.status, ProofStatus::Refused);
  EXPECT_EQ(proof.narrowest.piece, 1U);
  EXPECT_NEAR(proof.narrowest.time, 0.9, 2e-3);
  EXPECT_EQ(proof.samples.back().piece, 1U);
}

TEST(ProvePath, ACubeInsideACubeIsRefused) {
  const PlanProblem problem = unit_cube_among(cube(10.0, {-5.0, -5.0, -5.0}));
  const PathProof proof = prove_path(problem, straight({-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
  EXPECT_EQ(proof.status, ProofStatus::Refused);
  EXPECT_EQ(proof.clearance_upper, 0.0);
  // A box without its lid is a surface: the cube may be in it.
  const PlanProblem open = unit_cube_among(test::without(cube(10.0, {-5.0, -5.0, -5.0}), {0, 1}));
  EXPECT_EQ(prove_path(open, straight({-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0})).status,
            ProofStatus::Free);
}

TEST(ProvePath, PiecesWithoutLengthAndPathsOfOnePose) {
  const PlanProblem problem = unit_cube_among(cube());
  PlanPath path = straight({0.0, 1.5, 0.0}, {0.0, 1.5, 0.0});
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Free);
  EXPECT_DOUBLE_EQ(prove_path(problem, path).clearance_upper, 0.5);
  path.poses.pop_back();
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Free);
  path.poses.front().translation.y = 0.5;
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Refused);
  path.poses.clear();
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Undecided);
}

TEST(ProvePath, PosesThatAreNotRigidAreNeverFree) {
  const PlanProblem problem = unit_cube_among(cube());
  PlanPath path = straight({0.0, 5.0, 0.0}, {0.0, 6.0, 0.0});
  path.poses[1].rotation[0].x = 1.1;
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Refused);
  path.poses[1] = Pose::translate({std::nan(""), 0.0, 0.0});
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Refused);
}

TEST(ProvePath, OutOfLooksIsUndecided) {
  const PlanProblem problem = unit_cube_among(cube());
  ProofOptions options;
  options.looks = 50;
  const PlanPath path = straight({-5.0, 1.001, 0.0}, {5.0, 1.001, 0.0});
  EXPECT_EQ(prove_path(problem, path, options).status, ProofStatus::Undecided);
  EXPECT_EQ(prove_path(problem, path).status, ProofStatus::Free);
}

class StopsAtOnce : public Monitor {
 public:
  void progress(std::string_view, double) override {}
  [[nodiscard]] bool cancelled() const override { return true; }
};

TEST(ProvePath, CanBeCancelled) {
  StopsAtOnce monitor;
  ProofOptions options;
  options.monitor = &monitor;
  EXPECT_EQ(prove_path(unit_cube_among(cube()), straight({5, 0, 0}, {9, 0, 0}), options).status,
            ProofStatus::Cancelled);
}

TEST(ProvePath, AgreesWithDenseSampling) {
  const PlanProblem problem = cube_and_ball();
  Random random(20);
  int free = 0;
  constexpr int kPaths = 100;
  for (int n = 0; n < kPaths; ++n) {
    const PlanPath path = random_path(random, 2);
    const PathProof proof = prove_path(problem, path);
    const double least = test::sampled_clearance(problem, path, 200);
    if (proof.status == ProofStatus::Free) {
      ++free;
      EXPECT_GT(least, 0.0);
      EXPECT_LE(proof.clearance_lower, least * (1.0 + 1e-9));
      EXPECT_GT(proof.clearance_lower, 0.0);
      EXPECT_LE(proof.clearance_lower, proof.clearance_upper);
      // Sampling and proof come about as close.
      EXPECT_LE(least * 0.49, proof.clearance_upper);
    } else {
      EXPECT_EQ(proof.status, ProofStatus::Refused);
      // Two samples are at most some hundredths apart.
      EXPECT_LT(least, 0.05);
    }
  }
  EXPECT_GT(free, kPaths * 3 / 10);
  EXPECT_LT(free, kPaths * 7 / 10);
}

TEST(ProvePath, SameBitsForAnyNumberOfThreads) {
  const PlanProblem problem = cube_and_ball();
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    const PlanPath path = random_path(random, 1 + n % 7);
    PathProof first;
    for (const int threads : {1, 2, 5}) {
      ProofOptions options;
      options.threads.count = threads;
      PathProof proof = prove_path(problem, path, options);
      if (threads == 1) {
        first = std::move(proof);
        continue;
      }
      EXPECT_EQ(proof.status, first.status);
      EXPECT_EQ(proof.looks, first.looks);
      EXPECT_EQ(proof.work, first.work);
      EXPECT_EQ(proof.clearance_lower, first.clearance_lower);
      EXPECT_EQ(proof.clearance_upper, first.clearance_upper);
      EXPECT_EQ(proof.narrowest.time, first.narrowest.time);
      EXPECT_EQ(proof.on_body, first.on_body);
      ASSERT_EQ(proof.samples.size(), first.samples.size());
      for (std::size_t i = 0; i < proof.samples.size(); ++i) {
        EXPECT_EQ(proof.samples[i].piece, first.samples[i].piece);
        EXPECT_EQ(proof.samples[i].time, first.samples[i].time);
        EXPECT_EQ(proof.samples[i].distance, first.samples[i].distance);
      }
    }
  }
}

TEST(ProveMotion, SaysWhatProvePathSays) {
  const PlanProblem problem = cube_and_ball();
  const MotionProver prover(problem);
  Random random(5);
  Coherence coherence;
  std::size_t looks = 0;
  for (int n = 0; n < 100; ++n) {
    const PlanPath path = random_path(random, 1);
    const PathProof proof = prove_path(problem, path);
    Work work;
    EXPECT_EQ(prove_motion(problem, path.motion(0), 100000, coherence, work), proof.status);
    EXPECT_EQ(prover.prove(path.motion(0), 100000, coherence, work), proof.status);
    EXPECT_GT(work.volume_tests, 0U);
    looks += proof.looks;
  }
  EXPECT_GT(looks, 200U);
}

TEST(ProveMotion, ATurnAboutALineFarAwayIsNeverFreeByRounding) {
  // Ends 1e-8 inside, which poses computed about a point 1e9 away can miss by ten times as much.
  Random random(11);
  for (int i = 0; i < 50; ++i) {
    const Vec3 point{random.uniform(-0.5e9, 0.5e9), random.uniform(0.5e9, 1e9), 0.0};
    const double angle = random.uniform(3.0, 4.0) / point.y;
    // The corner of the cube that is farthest to the left at the end.
    const long double turn = -angle;
    const long double left = point.x + std::cos(turn) * (5.0L - point.x) +
                             std::sin(turn) * static_cast<long double>(point.y);
    const PlanProblem problem =
        unit_cube_among(box({-10.0, -9.0, -9.0}, {static_cast<double>(left) + 1e-8, 9.0, 9.0}));
    const RigidMotion motion = RigidMotion::about_axis(Pose::translate({5.0, 0.0, 0.0}), point,
                                                       {0.0, 0.0, 1.0}, -angle, 0.0);
    Coherence coherence;
    Work work;
    EXPECT_NE(prove_motion(problem, motion, 100000, coherence, work), ProofStatus::Free) << i;
  }
}

TEST(ProveMotion, OutOfLooksIsUndecided) {
  const PlanProblem problem = unit_cube_among(cube());
  const PlanPath path = straight({-5.0, 1.001, 0.0}, {5.0, 1.001, 0.0});
  Coherence coherence;
  Work work;
  EXPECT_EQ(prove_motion(problem, path.motion(0), 10, coherence, work), ProofStatus::Undecided);
  EXPECT_EQ(prove_motion(problem, path.motion(0), 0, coherence, work), ProofStatus::Undecided);
  EXPECT_EQ(prove_motion(problem, path.motion(0), 100000, coherence, work), ProofStatus::Free);
}

TEST(MotionProver, ItsBoundHoldsForEveryVertexAndIsNotMuchLarger) {
  const Mesh body = test::uv_sphere(1.0, 20, {0.3, 0.0, 0.0});
  const PlanProblem problem{model(body), model(cube(1.0, {9.0, 9.0, 9.0}))};
  const MotionProver prover(problem);
  Random random(5);
  for (int n = 0; n < 50; ++n) {
    const PlanPath path = random_path(random, 1);
    const RigidMotion motion = path.motion(0);
    const double exact = motion.longest_way(problem.body.bvh());
    EXPECT_GE(prover.longest_way(motion), exact * (1.0 - 1e-9));
    EXPECT_LE(prover.longest_way(motion), exact * 1.4);
  }
}

}  // namespace
}  // namespace clearance
