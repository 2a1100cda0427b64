// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/check/check.h>

#include "check/check_scenes.h"
#include "check/pair_distance.h"

namespace clearance {
namespace {

using namespace clearance::test;

JointPath path_of(const Cell& cell, const RobotProgram& program) {
  return std::move(plan_path(cell, program).value());
}

/// The distance of the nearest pair at a time, one pair after the other.
double distance_at(const ReadyCell& cell, const JointPath& path, double time) {
  const std::vector<Pose> poses = cell.body_poses(path.at(time));
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : cell.matrix.tested) {
    detail::PairMemory memory;
    Work work;
    least = std::min(least, detail::model_distance(cell.bodies[a], cell.bodies[b],
                                                   relative(poses[a], poses[b]), 1e9, memory, work)
                                .distance);
  }
  return least;
}

bool touch_at(const ReadyCell& cell, const BodyPair& pair, const std::vector<double>& values) {
  const std::vector<Pose> poses = cell.body_poses(values);
  return touch(cell.bodies[pair.first], poses[pair.first], cell.bodies[pair.second],
               poses[pair.second]);
}

TEST(CheckPath, FindsAThinWallBetweenFreeWayPoints) {
  // The front of the cube, at x + 0.05, reaches the wall at 0.995; its back leaves it at 1.005.
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("wall", {0.01, 1.0, 1.0}, {1.0, 0.0, 0.0})}));
  ASSERT_EQ(cell.matrix.tested.size(), 1U);
  const JointPath path = path_of(cell.cell, joint_moves({{0.0}, {2.0}}));
  ASSERT_FALSE(touch_at(cell, {0, 1}, {0.0}));
  ASSERT_FALSE(touch_at(cell, {0, 1}, {2.0}));
  const CheckResult result = check_path(cell, path);
  ASSERT_EQ(result.intervals.size(), 1U);
  const ContactInterval& found = result.intervals[0];
  EXPECT_TRUE(found.touches);
  EXPECT_LE(found.from, 0.945);
  EXPECT_GE(found.from, 0.945 - 2e-3);
  EXPECT_GE(found.to, 1.055);
  EXPECT_LE(found.to, 1.055 + 2e-3);
  EXPECT_FALSE(result.is_free());
  // Deepest in the middle: either way out is 0.055.
  ASSERT_TRUE(found.depth);
  EXPECT_NEAR(found.worst_time, 1.0, 0.02);
  EXPECT_LE(found.depth->lower, 0.055 + 1e-9);
  EXPECT_GE(found.depth->upper, 0.055 - 0.02);
  EXPECT_NEAR(found.point.x, 1.0, 0.06);
}

TEST(CheckPath, MatricesThatAreRotationsToSevenDigitsOnlyHideNoContact) {
  // 200 m become 200.0001: the cube ends 2e-5 inside the wall, which the base holds, and would be
  // 8e-5 before it.
  const double scale = 1.0 + 4.9e-7;
  RobotParts parts("base");
  parts.links[0].collision.push_back(
      box_shape({0.01, 1.0, 1.0}, {200.05 * scale - 2e-5 + 0.005, 0.0, 0.0}));
  const Pose origin{scale * Mat3::identity(), {}};
  parts.add("rest", 0, JointKind::Prismatic, {}, {0.0, 0.0, 1.0});
  parts.links[1].collision.push_back(box_shape({0.1, 0.1, 0.1}, {0.0, 0.0, 3.0}));
  parts.add("cube", 1, JointKind::Prismatic, origin, {1.0, 0.0, 0.0});
  parts.links[2].collision.push_back(box_shape({0.1, 0.1, 0.1}));
  for (RobotJoint& joint : parts.joints) {
    joint.lower = -1.0;
    joint.upper = 300.0;
    joint.velocity = 1.0;
  }
  const ReadyCell cell = ready(cell_of(parts.made()));
  ASSERT_EQ(cell.matrix.tested.size(), 1U);
  const JointPath path = path_of(cell.cell, joint_moves({{0.0, 0.0}, {0.0, 200.0}}));
  ASSERT_TRUE(touch_at(cell, cell.matrix.tested[0], {0.0, 200.0}));
  CheckOptions options;
  options.samples = 1;
  EXPECT_FALSE(check_path(cell, path, options).is_free());
}

