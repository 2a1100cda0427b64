// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/straight.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "plan/mend.h"
#include "plan/straight_race.h"
#include "planning.h"

namespace clearance::detail {
namespace {

constexpr std::uint64_t kPlenty = 2'000'000'000;

class StraightThroughAWall : public testing::Test {
 protected:
  StraightThroughAWall()
      : problem_(scenes::wall_with_windows().problem),
        measures_(problem_.body),
        goal_(place_of(*problem_.goal, measures_.pivot)),
        size_(2.0 * measures_.reach) {}
  [[nodiscard]] StraightOptions options() const {
    const double extent = norm(problem_.bounds->high - problem_.bounds->low);
    return {0.1 * extent, 0.05 * extent, 0.3 * size_, 0.05 * size_, 0.02 * size_};
  }
  [[nodiscard]] StraightTrees trees() const {
    return {problem_, measures_, *problem_.bounds, {goal_}, options()};
  }

  PlanProblem problem_;
  BodyMeasures measures_;
  Place goal_;
  double size_;
};

TEST_F(StraightThroughAWall, FindsAWayWhoseProofIsThatOfThePath) {
  StraightTrees search = trees();
  ASSERT_TRUE(search.run(kPlenty, nullptr));
  Mender mender(problem_);
  auto proven = mender.prove(search.space(), search.way(), search.short_cuts(), {1}, nullptr);
  while (!proven) {
    search.refuse(mender.refused());
    ASSERT_TRUE(search.run(kPlenty, nullptr));
    proven = mender.prove(search.space(), search.way(), search.short_cuts(), {1}, nullptr);
  }
  const PlanPath path = path_along(problem_, proven->places);
  EXPECT_EQ(path.poses.front(), problem_.start);
  EXPECT_EQ(path.poses.back(), *problem_.goal);
  const PathProof again = prove_path(problem_, path);
  EXPECT_EQ(again.status, ProofStatus::Free);
  EXPECT_EQ(proven->proof.status, ProofStatus::Free);
  EXPECT_GT(proven->proof.clearance_lower, problem_.clearance);
  // What one proof says the path keeps, the other cannot have seen it come closer than.
  EXPECT_LE(proven->proof.clearance_lower, again.clearance_upper);
  EXPECT_LE(again.clearance_lower, proven->proof.clearance_upper);
  EXPECT_TRUE(proven->proof.samples.empty());
}

TEST_F(StraightThroughAWall, WaysAndTurnsApartMakePiecesOfOneKindAlone) {
  // Lines from one tree towards a place of the other do both; those towards targets of the sequence
  // are of three kinds in turn.
  int ways = 0;
  int turns = 0;
  for (const bool apart : {false, true}) {
    for (std::uint64_t part = 0; part < 8; ++part) {
      StraightOptions own = options();
      own.sequence = 1000 * part;
      own.apart = apart;
      StraightTrees search(problem_, measures_, *problem_.bounds, {goal_}, own);
      ASSERT_TRUE(search.run(kPlenty, nullptr));
      for (std::size_t i = 0; i + 1 < search.way().size(); ++i) {
        const Step6 step = between(search.way()[i], search.way()[i + 1], measures_.radius);
        ways += norm(step.turn) < 1e-9 && norm(step.way) > 1e-3 ? 1 : 0;
        turns += norm(step.way) < 1e-9 && norm(step.turn) > 1e-3 ? 1 : 0;
      }
    }
    EXPECT_EQ(ways > 0, apart);
    EXPECT_EQ(turns > 0, apart);
  }
}

TEST(StraightInApartment, WaysAndTurnsApartTakeAPianoThroughTwoDoors) {
  const PlanProblem problem = scenes::planning_scene("piano_in_apartment").value().problem;
  const BodyMeasures measures(problem.body);
  const Box bounds = problem.bounds ? *problem.bounds : plan_bounds(problem);
  const double extent = norm(bounds.high - bounds.low);
  const double size = 2.0 * measures.reach;
  StraightOptions options{0.1 * extent, 0.05 * extent, 0.3 * size,
                          0.2 * size,   0.02 * size,   102'000};
  options.apart = true;
  const std::vector<Place> goals{place_of(*problem.goal, measures.pivot)};
  StraightTrees search(problem, measures, bounds, goals, options);
  EXPECT_TRUE(search.run(150'000'000, nullptr));
}

TEST_F(StraightThroughAWall, ShortCutsKeepTheEnds) {
  StraightTrees search = trees();
  ASSERT_TRUE(search.run(kPlenty, nullptr));
  const std::vector<std::size_t> chosen = search.short_cuts();
  EXPECT_EQ(chosen.front(), 0U);
  EXPECT_EQ(chosen.back(), search.way().size() - 1);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(search.way().front().position, place_of(problem_.start, measures_.pivot).position);
  EXPECT_EQ(search.way().back().position, goal_.position);
}

TEST_F(StraightThroughAWall, WhatShortCutsLeaveIsLookedAtAsCloselyAsTheyAre) {
  int pieces = 0;
  for (std::uint64_t part = 0; part < 40; ++part) {
    StraightOptions own = options();
    own.sequence = 1000 * part;
    own.spacing = size_;  // a tree that hardly looks
    StraightTrees search(problem_, measures_, *problem_.bounds, {goal_}, own);
    ASSERT_TRUE(search.run(kPlenty, nullptr));
    const std::vector<std::size_t>& chosen = search.short_cuts();
    for (std::size_t i = 0; i + 1 < chosen.size(); ++i) {
      const Place& from = search.way()[chosen[i]];
      const Step6 step = between(from, search.way()[chosen[i + 1]], measures_.radius);
      const int looks =
          static_cast<int>(std::ceil(search.space().longest_way(step) / own.way_spacing));
      for (int k = 0; k <= looks; ++k) {
        const Place there = moved(from, (static_cast<double>(k) / looks) * step, measures_.radius);
        EXPECT_TRUE(search.space().is_clear(there)) << part << ": " << chosen[i];
      }
      pieces += chosen[i + 1] == chosen[i] + 1 ? 1 : 0;
    }
  }
  EXPECT_GT(pieces, 10);
}

TEST_F(StraightThroughAWall, APieceThatIsRefusedIsNotComeBackTo) {
  StraightTrees search = trees();
  for (int n = 0; n < 20; ++n) {
    ASSERT_TRUE(search.run(kPlenty, nullptr));
    const std::size_t piece = static_cast<std::size_t>(n) % (search.way().size() - 1);
    const Place from = search.way()[piece];
    const Place to = search.way()[piece + 1];
    search.refuse(piece);
    ASSERT_TRUE(search.run(kPlenty, nullptr));
    const std::vector<Place>& next = search.way();
    for (std::size_t i = 0; i + 1 < next.size(); ++i) {
      EXPECT_FALSE(next[i].position == from.position && next[i + 1].position == to.position);
    }
  }
}

TEST_F(StraightThroughAWall, TheSameWinsTheRaceForAnyThreadsAndSlices) {
  // Several parts of the sequence, so that now the first wins and now another.
  std::set<std::uint64_t> operations;
  for (std::uint64_t part = 0; part < 8; ++part) {
    StraightOptions own = options();
    own.sequence = 1000 * part;
    const auto race = [&](int threads, std::uint64_t slice) {
      auto one = std::make_unique<StraightRace>(problem_, measures_, *problem_.bounds,
                                                std::vector<Place>{goal_}, own);
      while (!one->run(slice, {threads}, nullptr)) {
      }
      return one;
    };
    const auto one = race(1, kPlenty);
    operations.insert(one->operations());
    for (const int threads : {1, 2, 4}) {
      const auto other = race(threads, kPlenty);
      EXPECT_EQ(other->operations(), one->operations()) << part << ' ' << threads;
      EXPECT_EQ(other->nodes(), one->nodes()) << part << ' ' << threads;
      EXPECT_EQ(path_along(problem_, other->way().places).poses,
                path_along(problem_, one->way().places).poses);
      EXPECT_EQ(other->way().proof.clearance_lower, one->way().proof.clearance_lower);
      EXPECT_EQ(other->way().proof.looks, one->way().proof.looks);
    }
  }
  EXPECT_GT(operations.size(), 4U);
}

TEST_F(StraightThroughAWall, ProofsOfPiecesDoNotDependOnThreads) {
  StraightTrees search = trees();
  ASSERT_TRUE(search.run(kPlenty, nullptr));
  const std::vector<std::size_t> chosen = search.short_cuts();
  Mender one(problem_);
  Mender two(problem_);
  const std::uint64_t before = search.space().operations();
  const auto alone = one.prove(search.space(), search.way(), chosen, {1}, nullptr);
  const std::uint64_t between = search.space().operations();
  const auto together = two.prove(search.space(), search.way(), chosen, {4}, nullptr);
  EXPECT_EQ(search.space().operations() - between, between - before);
  ASSERT_EQ(alone.has_value(), together.has_value());
  if (!alone) {
    EXPECT_EQ(one.refused(), two.refused());
    return;
  }
  EXPECT_EQ(alone->proof.looks, together->proof.looks);
  EXPECT_EQ(alone->proof.clearance_lower, together->proof.clearance_lower);
}

TEST_F(StraightThroughAWall, KeepsTheClearanceAskedFor) {
  problem_.clearance = 0.02;
  StraightTrees search = trees();
  ASSERT_TRUE(search.run(kPlenty, nullptr));
  for (const Place& place : search.way()) {
    EXPECT_GT(search.space().look(place, size_).room, 0.0);
  }
}

}  // namespace
}  // namespace clearance::detail
