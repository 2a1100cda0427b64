// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wide tree on sets large enough to have several levels, against brute force; and what its
// single precision must not lose: shapes far from the origin, tiny gaps, slivers, great differences
// of size. The common suite for all trees is in binary_query_test.cpp.
#include <cmath>
#include <limits>
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

TEST(WideQuery, GivesTheAnswersOfBruteForceOnSeveralLevels) {
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Random random((seed << 8) + static_cast<std::uint64_t>(kind));
      const ScenePlacement placement = seed % 2 == 0 ? kAnyScale : kFarAway;
      const QueryScene scene = random_scene(random, kind, 220, placement);
      const Bvh a = tree_of(scene.a);
      const Bvh b = tree_of(scene.b);
      const std::string what = std::string(test::name_of(kind)) + ", seed " + std::to_string(seed);
      const Pose& pose = scene.a_from_b;
      const std::vector<Contact> touching = brute_contacts(scene.a.span(), scene.b.span(), pose);
      EXPECT_EQ(collide(a, b, pose).hit, !touching.empty()) << what;
      EXPECT_EQ(contacts(a, b, pose).pairs, touching) << what;
      const Distance expected = brute_distance(scene.a.span(), scene.b.span(), pose);
      const Distance found = distance(a, b, pose);
      ASSERT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), pose))
          << what << "\nfound    " << describe(found) << "\nexpected " << describe(expected);
    }
  }
}

// Two flat grids of n x n squares each, parallel, `gap` apart along z: thousands of pairs are
// equally close, and every box touches the next.
TriangleSet flat_grid(int n, double size, const Vec3& origin) {
  TriangleSet set;
  const double step = size / n;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) set.vertices.push_back(origin + Vec3{i * step, j * step, 0.0});
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * (n + 1) + j); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      set.faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      set.faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return set;
}

TEST(WideQuery, SeesGapsFarBelowSinglePrecision) {
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12}) {
    for (const Vec3& origin : {Vec3{}, Vec3{1.0, 2.0, 4.0}}) {
      const TriangleSet low = flat_grid(20, 1.0, origin);
      const TriangleSet high = flat_grid(20, 1.0, origin);
      const Bvh a = tree_of(low);
      const Bvh b = tree_of(high);
      const Pose above = Pose::translate({0.013, 0.007, gap});
      const Distance d = distance(a, b, above);
      EXPECT_NEAR(d.distance, gap, 1e-15 * 8.0) << gap;
      EXPECT_GT(d.distance, 0.0) << gap;
      EXPECT_FALSE(collide(a, b, above).hit) << gap;
      EXPECT_TRUE(within(a, b, above, 1.1 * gap).within) << gap;
      EXPECT_FALSE(within(a, b, above, 0.9 * gap).within) << gap;
      EXPECT_TRUE(collide(a, b, Pose::translate({0.013, 0.007, 0.0})).hit);
    }
  }
}

TEST(WideQuery, FindsASmallPartBesideAHugeOne) {
  // A grain of a micrometre beside a plate of a kilometre: sizes nine orders apart.
  const TriangleSet plate = flat_grid(30, 1000.0, {});
  const TriangleSet grain = flat_grid(4, 1e-6, {});
  const Bvh a = tree_of(plate);
  const Bvh b = tree_of(grain);
  for (const double gap : {1.0, 1e-6, 1e-9}) {
    const Pose pose = Pose::translate({417.3, 211.9, gap});
    EXPECT_NEAR(distance(a, b, pose).distance, gap, 1e-12) << gap;
    EXPECT_FALSE(collide(a, b, pose).hit) << gap;
  }
  EXPECT_TRUE(collide(a, b, Pose::translate({417.3, 211.9, 0.0})).hit);
}

TEST(WideQuery, SeesContactOfBodiesWithoutExtent) {
  // A point, and grids so small that squares of their sizes vanish in single precision.
  TriangleSet point;
  point.add({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}});
  for (const double size : {0.0, 1e-40, 1e-30, 1e-20, 1e-15, 1e-10}) {
    const TriangleSet set = size == 0.0 ? point : flat_grid(6, size, {});
    const Bvh tree = tree_of(set);
    EXPECT_TRUE(collide(tree, tree, Pose::identity()).hit) << size;
    EXPECT_EQ(distance(tree, tree, Pose::identity()).distance, 0.0) << size;
    EXPECT_TRUE(within(tree, tree, Pose::identity(), 0.0).within) << size;
    const Pose away = Pose::translate({0, 0, 1.0});
    EXPECT_FALSE(collide(tree, tree, away).hit) << size;
    EXPECT_NEAR(distance(tree, tree, away).distance, 1.0, 1e-14) << size;
  }
}

