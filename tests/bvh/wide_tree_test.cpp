// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_tree.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>
#include <clearance/mesh/generate.h>

#include "support/query_scenes.h"
#include "support/wide_tree_check.h"

namespace clearance {
namespace {

using namespace clearance::test;

Bvh build(const TriangleSet& set, int threads = 1) {
  BvhOptions options;
  options.threads = {threads};
  return Bvh::build(set.vertices, set.faces, options).value();
}

TEST(WideTree, HoldsItsTrianglesOnEveryKindOfScene) {
  for (const SceneKind kind : kSceneKinds) {
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      for (const std::size_t count : {1, 2, 8, 9, 65, 700}) {
        Random random(count);
        const QueryScene scene = random_scene(random, kind, count, placement);
        const std::string what = std::string(test::name_of(kind)) + " of " + std::to_string(count);
        ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(build(scene.a), what));
      }
    }
  }
}

TEST(WideTree, HoldsItsTrianglesOnLargeMeshes) {
  GenerateOptions options;
  options.triangles = 60000;  // more than one job of the builder
  const Result<Assembly> console = generate("tunnel-console", options);
  ASSERT_TRUE(console);
  const Mesh mesh = console->flattened();
  expect_sound_wide_tree(Bvh::build(mesh.vertices(), mesh.faces()).value(), "console");
}

TEST(WideTree, NodesOnSmoothSurfacesHaveThinLids) {
  // A part of a torus as fine as a scan, at any angle; boxes stand off it by the square of their
  // size.
  TriangleSet set;
  const Mat3 turn = rotation_from({0.3, -0.5, 0.7, 0.2});
  constexpr int kSteps = 120;
  const auto at = [&](int i, int j) {
    const double along = 0.9 * i / kSteps;
    const double around = 2.0 * j / kSteps;
    const double out = 3.0 + std::cos(around);
    return turn * Vec3{out * std::cos(along), out * std::sin(along), std::sin(around)};
  };
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      set.add({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      set.add({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  const Bvh tree = build(set);
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(tree, "torus"));
  const auto lids = [](const Bvh& bvh) {
    std::size_t thin = 0;
    for (const detail::WideNode& node : bvh.wide()->nodes) {
      if (node.lid.axis == detail::kNoLid) continue;
      const float thickness = 2.0F * node.frame.half_size[node.lid.axis];
      EXPECT_LE(node.lid.high - node.lid.low, 0.5F * thickness);
      if (node.lid.high - node.lid.low < 0.1F * thickness) ++thin;
    }
    return thin;
  };
  // All but the few near the root, and those of a leaf or two.
  const std::size_t count = tree.wide()->nodes.size();
  EXPECT_GT(lids(tree), count * 9 / 10);
  for (Vec3& p : set.vertices) p = {1.1 * p.x, p.y + 0.05 * p.x * p.x, p.z};
  const Bvh bent = tree.refit(set.vertices).value();
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(bent, "bent torus"));
  EXPECT_GT(lids(bent), count * 9 / 10);
}

TEST(WideTree, HoldsATriangleOfAnySizeAnywhere) {
  for (const double size : {1e-30, 1e-9, 1.0, 1e9, 1e14}) {
    for (const Vec3& offset : {Vec3{}, Vec3{1e6, -1e6, 1e6}}) {
      TriangleSet set;
      set.add({offset, offset + Vec3{size, 0, 0}, offset + Vec3{0.3 * size, size, 0.1 * size}});
      ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(build(set), std::to_string(size)));
    }
  }
}

TEST(WideTree, FarFromTheOriginIsAsTightAsNearIt) {
  Random random(3);
  const TriangleSet near = scenes::triangle_set(random, SceneKind::Surface, 2000);
  TriangleSet far = near;
  for (Vec3& p : far.vertices) p += Vec3{1e6, 1e6, -1e6};
  const Bvh tree = build(far);
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(tree, "far"));
  const double area = build(near).statistics().total_area;
  EXPECT_NEAR(tree.statistics().total_area, area, 1e-3 * area);
}

TEST(WideTree, OfDegenerateTrianglesIsSound) {
  TriangleSet points;
  TriangleSet segments;
  for (int i = 0; i < 300; ++i) {
    const Vec3 p{0.1 * i, 0.0, 0.0};
    points.add({Vec3{1, 2, 3}, Vec3{1, 2, 3}, Vec3{1, 2, 3}});
    segments.add({p, p, p + Vec3{0.05, 0, 0}});
  }
  expect_sound_wide_tree(build(points), "points");
  expect_sound_wide_tree(build(segments), "segments");
}

TEST(WideTree, OfIdenticalTrianglesIsShallowAndFull) {
  TriangleSet set;
  set.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  set.faces.assign(100000, {0, 1, 2});
  const Bvh tree = build(set, 2);
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(tree, "identical"));
  // 100000 triangles are 12500 full leaves: five levels of eight, six with room to spare, and the
  // binary cuts of the upper part a few more.
  EXPECT_LE(tree.statistics().depth, 12U);
  EXPECT_GT(tree.statistics().triangles_per_leaf, 5.0);
}

TEST(WideTree, IsTheSameForAnyNumberOfThreads) {
  Random random(7);
  TriangleSet set;
  for (const SceneKind kind : {SceneKind::Mixed, SceneKind::Needles, SceneKind::Lattice}) {
    const TriangleSet part = scenes::triangle_set(random, kind, 20000);
    for (std::size_t i = 0; i < part.faces.size(); ++i) set.add(part.triangle(i));
  }
  const Bvh one = build(set, 1);
  EXPECT_TRUE(same_wide_tree(*one.wide(), *build(set, 2).wide()));
  EXPECT_TRUE(same_wide_tree(*one.wide(), *build(set, 4).wide()));
}

TEST(WideTree, RefusesWhatIsNoMesh) {
  TriangleSet set;
  set.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  const auto refusal = [](const TriangleSet& bad) {
    const Result<Bvh> built = Bvh::build(bad.vertices, bad.faces);
    return built ? std::string("built") : built.error().message();
  };
  EXPECT_EQ(refusal({}), "no triangles");
  TriangleSet bad = set;
  bad.faces.push_back({0, 1, 3});
  EXPECT_EQ(refusal(bad), "triangle 1: uses vertex 3, but there are only 3");
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    bad = set;
    bad.vertices[1].y = value;
    EXPECT_EQ(refusal(bad), "vertex 1: coordinate is not finite");
  }
  bad = set;
  bad.vertices[0].x = 1e16;
  EXPECT_NE(refusal(bad).find("beyond 1e15 m"), std::string::npos);
  // A vertex that no triangle uses may be anything.
  bad = set;
  bad.vertices.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0});
  EXPECT_EQ(refusal(bad), "built");
}

TEST(WideTree, RefusesTheFittersOfBinaryTrees) {
  TriangleSet set;
  set.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  BvhOptions options;
  options.fitter = Fitter::Pqp;
  EXPECT_FALSE(Bvh::build(set.vertices, set.faces, options));
}

}  // namespace
}  // namespace clearance
