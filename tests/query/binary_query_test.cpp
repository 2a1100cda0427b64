// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every query on every kind of volume and every fitter against brute force, bit for bit; and what
// binary trees do beyond that.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/query/query.h>

#include "support/brute_force.h"
#include "support/query_scenes.h"

namespace clearance {
namespace {

using namespace clearance::test;

constexpr std::array kVolumes{Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere};
constexpr std::array kFitters{Fitter::Binned, Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia};

/// Scenes of each kind and placement; CLEARANCE_SCENES=4000 makes ten million queries.
std::uint64_t scene_count() {
  const char* text = std::getenv("CLEARANCE_SCENES");
  return text == nullptr ? 36 : std::strtoull(text, nullptr, 10);
}

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

  const Collision collision = collide(a, b, pose);
  ASSERT_EQ(collision.hit, !touching.empty()) << what;
  if (collision.hit) {
    EXPECT_NE(std::find(touching.begin(), touching.end(), collision.contact), touching.end())
        << what;
  }
  const Contacts all = contacts(a, b, pose, touching.size());
  EXPECT_TRUE(all.complete) << what;
  EXPECT_EQ(all.pairs, touching) << what;

  const Distance found = distance(a, b, pose, {});
  ASSERT_TRUE(is_right(found, expected, scene.a.span(), scene.b.span(), pose))
      << what << "\nfound    " << describe(found) << "\nexpected " << describe(expected);

  // Above and below the distance, and at it, where the answer must be yes. Below it a yes is right
  // when rounding may be all there is between.
  const double d = expected.distance;
  const double rounding = 1e-13 * (norm(pose.translation) + norm(a.bounds().center()) +
                                   norm(b.bounds().center()) + a.bounds().diagonal());
  for (const double factor : {0.0, 0.9, 1.0, 1.1}) {
    const Within answer = within(a, b, pose, factor * d);
    if (factor >= 1.0 || d == 0.0) {
      EXPECT_TRUE(answer.within) << what << ", factor " << factor;
    } else if ((1.0 - factor) * d > rounding) {
      EXPECT_FALSE(answer.within) << what << ", factor " << factor;
    }
    EXPECT_LE(answer.lower, d * (1.0 + 1e-9)) << what;
    EXPECT_GE(answer.upper, d) << what;
    if (answer.within) {
      EXPECT_LE(pair_distance(scene.a.span(), answer.pair.triangle_a, scene.b.span(),
                              answer.pair.triangle_b, pose)
                    .distance,
                factor * d * (1.0 + 1e-9) + rounding)
          << what;
    }
  }
}

class EveryTree : public ::testing::TestWithParam<std::tuple<Volume, Fitter>> {};

TEST_P(EveryTree, GiveTheAnswersOfBruteForce) {
  const auto [volume, fitter] = GetParam();
  for (const SceneKind kind : kSceneKinds) {
    HitCounter counter;
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      for (std::uint64_t seed = 0; seed < scene_count(); ++seed) {
        Random random((seed << 8) + static_cast<std::uint64_t>(kind));
        const std::size_t count = 2 + random.below(12);
        const QueryScene scene = random_scene(random, kind, count, placement);
        const Bvh a = tree_of(scene.a, volume, fitter);
        const Bvh b = tree_of(scene.b, volume, fitter);
        const std::string what = std::string(test::name_of(kind)) + ", seed " +
                                 std::to_string(seed) + ", far " + std::to_string(placement.far);
        expect_right(scene, a, b, what);
        if (HasFatalFailure()) return;
        counter.count(collide(a, b, scene.a_from_b).hit);
      }
    }
    EXPECT_GE(counter.fraction(), 0.3) << test::name_of(kind);
    EXPECT_LE(counter.fraction(), 0.7) << test::name_of(kind);
  }
}