TEST(CheckPath, ProvesAMotionPastAWallFree) {
  // The cube passes 0.02 m beside the wall.
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("wall", {0.01, 1.0, 1.0}, {1.0, 0.57, 0.0})}));
  const CheckResult result = check_path(cell, path_of(cell.cell, joint_moves({{0.0}, {2.0}})));
  EXPECT_TRUE(result.is_free());
  ASSERT_TRUE(result.least);
  EXPECT_NEAR(result.least->distance, 0.02, 1e-9);
  EXPECT_GT(result.lower, 0.01);
  EXPECT_LE(result.lower, 0.02);
  for (const ClearanceSample& sample : result.samples) EXPECT_LE(sample.lower, sample.distance);
}

TEST(CheckPath, ReportsWhatComesCloserThanTheClearance) {
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("wall", {0.01, 1.0, 1.0}, {1.0, 0.57, 0.0})}));
  CheckOptions options;
  options.clearance = 0.025;
  const CheckResult result =
      check_path(cell, path_of(cell.cell, joint_moves({{0.0}, {2.0}})), options);
  ASSERT_EQ(result.intervals.size(), 1U);
  EXPECT_FALSE(result.intervals[0].touches);
  EXPECT_FALSE(result.intervals[0].depth);
  EXPECT_NEAR(result.intervals[0].distance, 0.02, 1e-6);
  // sqrt(0.025² - 0.02²) = 0.015 before the edges meet.
  EXPECT_NEAR(result.intervals[0].from, 0.945 - 0.015, 2e-3);
  EXPECT_NEAR(result.intervals[0].to, 1.055 + 0.015, 2e-3);
}

TEST(CheckPath, FindsABodySwallowedWhole) {
  // The cube ends inside a closed box, its surface touching nothing then.
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("room", {1.0, 1.0, 1.0}, {2.0, 0.0, 0.0})}));
  const JointPath path = path_of(cell.cell, joint_moves({{0.0}, {2.0}}));
  const CheckResult result = check_path(cell, path);
  ASSERT_EQ(result.intervals.size(), 1U);
  EXPECT_NEAR(result.intervals[0].from, 1.45, 2e-3);
  EXPECT_EQ(result.intervals[0].to, path.duration());
}

TEST(CheckPath, SeesAProgramThatOnlyWaits) {
  Cell cell = cell_of(slider(), {standing("wall", {0.01, 1.0, 1.0}, {0.0, 0.0, 0.0})});
  RobotProgram program = joint_moves({{0.0}});
  EXPECT_EQ(check_path(ready(cell), path_of(cell, program)).intervals.size(), 1U);
  ProgramMove wait;
  wait.kind = MoveKind::Wait;
  wait.seconds = 2.0;
  program.moves = {wait};
  const CheckResult result = check_path(ready(cell), path_of(cell, program));
  ASSERT_EQ(result.intervals.size(), 1U);
  EXPECT_EQ(result.intervals[0].from, 0.0);
  EXPECT_EQ(result.intervals[0].to, 2.0);
}

TEST(CheckPath, IsCancelled) {
  class Stop : public Monitor {
   public:
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  };
  Stop stop;
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("wall", {0.01, 1.0, 1.0}, {1.0, 0.0, 0.0})}));
  CheckOptions options;
  options.monitor = &stop;
  const CheckResult result =
      check_path(cell, path_of(cell.cell, joint_moves({{0.0}, {2.0}})), options);
  EXPECT_FALSE(result.complete);
  EXPECT_FALSE(result.is_free());
}

