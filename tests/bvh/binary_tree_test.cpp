// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One suite for every kind of volume and every fitter: trees are well formed, hold what they
// should, and do not depend on the number of threads.
#include "bvh/binary_tree.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>

#include "support/query_scenes.h"
#include "support/simple_meshes.h"

namespace clearance::detail {
namespace {

using namespace clearance::test;

class BinaryTrees : public ::testing::TestWithParam<std::tuple<Volume, Fitter>> {
 protected:
  [[nodiscard]] static std::shared_ptr<const BinaryTree> build(const TriangleSpan& set,
                                                               int threads = 1) {
    return build_binary_tree(set.vertices, set.faces, std::get<0>(GetParam()),
                             std::get<1>(GetParam()), {threads});
  }
};

/// The triangles below each node, by the numbers in its leaves.
std::vector<std::vector<std::uint32_t>> triangles_below(const BinaryTree& tree) {
  std::vector<std::vector<std::uint32_t>> below(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const BinaryNode& node = tree.nodes[i];
    if (node.is_leaf()) {
      below[i] = {node.triangle};
    } else {
      below[i] = below[i + 1];
      below[i].insert(below[i].end(), below[node.right].begin(), below[node.right].end());
    }
  }
  return below;
}

void expect_well_formed(const BinaryTree& tree, const TriangleSpan& set, const std::string& what) {
  ASSERT_EQ(tree.nodes.size(), 2 * set.faces.size() - 1) << what;
  std::vector<int> parents(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].is_leaf()) continue;
    ASSERT_GT(tree.nodes[i].right, i + 1) << what;
    ASSERT_LT(tree.nodes[i].right, tree.nodes.size()) << what;
    ++parents[i + 1];
    ++parents[tree.nodes[i].right];
  }
  EXPECT_EQ(parents[0], 0) << what;
  EXPECT_TRUE(std::all_of(parents.begin() + 1, parents.end(), [](int n) { return n == 1; }))
      << what;

  const auto below = triangles_below(tree);
  std::vector<std::uint32_t> all = below[0];
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i) << what;
  // A volume holds the triangles of its children as well as its own: contains() is a proof.
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    ASSERT_LT(rigidity_error(tree.nodes[i].volume.axes), 4e-15) << what << ", node " << i;
    for (const std::uint32_t number : below[i]) {
      const Triangle t = set.triangle(number);
      for (const Vec3& p : {t.a, t.b, t.c}) {
        ASSERT_TRUE(contains(tree.nodes[i].volume, p)) << what << ", node " << i;
      }
    }
  }
}

bool same_nodes(const BinaryTree& a, const BinaryTree& b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const BinaryNode& x, const BinaryNode& y) {
                      return x.volume == y.volume && x.right == y.right && x.triangle == y.triangle;
                    });
}

TEST_P(BinaryTrees, AreWellFormedAndHoldTheirTriangles) {
  for (const SceneKind kind : kSceneKinds) {
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      for (const std::size_t count : {1, 2, 3, 7, 60}) {
        Random random(count);
        const QueryScene scene = random_scene(random, kind, count, placement);
        const std::string what = std::string(test::name_of(kind)) + " of " + std::to_string(count);
        expect_well_formed(*build(scene.a.span()), scene.a.span(), what);
      }
    }
  }
}

TEST_P(BinaryTrees, AreTheSameForAnyNumberOfThreads) {
  // Large enough that the top of the tree is built level by level, with all kinds of trouble.
  Random random(7);
  TriangleSet set;
  for (const SceneKind kind : {SceneKind::Mixed, SceneKind::Needles, SceneKind::Lattice}) {
    const TriangleSet part = scenes::triangle_set(random, kind, 6000);
    for (std::size_t i = 0; i < part.faces.size(); ++i) set.add(part.triangle(i));
  }
  const auto one = build(set.span(), 1);
  EXPECT_TRUE(same_nodes(*one, *build(set.span(), 2)));
  EXPECT_TRUE(same_nodes(*one, *build(set.span(), 4)));
  const auto refitted = [&](int threads) {
    return refit_binary_tree(*one, set.vertices, set.faces, {threads});
  };
  EXPECT_TRUE(same_nodes(*refitted(1), *refitted(4)));
}

TEST_P(BinaryTrees, SplitTwoCrowdsApart) {
  // Two crowds a hundred sizes apart: the halves of the root are the crowds.
  Random random(5);
  TriangleSet set;
  for (std::size_t i = 0; i < 40; ++i) {
    TriangleSet one = scenes::triangle_set(random, SceneKind::Soup, 1);
    Triangle t = one.triangle(0);
    const Vec3 shift = i % 2 == 0 ? Vec3{} : Vec3{60.0, 60.0, 50.0};
    set.add({t.a + shift, t.b + shift, t.c + shift});
  }
  const auto tree = build(set.span());
  const auto below = triangles_below(*tree);
  ASSERT_EQ(below[1].size(), 20U);
  for (const std::uint32_t number : below[1]) EXPECT_EQ(number % 2, below[1][0] % 2);
}

