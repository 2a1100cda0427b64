// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/grasp/choose.h>
#include <clearance/mesh/generate.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

constexpr SpreadOptions kOptions{.radius = 0.01, .is_symmetric = true};

Grasp grasp_at(const Vec3& at, double quality, const Mat3& turn = Mat3::identity()) {
  Grasp grasp;
  grasp.part_from_gripper = {turn, at};
  grasp.quality = quality;
  return grasp;
}

/// Grasps in clusters, as a part has them: places along a line, a few approaches.
std::vector<Grasp> random_grasps(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Grasp> grasps;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = 0.003 * std::floor(random.uniform(0.0, 40.0));
    const Mat3 turn = rotation_from_rpy(random.uniform(-3.1, 3.1), random.uniform(-0.3, 0.3), 0.0);
    grasps.push_back(
        grasp_at({place, random.uniform(0.0, 0.02), 0.0}, random.uniform(0.0, 1.0), turn));
  }
  return grasps;
}

TEST(SpreadGrasps, TakesEverySecondOfARow) {
  // A millimetre apart, each a little worse than the one before. With a reach of less than 1 mm all
  // ten are taken, from 1 mm on every second, from 2 mm on every third.
  std::vector<Grasp> row;
  for (int i = 0; i < 10; ++i) row.push_back(grasp_at({0.001 * i, 0.0, 0.0}, 1.0 - 0.01 * i));
  const SpreadGrasps five = spread_grasps(row, 5, kOptions);
  EXPECT_EQ(five.chosen, (std::vector<std::uint32_t>{0, 2, 4, 6, 8}));
  EXPECT_GE(five.reach, 0.001);
  EXPECT_LE(five.reach, 0.00101);
  // Six: the five, and the best of the others.
  EXPECT_EQ(spread_grasps(row, 6, kOptions).chosen, (std::vector<std::uint32_t>{0, 1, 2, 4, 6, 8}));
  EXPECT_EQ(spread_grasps(row, 4, kOptions).chosen, (std::vector<std::uint32_t>{0, 3, 6, 9}));
  EXPECT_EQ(spread_grasps(row, 1, kOptions).chosen, (std::vector<std::uint32_t>{0}));
}

TEST(SpreadGrasps, LeftOutOnesHaveOneAsGoodWithinTheReach) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const bool is_symmetric : {true, false}) {
      const SpreadOptions options{0.01, is_symmetric};
      const std::vector<Grasp> grasps = random_grasps(1500, seed);
      for (const std::size_t count : {2U, 15U, 150U, 700U}) {
        const SpreadGrasps spread = spread_grasps(grasps, count, options);
        ASSERT_EQ(spread.chosen.size(), count);
        const std::set<std::uint32_t> chosen(spread.chosen.begin(), spread.chosen.end());
        EXPECT_EQ(chosen.size(), count);
        // The best first, and so the best of all.
        EXPECT_TRUE(std::ranges::is_sorted(spread.chosen, [&](std::uint32_t a, std::uint32_t b) {
          return grasps[a].quality > grasps[b].quality;
        }));
        EXPECT_EQ(grasps[spread.chosen.front()].quality,
                  std::ranges::max_element(grasps, {}, &Grasp::quality)->quality);
        for (std::uint32_t i = 0; i < grasps.size(); ++i) {
          if (chosen.contains(i)) continue;
          double nearest = std::numeric_limits<double>::infinity();
          for (const std::uint32_t k : spread.chosen)
            if (grasps[k].quality >= grasps[i].quality)
              nearest = std::min(nearest, distance_of(grasps[i], grasps[k], options));
          EXPECT_LE(nearest, spread.reach * (1.0 + 1e-12));
        }
      }
    }
  }
}

TEST(SpreadGrasps, ComeNearerToTheRestThanTheBestDo) {
  const std::vector<Grasp> grasps = random_grasps(2000, 7);
  const SpreadGrasps spread = spread_grasps(grasps, 200, kOptions);
  std::vector<std::uint32_t> best(grasps.size());
  for (std::uint32_t i = 0; i < best.size(); ++i) best[i] = i;
  std::ranges::sort(best, std::greater{}, [&](std::uint32_t i) { return grasps[i].quality; });
  best.resize(200);
  const auto farthest = [&](const std::vector<std::uint32_t>& chosen) {
    double most = 0.0;
    for (const Grasp& grasp : grasps) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::uint32_t k : chosen)
        nearest = std::min(nearest, distance_of(grasp, grasps[k], kOptions));
      most = std::max(most, nearest);
    }
    return most;
  };
  EXPECT_LT(farthest(spread.chosen), 0.8 * farthest(best));
}

TEST(SpreadGrasps, DoNotDependOnTheOrder) {
  std::vector<Grasp> grasps = random_grasps(800, 5);
  // Some of equal quality.
  for (std::size_t i = 0; i < grasps.size(); i += 3) grasps[i].quality = 0.5;
  const auto poses_of = [&](const std::vector<Grasp>& of) {
    std::vector<Pose> poses;
    for (const std::uint32_t i : spread_grasps(of, 90, kOptions).chosen)
      poses.push_back(of[i].part_from_gripper);
    return poses;
  };
  const std::vector<Pose> poses = poses_of(grasps);
  Random random(9);
  for (std::size_t i = grasps.size() - 1; i > 0; --i)
    std::swap(grasps[i],
              grasps[static_cast<std::size_t>(random.uniform(0.0, 1.0) * static_cast<double>(i))]);
  EXPECT_EQ(poses_of(grasps), poses);
}

