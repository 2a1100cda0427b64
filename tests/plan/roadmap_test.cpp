// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/roadmap.h"

#include <gtest/gtest.h>

#include "plan/mend.h"
#include "planning.h"

namespace clearance::detail {
namespace {

constexpr std::uint64_t kPlenty = 2'000'000'000;

class RoadmapOfAWall : public testing::Test {
 protected:
  RoadmapOfAWall()
      : problem_(scenes::wall_with_windows().problem),
        measures_(problem_.body),
        goal_(place_of(*problem_.goal, measures_.pivot)),
        size_(2.0 * measures_.reach) {}
  [[nodiscard]] Roadmap roadmap() const {
    return {problem_,
            measures_,
            *problem_.bounds,
            {goal_},
            {{0.01 * size_, 1e-3 * size_, 5e-3 * size_}, 0, 0.25 * size_}};
  }

  PlanProblem problem_;
  BodyMeasures measures_;
  Place goal_;
  double size_;
};

TEST_F(RoadmapOfAWall, FindsAWayFromTheStartToTheGoalThatIsProven) {
  Roadmap map = roadmap();
  ASSERT_TRUE(map.run(kPlenty, nullptr));
  const std::vector<Place>& way = map.way();
  ASSERT_GE(way.size(), 2U);
  EXPECT_EQ(way.front().position, place_of(problem_.start, measures_.pivot).position);
  EXPECT_EQ(way.back().position, goal_.position);
  Mender mender(problem_);
  EXPECT_TRUE(mender.prove(map.space(), way, 0.01 * size_, 1e-3 * size_, nullptr).has_value());
}

TEST_F(RoadmapOfAWall, APieceThatIsRefusedIsNotUsedAgain) {
  Roadmap map = roadmap();
  ASSERT_TRUE(map.run(kPlenty, nullptr));
  const std::vector<Place> first = map.way();
  const std::size_t piece = first.size() / 2;
  map.refuse(piece);
  ASSERT_TRUE(map.run(kPlenty, nullptr));
  const std::vector<Place>& second = map.way();
  for (std::size_t i = 0; i + 1 < second.size(); ++i) {
    const bool same = second[i].position == first[piece].position &&
                      second[i + 1].position == first[piece + 1].position;
    EXPECT_FALSE(same) << i;
  }
}

TEST_F(RoadmapOfAWall, DoesTheSameWhetherRunInOneGoOrInMany) {
  Roadmap whole = roadmap();
  ASSERT_TRUE(whole.run(kPlenty, nullptr));
  Roadmap parts = roadmap();
  int rounds = 0;
  while (!parts.run(1'000'000, nullptr)) ASSERT_LT(++rounds, 1000);
  EXPECT_EQ(parts.nodes(), whole.nodes());
  EXPECT_EQ(parts.space().operations(), whole.space().operations());
  EXPECT_GT(rounds, 0);
}

}  // namespace
}  // namespace clearance::detail