/// Arms among boxes at random, moving through random way-points.
class RandomCells : public testing::Test {
 protected:
  static ReadyCell random_cell(Random& random) {
    std::vector<CellBody> bodies;
    for (int i = 0; i < 4; ++i) {
      const Vec3 at{random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), random.uniform(0.2, 1.2)};
      bodies.push_back(standing("box " + std::to_string(i),
                                {random.uniform(0.005, 0.1), random.uniform(0.005, 0.4), 0.3}, at));
    }
    return ready(cell_of(six_axes(), std::move(bodies)));
  }

  struct RandomCheck {
    ReadyCell cell;
    JointPath path;
    CheckResult result;
  };
  /// From one random way-point to another, on meshes, without depths.
  static RandomCheck random_check(Random& random, std::size_t samples) {
    ReadyCell cell = random_cell(random);
    const Robot& robot = cell.cell.robot;
    JointPath path = path_of(cell.cell, joint_moves({robot.random(random), robot.random(random)}));
    CheckOptions options;
    options.depth = false;
    options.samples = samples;
    CheckResult result = check_path(cell, path, options);
    return {std::move(cell), std::move(path), std::move(result)};
  }
};

TEST_F(RandomCells, EveryContactOfDenseSamplesIsInAnInterval) {
  Random random(7);
  std::size_t contacts = 0;
  std::size_t frees = 0;
  for (int round = 0; round < 12; ++round) {
    const auto [cell, path, result] = random_check(random, 50);
    constexpr int kTimes = 300;
    for (int i = 0; i <= kTimes; ++i) {
      const double time = path.duration() * i / kTimes;
      const std::vector<Pose> poses = cell.body_poses(path.at(time));
      for (const BodyPair& pair : cell.matrix.tested) {
        const bool in_interval = std::ranges::any_of(result.intervals, [&](const auto& found) {
          return found.bodies == pair && found.from <= time && time <= found.to;
        });
        const bool hit = touch(cell.bodies[pair.first], poses[pair.first], cell.bodies[pair.second],
                               poses[pair.second]);
        EXPECT_TRUE(in_interval || !hit) << "round " << round << " time " << time;
        ++(hit ? contacts : frees);
      }
    }
    // And each interval has contact in it.
    for (const ContactInterval& found : result.intervals) {
      EXPECT_TRUE(found.touches);
      EXPECT_LE(found.distance, result.tolerance);
      EXPECT_LE(found.from, found.worst_time);
      EXPECT_LE(found.worst_time, found.to);
      EXPECT_EQ(found.values, path.at(found.worst_time));
    }
  }
  EXPECT_GT(contacts, 300U);
  EXPECT_GT(frees, 300U);
}

TEST_F(RandomCells, ClearanceIsNeverBelowItsProvenBound) {
  Random random(11);
  for (int round = 0; round < 6; ++round) {
    const auto [cell, path, result] = random_check(random, 40);
    for (const ClearanceSample& sample : result.samples) {
      EXPECT_NEAR(sample.distance, distance_at(cell, path, sample.time), 1e-9);
      for (const double s : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
        const double time = sample.from + s * (sample.to - sample.from);
        EXPECT_LE(sample.lower, distance_at(cell, path, time) + 1e-12);
      }
    }
  }
}

/// Each body in a row of spheres that hold it.
void add_spheres(ReadyCell& cell) {
  for (CheckBody& body : cell.bodies) {
    const Vec3 size = body.bounds.size();
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    constexpr int kPieces = 4;
    for (int i = 0; i < kPieces; ++i) {
      Box piece = body.bounds;
      piece.low[axis] += size[axis] * i / kPieces;
      piece.high[axis] = body.bounds.low[axis] + size[axis] * (i + 1) / kPieces;
      body.spheres.push_back({piece.center(), 0.5 * piece.diagonal() * (1.0 + 1e-12)});
    }
  }
  cell.has_spheres = true;
}

