// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fitted_places.h"

#include <cmath>

#include <gtest/gtest.h>

#include <clearance/plan/plan.h>

#include "plan/mend.h"
#include "plan/search.h"
#include "planning.h"
#include "simple_solids.h"

namespace clearance::detail {
namespace {

/// The sampler of a problem, and the space that counts its work.
class Fits {
 public:
  explicit Fits(PlanProblem problem, std::uint64_t seed = 1)
      : problem_(std::move(problem)),
        measures_(problem_.body),
        space_(problem_, measures_),
        fits_(problem_, measures_, problem_.bounds ? *problem_.bounds : plan_bounds(problem_),
              seed) {}
  [[nodiscard]] std::optional<Place> next() { return fits_.next(space_); }
  [[nodiscard]] FreeSpace& space() { return space_; }
  /// So many places, those attempts left out that found none.
  [[nodiscard]] std::vector<Place> places(int count) {
    std::vector<Place> result;
    for (int i = 0; i < count; ++i) {
      if (const auto place = next()) result.push_back(*place);
    }
    return result;
  }

 private:
  PlanProblem problem_;
  BodyMeasures measures_;
  FreeSpace space_;
  FittedPlaces fits_;
};

TEST(FittedPlaces, LayAStickAlongATubeThatHasLittleRoom) {
  // 15 mm of room about a stick of 100 by 100 by 350 mm; the tube runs along x.
  Fits fits(scenes::bug_trap(0.015).problem);
  const std::vector<Place> places = fits.places(60);
  ASSERT_GE(places.size(), 20U);
  std::size_t within = 0;
  for (const Place& place : places) {
    EXPECT_TRUE(fits.space().is_clear(place));
    const Vec3& p = place.position;
    if (std::abs(p.y) > 0.0075 || std::abs(p.z) > 0.0075 || p.x < 0.1 || p.x > 0.55) continue;
    ++within;
    EXPECT_GT(std::abs((rotation_from(place.turn) * Vec3{1.0, 0.0, 0.0}).x),
              std::cos(2.0 * 0.015 / 0.175));
  }
  // It is the one passage that there is.
  EXPECT_GE(2 * within, places.size());
}

TEST(FittedPlaces, PutARingRoundAPipe) {
  const PlanProblem problem = scenes::ring_on_pipe(0.02).problem;
  Fits fits(problem);
  const std::vector<Place> places = fits.places(200);
  ASSERT_GE(places.size(), 20U);
  std::size_t around = 0;
  for (const Place& place : places) {
    EXPECT_TRUE(fits.space().is_clear(place));
    // The middle of the ring is within the pipe.
    if (problem.obstacles.side(place.position) == Side::Inside) ++around;
  }
  EXPECT_GE(2 * around, places.size());
}

TEST(FittedPlaces, KeepTheClearance) {
  PlanProblem problem = scenes::bug_trap(0.1).problem;
  problem.clearance = 0.03;
  Fits fits(problem);
  const std::vector<Place> places = fits.places(60);
  ASSERT_GE(places.size(), 20U);
  for (const Place& place : places) EXPECT_TRUE(fits.space().is_clear(place));
}

/// How many of the places have the stick within the tube of the bug trap.
std::size_t within_tube(const std::vector<Place>& places) {
  std::size_t count = 0;
  for (const Place& place : places) {
    const Vec3& p = place.position;
    if (std::abs(p.y) < 0.03 && std::abs(p.z) < 0.03 && p.x > 0.1 && p.x < 0.55) ++count;
  }
  return count;
}

Mesh turned_inside_out(const Mesh& mesh) {
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  std::vector<std::array<std::uint32_t, 3>> faces;
  for (const auto& face : mesh.faces()) faces.push_back({face[0], face[2], face[1]});
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

TEST(FittedPlaces, AreThoseOfTheSolidWhicheverWayItIsWound) {
  PlanProblem problem = scenes::bug_trap(0.05).problem;
  problem.obstacles = Model::build(turned_inside_out(problem.obstacles.mesh())).value();
  problem.body = Model::build(turned_inside_out(problem.body.mesh())).value();
  const std::vector<Place> places = Fits(problem).places(60);
  ASSERT_GE(places.size(), 20U);
  EXPECT_GE(2 * within_tube(places), places.size());
}

TEST(FittedPlaces, AreFoundBetweenSheetsWoundAnyWay) {
  // A tube of four sheets whose triangles all face away from its inside.
  scenes::SolidBuilder tube;
  tube.box({-0.5, -0.1, -0.1}, {0.5, 0.1, 0.1});
  const Mesh closed = tube.mesh();
  std::vector<Vec3> vertices(closed.vertices().begin(), closed.vertices().end());
  std::vector<std::array<std::uint32_t, 3>> faces;
  for (const auto& face : closed.faces()) {
    const double x = vertices[face[0]].x;
    if (vertices[face[1]].x != x || vertices[face[2]].x != x) faces.push_back(face);
  }
  ASSERT_EQ(faces.size(), 8U);
  PlanProblem problem = scenes::bug_trap(0.1).problem;
  problem.solid = false;
  problem.obstacles = Model::build(Mesh::make(vertices, faces).value()).value();
  Fits fits(problem);
  const std::vector<Place> places = fits.places(60);
  ASSERT_GE(places.size(), 20U);
  std::size_t inside_tube = 0;
  for (const Place& place : places) {
    const Vec3& p = place.position;
    if (std::abs(p.y) < 0.1 && std::abs(p.z) < 0.1 && std::abs(p.x) < 0.7) ++inside_tube;
  }
  EXPECT_GE(2 * inside_tube, places.size());
}

TEST(FittedPlaces, KeepTheBoundsOfThePivot) {
  PlanProblem problem = scenes::bug_trap(0.05).problem;
  problem.bounds = Box{{-0.5, -0.5, -0.5}, {0.25, 0.5, 0.5}};
  const std::vector<Place> places = Fits(problem).places(60);
  ASSERT_GE(places.size(), 10U);
  for (const Place& place : places) EXPECT_TRUE(inside(*problem.bounds, place.position));
}

TEST(FittedPlaces, AreNoneWithBinaryTreesAndTheSearchGoesOn) {
  PlanProblem problem = scenes::bug_trap(0.05).problem;
  BvhOptions options;
  options.volume = Volume::Rss;
  problem.obstacles = Model::build(problem.obstacles.mesh(), options).value();
  problem.body = Model::build(problem.body.mesh(), options).value();
  EXPECT_TRUE(Fits(problem).places(5).empty());
  PlanOptions plan;
  plan.operations = 20'000'000;
  EXPECT_EQ(plan_path(problem, plan).status, PlanStatus::OutOfBudget);
}

TEST(FittedPlaces, AreTheSameForTheSameSeed) {
  const PlanProblem problem = scenes::bug_trap(0.05).problem;
  const std::vector<Place> one = Fits(problem, 7).places(20);
  const std::vector<Place> again = Fits(problem, 7).places(20);
  const std::vector<Place> other = Fits(problem, 8).places(20);
  ASSERT_EQ(one.size(), again.size());
  ASSERT_FALSE(one.empty());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].position, again[i].position) << i;
    EXPECT_EQ(one[i].turn.w, again[i].turn.w) << i;
  }
  ASSERT_FALSE(other.empty());
  EXPECT_NE(one.front().position, other.front().position);
}

