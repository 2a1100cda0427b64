// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/bvh/bvh.h>
#include <clearance/query/query.h>

#include "support/query_scenes.h"
#include "support/wide_tree_check.h"

namespace clearance {
namespace {

using namespace clearance::test;

constexpr std::array kVolumes{Volume::Wide, Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere};

Bvh build(const TriangleSet& set, Volume volume = Volume::Wide) {
  BvhOptions options;
  options.volume = volume;
  return Bvh::build(set.vertices, set.faces, options).value();
}

/// Bent, twisted and blown up, and a little noise: nothing stays parallel to what it was.
std::vector<Vec3> deformed(Random& random, const std::vector<Vec3>& vertices, double amount) {
  std::vector<Vec3> moved = vertices;
  for (Vec3& p : moved) {
    const Mat3 twist = rotation_about(Vec3{0, 0, 1}, amount * p.z);
    p = (1.0 + amount) * (twist * p) + amount * Vec3{p.y * p.y, 0.5, -p.x * p.z} +
        0.05 * amount * scenes::in_ball(random);
  }
  return moved;
}

TEST(Refit, GivesTheAnswersOfBruteForceAfterDeformation) {
  HitCounter counter;
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      Random random(seed);
      QueryScene scene = random_scene(random, kind, 60);
      std::vector<Bvh> built_a;
      std::vector<Bvh> built_b;
      for (const Volume volume : kVolumes) {
        built_a.push_back(build(scene.a, volume));
        built_b.push_back(build(scene.b, volume));
      }
      const double amount = seed % 3 == 0 ? 0.01 : 0.7;
      const std::vector<Vec3> moved_a = deformed(random, scene.a.vertices, amount);
      const std::vector<Vec3> moved_b = deformed(random, scene.b.vertices, amount);
      const TriangleSpan a{moved_a, scene.a.faces};
      const TriangleSpan b{moved_b, scene.b.faces};
      const Distance wanted = brute_distance(a, b, scene.a_from_b);
      counter.count(wanted.distance == 0.0);
      for (std::size_t i = 0; i < kVolumes.size(); ++i) {
        const std::string what = std::string(test::name_of(kind)) + ", seed " +
                                 std::to_string(seed) + ", " + name_of(kVolumes[i]);
        const Bvh tree_a = built_a[i].refit(moved_a).value();
        const Bvh tree_b = built_b[i].refit(moved_b).value();
        const Distance found = distance(tree_a, tree_b, scene.a_from_b);
        ASSERT_EQ(found.distance, wanted.distance) << what;
        if (wanted.distance > 0.0) {
          ASSERT_TRUE(same_answer(found, wanted)) << what;
        }
        ASSERT_EQ(contacts(tree_a, tree_b, scene.a_from_b).pairs,
                  brute_contacts(a, b, scene.a_from_b))
            << what;
      }
    }
  }
  EXPECT_GT(counter.fraction(), 0.3);
  EXPECT_LT(counter.fraction(), 0.7);
}

TEST(Refit, HoldsMovedTriangles) {
  for (const SceneKind kind : kSceneKinds) {
    for (const double amount : {0.0, 1e-3, 1.0}) {
      Random random(11);
      TriangleSet set = scenes::triangle_set(random, kind, 700);
      const Bvh tree = build(set);
      const std::vector<Vec3> moved = deformed(random, set.vertices, amount);
      const Bvh refitted = tree.refit(moved).value();
      ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(refitted, test::name_of(kind)));
      Box bounds;
      for (const auto& f : set.faces) {
        for (const std::uint32_t v : f) bounds.include(moved[v]);
      }
      EXPECT_EQ(refitted.bounds(), bounds);
    }
  }
}

TEST(Refit, KeepsNodesAndLeavesWhereTheyWere) {
  Random random(12);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Mixed, 3000);
  const Bvh tree = build(set);
  const std::vector<Vec3> moved = deformed(random, set.vertices, 0.5);
  const Bvh refitted = tree.refit(moved).value();
  const detail::WideTree& before = *tree.wide();
  const detail::WideTree& after = *refitted.wide();
  EXPECT_EQ(after.root, before.root);
  ASSERT_EQ(after.nodes.size(), before.nodes.size());
  ASSERT_EQ(after.leaves.size(), before.leaves.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    EXPECT_TRUE(std::equal(before.nodes[i].child, before.nodes[i].child + detail::kWidth,
                           after.nodes[i].child));
  }
  for (std::size_t i = 0; i < before.leaves.size(); ++i) {
    EXPECT_TRUE(std::equal(before.leaves[i].triangle, before.leaves[i].triangle + detail::kWidth,
                           after.leaves[i].triangle));
  }
}

