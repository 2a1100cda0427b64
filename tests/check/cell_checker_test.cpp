// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/check/cell_checker.h>
#include <clearance/mesh/generate.h>

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

/// A torch on the arm, near a joint of three pipes: bodies of many triangles and several pieces,
/// one of them open.
ReadyCell arm_with_torch() {
  const auto mesh_body = [](const std::string& name, std::uint32_t link, const Mesh& mesh,
                            const Pose& pose) {
    RobotShape shape;
    shape.link_from_shape = pose;
    shape.geometry = MeshShape{mesh, name};
    return CellBody{name, link, pose, {shape}};
  };
  return ready(cell_of(six_axes(), {mesh_body("torch", 6, make_torch().value().flattened(),
                                              {rotation_about({0, 1, 0}, 1.5), {0.15, 0.0, 0.0}}),
                                    mesh_body("pipes", kNoLink, make_pipe_joint().value(),
                                              Pose::translate({1.05, 0.0, 0.55}))}));
}

/// Short steps about a configuration with the torch at the pipes, with a jump now and then.
std::vector<std::vector<double>> to_and_fro(const Robot& robot, std::size_t count) {
  Random random(11);
  std::vector<std::vector<double>> list;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = 0.004 * static_cast<double>(i);
    std::vector<double> values{0.4 * std::sin(t),       0.58 + 0.2 * std::sin(2.3 * t),
                               0.1 * std::sin(3.1 * t), 0.3 * std::sin(0.7 * t),
                               0.3 * std::sin(1.9 * t), 2.0 * std::sin(0.3 * t)};
    if (i % 97 == 96) values = robot.random(random);
    list.push_back(values);
  }
  return list;
}

std::vector<double> in_a_row(const std::vector<std::vector<double>>& list) {
  std::vector<double> values;
  for (const auto& one : list) values.insert(values.end(), one.begin(), one.end());
  return values;
}

TEST(CellChecker, AgreesWithEveryPairOnBodiesOfManyTriangles) {
  const ReadyCell cell = arm_with_torch();
  const std::vector<std::vector<double>> list = to_and_fro(cell.cell.robot, 3000);
  CellChecker checker(cell);
  std::vector<std::uint8_t> hits(list.size());
  checker.collides(in_a_row(list), hits);
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(hits[i] != 0, touches_anything(cell, list[i])) << i;
    count += hits[i];
  }
  EXPECT_GT(count, list.size() / 10);
  EXPECT_LT(count, list.size() * 9 / 10);
  EXPECT_EQ(checker.counts().configurations, list.size());
  EXPECT_LT(checker.counts().queries, 2 * list.size());
}

TEST(CellChecker, AnswersTheSameInAnyOrderTogetherOrAlone) {
  const ReadyCell cell = arm_with_torch();
  std::vector<std::vector<double>> list = to_and_fro(cell.cell.robot, 1500);
  list[3][2] = std::nan("");
  list[900][0] = 1e7;  // turns
  CellChecker checker(cell);
  std::vector<std::uint8_t> hits(list.size());
  checker.collides(in_a_row(list), hits);
  EXPECT_EQ(hits[3], 1);

  CellChecker alone = checker.another();
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(alone.collides(list[i]), hits[i] != 0);
  EXPECT_EQ(alone.counts().configurations, list.size());

  // Backwards, and every seventh after the other.
  for (const std::size_t step : {list.size() - 1, std::size_t{7}}) {
    std::vector<std::vector<double>> other;
    for (std::size_t i = 0; i < list.size(); ++i) other.push_back(list[i * step % list.size()]);
    std::vector<std::uint8_t> found(list.size());
    checker.collides(in_a_row(other), found);
    for (std::size_t i = 0; i < list.size(); ++i)
      EXPECT_EQ(found[i], hits[i * step % list.size()]) << step << " " << i;
  }
}

TEST(CellChecker, FindsWhatIsWhollyInsideAfterALeapAndWhileItMovesThere) {
  // A box that slides, hollow in no way, and one that stands inside where it arrives: each way
  // round, since only one of two bodies is cut into patches.
  for (const double size : {0.02, 0.6}) {
    const ReadyCell cell =
        ready(cell_of(slider(), {standing("thing", {size, size, size}, {2.0, 0.0, 0.0})}));
    CellChecker checker(cell);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 20; ++i) EXPECT_FALSE(checker.collides(std::vector{1e-4 * i}));
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(checker.collides(std::vector{2.0 + 1e-4 * i})) << i;
    }
  }
}

TEST(CellChecker, AnswersBeyondTheLimitsOfJointsThatSlide) {
  const ReadyCell cell =
      ready(cell_of(slider(), {standing("far", {1.0, 1.0, 1.0}, {1000.0, 0.0, 0.0})}));
  CellChecker checker(cell);
  EXPECT_FALSE(checker.collides(std::vector{0.0}));
  EXPECT_TRUE(checker.collides(std::vector{999.5}));
  EXPECT_EQ(checker.contact(), (BodyPair{0, 1}));
  EXPECT_FALSE(checker.collides(std::vector{999.4}));
  EXPECT_FALSE(checker.collides(std::vector{9.0}));
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
