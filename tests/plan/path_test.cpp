// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/plan/path.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

const Vec3 kZ{0.0, 0.0, 1.0};

TEST(PoseDistance, AddsTheWayOfThePivotAndTheTurnAsTheWayOfAPoint) {
  const Pose a{rotation_about(kZ, 0.2), {1.0, 2.0, 3.0}};
  // Turned by 0.5 about the pivot, which moves by (3, 0, 0): 3 and 8 * 0.5 make 5.
  const Vec3 pivot{0.3, -0.4, 0.5};
  const Mat3 turned = rotation_about(kZ, 0.7);
  const Pose b{turned, a * pivot + Vec3{3.0, 0.0, 0.0} - turned * pivot};
  EXPECT_NEAR(pose_distance(a, b, pivot, 8.0), 5.0, 1e-12);
  EXPECT_NEAR(pose_distance(b, a, pivot, 8.0), 5.0, 1e-12);
  EXPECT_EQ(pose_distance(a, a, pivot, 8.0), 0.0);
}

TEST(PoseDistance, TurnsByTheShorterWay) {
  const Pose a{rotation_about(kZ, -3.0), {}};
  const Pose b{rotation_about(kZ, 3.0), {}};
  EXPECT_NEAR(pose_distance(a, b, {}, 1.0), 2.0 * std::numbers::pi - 6.0, 1e-12);
}

TEST(GyrationRadius, OfACubeAboutItsMiddle) {
  // On a face of the cube of side 2: 1 + x² + y², whose mean is 1 + 1/3 + 1/3.
  EXPECT_NEAR(gyration_radius(test::cube(2.0), {1.0, 1.0, 1.0}), std::sqrt(5.0 / 3.0), 1e-12);
  // About a corner the square of the way to the middle is added.
  EXPECT_NEAR(gyration_radius(test::cube(2.0), {}), std::sqrt(5.0 / 3.0 + 3.0), 1e-12);
}

TEST(LengthOf, SumsTheWaysOfThePivotAndTheTurns) {
  PlanPath path;
  path.poses = {Pose::identity(),
                Pose::translate({3.0, 4.0, 0.0}),
                {rotation_about(kZ, 0.5), {3.0, 4.0, 0.0}},
                {rotation_about(kZ, 0.1), {3.0, 4.0, 2.0}}};
  const PathLength length = length_of(path);
  EXPECT_NEAR(length.translation, 7.0, 1e-12);
  EXPECT_NEAR(length.rotation, 0.9, 1e-12);
}

TEST(PoseAt, GoesByArcLengthAndKeepsTheEndsAsTheyAre) {
  PlanPath path;
  path.pivot = {0.1, 0.2, 0.3};
  path.poses = {{rotation_about(kZ, 0.1), {0.1, 0.0, 0.0}},
                {rotation_about(kZ, 0.1), {1.1, 0.0, 0.0}},
                {rotation_about(kZ, 0.1), {1.1, 0.0, 0.0}},  // a stop
                {rotation_about(kZ, 0.1), {1.1, 3.0, 0.0}}};
  EXPECT_EQ(pose_at(path, 0.0, 1.0), path.poses.front());
  EXPECT_EQ(pose_at(path, 1.0, 1.0), path.poses.back());
  EXPECT_EQ(pose_at(path, std::nan(""), 1.0), path.poses.front());
  EXPECT_NEAR(distance(pose_at(path, 0.125, 1.0).translation, Vec3{0.6, 0.0, 0.0}), 0.0, 1e-12);
  EXPECT_NEAR(distance(pose_at(path, 0.5, 1.0).translation, Vec3{1.1, 1.0, 0.0}), 0.0, 1e-12);
}

}  // namespace
}  // namespace clearance
