// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/clearing.h"

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/query/query.h>

#include "check/check_scenes.h"
#include "check/forward_lanes.h"

namespace clearance::detail {
namespace {

constexpr double kReach = 3.0;
constexpr double kMargin = kClearingMargin * kReach;

Vec3 in_ball(Random& random, double radius) {
  while (true) {
    const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (norm(p) <= 1.0) return radius * p;
  }
}

Pose near(const Pose& pose, Random& random, double way, double turn) {
  return {
      rotation_about(normalized(in_ball(random, 1.0)), random.uniform(0.0, turn)) * pose.rotation,
      pose.translation + in_ball(random, way)};
}

PoseLanes in_all_lanes(const Pose& pose) {
  PoseLanes lanes;
  for (std::size_t i = 0; i < 9; ++i)
    lanes.rotation[i] = broadcast8(static_cast<float>(pose.rotation[i / 3][i % 3]));
  for (std::size_t i = 0; i < 3; ++i)
    lanes.translation[i] = broadcast8(static_cast<float>(pose.translation[i]));
  return lanes;
}

TEST(BallClearing, HoldsOnlyWhileNoPointOfTheBallHasMovedByTheClearance) {
  Random random(3);
  std::size_t held = 0;
  std::size_t ended = 0;
  for (int round = 0; round < 2000; ++round) {
    const Sphere ball{in_ball(random, 0.5), random.uniform(0.0, 0.3)};
    const Pose then = near({Mat3::identity(), in_ball(random, 1.0)}, random, 0.0, 3.0);
    const double clear = random.uniform(0.0, 0.02);
    BallClearing clearing(ball);
    EXPECT_EQ(clearing.holds(in_all_lanes(then)), 0U);  // nothing is proven yet
    clearing.prove(then, clear - kMargin);
    const Pose now = near(then, random, 0.02, 0.03);
    const unsigned lanes = clearing.holds(in_all_lanes(now));
    EXPECT_TRUE(lanes == 0U || lanes == 0xffU);
    double farthest = 0.0;
    for (int i = 0; i < 200; ++i) {
      const Vec3 p = ball.center + ball.radius * normalized(in_ball(random, 1.0));
      farthest = std::max(farthest, distance(then * p, now * p));
    }
    if (lanes != 0U) {
      ++held;
      EXPECT_LT(farthest, clear);
    } else {
      ++ended;
      // The bound is that of the centre and of the rotation apart: at most their sum too much.
      EXPECT_GT(2.0 * farthest + 2.0 * kMargin, clear);
    }
  }
  EXPECT_GT(held, 100U);
  EXPECT_GT(ended, 100U);
}

TEST(PointClearing, HoldsWhileThePointHasNotMovedByTheClearanceInTheFrameOfTheBody) {
  Random random(4);
  std::size_t held = 0;
  for (int round = 0; round < 2000; ++round) {
    const Vec3 point = in_ball(random, 1.0);
    const Pose then = near({Mat3::identity(), in_ball(random, 1.0)}, random, 0.0, 3.0);
    const double clear = random.uniform(0.0, 0.02);
    PointClearing clearing(point);
    EXPECT_EQ(clearing.holds(in_all_lanes(then)), 0U);
    clearing.prove(then, clear - kMargin);
    const Pose now = near(then, random, 0.01, 0.01);
    const double way = distance(inverse(then) * point, inverse(now) * point);
    const bool holds = clearing.holds(in_all_lanes(now)) != 0U;
    if (holds) {
      ++held;
      EXPECT_LT(way, clear);
    } else {
      EXPECT_GT(way + 2.0 * kMargin, clear);
    }
  }
  EXPECT_GT(held, 300U);
}

TEST(ForwardLanes, AreThePosesOfTheRobotToRoundingAndTheSameBitsInEveryLane) {
  const Robot robot = test::six_axes();
  const Pose base{rotation_about({0, 0, 1}, 0.7), {0.3, -0.2, 1.1}};
  const ForwardLanes forward(robot, base, std::vector<bool>(robot.links().size(), true));
  Random random(5);
  std::vector<ForwardLanes::LinkPose> links;
  std::vector<PoseLanes> poses;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values = robot.random(random);
    if (round % 5 == 0) values[1] = 1e6 + round;  // beyond what the lanes work out themselves
    for (const bool alone : {true, false}) {
      std::vector<Lanes> lanes(6);
      for (std::size_t k = 0; k < 6; ++k) {
        lanes[k] = {broadcast4(values[k]), broadcast4(values[k])};
        if (!alone) lanes[k].low = Double4{3e7, values[k], 0.1, -2.0};
      }
      forward.place(lanes, links, poses);
      const std::vector<Pose> exact = robot.link_poses(values, base);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const Pose lane = lane_of(links[i], alone ? 6 : 1);
        EXPECT_EQ(lane, lane_of(links[i], 5)) << i;
        EXPECT_LT(distance(lane.translation, exact[i].translation), 1e-14);
        for (std::size_t row = 0; row < 3; ++row)
          EXPECT_LT(distance(lane.rotation[row], exact[i].rotation[row]), 1e-14);
      }
    }
    const PoseLanes between = relative(links[2], links[6]);
    const Pose expected = clearance::relative(lane_of(links[2], 3), lane_of(links[6], 3));
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(between.translation[i][3], expected.translation[i], 1e-6);
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(between.rotation[i][3], expected.rotation[i / 3][i % 3], 1e-6);
  }
}

}  // namespace
}  // namespace clearance::detail
