// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/check/cell_checker.h>

#include "check/check_scenes.h"

namespace clearance {
namespace {

using namespace clearance::test;

bool touches_anything(const ReadyCell& cell, const std::vector<double>& values) {
  const std::vector<Pose> poses = cell.body_poses(values);
  for (const auto& [a, b] : cell.matrix.tested)
    if (touch(cell.bodies[a], poses[a], cell.bodies[b], poses[b])) return true;
  return false;
}

ReadyCell arm_among_boxes() {
  return ready(cell_of(six_axes(), {standing("wall", {0.02, 2.0, 2.0}, {0.9, 0.0, 0.5}),
                                    standing("bar", {0.5, 0.01, 0.01}, {0.3, 0.5, 0.9}),
                                    standing("floor", {3.0, 3.0, 0.01}, {0.0, 0.0, -0.2})}));
}

TEST(CellChecker, AgreesWithEveryPairAlongPathsAndJumps) {
  const ReadyCell cell = arm_among_boxes();
  const Robot& robot = cell.cell.robot;
  Random random(9);
  CellChecker checker(cell);
  std::size_t hits = 0;
  std::size_t count = 0;
  for (int round = 0; round < 25; ++round) {
    const std::vector<double> from = robot.random(random);
    const std::vector<double> to = robot.random(random);
    for (int i = 0; i <= 120; ++i) {
      std::vector<double> values(6);
      for (std::size_t k = 0; k < 6; ++k) values[k] = from[k] + i / 400.0 * (to[k] - from[k]);
      const bool hit = checker.collides(values);
      EXPECT_EQ(hit, touches_anything(cell, values)) << "round " << round << " step " << i;
      EXPECT_EQ(hit, checker.contact().has_value());
      hits += hit ? 1 : 0;
      ++count;
    }
  }
  EXPECT_GT(hits, count / 10);
  EXPECT_LT(hits, count * 9 / 10);
  EXPECT_EQ(checker.counts().configurations, count);
  // Most pairs of most configurations are ruled out without asking.
  EXPECT_LT(checker.counts().queries, count * cell.matrix.tested.size() / 4);
}

TEST(CellChecker, NamesThePairAndSeesBodiesInsideOthers) {
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("room", {1.0, 1.0, 1.0}, {2.0, 0.0, 0.0})}));
  CellChecker checker(cell);
  EXPECT_FALSE(checker.collides(std::vector{1.4}));
  EXPECT_FALSE(checker.contact());
  EXPECT_TRUE(checker.collides(std::vector{2.0}));
  EXPECT_EQ(checker.contact(), (BodyPair{0, 1}));
  EXPECT_TRUE(checker.collides(std::vector{2.001}));
  EXPECT_TRUE(checker.collides(std::vector{std::nan("")}));
}

}  // namespace
}  // namespace clearance