TEST(WideQuery, NeverCallsABadPoseFree) {
  const TriangleSet set = flat_grid(5, 1.0, {});
  const Bvh tree = tree_of(set);
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Pose> bad{Pose::translate({nan, 0, 5}),
                        Pose::translate({0, 0, infinity}),
                        Pose::translate({0, 0, 1e300}),
                        {1.01 * Mat3::identity(), {0, 0, 5}},
                        {Mat3::diagonal({1, 1, -1}), {0, 0, 5}},
                        {Mat3::zero(), {0, 0, 5}}};
  bad.push_back({rotation_about({0, 0, 1}, nan), {0, 0, 5}});
  for (const Pose& pose : bad) {
    EXPECT_TRUE(collide(tree, tree, pose).hit);
    EXPECT_FALSE(contacts(tree, tree, pose).complete);
    EXPECT_EQ(distance(tree, tree, pose).distance, 0.0);
    EXPECT_EQ(distance(tree, tree, pose).triangle_a, kNoTriangle);
    EXPECT_TRUE(within(tree, tree, pose, 0.1).within);
  }
  EXPECT_FALSE(collide(tree, tree, Pose::translate({0, 0, 5})).hit);
  EXPECT_NEAR(distance(tree, tree, Pose::translate({0, 0, 1e14})).distance, 1e14, 1.0);
}

TEST(WideQuery, IsRightForAPoseThatIsHardlyRigid) {
  // The largest error that passes for a rotation; single precision has little room left for it.
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const SceneKind kind = kSceneKinds[seed % kSceneKinds.size()];
    QueryScene scene = random_scene(random, kind, 150, seed % 2 == 0 ? kHere : kFarAway);
    Mat3& rotation = scene.a_from_b.rotation;
    const Mat3 exact = rotation;
    for (double error = 1e-6; rotation == exact || rigidity_error(rotation) > kRigidTolerance;
         error *= 0.9) {
      rotation = exact;
      for (Vec3& row : rotation.rows) row += error * scenes::direction(random);
    }
    const Bvh a = tree_of(scene.a);
    const Bvh b = tree_of(scene.b);
    const std::string what = std::string(test::name_of(kind)) + ", seed " + std::to_string(seed);
    EXPECT_EQ(contacts(a, b, scene.a_from_b).pairs,
              brute_contacts(scene.a.span(), scene.b.span(), scene.a_from_b))
        << what;
    const Distance expected = brute_distance(scene.a.span(), scene.b.span(), scene.a_from_b);
    const Distance found = distance(a, b, scene.a_from_b);
    EXPECT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), scene.a_from_b))
        << what << "\nfound    " << describe(found) << "\nexpected " << describe(expected);
  }
}

TEST(WideQuery, ABoundThatIsNoNumberBoundsNothing) {
  const double nan = std::nan("");
  const TriangleSet set = flat_grid(5, 1.0, {});
  const Bvh tree = tree_of(set);
  DistanceOptions options;
  options.upper_bound = nan;
  EXPECT_EQ(distance(tree, tree, Pose::identity(), options).distance, 0.0);
  EXPECT_NEAR(distance(tree, tree, Pose::translate({0, 0, 5}), options).distance, 5.0, 1e-9);
  options = {.relative_error = nan, .absolute_error = nan};
  EXPECT_NEAR(distance(tree, tree, Pose::translate({0, 0, 5}), options).distance, 5.0, 1e-9);
  EXPECT_TRUE(within(tree, tree, Pose::translate({0, 0, 5}), nan).within);
}

TEST(WideQuery, AnswersAPathWarmAsColdAndCheaper) {
  Random random(11);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 4000);
  const Bvh tree = tree_of(set);
  Coherence coherence;
  Work cold;
  Work warm;
  for (int i = 0; i < 100; ++i) {
    const double t = 0.01 * i;
    const Pose pose{rotation_about({0, 0, 1}, 0.5 * t),
                    {2.3 * std::cos(t), 2.3 * std::sin(t), 0.1 * t}};
    const Distance once = distance(tree, tree, pose);
    const Distance again = distance(tree, tree, pose, {}, &coherence);
    EXPECT_TRUE(same_answer(once, again)) << i << "\n" << describe(once) << "\n" << describe(again);
    cold += once.work;
    warm += again.work;
  }
  EXPECT_LT(warm.volume_tests, cold.volume_tests);
  EXPECT_LT(warm.triangle_tests, cold.triangle_tests);
}

}  // namespace
}  // namespace clearance
