// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every query on every kind of volume and every fitter against brute force, bit for bit.
#include "query/binary_query.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

#include "support/brute_force.h"
#include "support/query_scenes.h"

namespace clearance::detail {
namespace {

using namespace clearance::test;

constexpr std::array kVolumes{Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere};
constexpr std::array kFitters{Fitter::Binned, Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia};

Bvh tree_of(const TriangleSet& set, Volume volume, Fitter fitter) {
  Result<Bvh> tree = Bvh::build(set.vertices, set.faces, {volume, fitter, {1}});
  EXPECT_TRUE(tree);
  return *tree;
}

/// All queries of a scene against brute force.
void expect_right(const QueryScene& scene, const Bvh& a, const Bvh& b, const std::string& what) {
  const Pose& pose = scene.a_from_b;
  const std::vector<Contact> touching = brute_contacts(scene.a.span(), scene.b.span(), pose);
  const Distance expected = brute_distance(scene.a.span(), scene.b.span(), pose);

  const Collision collision = binary_collide(a, b, pose, nullptr);
  ASSERT_EQ(collision.hit, !touching.empty()) << what;
  if (collision.hit) {
    EXPECT_NE(std::find(touching.begin(), touching.end(), collision.contact), touching.end())
        << what;
  }
  const Contacts contacts = binary_contacts(a, b, pose, touching.size(), nullptr);
  EXPECT_TRUE(contacts.complete) << what;
  EXPECT_EQ(contacts.pairs, touching) << what;

  const Distance found = binary_distance(a, b, pose, {}, nullptr);
  ASSERT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), pose))
      << what << "\nfound    " << describe(found) << "\nexpected " << describe(expected);

  // Above and below the distance, and at it, where the answer must be yes. Below it a yes is right
  // when rounding may be all there is between.
  const double d = expected.distance;
  const double rounding = 1e-13 * (norm(pose.translation) + norm(a.bounds().center()) +
                                   norm(b.bounds().center()) + a.bounds().diagonal());
  for (const double factor : {0.0, 0.9, 1.0, 1.1}) {
    const Within within = binary_within(a, b, pose, factor * d, nullptr);
    if (factor >= 1.0 || d == 0.0) {
      EXPECT_TRUE(within.within) << what << ", factor " << factor;
    } else if ((1.0 - factor) * d > rounding) {
      EXPECT_FALSE(within.within) << what << ", factor " << factor;
    }
    EXPECT_LE(within.lower, d * (1.0 + 1e-9)) << what;
    EXPECT_GE(within.upper, d) << what;
    if (within.within) {
      EXPECT_LE(pair_distance(scene.a.span(), within.pair.triangle_a, scene.b.span(),
                              within.pair.triangle_b, pose)
                    .distance,
                factor * d * (1.0 + 1e-9) + rounding)
          << what;
    }
  }
}

class BinaryQueries : public ::testing::TestWithParam<std::tuple<Volume, Fitter>> {};

TEST_P(BinaryQueries, GiveTheAnswersOfBruteForce) {
  const auto [volume, fitter] = GetParam();
  for (const SceneKind kind : kSceneKinds) {
    HitCounter counter;
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      for (std::uint64_t seed = 0; seed < 36; ++seed) {
        Random random(1000 * static_cast<std::uint64_t>(kind) + seed);
        const std::size_t count = 2 + random.below(12);
        const QueryScene scene = random_scene(random, kind, count, placement);
        const Bvh a = tree_of(scene.a, volume, fitter);
        const Bvh b = tree_of(scene.b, volume, fitter);
        const std::string what = std::string(test::name_of(kind)) + ", seed " +
                                 std::to_string(seed) + ", far " + std::to_string(placement.far);
        expect_right(scene, a, b, what);
        if (HasFatalFailure()) return;
        counter.count(binary_collide(a, b, scene.a_from_b, nullptr).hit);
      }
    }
    EXPECT_GE(counter.fraction(), 0.3) << test::name_of(kind);
    EXPECT_LE(counter.fraction(), 0.7) << test::name_of(kind);
  }
}

