// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a Coherence remembers along a path never changes an answer: random walks of long and short
// steps, in and out of contact, of every kind of scene and place, warm against cold.
#include "query/wide_front.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/query/query.h>

#include "support/brute_force.h"
#include "support/query_scenes.h"

namespace clearance {
namespace {

using namespace clearance::test;

Bvh tree_of(const TriangleSet& set) {
  return Bvh::build(set.vertices, set.faces, {.threads = Threads{1}}).value();
}

// A step of B about its middle, of a length that is a fraction of its size.
Pose stepped(Random& random, const Pose& pose, const Bvh& b, double length) {
  const Vec3 middle = pose * b.bounds().center();
  const double size = b.bounds().diagonal();
  const Mat3 turn = rotation_about(scenes::direction(random), length * random.uniform(-1.0, 1.0));
  const Vec3 to = middle + length * size * scenes::in_ball(random);
  return {turn * pose.rotation, turn * (pose.translation - middle) + to};
}

bool same(const Within& a, const Within& b) {
  return a.within == b.within && a.pair == b.pair && a.lower == b.lower && a.upper == b.upper;
}

TEST(WideFront, NeverChangesAnAnswer) {
  int used = 0;
  int touching = 0;
  int steps = 0;
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      Random random((seed << 8) + static_cast<std::uint64_t>(kind));
      const ScenePlacement placement = seed % 3 == 0 ? kHere : seed % 3 == 1 ? kAnyScale : kFarAway;
      const QueryScene scene = random_scene(random, kind, 120, placement);
      const Bvh a = tree_of(scene.a);
      const Bvh b = tree_of(scene.b);
      const double length = std::pow(10.0, random.uniform(-5.0, -1.5));
      Coherence coherence;
      Pose pose = scene.a_from_b;
      for (int i = 0; i < 40; ++i) {
        pose = stepped(random, pose, b, i % 20 == 19 ? 0.2 : length);
        const std::string what = std::string(test::name_of(kind)) + ", seed " +
                                 std::to_string(seed) + ", step " + std::to_string(i);
        const Distance cold = distance(a, b, pose);
        const Distance warm = distance(a, b, pose, {}, &coherence);
        ASSERT_TRUE(same_answer(cold, warm))
            << what << "\ncold " << describe(cold) << "\nwarm " << describe(warm);
        const double limit = cold.distance * random.uniform(0.5, 1.5);
        ASSERT_TRUE(same(within(a, b, pose, limit), within(a, b, pose, limit, &coherence))) << what;
        const double bound = cold.distance * random.uniform(0.9, 1.5);
        ASSERT_TRUE(same_answer(distance(a, b, pose, {.upper_bound = bound}),
                                distance(a, b, pose, {.upper_bound = bound}, &coherence)))
            << what;
        used += warm.work.volume_tests < cold.work.volume_tests ? 1 : 0;
        touching += cold.distance == 0.0 ? 1 : 0;
        ++steps;
      }
    }
  }
  EXPECT_GT(used, steps / 4);
  EXPECT_GT(touching, steps / 5);
  EXPECT_LT(touching, steps * 4 / 5);
}

TEST(WideFront, IsRightForBodiesSoSmallThatSquaresOfTheirSizesVanish) {
  // Single precision has no squares of lengths below 4e-23.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const SceneKind kind = seed % 2 == 0 ? SceneKind::Smooth : SceneKind::Surface;
    const QueryScene scene = random_scene(random, kind, 100, {-26.0, -20.0, 0.0});
    const Bvh a = tree_of(scene.a);
    const Bvh b = tree_of(scene.b);
    Coherence coherence;
    Pose pose = scene.a_from_b;
    for (int i = 0; i < 6; ++i) {
      pose = stepped(random, pose, b, 1e-3);
      const Distance expected = brute_distance(scene.a.span(), scene.b.span(), pose);
      for (const Distance& found : {distance(a, b, pose), distance(a, b, pose, {}, &coherence)}) {
        ASSERT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), pose))
            << seed << ", step " << i << "\nfound    " << describe(found) << "\nexpected "
            << describe(expected);
      }
    }
  }
}

TEST(WideFront, SavesMoreTheShorterTheSteps) {
  Random random(5);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 4000);
  const Bvh tree = tree_of(set);
  const auto work = [&](double step) {
    Coherence coherence;
    Work sum;
    for (int i = 0; i < 200; ++i) {
      const double t = step * i;
      const Pose pose{rotation_about({0, 0, 1}, 0.5 * t),
                      {2.3 * std::cos(t), 2.3 * std::sin(t), 0.1 * t}};
      sum += distance(tree, tree, pose, {}, &coherence).work;
    }
    return sum.volume_tests;
  };
  const std::uint64_t shorter = work(1e-5);
  EXPECT_LT(2 * shorter, work(1e-2));
}