TEST(FittedPlaces, AreDueOnlyWhileTheyTookAPartOfTheWork) {
  const PlanProblem problem = scenes::bug_trap(0.05).problem;
  const BodyMeasures measures(problem.body);
  FreeSpace space(problem, measures);
  FittedPlaces fits(problem, measures, plan_bounds(problem), 1);
  space.count(1000);
  EXPECT_TRUE(fits.is_due(space));
  (void)fits.next(space);
  EXPECT_FALSE(fits.is_due(space)) << "nearly all of the work was for these places";
  space.count(10 * space.operations());
  EXPECT_TRUE(fits.is_due(space));
}

TEST(FittedPlaces, AreNoneWhereThereIsNoPassage) {
  scenes::SolidBuilder wall;
  wall.box({-1.0, -1.0, -0.1}, {1.0, 1.0, 0.0});
  scenes::SolidBuilder body;
  body.box({0.0, 0.0, 0.0}, {0.2, 0.2, 0.2});
  PlanProblem problem = scenes::bug_trap(0.1).problem;
  problem.body = Model::build(body.mesh()).value();
  problem.obstacles = Model::build(wall.mesh()).value();
  Fits fits(problem);
  EXPECT_FALSE(fits.next().has_value());
  EXPECT_GT(fits.space().operations(), 0U) << "work is counted where nothing is found, too";
}