TEST_P(BinaryQueries, GiveTheAnswersOfBruteForceOnLargerSets) {
  const auto [volume, fitter] = GetParam();
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Random random(50 * static_cast<std::uint64_t>(kind) + seed);
      const QueryScene scene = random_scene(random, kind, 80, kAnyScale);
      expect_right(scene, tree_of(scene.a, volume, fitter), tree_of(scene.b, volume, fitter),
                   std::string(test::name_of(kind)) + ", seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BinaryQueries,
                         ::testing::Combine(::testing::ValuesIn(kVolumes),
                                            ::testing::ValuesIn(kFitters)),
                         [](const auto& param) {
                           return std::string(clearance::name_of(std::get<0>(param.param))) + "_" +
                                  clearance::name_of(std::get<1>(param.param));
                         });

/// Random scenes of any kind, with trees of any kind.
template <class Check>
void for_random_scenes(std::uint64_t count, std::size_t triangles, const Check& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed);
    const SceneKind kind = kSceneKinds[random.below(kSceneKinds.size())];
    const ScenePlacement placement = random.below(2) == 0 ? kAnyScale : kFarAway;
    const QueryScene scene = random_scene(random, kind, triangles, placement);
    const Bvh a = tree_of(scene.a, kVolumes[random.below(4)], kFitters[random.below(4)]);
    const Bvh b = tree_of(scene.b, kVolumes[random.below(4)], kFitters[random.below(4)]);
    check(scene, a, b, random, std::string(test::name_of(kind)) + ", seed " + std::to_string(seed));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(BinaryQuery, TakesTreesOfDifferentVolumes) {
  for_random_scenes(
      400, 12,
      [](const QueryScene& scene, const Bvh& a, const Bvh& b, Random&, const std::string& what) {
        expect_right(scene, a, b,
                     what + ", " + clearance::name_of(a.volume()) + " against " +
                         clearance::name_of(b.volume()));
      });
}

TEST(BinaryQuery, IsRightForAPoseThatIsRigidToSixDigits) {
  for_random_scenes(
      300, 12,
      [](QueryScene scene, const Bvh& a, const Bvh& b, Random& random, const std::string& what) {
        // As if the rotation had gone through a text file with few digits.
        for (Vec3& row : scene.a_from_b.rotation.rows) row += 2e-7 * scenes::in_ball(random);
        expect_right(scene, a, b, what);
      });
}

TEST(BinaryQuery, IsTheSameFromBothSides) {
  for_random_scenes(
      200, 12,
      [](const QueryScene& scene, const Bvh& a, const Bvh& b, Random&, const std::string& what) {
        const Pose back = inverse(scene.a_from_b);
        const Distance there = binary_distance(a, b, scene.a_from_b, {}, nullptr);
        const Distance here = binary_distance(b, a, back, {}, nullptr);
        // The inverse pose is rounded: what touches by a hair may not, the other way round.
        const double rounding = 1e-13 * (a.bounds().diagonal() + b.bounds().diagonal() +
                                         norm(a.bounds().center()) + norm(b.bounds().center()));
        EXPECT_NEAR(there.distance, here.distance, rounding + 1e-9 * there.distance) << what;
      });
}

TEST(BinaryQuery, StopsAtTheUpperBound) {
  for_random_scenes(
      300, 12,
      [](const QueryScene& scene, const Bvh& a, const Bvh& b, Random&, const std::string& what) {
        const Pose& pose = scene.a_from_b;
        const double d = brute_distance(scene.a.span(), scene.b.span(), pose).distance;
        for (const double factor : {0.5, 1.0, 2.0}) {
          DistanceOptions options;
          options.upper_bound = factor * d;
          const Distance expected = brute_distance(scene.a.span(), scene.b.span(), pose, options);
          const Distance found = binary_distance(a, b, pose, options, nullptr);
          EXPECT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), pose))
              << what << "\nfound    " << describe(found) << "\nexpected " << describe(expected);
          EXPECT_EQ(found.beyond, factor <= 1.0 || d == 0.0) << what;
        }
      });
}

