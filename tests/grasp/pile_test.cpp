// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/grasp/pile.h>
#include <clearance/mesh/health.h>
#include <clearance/query/solid.h>

#include "grasp/pile_parts.h"

namespace clearance {
namespace {

using test::box;
using test::hook;
using testing::HasSubstr;

std::string reason_of(const std::string& text) {
  const Result<Pile> pile = parse_pile(text, "pile.json");
  return pile ? "read" : pile.error().message();
}

std::string with_parts(const std::string& parts) {
  return R"({"clearance": "pile", "version": 1, "parts": )" + parts + "}";
}

TEST(ReadPile, ReadsPlacesAndTurnsInAnyForm) {
  const Result<Pile> pile = parse_pile(
      R"({"clearance": "pile", "version": 1, "units": {"length": "mm", "angle": "deg"},
          "bin": {"length": 300, "width": 200, "height": 100, "wall_thickness": 4},
          "parts": [{"xyz": [1, 2, 3]}, {"xyz": [0, 0, 0], "rpy": [0, 0, 90]},
                    {"xyz": [0, 0, 0], "quaternion": [0, 0, 0.6, 0.8]},
                    {"xyz": [0, 0, 0], "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}]})",
      "pile.json");
  ASSERT_TRUE(pile.ok()) << pile.error().message();
  EXPECT_DOUBLE_EQ(pile->bin.length, 0.3);
  EXPECT_DOUBLE_EQ(pile->bin.wall_thickness, 0.004);
  ASSERT_EQ(pile->parts.size(), 4U);
  EXPECT_NEAR(distance(pile->parts[0].translation, {0.001, 0.002, 0.003}), 0.0, 1e-15);
  const Vec3 x{1.0, 0.0, 0.0};
  EXPECT_NEAR(distance(pile->parts[1] * x, {0.0, 1.0, 0.0}), 0.0, 1e-15);
  // Half angle a with sin a = 0.6: x goes to (cos 2a, sin 2a) = (0.28, 0.96).
  EXPECT_NEAR(distance(pile->parts[2] * x, {0.28, 0.96, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(distance(pile->parts[3] * x, {0.0, 1.0, 0.0}), 0.0, 1e-15);
}

TEST(ReadPile, ComesBackAsWritten) {
  Pile pile;
  pile.bin = {0.3, 0.2, 0.1, 0.004};
  pile.parts = {{rotation_from_rpy(0.1, 0.2, 0.3), {0.1, 1.0 / 3.0, 1e-7}}, Pose::identity()};
  const Result<Pile> again = parse_pile(pile_as_json(pile), "again.json");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->parts, pile.parts);
  EXPECT_EQ(again->bin.height, pile.bin.height);
}

TEST(ReadPile, RefusesAPileWithoutParts) {
  EXPECT_THAT(reason_of(with_parts("[]")), HasSubstr("no parts"));
  EXPECT_THAT(reason_of(R"({"clearance": "pile", "version": 1})"), HasSubstr("parts"));
}

TEST(ReadPile, NamesThePartThatIsNotRigid) {
  const std::string reason = reason_of(
      with_parts(R"([{"xyz": [0,0,0]}, {"xyz": [0,0,0], "rotation": [[2,0,0],[0,1,0],[0,0,1]]}])"));
  EXPECT_THAT(reason, HasSubstr("parts/1"));
  EXPECT_THAT(reason, HasSubstr("not a rotation"));
}

TEST(ReadPile, RefusesWhatMakesNoSense) {
  EXPECT_THAT(reason_of(with_parts(R"([{"xyz": [0, 0, 1e999]}])")), HasSubstr("pile.json"));
  EXPECT_THAT(reason_of(with_parts(R"([{"xyz": [0,0,0], "quaternion": [0,0,0,2]}])")),
              HasSubstr("length 1"));
  EXPECT_THAT(
      reason_of(with_parts(R"([{"xyz": [0,0,0], "rpy": [0,0,0], "quaternion": [0,0,0,1]}])")),
      HasSubstr("more than one"));
  EXPECT_THAT(reason_of(R"({"clearance": "pile", "version": 1, "parts": [{"xyz": [0,0,0]}],
                            "bin": {"length": 1, "width": 1, "height": 1}})"),
              HasSubstr("thickness"));
  EXPECT_THAT(reason_of("not json"), HasSubstr("pile.json"));
}

TEST(Bin, WallsStandAroundTheInside) {
  const Bin bin{0.4, 0.3, 0.2, 0.01};
  const std::vector<Box> walls = walls_of(bin);
  ASSERT_EQ(walls.size(), 4U);
  const Mesh mesh = mesh_of(walls);
  EXPECT_EQ(mesh.triangle_count(), 48U);
  EXPECT_TRUE(Model::build(mesh)->is_solid());
  const Box bounds = mesh.bounds();
  EXPECT_NEAR(distance(bounds.low, {-0.21, -0.16, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(distance(bounds.high, {0.21, 0.16, 0.2}), 0.0, 1e-15);
  // A box that fills the inside but for a hair is free, and one a hair larger is not.
  const Model walls_model = Model::build(mesh).value();
  const Pose up = Pose::translate({0.0, 0.0, 0.1});
  EXPECT_FALSE(collide(walls_model, box({0.3999, 0.2999, 0.1}), up).hit);
  EXPECT_TRUE(collide(walls_model, box({0.4001, 0.2999, 0.1}), up).hit);
  EXPECT_TRUE(collide(walls_model, box({0.3999, 0.3001, 0.1}), up).hit);
  EXPECT_TRUE(walls_of({0.4, 0.3, 0.0, 0.0}).empty());
}

TEST(PileOverlaps, AreBoundedForEachPair) {
  const Model cube = box({0.1, 0.1, 0.1});
  Pile pile;
  // 0 and 1 overlap by 0.01 along x, 1 and 2 by 0.02 along z; 3 is far away.
  pile.parts = {Pose::identity(), Pose::translate({0.09, 0.0, 0.0}),
                Pose::translate({0.09, 0.0, 0.08}), Pose::translate({1.0, 0.0, 0.0})};
  const std::vector<PileOverlap> overlaps = overlaps_of(cube, pile);
  ASSERT_EQ(overlaps.size(), 3U);  // 0 and 2 overlap as well, at an edge
  EXPECT_EQ(overlaps[0].a, 1U);
  EXPECT_EQ(overlaps[0].b, 2U);
  EXPECT_LE(overlaps[0].lower, 0.02 + 1e-9);
  EXPECT_GE(overlaps[0].upper, 0.02 - 1e-9);
  EXPECT_LE(overlaps[0].upper, 0.021);
  EXPECT_GE(overlaps[1].upper, 0.01 - 1e-9);
  EXPECT_LE(overlaps[1].upper, 0.0105);
}

TEST(SimulatePile, PartsLieInTheBinAndOverlapNoMoreThanStated) {
  const Model part = hook();
  const double diagonal = part.mesh().bounds().diagonal();
  const Result<SimulatedPile> simulated = simulate_pile(part, {.count = 12, .seed = 3});
  ASSERT_TRUE(simulated.ok()) << simulated.error().message();
  EXPECT_TRUE(simulated->settled);
  EXPECT_GT(simulated->simulated, 0.0);
  const Pile& pile = simulated->pile;
  ASSERT_EQ(pile.parts.size(), 12U);
  const double allowed = 0.002 * diagonal;
  EXPECT_LE(simulated->overlap, allowed);
  for (const PileOverlap& overlap : overlaps_of(part, pile))
    EXPECT_LE(overlap.upper, simulated->overlap);
  double lowest = 1.0;
  for (const Pose& pose : pile.parts) {
    const Box box = transformed(part.mesh(), pose).bounds();
    EXPECT_GE(box.low.z, -allowed);
    EXPECT_GE(box.low.x, -0.5 * pile.bin.length - allowed);
    EXPECT_LE(box.high.x, 0.5 * pile.bin.length + allowed);
    EXPECT_GE(box.low.y, -0.5 * pile.bin.width - allowed);
    EXPECT_LE(box.high.y, 0.5 * pile.bin.width + allowed);
    lowest = std::min(lowest, box.low.z);
  }
  EXPECT_LT(lowest, 0.01 * diagonal) << "nothing lies on the floor";
}

TEST(SimulatePile, TheSameSeedGivesTheSameBits) {
  const Model part = hook();
  const Result<PileSimulator> simulator = PileSimulator::make(part, {.count = 6});
  ASSERT_TRUE(simulator.ok());
  const Result<SimulatedPile> first = simulator->drop(7);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(simulate_pile(part, {.count = 6, .seed = 7})->pile.parts, first->pile.parts);
  EXPECT_NE(simulator->drop(8)->pile.parts, first->pile.parts);
}

TEST(SimulatePile, PilesDroppedAtTheSameTimeAreThoseDroppedAlone) {
  const Result<PileSimulator> simulator = PileSimulator::make(hook(), {.count = 4});
  ASSERT_TRUE(simulator.ok());
  std::vector<std::vector<Pose>> together(4);
  parallel_for({4}, together.size(),
               [&](std::size_t i) { together[i] = simulator->drop(i)->pile.parts; });
  for (std::size_t i = 0; i < together.size(); ++i)
    EXPECT_EQ(together[i], simulator->drop(i)->pile.parts) << i;
}

TEST(SimulatePile, ABoxComesToLieOnOneOfItsSides) {
  const Vec3 size{0.08, 0.05, 0.03};
  const Result<SimulatedPile> simulated =
      simulate_pile(box(size), {.bin = {0.3, 0.3, 0.0, 0.0}, .count = 1, .seed = 5});
  ASSERT_TRUE(simulated.ok());
  const Pose& pose = simulated->pile.parts.front();
  // The axis that points up says on which side it lies, and so how high its middle is.
  std::size_t up = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::abs(pose.rotation[2][i]) > std::abs(pose.rotation[2][up])) up = i;
  EXPECT_GT(std::abs(pose.rotation[2][up]), 0.9999);
  EXPECT_NEAR(pose.translation.z, 0.5 * size[up], 0.0005);
}

TEST(SimulatePile, RefusesWhatMakesNoSense) {
  const Model part = hook();
  const auto reason = [&](const PileOptions& options) {
    const Result<SimulatedPile> pile = simulate_pile(part, options);
    return pile ? std::string("simulated") : pile.error().message();
  };
  EXPECT_THAT(reason({.count = 0}), HasSubstr("no parts"));
  EXPECT_THAT(reason({.friction = -1.0}), HasSubstr("friction"));
  EXPECT_THAT(reason({.overlap = std::nan("")}), HasSubstr("overlap"));
  EXPECT_THAT(reason({.bin = {1.0, 1.0, 0.5, 0.0}}), HasSubstr("thickness"));
  EXPECT_THAT(reason({.bin = {0.03, 0.03, 0.01, 0.001}, .count = 8}), HasSubstr("does not hold"));
  const Mesh open = submesh(part.mesh(), 0, 6).value();
  const Result<SimulatedPile> pile = simulate_pile(Model::build(open).value(), {});
  ASSERT_FALSE(pile.ok());
  EXPECT_THAT(pile.error().message(), HasSubstr("no solid"));
}

}  // namespace
}  // namespace clearance
