// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/grasp/pick.h>
#include <clearance/mesh/inside.h>
#include <clearance/query/solid.h>
#include <clearance/robot/robot_file.h>

#include "grasp/pick_body.h"
#include "grasp/pile_parts.h"
#include "support/brute_force.h"

namespace clearance {
namespace {

using test::box;
using test::hook;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Gripper small_gripper() {
  return Gripper::of_boxes({.opening = 0.04,
                            .finger_width = 0.008,
                            .finger_thickness = 0.006,
                            .finger_length = 0.05,
                            .tip = 0.005,
                            .palm = {0.07, 0.03, 0.02}})
      .value();
}

/// A grasp from above (the gripper comes down, pinching along an angle about z), at a place of the
/// part's frame.
Grasp from_above(const Vec3& at, double angle = 0.0, double quality = 1.0) {
  Grasp grasp;
  grasp.part_from_gripper = {
      rotation_about({0.0, 0.0, 1.0}, angle) * rotation_about({1.0, 0.0, 0.0}, std::acos(-1.0)),
      at};
  grasp.width = 0.02;
  grasp.quality = quality;
  return grasp;
}

std::vector<Grasp> random_grasps(std::size_t count, Random& random) {
  std::vector<Grasp> grasps;
  for (std::size_t i = 0; i < count; ++i) {
    Grasp grasp;
    grasp.part_from_gripper = {
        rotation_from_rpy(random.uniform(-3, 3), random.uniform(-1.5, 1.5), random.uniform(-3, 3)),
        {random.uniform(0.0, 0.06), random.uniform(0.0, 0.04), random.uniform(0.0, 0.012)}};
    grasp.width = random.uniform(0.0, 0.04);
    grasp.quality = 1.0 - 0.001 * static_cast<double>(i);
    grasp.theta = static_cast<std::uint32_t>(random.below(20));
    grasps.push_back(grasp);
  }
  return grasps;
}

/// Parts strewn about, without a simulation: some over others, some apart.
Pile strewn(std::size_t count, Random& random) {
  Pile pile;
  pile.bin = {0.25, 0.2, 0.08, 0.004};
  for (std::size_t i = 0; i < count; ++i) {
    pile.parts.push_back(
        {rotation_from_rpy(random.uniform(-3, 3), random.uniform(-1.5, 1.5), random.uniform(-3, 3)),
         {random.uniform(-0.1, 0.1), random.uniform(-0.08, 0.08), random.uniform(0.05, 0.15)}});
  }
  return pile;
}

bool touches_by_brute_force(const Mesh& a, const Mesh& b) {
  const test::TriangleSpan triangles_a{a.vertices(), a.faces()};
  const test::TriangleSpan triangles_b{b.vertices(), b.faces()};
  if (test::brute_collide(triangles_a, triangles_b, Pose::identity())) return true;
  const InsideTest in_a(a);
  const InsideTest in_b(b);
  const auto is_in = [](const InsideTest& test, const Mesh& mesh) {
    return std::any_of(mesh.vertices().begin(), mesh.vertices().end(),
                       [&](const Vec3& v) { return test.side(v) == Side::Inside; });
  };
  return is_in(in_a, b) || is_in(in_b, a);
}

TEST(Pick, FreeGraspsAreThoseOfBruteForce) {
  Random random(11);
  const Model part = hook();
  const Gripper gripper = small_gripper();
  const std::vector<Grasp> grasps = random_grasps(60, random);
  const Pile pile = strewn(8, random);
  PickOptions options;
  options.candidates = {1, 4, 6};
  const Result<PickResult> result = evaluate_picks(part, gripper, grasps, pile, {}, options);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Mesh walls = mesh_of(walls_of(pile.bin));
  std::array<std::size_t, kGraspFateCount> totals{};
  for (const Candidate& candidate : result->ranked) {
    std::array<std::size_t, kGraspFateCount> fates{};
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < grasps.size(); ++i) {
      const Mesh placed = transformed(gripper.open().mesh(),
                                      pile.parts[candidate.part] * grasps[i].part_from_gripper);
      GraspFate fate = GraspFate::Free;
      for (std::size_t j = 0; j < pile.parts.size(); ++j)
        if (j != candidate.part &&
            touches_by_brute_force(placed, transformed(part.mesh(), pile.parts[j])))
          fate = GraspFate::HitsPart;
      if (placed.bounds().low.z <= 0.0 || touches_by_brute_force(placed, walls))
        fate = GraspFate::HitsBin;
      ++fates[static_cast<std::size_t>(fate)];
      ++totals[static_cast<std::size_t>(fate)];
      if (fate == GraspFate::Free) free.push_back(i);
    }
    EXPECT_EQ(candidate.fates, fates) << "part " << candidate.part;
    ASSERT_EQ(candidate.free.size(), free.size());
    for (std::size_t k = 0; k < free.size(); ++k) EXPECT_EQ(candidate.free[k].grasp, free[k]);
  }
  // The sample has some of each.
  EXPECT_GT(totals[static_cast<std::size_t>(GraspFate::Free)], 15U);
  EXPECT_GT(totals[static_cast<std::size_t>(GraspFate::HitsPart)], 15U);
  EXPECT_GT(totals[static_cast<std::size_t>(GraspFate::HitsBin)], 15U);
}

/// All that a candidate has but for its place among the others.
void expect_same(const Candidate& a, const Candidate& b) {
  EXPECT_EQ(a.part, b.part);
  EXPECT_EQ(a.fates, b.fates);
  EXPECT_EQ(a.tried_rest, b.tried_rest);
  EXPECT_EQ(a.retreat_blocked, b.retreat_blocked);
  EXPECT_EQ(a.is_buried, b.is_buried);
  EXPECT_EQ(a.lift, b.lift);
  EXPECT_EQ(a.held_by, b.held_by);
  ASSERT_EQ(a.free.size(), b.free.size());
  for (std::size_t k = 0; k < a.free.size(); ++k) {
    EXPECT_EQ(a.free[k].grasp, b.free[k].grasp);
    EXPECT_EQ(a.free[k].clearance, b.free[k].clearance);
  }
}

TEST(Pick, TheSameBitsForAnyNumberOfThreads) {
  Random random(12);
  const Model part = hook();
  const Result<Picker> picker = Picker::make(part, small_gripper(), random_grasps(150, random));
  ASSERT_TRUE(picker.ok());
  const Pile pile = strewn(10, random);
  PickOptions options;
  options.approach = 0.05;
  options.retreat = 0.1;
  options.threads = {1};
  const Result<PickResult> one = picker->evaluate(pile, {}, options);
  ASSERT_TRUE(one.ok());
  for (const int threads : {2, 4}) {
    options.threads = {threads};
    const Result<PickResult> more = picker->evaluate(pile, {}, options);
    ASSERT_TRUE(more.ok());
    EXPECT_EQ(more->valid, one->valid);
    ASSERT_EQ(more->ranked.size(), one->ranked.size());
    for (std::size_t i = 0; i < one->ranked.size(); ++i) {
      expect_same(one->ranked[i], more->ranked[i]);
    }
  }
}

const Candidate& candidate_of(const PickResult& result, std::size_t part) {
  return *std::find_if(result.ranked.begin(), result.ranked.end(),
                       [&](const Candidate& c) { return c.part == part; });
}

TEST(Pick, TheRestIsTriedWhereTheFirstGraspsHaveNone) {
  Random random(14);
  const std::vector<Grasp> grasps = random_grasps(300, random);
  // Every twentieth, and one out of order.
  std::vector<std::uint32_t> first{40};
  for (std::uint32_t i = 0; i < grasps.size(); i += 20)
    if (i != 40) first.push_back(i);
  std::vector<Grasp> few;
  for (std::uint32_t i = 0; i < grasps.size(); i += 20) few.push_back(grasps[i]);
  const Model part = hook();
  const Picker picker = Picker::make(part, small_gripper(), grasps).value();
  const Picker few_picker = Picker::make(part, small_gripper(), few).value();
  std::array<std::size_t, 3> kinds{};
  for (int round = 0; round < 3; ++round) {
    const Pile pile = strewn(16, random);
    PickOptions options;
    // Without ways, with them, and with room to keep.
    options.approach = round > 0 ? 0.05 : 0.0;
    options.retreat = options.approach;
    options.clearance = round > 1 ? 0.002 : 0.0;
    const PickResult all = picker.evaluate(pile, {}, options).value();
    const PickResult with_few = few_picker.evaluate(pile, {}, options).value();
    options.first = first;
    const PickResult both = picker.evaluate(pile, {}, options).value();
    EXPECT_EQ(both.valid, all.valid);
    for (const Candidate& candidate : both.ranked) {
      const Candidate& small = candidate_of(with_few, candidate.part);
      EXPECT_EQ(candidate.tried_rest, small.free.empty());
      Candidate expected = small;
      if (candidate.tried_rest) {
        expected = candidate_of(all, candidate.part);
        expected.tried_rest = true;
        ++kinds[expected.free.empty() ? 2 : 1];
      } else {
        for (FreeGrasp& free : expected.free) free.grasp *= 20;
        for (std::uint32_t& grasp : expected.retreat_blocked) grasp *= 20;
        ++kinds[0];
      }
      expect_same(candidate, expected);
    }
    // Those that the first grasps take are in the order that they had, the others of their kind
    // behind them, and those with none at the end.
    const auto kind_of = [](const Candidate& c) {
      return c.free.empty() ? 4 : (c.is_buried ? 2 : 0) + (c.tried_rest ? 1 : 0);
    };
    std::vector<std::size_t> order;
    std::vector<std::size_t> order_of_few;
    for (const Candidate& c : both.ranked)
      if (!c.tried_rest) order.push_back(c.part);
    for (const Candidate& c : with_few.ranked)
      if (!c.free.empty()) order_of_few.push_back(c.part);
    EXPECT_EQ(order, order_of_few);
    for (std::size_t i = 1; i < both.ranked.size(); ++i) {
      const Candidate& a = both.ranked[i - 1];
      const Candidate& b = both.ranked[i];
      EXPECT_LE(kind_of(a), kind_of(b));
      if (kind_of(a) == kind_of(b)) {
        EXPECT_GE(a.free.size(), b.free.size());
      }
    }
    for (std::size_t i = 0; i < both.ranked.size(); ++i)
      EXPECT_EQ(kind_of(both.ranked[i]) < 2, i < both.valid);
    for (const int threads : {1, 4}) {
      options.threads = {threads};
      const PickResult again = picker.evaluate(pile, {}, options).value();
      ASSERT_EQ(again.ranked.size(), both.ranked.size());
      for (std::size_t i = 0; i < again.ranked.size(); ++i)
        expect_same(again.ranked[i], both.ranked[i]);
    }
  }
  // Found by the first grasps, by the rest, and not at all.
  for (const std::size_t count : kinds) EXPECT_GT(count, 5U);
}

/// Bars of 60 x 15 x 15 mm on a floor.
class Bars : public testing::Test {
 protected:
  const Vec3 size_{0.06, 0.015, 0.015};
  const Model bar_ = box(size_);
  const Gripper gripper_ = small_gripper();
  /// Across the bar, at three places along it; the middle one is the best.
  const std::vector<Grasp> grasps_{from_above({0.0, 0.0, 0.0}, std::acos(0.0), 1.0),
                                   from_above({-0.02, 0.0, 0.0}, std::acos(0.0), 0.9),
                                   from_above({0.02, 0.0, 0.0}, std::acos(0.0), 0.8)};
  /// The lowest point of a bar that lies is this high.
  static Pose lying(double x, double y, double z, double turn = 0.0) {
    return {rotation_about({0.0, 0.0, 1.0}, turn), {x, y, z + 0.0075}};
  }
  [[nodiscard]] PickResult evaluate(const std::vector<Pose>& parts, const PickOptions& options = {},
                                    const PickObstacles& obstacles = {}) const {
    return evaluate_picks(bar_, gripper_, grasps_, {{}, parts}, obstacles, options).value();
  }
};

TEST_F(Bars, AreRankedByTheNumberOfFreeGrasps) {
  // 0 has a neighbour beside its end, where a finger would go; 2 is alone; 1 is that neighbour.
  const PickResult result =
      evaluate({lying(0.0, 0.0, 0.01), lying(0.05, 0.025, 0.01), lying(0.3, 0.0, 0.01)});
  ASSERT_EQ(result.ranked.size(), 3U);
  EXPECT_EQ(result.valid, 3U);
  EXPECT_EQ(result.ranked[0].part, 2U);
  EXPECT_EQ(result.ranked[0].free.size(), 3U);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_GE(result.ranked[i - 1].free.size(), result.ranked[i].free.size());
  EXPECT_EQ(result.ranked[0].free[0].grasp, 0U) << "the best quality first";
}

TEST_F(Bars, OneThatNeedsTheRestComesBehindThoseWithFewerFreeGrasps) {
  // 0 has a neighbour beside its end, where the fingers of the grasp tried first would go: both
  // others are free. 2 is alone, and of it the one grasp is tried that 0 has not.
  const std::vector<Pose> parts{lying(0.0, 0.0, 0.01), lying(0.05, 0.025, 0.01),
                                lying(0.3, 0.0, 0.01)};
  const PickResult result = evaluate(parts, {.candidates = {0, 2}, .first = {2}});
  EXPECT_EQ(result.valid, 2U);
  EXPECT_EQ(result.ranked[0].part, 2U);
  EXPECT_EQ(result.ranked[0].free.size(), 1U);
  EXPECT_EQ(result.ranked[0].free[0].grasp, 2U);
  EXPECT_FALSE(result.ranked[0].tried_rest);
  EXPECT_EQ(result.ranked[1].part, 0U);
  EXPECT_EQ(result.ranked[1].free.size(), 2U);
  EXPECT_EQ(result.ranked[1].free[0].grasp, 0U);
  EXPECT_TRUE(result.ranked[1].tried_rest);
  // With all of them tried first it would be the same, and nothing is left for later.
  const PickResult all = evaluate(parts, {.candidates = {0, 2}, .first = {0, 1, 2}});
  EXPECT_EQ(all.ranked[0].free.size(), 3U);
  for (const Candidate& candidate : all.ranked) EXPECT_FALSE(candidate.tried_rest);
}

TEST_F(Bars, TheClearanceOfAGraspIsTheDistanceToTheNearest) {
  // Fingertips are 5 mm below the middle of a bar, which is 7.5 + 10 mm above the floor.
  const PickResult alone = evaluate({lying(0.0, 0.0, 0.01)});
  EXPECT_NEAR(alone.ranked[0].free[0].clearance, 0.0125, 1e-12);
  // The outer side of a finger is 26 mm from the middle; another bar's side is at 29 mm.
  const PickResult beside =
      evaluate({lying(0.0, 0.0, 0.01), lying(0.0, 0.0365, 0.01)}, {.candidates = {0}});
  EXPECT_NEAR(beside.ranked[0].free[0].clearance, 0.003, 1e-12);
  // Asked for more than that, none is left.
  const PickResult wide = evaluate({lying(0.0, 0.0, 0.01), lying(0.0, 0.0365, 0.01)},
                                   {.candidates = {0}, .clearance = 0.0031});
  EXPECT_THAT(wide.ranked[0].free, IsEmpty());
  EXPECT_EQ(wide.ranked[0].fates[static_cast<std::size_t>(GraspFate::HitsPart)], 3U);
  EXPECT_EQ(wide.valid, 0U);
}

TEST_F(Bars, AreBuriedUnderThoseThatLieOnThem) {
  // A stack of three, crosswise, with gaps of 0.1 mm, and one that stands alone.
  const double quarter = std::acos(0.0);
  const PickResult result = evaluate({lying(0.0, 0.0, 0.001), lying(0.0, 0.0, 0.0161, quarter),
                                      lying(0.0, 0.0, 0.0312), lying(0.3, 0.0, 0.001)},
                                     {.retreat = 0.1, .contact = 5e-5});
  std::vector<Candidate> by_part(4);
  for (const Candidate& candidate : result.ranked) by_part[candidate.part] = candidate;
  EXPECT_TRUE(by_part[0].is_buried);
  EXPECT_NEAR(by_part[0].lift, 1e-4, 2e-6);
  EXPECT_THAT(by_part[0].held_by, ElementsAre(1, 2));
  EXPECT_EQ(by_part[0].load, 2U);
  EXPECT_TRUE(by_part[1].is_buried);
  EXPECT_THAT(by_part[1].held_by, ElementsAre(2));
  EXPECT_EQ(by_part[1].load, 1U);
  EXPECT_FALSE(by_part[2].is_buried);
  EXPECT_EQ(by_part[2].lift, kInfinity);
  EXPECT_FALSE(by_part[3].is_buried);
  for (std::size_t i = 0; i < result.valid; ++i) EXPECT_FALSE(result.ranked[i].is_buried);
}

TEST_F(Bars, ALoadIsCountedThroughThoseBetween) {
  // 2 lies on 1 only, but its weight is on 0 as well: 0 under the end of 1, 2 on the other end.
  const PickResult result =
      evaluate({lying(0.0, 0.0, 0.001), lying(0.05, 0.0, 0.0161), lying(0.1, 0.0, 0.0312)},
               {.candidates = {0}, .retreat = 0.1, .contact = 5e-5});
  EXPECT_THAT(result.ranked[0].held_by, ElementsAre(1));
  EXPECT_EQ(result.ranked[0].load, 2U);
}

TEST_F(Bars, ThatTouchSideBySideAreNotBuried) {
  // Exactly face to face, and with an overlap and a gap below the tolerance.
  for (const double y : {0.015, 0.01499, 0.01501}) {
    const PickResult result =
        evaluate({lying(0.0, 0.0, 0.0), lying(0.0, y, 0.0)}, {.retreat = 0.1, .contact = 5e-5});
    for (const Candidate& candidate : result.ranked)
      EXPECT_FALSE(candidate.is_buried) << "gap " << y - 0.015;
  }
  // Deeper than that, nothing can be said: held.
  const PickResult deep =
      evaluate({lying(0.0, 0.0, 0.0), lying(0.0, 0.0148, 0.0)}, {.retreat = 0.1, .contact = 5e-5});
  EXPECT_TRUE(deep.ranked[0].is_buried);
  EXPECT_EQ(deep.ranked[0].lift, 0.0);
}

TEST_F(Bars, OneThatRestsOnAnotherComesOff) {
  const PickResult result =
      evaluate({lying(0.0, 0.0, 0.0), lying(0.0, 0.0, 0.015)}, {.retreat = 0.1, .contact = 5e-5});
  EXPECT_EQ(result.ranked[0].part, 1U);
  EXPECT_FALSE(result.ranked[0].is_buried);
  EXPECT_TRUE(result.ranked[1].is_buried);
}

TEST_F(Bars, AnObstacleOverTheGraspBlocksTheWayIn) {
  // A plate between 90 and 100 mm over the bar: the gripper, 65 mm high, is free below it.
  PickObstacles obstacles;
  obstacles.models.push_back(
      Model::build(transformed(box({0.2, 0.2, 0.01}).mesh(), Pose::translate({0.0, 0.0, 0.12})))
          .value());
  const std::vector<Pose> parts{lying(0.0, 0.0, 0.01)};
  EXPECT_EQ(evaluate(parts, {}, obstacles).ranked[0].free.size(), 3U);
  const PickResult in = evaluate(parts, {.approach = 0.1}, obstacles);
  EXPECT_EQ(in.ranked[0].fates[static_cast<std::size_t>(GraspFate::ApproachBlocked)], 3U);
  const PickResult out = evaluate(parts, {.retreat = 0.1}, obstacles);
  EXPECT_EQ(out.ranked[0].retreat_blocked.size(),
            out.ranked[0].fates[static_cast<std::size_t>(GraspFate::RetreatBlocked)]);
  EXPECT_EQ(out.ranked[0].fates[static_cast<std::size_t>(GraspFate::RetreatBlocked)], 3U);
  EXPECT_TRUE(out.ranked[0].is_buried) << "the bar as well hits the plate";
  EXPECT_THAT(out.ranked[0].held_by, IsEmpty());
  EXPECT_EQ(evaluate(parts, {.approach = 0.02, .retreat = 0.02}, obstacles).valid, 1U);
}

TEST_F(Bars, SomethingBetweenTheFingersBlocksTheClosing) {
  // A thin rod beside the bar, within the open gripper.
  PickObstacles obstacles;
  obstacles.models.push_back(Model::build(transformed(box({0.1, 0.002, 0.002}).mesh(),
                                                      Pose::translate({0.0, 0.015, 0.02})))
                                 .value());
  const std::vector<Pose> parts{lying(0.0, 0.0, 0.01)};
  EXPECT_EQ(evaluate(parts, {}, obstacles).ranked[0].free.size(), 3U);
  const PickResult closing = evaluate(parts, {.approach = 0.001}, obstacles);
  EXPECT_EQ(closing.ranked[0].fates[static_cast<std::size_t>(GraspFate::ApproachBlocked)], 3U);
}

TEST_F(Bars, PointsOfACameraAreObstacles) {
  PickObstacles obstacles;
  // A point 2 mm beside the outer side of a finger of the middle grasp: balls of 1 mm are free of
  // it, balls of 3 mm are not; the other grasps are farther.
  const std::vector<Vec3> points{{0.0, 0.028, 0.03}};
  const std::vector<Pose> parts{lying(0.0, 0.0, 0.01)};
  obstacles.points = {PointCloud::make(points, 0.001).value()};
  EXPECT_EQ(evaluate(parts, {}, obstacles).ranked[0].free.size(), 3U);
  EXPECT_NEAR(evaluate(parts, {}, obstacles).ranked[0].free[0].clearance, 0.001, 1e-12);
  obstacles.points = {PointCloud::make(points, 0.003).value()};
  const PickResult hit = evaluate(parts, {}, obstacles);
  EXPECT_EQ(hit.ranked[0].free.size(), 2U);
  EXPECT_EQ(hit.ranked[0].fates[static_cast<std::size_t>(GraspFate::HitsObstacle)], 1U);
}

// Found wrong: a whole cloud with points of the part was left out, and so was a fixture that the
// part touched.
TEST_F(Bars, OnlyThePartsOwnPointsAreNoObstacleToLiftingIt) {
  const std::vector<Pose> parts{Pose::translate({0.0, 0.0, 0.01})};
  const double top = 0.01 + bar_.mesh().bounds().high.z;
  const Vec3 end{bar_.mesh().bounds().high.x - 0.001, 0.0, top};
  PickObstacles obstacles;
  obstacles.points = {PointCloud::make({end}, 0.0005).value()};
  EXPECT_FALSE(evaluate(parts, {.retreat = 0.1}, obstacles).ranked[0].is_buried);
  // Another point 20 mm above, in the same cloud: less its ball.
  obstacles.points = {PointCloud::make({end, end + Vec3{0.0, 0.0, 0.02}}, 0.0005).value()};
  const PickResult held = evaluate(parts, {.retreat = 0.1}, obstacles);
  EXPECT_TRUE(held.ranked[0].is_buried);
  EXPECT_NEAR(held.ranked[0].lift, 0.0195, 1e-3);
}

TEST_F(Bars, AFixtureThatThePartTouchesHoldsIt) {
  const std::vector<Pose> parts{Pose::translate({0.0, 0.0, 0.01})};
  const Box bounds = bar_.mesh().bounds();
  // A plate that lies on the end of the bar.
  const Vec3 size{0.01, 0.1, 0.002};
  const Model plate =
      Model::build(
          transformed(box(size).mesh(), Pose::translate({bounds.high.x - 0.005, 0.0,
                                                         0.01 + bounds.high.z + 0.5 * size.z})))
          .value();
  EXPECT_TRUE(evaluate(parts, {.retreat = 0.1}, {.models = {plate}}).ranked[0].is_buried);
}

// Found wrong: the fingers could not close on points of the part itself.
TEST_F(Bars, ThePartsOwnPointsAreNoObstacleToGraspingIt) {
  std::vector<Grasp> grasps = grasps_;
  for (Grasp& grasp : grasps) grasp.width = size_.y;
  const std::vector<Pose> parts{lying(0.0, 0.0, 0.01)};
  const PickOptions ways{.approach = 0.03, .retreat = 0.1};
  const auto free_among = [&](const std::vector<Vec3>& points) {
    PickObstacles obstacles;
    obstacles.points = {PointCloud::make(points, 0.0005).value()};
    return evaluate_picks(bar_, gripper_, grasps, {{}, parts}, obstacles, ways)
        ->ranked[0]
        .free.size();
  };
  // On the side that a finger of the middle grasp comes to, and 3 mm before it.
  const Vec3 side{0.0, 0.5 * size_.y, 0.018};
  EXPECT_EQ(free_among({side}), 3U);
  EXPECT_EQ(free_among({side, side + Vec3{0.0, 0.003, 0.0}}), 2U);
}

/// A camera half a metre above the floor, a pixel a millimetre there. What it sees is a bar that is
/// known, and boxes that are not.
class SeenBars : public Bars {
 protected:
  SeenBars() {
    for (Grasp& grasp : holding_) grasp.width = size_.y;
  }
  [[nodiscard]] PickResult result(const std::vector<Box>& unknown, UnseenSpace unseen,
                                  double blind_from = 1.0) const {
    std::vector<Mesh> meshes{transformed(bar_.mesh(), pose_)};
    if (!unknown.empty()) meshes.push_back(mesh_of(unknown));
    const std::vector<std::string> names(meshes.size(), "seen");
    const Model scene = Model::build(merged(meshes, names).value()).value();
    DepthMap map{{201, 201, 500.0, 500.0, 100.0, 100.0},
                 {rotation_about({1.0, 0.0, 0.0}, std::acos(-1.0)), {0.0, 0.0, 0.5}},
                 {},
                 {}};
    map.options.unseen = unseen;
    map.options.range = 1.0;
    map.depth = depths_of(map.camera, map.world_from_camera, scene.bvh(), map.options);
    // Nothing is measured to the right of this part of the picture.
    for (std::size_t i = 0; i < map.depth.size(); ++i)
      if (static_cast<double>(i % 201) >= blind_from * 201.0) map.depth[i] = 0.0F;
    return evaluate_picks(bar_, gripper_, holding_, {{}, {pose_}}, {.seen = {map}},
                          {.approach = 0.03, .retreat = 0.1})
        .value();
  }
  std::vector<Grasp> holding_ = grasps_;
  Pose pose_ = lying(0.0, 0.0, 0.01);
};

TEST_F(SeenBars, AreGraspedAndLiftedWhenNothingElseIsThere) {
  for (const UnseenSpace unseen : {UnseenSpace::Free, UnseenSpace::Solid}) {
    const PickResult found = result({}, unseen);
    EXPECT_EQ(found.ranked[0].free.size(), 3U);
    EXPECT_FALSE(found.ranked[0].is_buried);
    EXPECT_EQ(found.valid, 1U);
  }
}

// Found wrong: a surface that touched the part at the start, which it always does, was left out as
// a whole, and nothing that a depth camera saw held a part down.
TEST_F(SeenBars, AreHeldBySomethingUnknownThatLiesOnThem) {
  for (const UnseenSpace unseen : {UnseenSpace::Free, UnseenSpace::Solid}) {
    // A block across the end.
    const PickResult found = result({{{0.018, -0.03, 0.025}, {0.040, 0.03, 0.035}}}, unseen);
    EXPECT_TRUE(found.ranked[0].is_buried);
    EXPECT_LT(found.ranked[0].lift, 0.02);
    EXPECT_THAT(found.ranked[0].held_by, IsEmpty());
    EXPECT_EQ(found.valid, 0U);
    EXPECT_GE(found.ranked[0].free.size(), 1U) << "the other end can be grasped";
    // The same block beside the bar.
    EXPECT_EQ(result({{{0.038, -0.03, 0.0}, {0.060, 0.03, 0.035}}}, unseen).valid, 1U);
  }
}

TEST_F(SeenBars, LoseGraspsToSomethingUnknownBesideThem) {
  for (const UnseenSpace unseen : {UnseenSpace::Free, UnseenSpace::Solid}) {
    const PickResult found = result({{{0.015, 0.012, 0.0}, {0.03, 0.04, 0.03}}}, unseen);
    EXPECT_EQ(found.ranked[0].free.size(), 2U);
    EXPECT_EQ(found.ranked[0].fates[static_cast<std::size_t>(GraspFate::HitsObstacle)], 1U);
  }
}

TEST_F(SeenBars, AreNotTakenThroughSpaceThatWasNotSeenUnlessItCountsAsFree) {
  // The right third of the picture, from 17 mm on, has no depth; the bar ends at 30 mm.
  const PickResult free = result({}, UnseenSpace::Free, 0.585);
  EXPECT_EQ(free.valid, 1U);
  const PickResult blocked = result({}, UnseenSpace::Solid, 0.585);
  EXPECT_EQ(blocked.valid, 0U);
  EXPECT_TRUE(blocked.ranked[0].is_buried);
  EXPECT_LT(blocked.ranked[0].free.size(), 3U);
}

TEST_F(SeenBars, NeedADepthImageThatMakesSense) {
  DepthMap map{{2, 2, 0.0, 1.0, 0.0, 0.0}, Pose::identity(), {1, 1, 1, 1}, {}};
  const auto reason_of = [&] {
    return evaluate_picks(bar_, gripper_, holding_, {{}, {pose_}}, {.seen = {map}}).error().reason;
  };
  EXPECT_THAT(reason_of(), HasSubstr("focal lengths"));
  map.camera.focal_u = 1.0;
  map.depth.pop_back();
  EXPECT_THAT(reason_of(), HasSubstr("3 values"));
}

TEST_F(Bars, OnlyWhatTheRobotReachesCounts) {
  // A gantry: slides along x, y and z, a wrist of three turns.
  std::string urdf = R"(<robot name="gantry"><link name="base"/>)";
  std::string parent = "base";
  const auto joint = [&](const std::string& name, const std::string& type, const std::string& axis,
                         const std::string& limit) {
    urdf += "<link name='" + name + "'/><joint name='j" + name + "' type='" + type +
            "'><parent link='" + parent + "'/><child link='" + name + "'/><axis xyz='" + axis +
            "'/><limit " + limit + " effort='1' velocity='1'/></joint>";
    parent = name;
  };
  joint("x", "prismatic", "1 0 0", "lower='-0.2' upper='0.2'");
  joint("y", "prismatic", "0 1 0", "lower='-0.2' upper='0.2'");
  joint("z", "prismatic", "0 0 1", "lower='0' upper='0.3'");
  joint("a", "revolute", "0 0 1", "lower='-3' upper='3'");
  joint("b", "revolute", "0 1 0", "lower='-3.2' upper='3.2'");
  joint("c", "revolute", "0 0 1", "lower='-3.2' upper='3.2'");
  urdf += "</robot>";
  const Result<RobotFile> file = parse_robot(urdf, "gantry.urdf", {});
  ASSERT_TRUE(file.ok()) << file.error().message();
  PickOptions options;
  options.robot =
      PickRobot{file->robot, Pose::identity(), *file->robot.link("c"), Pose::identity()};
  const PickResult result = evaluate({lying(0.1, 0.0, 0.01), lying(0.5, 0.0, 0.01)}, options);
  EXPECT_EQ(result.valid, 1U);
  EXPECT_EQ(result.ranked[0].part, 0U);
  EXPECT_EQ(result.ranked[0].free.size(), 3U);
  EXPECT_EQ(result.ranked[1].fates[static_cast<std::size_t>(GraspFate::OutOfReach)], 3U);
  // The last grasp is beyond the slide's end, the others are within reach: of the rest too, only
  // what is reached counts.
  options.first = {2};
  const PickResult rest = evaluate({lying(0.19, 0.0, 0.01)}, options);
  EXPECT_EQ(rest.valid, 1U);
  EXPECT_TRUE(rest.ranked[0].tried_rest);
  EXPECT_EQ(rest.ranked[0].free.size(), 2U);
  EXPECT_EQ(rest.ranked[0].fates[static_cast<std::size_t>(GraspFate::OutOfReach)], 1U);
  options.first.clear();
  // The way out is beyond the slide's end.
  options.retreat = 0.4;
  EXPECT_EQ(evaluate({lying(0.1, 0.0, 0.01)}, options).valid, 0U);
}

TEST_F(Bars, RefusesWhatMakesNoSense) {
  const auto reason = [&](const Pile& pile, const PickOptions& options = {}) {
    const Result<PickResult> result = evaluate_picks(bar_, gripper_, grasps_, pile, {}, options);
    return result ? std::string("evaluated") : result.error().message();
  };
  const Pile one{{}, {Pose::identity()}};
  EXPECT_THAT(reason({}), HasSubstr("no parts"));
  EXPECT_THAT(reason(one, {.candidates = {1}}), HasSubstr("candidate 1 is not in the pile"));
  EXPECT_THAT(reason(one, {.candidates = {0, 0}}), HasSubstr("twice"));
  EXPECT_THAT(reason(one, {.first = {0, 3}}), HasSubstr("grasp 3, to be tried first, is not"));
  EXPECT_THAT(reason(one, {.first = {1, 0, 1}}), HasSubstr("grasp 1, to be tried first, is named"));
  EXPECT_THAT(reason(one, {.clearance = -1.0}), HasSubstr("clearance"));
  EXPECT_THAT(reason(one, {.retreat = std::nan("")}), HasSubstr("retreat"));
  Pile scaled = one;
  scaled.parts[0].rotation = 2.0 * Mat3::identity();
  EXPECT_THAT(reason(scaled), HasSubstr("part 0"));
  const Result<Picker> none = Picker::make(bar_, gripper_, {});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message(), HasSubstr("no grasps"));
}

TEST(PickBody, SweptAlongAWayIsAllThatTheBodyGoesThrough) {
  Random random(3);
  const Model body = hook();
  const Vec3 way{0.02, -0.01, 0.05};
  const Result<Mesh> mesh = detail::swept_along(body.mesh(), way);
  ASSERT_TRUE(mesh.ok());
  const Model swept = Model::build(*mesh).value();
  EXPECT_TRUE(swept.is_solid());
  std::size_t inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p{random.uniform(-0.01, 0.09), random.uniform(-0.02, 0.05),
                 random.uniform(-0.01, 0.07)};
    bool is_met = false;
    for (int k = 0; k <= 200 && !is_met; ++k)
      is_met = body.side(p - (k / 200.0) * way) != Side::Outside;
    // Samples of the way can miss what the sweep holds, never the other way.
    if (is_met) {
      EXPECT_NE(swept.side(p), Side::Outside);
    }
    inside += is_met ? 1 : 0;
  }
  EXPECT_GT(inside, 200U);
}

}  // namespace
}  // namespace clearance