TEST(BinaryQuery, KeepsTheErrorAllowedAndProvesItsBounds) {
  std::uint64_t exact_work = 0;
  std::uint64_t approximate_work = 0;
  for_random_scenes(
      300, 30,
      [&](const QueryScene& scene, const Bvh& a, const Bvh& b, Random& random,
          const std::string& what) {
        const Pose& pose = scene.a_from_b;
        const Distance exact = binary_distance(a, b, pose, {}, nullptr);
        const double d = exact.distance;
        DistanceOptions options;
        const bool relative = random.below(2) == 0;
        (relative ? options.relative_error : options.absolute_error) =
            relative ? random.uniform(0.01, 1.0) : d * random.uniform(0.01, 1.0);
        // A bound on the answer must still be met when an error is allowed.
        if (random.below(3) == 0) options.upper_bound = 1.01 * d;
        const Distance found = binary_distance(a, b, pose, options, nullptr);
        ASSERT_EQ(found.beyond, d == 0.0 && options.upper_bound == 0.0) << what;
        if (found.beyond) return;
        constexpr double kRounding = 1.0 + 1e-9;
        EXPECT_GE(found.distance, d) << what;
        EXPECT_LE(
            found.distance,
            std::max(d * (1.0 + options.relative_error), d + options.absolute_error) * kRounding)
            << what;
        EXPECT_LE(found.lower, d * kRounding) << what;
        EXPECT_EQ(found.upper, found.distance) << what;
        EXPECT_LE(found.distance, std::max(found.lower * (1.0 + options.relative_error),
                                           found.lower + options.absolute_error) *
                                      kRounding)
            << what;
        exact_work += exact.work.volume_tests;
        approximate_work += found.work.volume_tests;
      });
  EXPECT_LT(approximate_work, exact_work);
}

TEST(BinaryQuery, IsNotChangedByCoherence) {
  // One object for all scenes: what it remembers is of other trees, and must not matter.
  Coherence coherence;
  for_random_scenes(200, 20,
                    [&](const QueryScene& scene, const Bvh& a, const Bvh& b, Random& random,
                        const std::string& what) {
                      Pose pose = scene.a_from_b;
                      std::uint64_t without = 0;
                      std::uint64_t with = 0;
                      for (int step = 0; step < 5; ++step) {
                        const Distance cold = binary_distance(a, b, pose, {}, nullptr);
                        const Distance warm = binary_distance(a, b, pose, {}, &coherence);
                        EXPECT_TRUE(same_answer(cold, warm)) << what << "\n"
                                                             << describe(cold) << "\n"
                                                             << describe(warm);
                        // The first guess costs one pair of triangles, and never a pair of volumes.
                        EXPECT_LE(warm.work.volume_tests, cold.work.volume_tests) << what;
                        without += cold.work.volume_tests;
                        with += warm.work.volume_tests;
                        pose.translation += 1e-3 * a.bounds().diagonal() * scenes::in_ball(random);
                      }
                      EXPECT_LE(with, without) << what;
                      DistanceOptions options;
                      options.relative_error = 0.5;
                      EXPECT_TRUE(same_answer(binary_distance(a, b, pose, options, nullptr),
                                              binary_distance(a, b, pose, options, &coherence)))
                          << what;
                    });
}

TEST(BinaryQuery, CutsContactsAtTheLimit) {
  for_random_scenes(
      200, 12,
      [](const QueryScene& scene, const Bvh& a, const Bvh& b, Random&, const std::string& what) {
        const std::vector<Contact> all =
            brute_contacts(scene.a.span(), scene.b.span(), scene.a_from_b);
        for (const std::size_t limit : {std::size_t{0}, all.size() / 2, all.size() + 1}) {
          const Contacts found = binary_contacts(a, b, scene.a_from_b, limit, nullptr);
          EXPECT_EQ(found.pairs.size(), std::min(limit, all.size())) << what;
          EXPECT_EQ(found.complete, limit >= all.size()) << what;
          for (const Contact& pair : found.pairs) {
            EXPECT_NE(std::find(all.begin(), all.end(), pair), all.end()) << what;
          }
        }
      });
}

TEST(BinaryQuery, CountsItsWork) {
  Random random(4);
  const TriangleSet set = scenes::triangle_set(random, SceneKind::Surface, 2000);
  const Bvh tree = tree_of(set, Volume::Rss, Fitter::Inertia);
  const Pose pose = Pose::translate({3.0, 0.1, 0.2});
  const Distance found = binary_distance(tree, tree, pose, {}, nullptr);
  EXPECT_GT(found.work.volume_tests, 20U);
  EXPECT_GT(found.work.triangle_tests, 0U);
  // A tree is worth it: brute force would look at four million pairs.
  EXPECT_LT(found.work.triangle_tests, 10000U);
  // Far apart, the first test of a yes-or-no question decides.
  EXPECT_EQ(binary_collide(tree, tree, pose, nullptr).work.volume_tests, 1U);
  EXPECT_EQ(binary_within(tree, tree, pose, 0.5, nullptr).work.volume_tests, 1U);
  EXPECT_LT(binary_within(tree, tree, pose, 2.0, nullptr).work.volume_tests,
            found.work.volume_tests);
}

}  // namespace
}  // namespace clearance::detail
