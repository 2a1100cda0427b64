// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Motions proven pair by pair of triangles: never more than is true, and as much as is promised.
#include "plan/proof_pairs.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "plan/plan_paths.h"

namespace clearance {
namespace {

using test::model;

// Draws the poses of random_path() to the obstacle, so that about half of the motions hit it.
constexpr double kNearer = 0.85;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

class StopsAtOnce : public Monitor {
 public:
  void progress(std::string_view, double) override {}
  [[nodiscard]] bool cancelled() const override { return true; }
};

/// All of one piece of a path, by pairs alone.
detail::Looks covered(const PlanProblem& problem, const PlanPath& path, std::size_t piece,
                      std::uint64_t operations = kNoLimit, const Monitor* monitor = nullptr) {
  const RigidMotion motion = path.motion(piece);
  const double speed = motion.longest_way(problem.body.bvh());
  const detail::MotionToProve it{
      .obstacles = problem.obstacles,
      .body = problem.body,
      .motion = motion,
      .speed = speed,
      .clearance = problem.clearance,
      .rounding = detail::piece_rounding(problem, motion, speed, path.poses[piece + 1]),
      .used = 0.5};
  detail::Looks looks;
  looks.left = {{0.0, 1.0}};
  Coherence coherence;
  detail::PairProver(problem.obstacles, problem.body)
      .cover(it, detail::turning_between(path.poses[piece], path.poses[piece + 1], path.pivot),
             operations, monitor, coherence, looks);
  return looks;
}

/// A cube above a plate goes across it, so far above, and down by `sinks` on its way.
detail::Looks across_plate(double gap, double sinks, double clearance) {
  PlanProblem problem{model(test::cube(0.1)), model(test::cube(1.0))};
  problem.clearance = clearance;
  const PlanPath path{{},
                      {Pose::translate({0.2, 0.4, 1.0 + gap}),
                       {rotation_about({0.0, 0.0, 1.0}, 1.0), {0.7, 0.4, 1.0 + gap - sinks}}}};
  return covered(problem, path, 0);
}

TEST(PairProver, ProvesHalfOfAGapAlongWhichABodySlidesAndTurns) {
  for (const double gap : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const detail::Looks looks = across_plate(gap, 0.0, 0.0);
    EXPECT_EQ(looks.status, ProofStatus::Free) << gap;
    EXPECT_TRUE(looks.left.empty());
    EXPECT_LE(looks.lower, gap * (1.0 + 1e-6));
    EXPECT_GE(looks.lower, 0.5 * gap * (1.0 - 1e-3));
    // Looks alone would take a motion of half a metre apart into 1 / gap of them.
    EXPECT_LT(looks.count, 10U);
    EXPECT_LT(looks.work.triangle_tests, 10'000U);
  }
}

TEST(PairProver, RefusesWhatSinksInOrComesCloserThanTheClearance) {
  EXPECT_EQ(across_plate(1e-4, 1e-4 + 1e-6, 0.0).status, ProofStatus::Refused);
  EXPECT_EQ(across_plate(1e-4, 1e-4 - 1e-6, 0.0).status, ProofStatus::Free);
  EXPECT_NE(across_plate(1e-4, 0.0, 1.01e-4).status, ProofStatus::Free);
  EXPECT_EQ(across_plate(1e-4, 0.0, 0.99e-4).status, ProofStatus::Free);
}

TEST(PairProver, KnowsTheBulgeOfAnArcBetweenTheEnds) {
  // The corner of a bar is lowest half way through a turn of 2 rad about its other end, by
  // 1 - cos(1) of its length less than at the ends; a plate stands just below or just above.
  for (const double gap : {1e-3, 1e-6, -1e-6}) {
    const Mesh bar = test::box({-1.0, -0.05, -0.05}, {0.0, 0.05, 0.0});
    const double lowest = std::sqrt(1.0 + 0.05 * 0.05);
    const double floor = -lowest - gap;
    const PlanProblem problem{model(bar),
                              model(test::box({-3.0, -3.0, floor - 1.0}, {3.0, 3.0, floor}))};
    const auto turned = [](double angle) {
      return Pose{rotation_about({0.0, 1.0, 0.0}, -angle), {}};
    };
    const double half = std::numbers::pi / 2.0;
    const PlanPath path{{}, {turned(half - 1.0), turned(half + 1.0)}};
    const detail::Looks looks = covered(problem, path, 0);
    EXPECT_EQ(looks.status, gap > 0.0 ? ProofStatus::Free : ProofStatus::Refused) << gap;
    if (gap > 0.0) {
      EXPECT_LE(looks.lower, gap * (1.0 + 1e-6));
    }
  }
}

/// With a needle, a segment and a point that stick out; nothing that is a solid.
Mesh with_degenerate(const Mesh& mesh, double reach) {
  const Mesh extra =
      Mesh::make({{0.0, 0.0, reach}, {0.0, 0.0, 0.0}, {1e-9, 0.0, 0.5 * reach}, {0.0, reach, 0.0}},
                 {{0, 1, 2}, {1, 3, 1}, {3, 3, 3}})
          .value();
  return test::together({mesh, extra});
}

TEST(PairProver, NeverProvesMoreThanDenseSamplesShowAndDecidesAsLooksDo) {
  Random random(61);
  int free = 0;
  constexpr int kPaths = 300;
  for (int n = 0; n < kPaths; ++n) {
    PlanProblem problem = test::cube_and_ball(n % 3 == 0 ? 0.1 : 0.0);
    if (n % 2 == 0) {
      problem.body = model(with_degenerate(test::cube(), 1.3));
      problem.obstacles = model(with_degenerate(test::uv_sphere(0.5, 8, {0.2, 0.1, 0.0}), 0.8));
    }
    // Far from the origin the numbers are rounder.
    const Vec3 away = n % 5 == 0 ? Vec3{1e4, -3e4, 2e4} : Vec3{};
    PlanPath path = test::random_path(random, 1);
    for (Pose& pose : path.poses) pose.translation *= kNearer;
    if (n % 5 == 0) {
      problem.obstacles = model(transformed(problem.obstacles.mesh(), Pose::translate(away)));
      for (Pose& pose : path.poses) pose.translation += away;
    }
    const detail::Looks looks = covered(problem, path, 0);
    Coherence coherence;
    Work work;
    EXPECT_EQ(looks.status, prove_motion(problem, path.motion(0), 1'000'000, coherence, work)) << n;
    const RigidMotion motion = path.motion(0);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 400; ++i) {
      const Distance d =
          distance(problem.obstacles.bvh(), problem.body.bvh(), motion.at(i / 400.0));
      least = std::min(least, d.distance);
    }
    if (looks.status == ProofStatus::Free) {
      ++free;
      EXPECT_TRUE(looks.left.empty());
      EXPECT_GT(looks.lower, problem.clearance);
      EXPECT_LE(looks.lower, least * (1.0 + 1e-9)) << n;
      EXPECT_GE(looks.lower, problem.clearance + 0.49 * (least - problem.clearance) - 0.03) << n;
    }
  }
  EXPECT_GT(free, kPaths * 3 / 10);
  EXPECT_LT(free, kPaths * 7 / 10);
}

TEST(PairProver, GivesUpWhenItIsOutOfOperationsOrCancelled) {
  PlanProblem problem{model(test::cube(0.1)), model(test::cube(1.0))};
  const PlanPath path{{},
                      {Pose::translate({0.2, 0.4, 1.0001}), Pose::translate({0.7, 0.4, 1.0001})}};
  EXPECT_EQ(covered(problem, path, 0).status, ProofStatus::Free);
  EXPECT_EQ(covered(problem, path, 0, 10).status, ProofStatus::Undecided);
  const StopsAtOnce monitor;
  EXPECT_EQ(covered(problem, path, 0, kNoLimit, &monitor).status, ProofStatus::Cancelled);
}

}  // namespace
}  // namespace clearance