TEST_F(RandomCells, SpheresFirstGivesTheAnswerOfMeshesAndSpheresMissNothing) {
  Random random(23);
  std::size_t found = 0;
  std::uint64_t saved = 0;
  for (int round = 0; round < 6; ++round) {
    ReadyCell cell = random_cell(random);
    add_spheres(cell);
    const Robot& robot = cell.cell.robot;
    const JointPath path =
        path_of(cell.cell, joint_moves({robot.random(random), robot.random(random)}));
    CheckOptions options;
    options.depth = false;
    options.samples = 60;
    const CheckResult meshes = check_path(cell, path, options);
    options.models = CheckModels::SpheresFirst;
    const CheckResult first = check_path(cell, path, options);
    options.models = CheckModels::Spheres;
    const CheckResult spheres = check_path(cell, path, options);
    ASSERT_EQ(first.intervals.size(), meshes.intervals.size());
    for (std::size_t i = 0; i < meshes.intervals.size(); ++i) {
      const ContactInterval& one = meshes.intervals[i];
      EXPECT_EQ(first.intervals[i].bodies, one.bodies);
      EXPECT_EQ(first.intervals[i].from, one.from);
      EXPECT_EQ(first.intervals[i].to, one.to);
      EXPECT_EQ(first.intervals[i].worst_time, one.worst_time);
      // Where the shapes touch, their spheres overlap.
      EXPECT_TRUE(std::ranges::any_of(spheres.intervals, [&](const ContactInterval& other) {
        return other.bodies == one.bodies && other.from <= one.worst_time &&
               one.worst_time <= other.to && other.touches;
      }));
      ++found;
    }
    for (std::size_t i = 0; i < meshes.samples.size(); ++i) {
      EXPECT_EQ(first.samples[i].distance, meshes.samples[i].distance);
      EXPECT_EQ(first.samples[i].nearest, meshes.samples[i].nearest);
      EXPECT_LE(spheres.samples[i].distance, meshes.samples[i].distance);
    }
    EXPECT_LE(first.work.triangle_tests, meshes.work.triangle_tests);
    saved += meshes.work.volume_tests - first.work.volume_tests;
    EXPECT_EQ(spheres.work, Work{});
  }
  EXPECT_GT(found, 3U);
  EXPECT_GT(saved, 0U);
}

TEST_F(RandomCells, AnswersDoNotDependOnTheNumberOfThreads) {
  Random random(3);
  const ReadyCell cell = random_cell(random);
  const Robot& robot = cell.cell.robot;
  const JointPath path = path_of(
      cell.cell, joint_moves({robot.random(random), robot.random(random), robot.random(random)}));
  CheckOptions options;
  options.samples = 60;
  options.penetration = {.relative_gap = 0.2, .translations = 20, .points = 20};
  options.threads = {1};
  const CheckResult one = check_path(cell, path, options);
  options.threads = {5};
  const CheckResult five = check_path(cell, path, options);
  ASSERT_EQ(one.intervals.size(), five.intervals.size());
  for (std::size_t i = 0; i < one.intervals.size(); ++i) {
    EXPECT_EQ(one.intervals[i].from, five.intervals[i].from);
    EXPECT_EQ(one.intervals[i].to, five.intervals[i].to);
    EXPECT_EQ(one.intervals[i].worst_time, five.intervals[i].worst_time);
    EXPECT_EQ(one.intervals[i].point, five.intervals[i].point);
    EXPECT_EQ(one.intervals[i].depth->upper, five.intervals[i].depth->upper);
  }
  ASSERT_EQ(one.samples.size(), five.samples.size());
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    EXPECT_EQ(one.samples[i].distance, five.samples[i].distance);
    EXPECT_EQ(one.samples[i].lower, five.samples[i].lower);
  }
  EXPECT_EQ(one.work, five.work);
}

}  // namespace
}  // namespace clearance