TEST_P(EveryTree, GiveTheAnswersOfBruteForceOnLargerSets) {
  const auto [volume, fitter] = GetParam();
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Random random((seed << 8) + static_cast<std::uint64_t>(kind));
      const QueryScene scene = random_scene(random, kind, 80, kAnyScale);
      expect_right(scene, tree_of(scene.a, volume, fitter), tree_of(scene.b, volume, fitter),
                   std::string(test::name_of(kind)) + ", seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

std::string name_of_tree(const ::testing::TestParamInfo<EveryTree::ParamType>& param) {
  return std::string(clearance::name_of(std::get<0>(param.param))) + "_" +
         clearance::name_of(std::get<1>(param.param));
}
INSTANTIATE_TEST_SUITE_P(Binary, EveryTree,
                         ::testing::Combine(::testing::ValuesIn(kVolumes),
                                            ::testing::ValuesIn(kFitters)),
                         name_of_tree);
INSTANTIATE_TEST_SUITE_P(Wide, EveryTree,
                         ::testing::Values(EveryTree::ParamType(Volume::Wide, Fitter::Binned)),
                         name_of_tree);

/// Random scenes of any kind, with trees of any kind.
template <class Check>
void for_random_scenes(std::uint64_t count, std::size_t triangles, const Check& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed);
    const SceneKind kind = kSceneKinds[random.below(kSceneKinds.size())];
    const ScenePlacement placement = random.below(2) == 0 ? kAnyScale : kFarAway;
    const QueryScene scene = random_scene(random, kind, triangles, placement);
    // A wide tree goes with another wide one only.
    const bool wide = random.below(3) == 0;
    const auto tree = [&](const TriangleSet& set) {
      const Volume volume = kVolumes[random.below(kVolumes.size())];
      const Fitter fitter = kFitters[random.below(kFitters.size())];
      return wide ? tree_of(set, Volume::Wide, Fitter::Binned) : tree_of(set, volume, fitter);
    };
    const Bvh a = tree(scene.a);
    const Bvh b = tree(scene.b);
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
        const Distance there = distance(a, b, scene.a_from_b, {});
        const Distance here = distance(b, a, back, {});
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
          const Distance found = distance(a, b, pose, options);
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
        const Distance exact = distance(a, b, pose, {});
        const double d = exact.distance;
        DistanceOptions options;
        const bool relative = random.below(2) == 0;
        (relative ? options.relative_error : options.absolute_error) =
            relative ? random.uniform(0.01, 1.0) : d * random.uniform(0.01, 1.0);
        // A bound on the answer must still be met when an error is allowed.
        if (random.below(3) == 0) options.upper_bound = 1.01 * d;
        const Distance found = distance(a, b, pose, options);
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
                        const Distance cold = distance(a, b, pose, {});
                        const Distance warm = distance(a, b, pose, {}, &coherence);
                        EXPECT_TRUE(same_answer(cold, warm)) << what << "\n"
                                                             << describe(cold) << "\n"
                                                             << describe(warm);
                        without += cold.work.volume_tests;
                        with += warm.work.volume_tests;
                        pose.translation += 1e-3 * a.bounds().diagonal() * scenes::in_ball(random);
                      }
                      // The wide tree makes a first guess of its own.
                      if (a.volume() != Volume::Wide) {
                        EXPECT_LE(with, without) << what;
                      }
                      DistanceOptions options;
                      options.relative_error = 0.5;
                      EXPECT_TRUE(same_answer(distance(a, b, pose, options),
                                              distance(a, b, pose, options, &coherence)))
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
          const Contacts found = contacts(a, b, scene.a_from_b, limit);
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
  const Distance found = distance(tree, tree, pose, {});
  EXPECT_GT(found.work.volume_tests, 20U);
  EXPECT_GT(found.work.triangle_tests, 0U);
  // A tree is worth it: brute force would look at four million pairs.
  EXPECT_LT(found.work.triangle_tests, 10000U);
  // Far apart, the first test of a yes-or-no question decides.
  EXPECT_EQ(collide(tree, tree, pose).work.volume_tests, 1U);
  EXPECT_EQ(within(tree, tree, pose, 0.5).work.volume_tests, 1U);
  EXPECT_LT(within(tree, tree, pose, 2.0).work.volume_tests, found.work.volume_tests);
}

}  // namespace
}  // namespace clearance
