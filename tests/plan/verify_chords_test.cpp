// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The second opinion by chords: proves only what is true, and most of what is.
#include "plan/verify_chords.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "plan/plan_paths.h"

namespace clearance {
namespace {

using test::model;

// Draws the poses of random_path() to the obstacle, so that about half of the motions hit it.
constexpr double kNearer = 0.85;

bool proven(const PlanProblem& problem, const PlanPath& path,
            std::uint64_t operations = std::numeric_limits<std::uint64_t>::max()) {
  const RigidMotion motion = path.motion(0);
  // The angle by another way than the code's: the trace of the rotation.
  const Mat3 turn = path.poses[1].rotation * transpose(path.poses[0].rotation);
  const double cosine = 0.5 * (turn[0].x + turn[1].y + turn[2].z - 1.0);
  const double angle = std::acos(std::clamp(cosine, -1.0, 1.0));
  Work work;
  const bool result = detail::ChordCheck(problem).proves(
      {[&](double time) { return motion.at(time); }, path.pivot, angle, 1e-12}, 0.0, 1.0,
      operations, nullptr, work);
  EXPECT_GT(work.volume_tests, 0U);
  return result;
}

TEST(ChordCheck, ProvesAGapThatABodySlidesAlongAndNoneItSinksThrough) {
  const auto across = [](double gap, double sinks, double clearance) {
    PlanProblem problem{model(test::cube(0.1)), model(test::cube(1.0))};
    problem.clearance = clearance;
    return proven(problem,
                  {{},
                   {Pose::translate({0.2, 0.4, 1.0 + gap}),
                    {rotation_about({0.0, 0.0, 1.0}, 1.0), {0.7, 0.4, 1.0 + gap - sinks}}}});
  };
  for (const double gap : {1e-2, 1e-4, 1e-6}) EXPECT_TRUE(across(gap, 0.0, 0.0)) << gap;
  EXPECT_FALSE(across(1e-4, 1e-4 + 1e-6, 0.0));
  EXPECT_TRUE(across(1e-4, 1e-4 - 1e-6, 0.0));
  EXPECT_FALSE(across(1e-4, 0.0, 1.01e-4));
  EXPECT_TRUE(across(1e-4, 0.0, 0.99e-4));
}

TEST(ChordCheck, AgreesWithDenseSamples) {
  Random random(62);
  int free = 0;
  constexpr int kPaths = 300;
  for (int n = 0; n < kPaths; ++n) {
    const PlanProblem problem = test::cube_and_ball(n % 3 == 0 ? 0.1 : 0.0);
    PlanPath path = test::random_path(random, 1);
    for (Pose& pose : path.poses) pose.translation *= kNearer;
    const RigidMotion motion = path.motion(0);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 400; ++i) {
      const Distance d =
          distance(problem.obstacles.bvh(), problem.body.bvh(), motion.at(i / 400.0));
      least = std::min(least, d.distance);
    }
    const bool result = proven(problem, path);
    free += result ? 1 : 0;
    if (result) {
      EXPECT_GT(least, problem.clearance) << n;
    } else {
      // No point goes farther than this between two samples.
      EXPECT_LT(least, problem.clearance + 0.03) << n;
    }
  }
  EXPECT_GT(free, kPaths * 3 / 10);
  EXPECT_LT(free, kPaths * 7 / 10);
}

TEST(ChordCheck, TrianglesSoSmallThatTheirNormalsVanishAreKeptClearOf) {
  // A normal of 1e-200 has a length of zero when squared: no gap along it says anything.
  for (const double size : {1e-70, 1e-78, 1e-80, 1e-82, 1e-100, 0.0}) {
    const Mesh speck =
        Mesh::make({{0.0, 0.0, 0.0}, {size, 0.0, 0.0}, {0.0, size, 0.0}}, {{0, 1, 2}}).value();
    PlanProblem problem{model(test::cube(0.1)), model(speck)};
    const PlanPath path{
        {}, {Pose::translate({-0.3, -0.05, 0.05}), Pose::translate({0.3, -0.05, 0.05})}};
    problem.clearance = 0.0501;
    EXPECT_FALSE(proven(problem, path)) << size;
    problem.clearance = 0.0499;
    EXPECT_TRUE(proven(problem, path)) << size;
  }
}

TEST(ChordCheck, SaysNoWhenItIsOutOfOperations) {
  const PlanProblem problem{model(test::cube(0.1)), model(test::cube(1.0))};
  const PlanPath path{{},
                      {Pose::translate({0.2, 0.4, 1.0001}), Pose::translate({0.7, 0.4, 1.0001})}};
  EXPECT_TRUE(proven(problem, path));
  EXPECT_FALSE(proven(problem, path, 10));
}

}  // namespace
}  // namespace clearance