// A query that stops at the first pair leaves the rest of the pairs of its leaves unseen: what is
// kept of them must hold for the queries that follow.
TEST(WideFront, IsRightAfterQueriesThatStoppedEarly) {
  int stopped = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const TriangleSet set_a = scenes::triangle_set(random, SceneKind::Surface, 400);
    const TriangleSet set_b = scenes::triangle_set(random, SceneKind::Surface, 400);
    const Bvh a = tree_of(set_a);
    const Bvh b = tree_of(set_b);
    Coherence coherence;
    Pose pose = Pose::translate({2.1, 0.0, 0.0});
    for (int i = 0; i < 30; ++i) {
      pose = stepped(random, pose, b, 1e-4);
      const Distance cold = distance(a, b, pose);
      for (const double factor : {1.5, 0.99, 1.01}) {
        const double limit = factor * cold.distance;
        const Within warm = within(a, b, pose, limit, &coherence);
        ASSERT_TRUE(same(within(a, b, pose, limit), warm)) << seed << ", " << i;
        stopped += warm.within ? 1 : 0;
      }
      ASSERT_TRUE(same_answer(cold, distance(a, b, pose, {}, &coherence))) << seed << ", " << i;
    }
  }
  EXPECT_GT(stopped, 60 * 30);
}

TEST(WideFront, IsNotTakenForThatOfOtherTrees) {
  Random random(6);
  Coherence coherence;
  Pose pose = Pose::translate({2.3, 0.0, 0.0});
  for (int i = 0; i < 40; ++i) {
    // New trees each few steps, in the memory of the last ones as like as not.
    const TriangleSet set_a = scenes::triangle_set(random, SceneKind::Surface, 500);
    const TriangleSet set_b = scenes::triangle_set(random, SceneKind::Surface, 500);
    const Bvh a = tree_of(set_a);
    const Bvh b = tree_of(set_b);
    for (int k = 0; k < 4; ++k) {
      pose.translation.y += 1e-4;
      ASSERT_TRUE(same_answer(distance(a, b, pose), distance(a, b, pose, {}, &coherence)));
      ASSERT_TRUE(same_answer(distance(b, a, pose), distance(b, a, pose, {}, &coherence)));
    }
  }
}

TEST(WideFront, TravelIsAtLeastWhatEveryVertexMoves) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const QueryScene scene =
        random_scene(random, SceneKind::Soup, 20, seed % 2 == 0 ? kAnyScale : kFarAway);
    const Bvh a = tree_of(scene.a);
    const Bvh b = tree_of(scene.b);
    const Pose then = scene.a_from_b;
    const Pose now = stepped(random, then, b, std::pow(10.0, random.uniform(-8.0, 0.0)));
    double moved = 0.0;
    for (const Vec3& v : scene.b.vertices) moved = std::max(moved, norm(now * v - then * v));
    double moved_a = 0.0;
    for (const Vec3& v : scene.a.vertices)
      moved_a = std::max(moved_a, norm(inverse(now) * v - inverse(then) * v));
    EXPECT_GE(detail::travel_between(a, b, then, now), std::min(moved, moved_a)) << seed;
  }
}

// 1e6 m from the origin of their frames two matrices that are rotations to seven digits only bring
// a body 1.6 m nearer, and a shift hides it where the transpose is taken for the inverse.
TEST(TravelBetween, CountsWhatMatricesThatAreNotQuiteRotationsDoFarOut) {
  const std::array<std::array<std::uint32_t, 3>, 1> face{{{0, 1, 2}}};
  const std::array<Vec3, 3> corners_a{{{1e6, 0, 0}, {1e6, 1, 0}, {1e6, 0, 1}}};
  std::array<Vec3, 3> corners_b = corners_a;
  for (Vec3& p : corners_b) p.x += 10.0;
  const Bvh a = *Bvh::build(corners_a, face);
  const Bvh b = *Bvh::build(corners_b, face);
  Pose then;
  Pose now{Mat3::identity(), {-0.8, 0.0, 0.0}};
  for (std::size_t k = 0; k < 3; ++k) {
    then.rotation[k][k] = 1.0 + 4e-7;
    now.rotation[k][k] = 1.0 - 4e-7;
  }
  const double nearer = distance(a, b, then).distance - distance(a, b, now).distance;
  EXPECT_NEAR(nearer, 1.6, 1e-3);
  EXPECT_GE(detail::travel_between(a, b, then, now), nearer);
}

}  // namespace
}  // namespace clearance
