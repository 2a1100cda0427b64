// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/volume_pair.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/triangle_triangle.h>

#include "support/query_scenes.h"

namespace clearance::detail {
namespace {

using namespace clearance::test;

constexpr std::array kVolumes{Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere};

RoundedBox box(const Vec3& half_size, double radius = 0.0) {
  return {Mat3::identity(), {}, half_size, radius};
}

Box bounds_of(const TriangleSet& set) {
  Box bounds;
  for (const Vec3& p : set.vertices) bounds.include(p);
  return bounds;
}

VolumePair pair_of(Volume a, Volume b, const Pose& pose) {
  const Box bounds{{-2, -2, -2}, {2, 2, 2}};
  return {a, b, volume_motion(pose, bounds, bounds)};
}

TEST(VolumePair, BoundsAreThoseOfTheShapes) {
  const Pose apart = Pose::translate({5.0, 0.0, 0.0});
  // Balls of radius 1 five apart; rectangles 2 long with radius 0.5; boxes of half size 1.
  EXPECT_NEAR(pair_of(Volume::Sphere, Volume::Sphere, apart).lower_bound(box({}, 1), box({}, 1)),
              3.0, 1e-12);
  EXPECT_NEAR(pair_of(Volume::Rss, Volume::Rss, apart)
                  .lower_bound(box({1, 1, 0}, 0.5), box({1, 1, 0}, 0.5)),
              2.0, 1e-12);
  EXPECT_NEAR(pair_of(Volume::Obb, Volume::Aabb, apart).lower_bound(box({1, 1, 1}), box({1, 1, 1})),
              3.0, 1e-12);
  EXPECT_NEAR(
      pair_of(Volume::Rss, Volume::Sphere, apart).lower_bound(box({1, 1, 0}, 0.5), box({}, 1)), 2.5,
      1e-12);
  EXPECT_NEAR(pair_of(Volume::Sphere, Volume::Obb, apart).lower_bound(box({}, 1), box({1, 1, 1})),
              3.0, 1e-12);
  // Turned by 45 degrees, an edge of b comes nearer by sqrt(2) - 1.
  const Pose turned{rotation_about({0, 0, 1}, 0.78539816339744828), {5.0, 0.0, 0.0}};
  EXPECT_NEAR(pair_of(Volume::Obb, Volume::Obb, turned).lower_bound(box({1, 1, 1}), box({1, 1, 1})),
              4.0 - std::sqrt(2.0), 1e-12);
}

TEST(VolumePair, OverlapHasNoBound) {
  for (const Volume a : kVolumes) {
    for (const Volume b : kVolumes) {
      const RoundedBox ball = box({}, 1.0);
      const VolumePair pair = pair_of(a, b, Pose::translate({1.5, 0.0, 0.0}));
      EXPECT_EQ(pair.lower_bound(ball, ball), 0.0);
      EXPECT_FALSE(pair.farther_than(ball, ball, 0.0));
    }
  }
}

// The contract on which every answer rests: no bound exceeds the distance of what is inside.
TEST(VolumePair, BoundsHoldForTheTrianglesInside) {
  std::size_t positive = 0;
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const SceneKind kind = kSceneKinds[random.below(kSceneKinds.size())];
    const QueryScene scene = random_scene(random, kind, 1 + random.below(2),
                                          random.below(2) == 0 ? kAnyScale : kFarAway);
    const Pose& pose = scene.a_from_b;
    const auto volume_of = [&](const TriangleSet& set, Volume volume) {
      std::vector<Triangle> triangles;
      for (std::size_t i = 0; i < set.faces.size(); ++i) triangles.push_back(set.triangle(i));
      return triangles.size() == 1 ? volume_of_triangle(volume, triangles[0])
                                   : fit_volume(volume, scenes::rotation(random), triangles);
    };
    const double true_distance = brute_distance(scene.a.span(), scene.b.span(), pose).distance;
    const bool touching = brute_collide(scene.a.span(), scene.b.span(), pose);
    for (const Volume a : kVolumes) {
      for (const Volume b : kVolumes) {
        const VolumePair pair{a, b, volume_motion(pose, bounds_of(scene.a), bounds_of(scene.b))};
        const RoundedBox volume_a = volume_of(scene.a, a);
        const RoundedBox volume_b = volume_of(scene.b, b);
        const double bound = pair.lower_bound(volume_a, volume_b);
        const std::string what = std::string(clearance::name_of(a)) + " against " +
                                 clearance::name_of(b) + ", seed " + std::to_string(seed);
        ASSERT_LE(bound, true_distance) << what;
        ASSERT_FALSE(pair.farther_than(volume_a, volume_b, true_distance)) << what;
        if (touching) {
          ASSERT_FALSE(pair.farther_than(volume_a, volume_b, 0.0)) << what;
        }
        // The proof and the bound speak of the same thing.
        if (pair.farther_than(volume_a, volume_b, 0.0)) {
          ASSERT_GT(true_distance, 0.0) << what;
        }
        positive += bound > 0.5 * true_distance ? 1 : 0;
        ++pairs;
      }
    }
  }
  // Bounds that are all zero would pass the above. Half of the scenes touch.
  EXPECT_GT(positive, pairs / 8);
}

TEST(VolumePair, AllowsForARotationThatIsNotQuiteOne) {
  Pose pose = Pose::translate({4.0, 0.0, 0.0});
  pose.rotation[0].x = 1.0 + 4e-7;
  const VolumePair pair = pair_of(Volume::Obb, Volume::Obb, pose);
  // The stretched box reaches 4e-7 further than the turned one, to either side.
  const double bound = pair.lower_bound(box({1, 1, 1}), box({1, 1, 1}));
  EXPECT_LE(bound, 2.0 - 4e-7);
  EXPECT_GE(bound, 2.0 - 4e-5);
}

}  // namespace
}  // namespace clearance::detail