TEST(Refit, ToTheSameVerticesIsAsTight) {
  for (const SceneKind kind : {SceneKind::Surface, SceneKind::Mixed, SceneKind::Soup}) {
    Random random(13);
    const TriangleSet set = scenes::triangle_set(random, kind, 3000);
    const Bvh tree = build(set);
    const double area = tree.statistics().total_area;
    EXPECT_LE(tree.refit(set.vertices).value().statistics().total_area, 1.01 * area)
        << test::name_of(kind);
  }
}

TEST(Refit, OfARigidMotionTurnsTheBoxesAlong) {
  // Flat triangles at an angle to all axes have thin leaves; boxes that kept their old axes would
  // be as thick as they are long.
  Random random(14);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 3000);
  const Bvh tree = build(set);
  const Pose pose{rotation_about(scenes::direction(random), 1.0), {5.0, -3.0, 2.0}};
  std::vector<Vec3> moved;
  for (const Vec3& p : set.vertices) moved.push_back(pose * p);
  const double area = tree.statistics().total_area;
  EXPECT_LE(tree.refit(moved).value().statistics().total_area, 1.1 * area);
}

TEST(Refit, IsTheSameForAnyNumberOfThreads) {
  Random random(15);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Mixed, 40000);
  const Bvh tree = build(set);
  const std::vector<Vec3> moved = deformed(random, set.vertices, 0.3);
  const auto refitted = [&](int threads) { return tree.refit(moved, nullptr, {threads}).value(); };
  const Bvh one = refitted(1);
  EXPECT_TRUE(same_wide_tree(*one.wide(), *refitted(2).wide()));
  EXPECT_TRUE(same_wide_tree(*one.wide(), *refitted(4).wide()));
}

TEST(Refit, BringsBackAShapeThatCollapsed) {
  // To a point and back: no frame is lost for good.
  Random random(16);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 2000);
  const Bvh tree = build(set);
  const std::vector<Vec3> nowhere(set.vertices.size(), Vec3{1.0, 2.0, 3.0});
  const Bvh collapsed = tree.refit(nowhere).value();
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(collapsed, "collapsed"));
  const Bvh back = collapsed.refit(set.vertices).value();
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(back, "back"));
  const double area = tree.statistics().total_area;
  EXPECT_LE(back.statistics().total_area, 1.2 * area);
}

TEST(Refit, KeepsBothOwnersAlive) {
  Random random(17);
  auto set = std::make_shared<TriangleSet>(scenes::triangle_set(random, SceneKind::Surface, 100));
  const std::weak_ptr<TriangleSet> faces_alive = set;
  auto moved = std::make_shared<std::vector<Vec3>>(set->vertices);
  const std::weak_ptr<std::vector<Vec3>> vertices_alive = moved;
  {
    const std::span<const Vec3> vertices = *moved;
    Result<Bvh> tree = Bvh::build(set->vertices, set->faces, {}, set);
    ASSERT_TRUE(tree);
    const Bvh refitted = tree->refit(vertices, std::move(moved)).value();
    tree = Error{};
    set.reset();
    EXPECT_FALSE(faces_alive.expired());
    EXPECT_FALSE(vertices_alive.expired());
    expect_sound_wide_tree(refitted, "alone");
  }
  EXPECT_TRUE(faces_alive.expired());
  EXPECT_TRUE(vertices_alive.expired());
}

TEST(Refit, RefusesOtherCountsAndNumbersThatAreNone) {
  Random random(18);
  TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 100);
  const Bvh tree = build(set);
  std::vector<Vec3> moved = set.vertices;
  moved.pop_back();
  EXPECT_FALSE(tree.refit(moved));
  moved = set.vertices;
  moved[set.faces[7][1]].z = std::numeric_limits<double>::quiet_NaN();
  const Result<Bvh> refused = tree.refit(moved);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "coordinate is not finite");
}

}  // namespace
}  // namespace clearance