TEST_P(BinaryTrees, OfIdenticalTrianglesAreShallow) {
  TriangleSet set;
  set.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  set.faces.assign(20000, {0, 1, 2});
  // 20000 < 2^15: halved at every level.
  EXPECT_LE(statistics_of(*build(set.span())).depth, 16U);
}

TEST_P(BinaryTrees, RefitHoldsMovedVertices) {
  for (const SceneKind kind : {SceneKind::Soup, SceneKind::Surface, SceneKind::Needles}) {
    Random random(11);
    TriangleSet set = scenes::triangle_set(random, kind, 80);
    const auto tree = build(set.span());
    for (Vec3& p : set.vertices) p = 1.5 * p + Vec3{3.0, -2.0, 0.1} + 0.2 * scenes::in_ball(random);
    const auto refitted = refit_binary_tree(*tree, set.vertices, set.faces, {1});
    expect_well_formed(*refitted, set.span(), test::name_of(kind));
    for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
      EXPECT_EQ(refitted->nodes[i].right, tree->nodes[i].right);
      EXPECT_EQ(refitted->nodes[i].triangle, tree->nodes[i].triangle);
    }
  }
}

TEST_P(BinaryTrees, RefitToTheSameVerticesIsAsTight) {
  Random random(12);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Mixed, 300);
  const auto tree = build(set.span());
  const auto refitted = refit_binary_tree(*tree, set.vertices, set.faces, {1});
  const double area = statistics_of(*tree).total_area;
  // The corners of a rectangle depend a little on the order in which points push at them.
  EXPECT_NEAR(statistics_of(*refitted).total_area, area, 1e-3 * area);
}

TEST_P(BinaryTrees, StatisticsAddUp) {
  const Mesh mesh = uv_sphere(1.0, 20);
  const auto tree = build({mesh.vertices(), mesh.faces()});
  const BvhStatistics statistics = statistics_of(*tree);
  EXPECT_EQ(statistics.leaf_count, mesh.triangle_count());
  EXPECT_EQ(statistics.node_count, 2 * mesh.triangle_count() - 1);
  EXPECT_GE(statistics.depth, 10U);  // 1600 leaves need ten levels below the root at least
  EXPECT_LT(statistics.depth, 40U);
  EXPECT_EQ(statistics.triangles_per_leaf, 1.0);
  EXPECT_EQ(statistics.children_per_node, 2.0);
  EXPECT_GT(statistics.memory_bytes, statistics.node_count * 100);
  double area = 0.0;
  double volume = 0.0;
  for (const BinaryNode& node : tree->nodes) {
    area += surface_area(node.volume.half_size, node.volume.radius);
    volume += enclosed_volume(node.volume.half_size, node.volume.radius);
  }
  EXPECT_DOUBLE_EQ(statistics.total_area, area);
  EXPECT_DOUBLE_EQ(statistics.total_volume, volume);
  // The root holds a unit ball.
  EXPECT_GT(statistics.total_area, 12.0);
}

INSTANTIATE_TEST_SUITE_P(All, BinaryTrees,
                         ::testing::Combine(::testing::Values(Volume::Rss, Volume::Obb,
                                                              Volume::Aabb, Volume::Sphere),
                                            ::testing::Values(Fitter::Binned, Fitter::Pqp,
                                                              Fitter::Rapid2, Fitter::Inertia)),
                         [](const auto& param) {
                           return std::string(clearance::name_of(std::get<0>(param.param))) + "_" +
                                  clearance::name_of(std::get<1>(param.param));
                         });

TEST(BinaryTree, OfAMillionIdenticalTrianglesNeedsNoStack) {
  TriangleSet set;
  set.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  set.faces.assign(1000000, {0, 1, 2});
  const auto tree = build_binary_tree(set.vertices, set.faces, Volume::Rss, Fitter::Inertia, {2});
  EXPECT_LE(statistics_of(*tree).depth, 21U);
}

TEST(BinaryTree, OfShrinkingTrianglesIsDeepAndRight) {
  // Every split at a mean takes off the largest few: far deeper than
  // the nine levels that 400 triangles need.
  TriangleSet set;
  double size = 1e60;
  for (int i = 0; i < 400; ++i, size *= 0.5) {
    set.add({{size, 0, 0}, {size, size, 0}, {size, 0, size}});
  }
  const auto tree = build_binary_tree(set.vertices, set.faces, Volume::Obb, Fitter::Pqp, {1});
  expect_well_formed(*tree, set.span(), "shrinking");
  EXPECT_GT(statistics_of(*tree).depth, 50U);
}

TEST(BinaryTree, ByInertiaIsTighterThanByVerticesOnMixedSizes) {
  // The paper's claim (Table II), on the stand-in for its tunnel console.
  GenerateOptions options;
  options.triangles = 20000;
  const Result<Assembly> console = generate("tunnel-console", options);
  ASSERT_TRUE(console);
  const Mesh mesh = console->flattened();
  const auto area = [&](Fitter fitter) {
    return statistics_of(
               *build_binary_tree(mesh.vertices(), mesh.faces(), Volume::Rss, fitter, {2}))
        .total_area;
  };
  EXPECT_LT(area(Fitter::Inertia), area(Fitter::Pqp));
}

}  // namespace
}  // namespace clearance::detail