TEST(FittedPlaces, AreGivenUpAfterAWhile) {
  // Between two wide plates there is no second pair of walls: each search for a passage is in vain,
  // and dear. One is enough for one call.
  scenes::SolidBuilder plates;
  plates.box({-9.0, -9.0, -0.2}, {9.0, 9.0, -0.1}).box({-9.0, -9.0, 0.1}, {9.0, 9.0, 0.2});
  PlanProblem problem = scenes::bug_trap(0.1).problem;
  problem.obstacles = Model::build(plates.mesh()).value();
  problem.bounds = Box{{-8.0, -8.0, -0.1}, {8.0, 8.0, 0.1}};
  Fits fits(problem);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = fits.space().operations();
    EXPECT_FALSE(fits.next().has_value());
    EXPECT_LT(fits.space().operations() - before, 1'100'000U);
  }
}

/// Does a search alone find a way that is proven within so many operations?
bool finds(const PlanProblem& problem, bool fitted, std::uint64_t most) {
  const BodyMeasures measures(problem.body);
  const double size = 2.0 * measures.reach;
  SearchOptions options;
  options.step = 0.02 * size;
  options.margin = 1e-3 * size;
  options.comfort = 0.01 * size;
  options.range = 2.0 * size;
  options.fitted = fitted;
  Search search(problem, measures, problem.bounds ? *problem.bounds : plan_bounds(problem),
                {place_of(*problem.goal, measures.pivot)}, options);
  Mender mender(problem);
  while (search.operations() < most && search.run(most - search.operations(), nullptr)) {
    if (mender.prove(search.space(), search.way(), options.step, options.margin, nullptr))
      return true;
    search.refuse(mender.refused());
  }
  return false;
}

TEST(FittedPlaces, LeadATreeOutOfATrapThatOthersStayIn) {
  const PlanProblem problem = scenes::bug_trap(0.05).problem;
  EXPECT_TRUE(finds(problem, true, 200'000'000));
  EXPECT_FALSE(finds(problem, false, 200'000'000));
}

TEST(FittedPlaces, BringThePlannerThroughTheNarrowOnes) {
  for (const char* name : {"bug_trap_hard", "maze_of_plates"}) {
    const auto scene = scenes::planning_scene(name);
    ASSERT_TRUE(scene.ok());
    PlanOptions options;
    options.operations = 1'000'000'000;
    options.improve = false;
    const Plan plan = plan_path(scene->problem, options);
    EXPECT_EQ(plan.status, PlanStatus::Found) << name;
    EXPECT_EQ(plan.proof.status, ProofStatus::Free) << name;
    EXPECT_EQ(plan.method, "trees 1") << name;
    // The same bits on one thread.
    options.threads = Threads{1};
    const Plan alone = plan_path(scene->problem, options);
    EXPECT_EQ(alone.path.poses, plan.path.poses) << name;
    EXPECT_EQ(alone.operations, plan.operations) << name;
  }
}

}  // namespace
}  // namespace clearance::detail