TEST(SpreadGrasps, MirroredGraspsGiveTheMirroredChoice) {
  const std::vector<Grasp> grasps = random_grasps(900, 11);
  std::vector<Grasp> mirrored = grasps;
  // In the plane y = 0; the fingers are exchanged, so that it stays a rotation.
  const auto flipped = [](const Vec3& v) { return Vec3{v.x, -v.y, v.z}; };
  for (Grasp& g : mirrored) {
    const Mat3& turn = g.part_from_gripper.rotation;
    const Vec3 x = -flipped(turn.column(0));
    const Vec3 z = flipped(turn.column(2));
    g.part_from_gripper = {Mat3::from_columns(x, cross(z, x), z),
                           flipped(g.part_from_gripper.translation)};
  }
  EXPECT_EQ(spread_grasps(mirrored, 80, kOptions).chosen,
            spread_grasps(grasps, 80, kOptions).chosen);
}

TEST(SpreadGrasps, HalfATurnIsTheSameGraspForASymmetricGripper) {
  const Mat3 half = rotation_from_rpy(0.0, 0.0, std::numbers::pi);
  const Grasp a = grasp_at({0.0, 0.0, 0.0}, 1.0);
  const Grasp b = grasp_at({0.0, 0.0, 0.0}, 0.9, half);
  const Grasp c = grasp_at({0.001, 0.0, 0.0}, 0.1);
  EXPECT_NEAR(distance_of(a, b, kOptions), 0.0, 1e-15);
  EXPECT_NEAR(distance_of(a, b, {0.01, false}), 0.02, 1e-15);
  EXPECT_EQ(spread_grasps(std::vector{a, b, c}, 2, kOptions).chosen,
            (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(spread_grasps(std::vector{a, b, c}, 2, {0.01, false}).chosen,
            (std::vector<std::uint32_t>{0, 1}));
}

TEST(SpreadGrasps, TurnsAndMovesCountInOneLength) {
  const Grasp a = grasp_at({0.0, 0.0, 0.0}, 1.0);
  // A quarter of a turn about the pinching direction moves the approach by sqrt(2) radii; about the
  // approach it moves the pinching direction by as much.
  const Grasp tilted =
      grasp_at({0.0, 0.0, 0.0}, 1.0, rotation_from_rpy(0.5 * std::numbers::pi, 0, 0));
  const Grasp spun =
      grasp_at({0.0, 0.0, 0.0}, 1.0, rotation_from_rpy(0, 0, 0.5 * std::numbers::pi));
  EXPECT_NEAR(distance_of(a, tilted, kOptions), 0.01 * std::numbers::sqrt2, 1e-15);
  EXPECT_NEAR(distance_of(a, spun, kOptions), 0.01 * std::numbers::sqrt2, 1e-15);
  EXPECT_NEAR(distance_of(a, grasp_at({0.003, 0.0, 0.004}, 1.0), kOptions), 0.005, 1e-15);
}

TEST(SpreadGrasps, TakeAllThatThereAreAndCopies) {
  const std::vector<Grasp> grasps = random_grasps(5, 3);
  EXPECT_EQ(spread_grasps(grasps, 9, kOptions).chosen.size(), 5U);
  EXPECT_EQ(spread_grasps(grasps, 9, kOptions).reach, 0.0);
  EXPECT_TRUE(spread_grasps(grasps, 0, kOptions).chosen.empty());
  EXPECT_TRUE(spread_grasps({}, 3, kOptions).chosen.empty());
  const std::vector<Grasp> copies(20, grasp_at({0.1, 0.2, 0.3}, 0.5));
  EXPECT_EQ(spread_grasps(copies, 7, kOptions).chosen.size(), 7U);
}

TEST(SpreadGrasps, RadiusIsThatOfTheSampling) {
  const Model part =
      Model::build(scaled(test::cube(1.0, {-0.5, -0.5, -0.5}), {0.02, 0.02, 0.1})).value();
  const std::vector<Segment> frame{{{0.0, 0.0, -0.03}, {0.0, 0.0, 0.03}}};
  const GraspSet set =
      generate_grasps(part, Gripper::of_boxes({}).value(), frame, {.step = 0.004}).value();
  // The surface of the bar is 10 to 14 mm from its middle, up to 24 mm where it goes on beyond it.
  EXPECT_GT(mean_radius(set), 0.011);
  EXPECT_LT(mean_radius(set), 0.019);
}

TEST(IsSymmetric, BoxesAreAndALopsidedPalmIsNot) {
  const Gripper boxes = Gripper::of_boxes({}).value();
  EXPECT_TRUE(is_symmetric(boxes));
  const auto with_palm_at = [&](double x) {
    const Mesh palm = transformed(boxes.pieces()[0].mesh(), Pose::translate({x, 0.0, 0.0}));
    return Gripper::of_meshes(palm, boxes.pieces()[1].mesh(), boxes.pieces()[2].mesh(), 0.08, 0.012,
                              0.006)
        .value();
  };
  EXPECT_TRUE(is_symmetric(with_palm_at(0.0)));
  EXPECT_FALSE(is_symmetric(with_palm_at(0.005)));
}

}  // namespace
}  // namespace clearance
