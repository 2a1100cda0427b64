// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/shapes_leaf.h"

#include <gtest/gtest.h>

#include <clearance/base/random.h>

#include "support/query_scenes.h"

namespace clearance::test {
namespace {

class BoxLeafOnScenes : public testing::TestWithParam<SceneKind> {};

// A box that is parted from a triangle by a plane is apart by its distance too, and nearly all that
// are apart are parted: where not, the gap is one of rounding.
TEST_P(BoxLeafOnScenes, PartedIsApartAndApartIsParted) {
  Random random(7);
  std::size_t apart = 0;
  std::size_t touching = 0;
  for (int i = 0; i < 60; ++i) {
    const TriangleSet set = scenes::triangle_set(random, GetParam(), 40);
    const Bvh tree = *Bvh::build(set.vertices, set.faces);
    const bool is_straight = random.below(2) == 0;
    const OrientedBox box{
        {is_straight ? Mat3::identity() : scenes::rotation(random), scenes::lattice_point(random)},
        {0.5, random.below(3) == 0 ? 0.0 : 0.25, random.uniform(0.0, 0.5)}};
    const detail::BoxLeaf leaf(tree, box, Pose::identity());
    for (std::uint32_t t = 0; t < tree.triangle_count(); ++t) {
      const double distance = leaf.closest(t).points.distance;
      const bool is_parted = leaf.are_apart(t);
      EXPECT_FALSE(is_parted && distance == 0.0) << i << " " << t;
      EXPECT_FALSE(!is_parted && distance > 1e-12) << i << " " << t << " " << distance;
      ++(distance > 0.0 ? apart : touching);
    }
  }
  EXPECT_GT(apart, 100U);
  EXPECT_GT(touching, 20U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BoxLeafOnScenes, testing::ValuesIn(kSceneKinds),
                         [](const auto& at) { return std::string(name_of(at.param)); });

}  // namespace
}  // namespace clearance::test
