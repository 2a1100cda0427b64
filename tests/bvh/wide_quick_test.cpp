// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>

#include "bvh/wide_curve.h"
#include "bvh/wide_tree.h"
#include "support/query_scenes.h"
#include "support/wide_tree_check.h"

namespace clearance {
namespace {

using namespace clearance::test;
using detail::Int8;
using detail::WideTree;

std::shared_ptr<const WideTree> quick(const Bvh& full, int threads = 1) {
  return detail::build_wide_tree_quickly(full.vertices(), full.faces(), full.bounds(), {threads});
}
Bvh full(const TriangleSet& set) { return Bvh::build(set.vertices, set.faces).value(); }

TEST(WideCurve, PassesEveryCellAndGoesOnToTheNext) {
  // A Hilbert curve fills the cubes at its beginning one after the other: 16³ cells, 4096 places.
  constexpr int kSide = 16;
  std::vector<std::array<int, 3>> cells(kSide * kSide * kSide, {-1, -1, -1});
  for (int x = 0; x < kSide; ++x) {
    for (int y = 0; y < kSide; ++y) {
      for (int z = 0; z < kSide; z += 8) {
        const Int8 lanes{0, 1, 2, 3, 4, 5, 6, 7};
        const Int8 places = detail::places_on_curve(Int8{} + x, Int8{} + y, lanes + z);
        for (int i = 0; i < 8; ++i) {
          ASSERT_GE(places[i], 0);
          ASSERT_LT(static_cast<std::size_t>(places[i]), cells.size());
          cells[static_cast<std::size_t>(places[i])] = {x, y, z + i};
        }
      }
    }
  }
  for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_GE(cells[i][0], 0) << i;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    int steps = 0;
    for (std::size_t k = 0; k < 3; ++k) steps += std::abs(cells[i][k] - cells[i - 1][k]);
    ASSERT_EQ(steps, 1) << i;
  }
  // The other end of the cube.
  const Int8 last = Int8{} + detail::kLastCell;
  EXPECT_EQ(detail::places_on_curve(last, Int8{}, Int8{})[0], (1 << 30) - 1);
}

TEST(QuickTree, HoldsItsTrianglesOnEveryKindOfScene) {
  for (const SceneKind kind : kSceneKinds) {
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      for (const std::size_t count : {1, 2, 8, 9, 64, 65, 513, 700}) {
        Random random(count);
        const QueryScene scene = random_scene(random, kind, count, placement);
        const std::string what = std::string(test::name_of(kind)) + " of " + std::to_string(count);
        const Bvh other = full(scene.a);
        ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(*quick(other), other, what));
      }
    }
  }
}

TEST(QuickTree, HoldsTrianglesThatAreTheSameOrHaveNoSize) {
  TriangleSet points;
  TriangleSet same;
  for (int i = 0; i < 3000; ++i) {
    points.add({Vec3{1, 2, 3}, Vec3{1, 2, 3}, Vec3{1, 2, 3}});
    same.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  }
  for (const Bvh& other : {full(points), full(same)})
    ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(*quick(other), other, "equal"));
}

TEST(QuickTree, HoldsATriangleOfAnySizeAnywhere) {
  for (const double size : {1e-30, 1e-9, 1.0, 1e9, 1e14}) {
    for (const Vec3& offset : {Vec3{}, Vec3{1e6, -1e6, 1e6}}) {
      TriangleSet set;
      set.add({offset, offset + Vec3{size, 0, 0}, offset + Vec3{0.3 * size, size, 0.1 * size}});
      const Bvh other = full(set);
      ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(*quick(other), other, std::to_string(size)));
    }
  }
}

TEST(QuickTree, IsTheSameForAnyNumberOfThreads) {
  GenerateOptions options;
  options.triangles = 200000;  // several pieces of the sort
  const Mesh mesh = generate("tunnel-console", options)->flattened();
  const Bvh other = Bvh::build(mesh.vertices(), mesh.faces()).value();
  const auto one = quick(other, 1);
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(*one, other, "console"));
  EXPECT_TRUE(same_wide_tree(*one, *quick(other, 2)));
  EXPECT_TRUE(same_wide_tree(*one, *quick(other, 4)));
}

// Boxes of what is near to each other: a few times the surface of the careful build, however
// unevenly the triangles are spread. Without the finer curve inside a cell the second part of the
// scene would be one heap, and this a hundred times as much.
TEST(QuickTree, IsNotMuchLooserThanTheFullOne) {
  Random random(11);
  TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 4000);
  const TriangleSet small = scenes::triangle_set(random, SceneKind::Surface, 8000);
  for (std::size_t i = 0; i < small.faces.size(); ++i) {
    const Triangle t = small.triangle(i);
    set.add({1e-6 * t.a, 1e-6 * t.b, 1e-6 * t.c});
  }
  const Bvh other = full(set);
  const auto tree = quick(other);
  ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(*tree, other, "two scales"));
  EXPECT_LT(detail::statistics_of(*tree).total_area, 5.0 * other.statistics().total_area);
  // Of the small part alone: leaves that hold nothing else.
  const auto area_of_small = [&](const WideTree& of) {
    double area = 0.0;
    for (const detail::WideLeaf& leaf : of.leaves) {
      const float* half = leaf.frame.half_size;
      if (*std::min_element(leaf.triangle, leaf.triangle + 8) >= 4000)
        area += static_cast<double>(half[0] * half[1] + half[1] * half[2] + half[2] * half[0]);
    }
    return area;
  };
  EXPECT_LT(area_of_small(*tree), 8.0 * area_of_small(*other.wide()));
}

}  // namespace
}  // namespace clearance
