// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes of many bodies against every pair asked one by one, and against every pair of triangles.
#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/mesh/read.h>
#include <clearance/query/scene.h>

#include "support/brute_force.h"
#include "support/data.h"
#include "support/query_scenes.h"
#include "support/simple_meshes.h"

namespace clearance::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Model model_of(const Mesh& mesh) { return *Model::build(mesh); }

std::vector<Model> some_models() {
  return {model_of(cube()),
          model_of(uv_sphere(0.7, 6)),
          model_of(corner_tetrahedron()),
          model_of(moebius_strip(12)),
          model_of(together({cube(0.3), cube(0.3, {1, 0, 0})})),
          model_of(uv_sphere(2.0, 5))};
}

Pose random_pose(Random& random, double spread) {
  const Mat3 rotation = scenes::rotation(random);
  return {rotation, spread * scenes::in_ball(random)};
}

/// Bodies drawn from the models, close enough that some touch and some are inside others.
Scene random_scene_of(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  const std::vector<Model> models = some_models();
  const double spread = 1.6 * std::cbrt(static_cast<double>(count));
  Scene scene;
  for (std::size_t i = 0; i < count; ++i)
    scene.add(models[random.below(models.size())], random_pose(random, spread));
  return scene;
}

/// Every pair, one by one, without a broad phase.
std::vector<ScenePair> every_pair(const Scene& scene, double limit) {
  std::vector<ScenePair> pairs;
  const std::vector<BodyId> ids = scene.bodies();
  for (const BodyId a : ids) {
    for (const BodyId b : ids) {
      if (a >= b) continue;
      const SolidDistance found =
          distance(scene.model(a), scene.model(b),
                   relative(scene.world_from_body(a), scene.world_from_body(b)));
      if (found.distance <= limit) pairs.push_back({a, b, found.distance, found.touch});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const ScenePair& x, const ScenePair& y) {
    return std::tie(x.distance, x.a, x.b) < std::tie(y.distance, y.a, y.b);
  });
  return pairs;
}

void expect_same_pairs(const std::vector<ScenePair>& found, const std::vector<ScenePair>& right) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].a, right[i].a);
    EXPECT_EQ(found[i].b, right[i].b);
    EXPECT_EQ(found[i].distance, right[i].distance);
    EXPECT_EQ(found[i].touch, right[i].touch);
  }
}

void expect_right(const Scene& scene) {
  for (const double limit : {0.0, 0.2, 1.0, kInfinity}) {
    SCOPED_TRACE(limit);
    expect_same_pairs(pairs_within(scene, limit).pairs, every_pair(scene, limit));
  }
  const std::vector<ScenePair> all = every_pair(scene, kInfinity);
  const std::optional<ScenePair> nearest = nearest_pair(scene);
  ASSERT_EQ(nearest.has_value(), !all.empty());
  if (nearest) {
    EXPECT_EQ(nearest->distance, all.front().distance);
    EXPECT_EQ(nearest->a, all.front().a);
    EXPECT_EQ(nearest->b, all.front().b);
  }
  expect_same_pairs(collisions(scene).pairs, every_pair(scene, 0.0));
  EXPECT_EQ(collides(scene), !all.empty() && all.front().distance == 0.0);
}

/// All that an answer says, as one number.
std::uint64_t hash_of(const ScenePairs& answer) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&](std::uint64_t v) { hash = (hash ^ v) * 1099511628211ULL; };
  for (const ScenePair& p : answer.pairs) {
    mix(p.a), mix(p.b), mix(p.triangle_a), mix(p.triangle_b);
    mix(static_cast<std::uint64_t>(p.touch));
    for (const double v : {p.distance, p.on_a.x, p.on_a.y, p.on_a.z, p.on_b.x, p.on_b.y, p.on_b.z})
      mix(std::bit_cast<std::uint64_t>(v));
  }
  mix(answer.candidate_count);
  mix(answer.work.volume_tests);
  mix(answer.work.triangle_tests);
  return hash;
}

TEST(Scene, EmptyAndSingleHaveNoPairs) {
  Scene scene;
  expect_right(scene);
  scene.add(model_of(cube()), Pose::identity());
  expect_right(scene);
  EXPECT_FALSE(nearest_pair(scene).has_value());
}

TEST(Scene, AgreesWithEveryPairAskedOneByOne) {
  HitCounter hits;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = random_scene_of(seed, 2 + 2 * seed);
    expect_right(scene);
    const std::size_t pairs = scene.size() * (scene.size() - 1) / 2;
    const std::size_t near = pairs_within(scene, 1.0).pairs.size();
    for (std::size_t i = 0; i < pairs; ++i) hits.count(i < near);
  }
  EXPECT_GT(hits.fraction(), 0.1);
  EXPECT_LT(hits.fraction(), 0.7);
}

TEST(Scene, DistancesAreThoseOfAllTriangles) {
  Random random(3);
  const std::vector<Model> models{model_of(cube()), model_of(moebius_strip(8)),
                                  model_of(corner_tetrahedron())};
  HitCounter hits;
  for (int round = 0; round < 40; ++round) {
    Scene scene;
    for (const Model& m : models) scene.add(m, random_pose(random, 1.2));
    for (const ScenePair& pair : pairs_within(scene, kInfinity).pairs) {
      const Distance right = brute_distance(
          triangles_of(scene.model(pair.a).bvh()), triangles_of(scene.model(pair.b).bvh()),
          relative(scene.world_from_body(pair.a), scene.world_from_body(pair.b)));
      hits.count(pair.distance == 0.0);
      if (pair.touch == Touch::AInsideB || pair.touch == Touch::BInsideA) {
        EXPECT_GT(right.distance, 0.0);
        continue;
      }
      EXPECT_NEAR(pair.distance, right.distance, 1e-9 * right.distance);
      if (pair.distance > 0.0) {
        EXPECT_NEAR(distance(pair.on_a, pair.on_b), pair.distance, 1e-12);
      }
    }
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
}

TEST(Scene, OneBodyInsideAnotherIsContactHoweverFarTheSurfaces) {
  Scene scene;
  const BodyId shell = scene.add(model_of(cube(10.0)), Pose::identity());
  const BodyId inner = scene.add(model_of(cube()), Pose::translate({4, 4, 4}));
  const BodyId outer = scene.add(model_of(cube()), Pose::translate({10.5, 0, 0}));
  const ScenePairs touching = collisions(scene);
  ASSERT_EQ(touching.pairs.size(), 1U);
  EXPECT_EQ(touching.pairs[0].a, shell);
  EXPECT_EQ(touching.pairs[0].b, inner);
  EXPECT_EQ(touching.pairs[0].touch, Touch::BInsideA);
  EXPECT_EQ(nearest_pair(scene)->distance, 0.0);
  EXPECT_EQ(nearest_pair(scene)->b, inner);
  expect_right(scene);
  // Allowed, it is out of sight; the gap of the third is the least then.
  scene.allow_contact(inner, shell);
  EXPECT_TRUE(collisions(scene).pairs.empty());
  EXPECT_FALSE(collides(scene));
  EXPECT_NEAR(nearest_pair(scene)->distance, 0.5, 1e-12);
  EXPECT_EQ(nearest_pair(scene)->b, outer);
  const ScenePairs asked = collisions(scene, {.include_allowed = true});
  ASSERT_EQ(asked.pairs.size(), 1U);
  EXPECT_TRUE(asked.pairs[0].allowed);
  scene.allow_contact(shell, inner, false);
  EXPECT_TRUE(collides(scene));
}

TEST(Scene, MovesAddsAndRemovesLeaveTheAnswersRight) {
  Random random(11);
  Scene scene = random_scene_of(5, 12);
  const std::vector<Model> models = some_models();
  for (int step = 0; step < 150; ++step) {
    const std::vector<BodyId> ids = scene.bodies();
    const BodyId some = ids[random.below(ids.size())];
    switch (random.below(4)) {
      case 0:
        if (ids.size() > 4) scene.remove(some);
        break;
      case 1:
        if (ids.size() < 16)
          scene.add(models[random.below(models.size())], random_pose(random, 4.0));
        break;
      default:
        scene.move(some, random_pose(random, 4.0));
        break;
    }
    if (step % 10 == 0) {
      SCOPED_TRACE(step);
      expect_right(scene);
    }
  }
}

TEST(Scene, AnswersDoNotDependOnHistory) {
  // The same bodies at the same places: once put there, once after a long walk.
  const std::vector<Model> models = some_models();
  Random random(21);
  std::vector<Pose> poses;
  for (int i = 0; i < 40; ++i) poses.push_back(random_pose(random, 5.0));
  Scene direct;
  Scene walked;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    direct.add(models[i % models.size()], poses[i]);
    walked.add(models[i % models.size()], random_pose(random, 20.0));
  }
  for (int round = 0; round < 5; ++round) {
    for (BodyId i = 0; i < poses.size(); ++i) walked.move(i, random_pose(random, 20.0));
  }
  for (BodyId i = 0; i < poses.size(); ++i) walked.move(i, poses[i]);
  EXPECT_EQ(hash_of(pairs_within(direct, 1.0)), hash_of(pairs_within(walked, 1.0)));
  EXPECT_EQ(hash_of(collisions(direct)), hash_of(collisions(walked)));
  EXPECT_EQ(nearest_pair(direct)->a, nearest_pair(walked)->a);
  const Scene copy = walked;
  walked.move(0, Pose::translate({100, 0, 0}));
  EXPECT_EQ(hash_of(pairs_within(direct, 1.0)), hash_of(pairs_within(copy, 1.0)));
}

TEST(Scene, AnswersAreTheSameBitsOnAnyNumberOfThreads) {
  const Scene scene = random_scene_of(8, 60);
  for (const double limit : {0.5, kInfinity}) {
    const std::uint64_t one = hash_of(pairs_within(scene, limit, {.threads = Threads{1}}));
    for (const int threads : {2, 4})
      EXPECT_EQ(hash_of(pairs_within(scene, limit, {.threads = Threads{threads}})), one);
  }
  const std::uint64_t one = hash_of(collisions(scene, {.threads = Threads{1}}));
  EXPECT_EQ(hash_of(collisions(scene, {.threads = Threads{4}})), one);
}

TEST(Scene, BroadPhaseLeavesFarPairsOut) {
  Scene scene;
  const Model model = model_of(cube());
  for (int i = 0; i < 400; ++i)
    scene.add(model, Pose::translate({2.0 * (i % 20), 2.0 * (i / 20), 0.0}));
  EXPECT_EQ(pairs_within(scene, 0.5).candidate_count, 0U);
  // Each cube is 1 from its four neighbours.
  const ScenePairs near = pairs_within(scene, 1.0);
  EXPECT_EQ(near.pairs.size(), 2U * 20U * 19U);
  EXPECT_LT(near.candidate_count, 2U * near.pairs.size());
  EXPECT_FALSE(collides(scene));
}

TEST(Scene, KeepsItsAnswersFarFromTheOrigin) {
  const Pose away = Pose::translate({1e6, -2e6, 3e6});
  const Scene near = random_scene_of(13, 20);
  Scene far;
  for (const BodyId i : near.bodies()) far.add(near.model(i), away * near.world_from_body(i));
  const ScenePairs right = pairs_within(near, kInfinity);
  const ScenePairs found = pairs_within(far, kInfinity);
  ASSERT_EQ(found.pairs.size(), right.pairs.size());
  for (std::size_t i = 0; i < right.pairs.size(); ++i) {
    const auto same = std::find_if(found.pairs.begin(), found.pairs.end(), [&](const ScenePair& p) {
      return p.a == right.pairs[i].a && p.b == right.pairs[i].b;
    });
    ASSERT_NE(same, found.pairs.end());
    EXPECT_NEAR(same->distance, right.pairs[i].distance, 1e-8);
  }
}

TEST(Scene, ContactAtPosesOfFewDigitsIsContact) {
  // Two cubes face to face, turned by a matrix of floats, as glTF files have them: the columns are
  // off the unit length by 1e-8, and the translations are exact. To take the transpose for the
  // inverse would open a gap.
  const Model model = model_of(cube());
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    Mat3 rotation = scenes::rotation(random);
    for (Vec3& row : rotation.rows) {
      for (std::size_t k = 0; k < 3; ++k) row[k] = static_cast<double>(static_cast<float>(row[k]));
    }
    const Vec3 place{static_cast<double>(random.below(64)), static_cast<double>(random.below(64)),
                     0.5};
    Scene scene;
    scene.add(model, {rotation, place});
    scene.add(model, {rotation, place + rotation.column(0)});
    EXPECT_TRUE(collides(scene)) << i;
    EXPECT_EQ(collisions(scene).pairs.size(), 1U) << i;
    const ScenePairs touching = pairs_within(scene, 0.0);
    ASSERT_EQ(touching.pairs.size(), 1U) << i;
    EXPECT_EQ(touching.pairs[0].distance, 0.0) << i;
    EXPECT_EQ(touching.pairs[0].touch, Touch::Surfaces) << i;
    EXPECT_EQ(nearest_pair(scene)->distance, 0.0) << i;
    // A gap that is one stays one.
    scene.move(1, {rotation, place + (1.0 + 1e-9) * rotation.column(0)});
    EXPECT_FALSE(collides(scene)) << i;
    EXPECT_NEAR(nearest_pair(scene)->distance, 1e-9, 1e-13) << i;
  }
}

TEST(Scene, ABodyAtABadPoseTouchesAllOthers) {
  const double nan = std::nan("");
  const Model model = model_of(cube());
  for (const Pose& bad :
       {Pose::translate({nan, 0, 0}), Pose::translate({0, kInfinity, 0}),
        Pose::translate({1e16, 0, 0}), Pose{1.01 * Mat3::identity(), {500, 0, 0}},
        Pose{Mat3::diagonal({1, 1, -1}), {500, 0, 0}}, Pose{Mat3::zero(), {500, 0, 0}}}) {
    Scene scene;
    for (int i = 0; i < 40; ++i) scene.add(model, Pose::translate({3.0 * i, 0, 0}));
    EXPECT_FALSE(collides(scene));
    scene.move(7, bad);
    EXPECT_TRUE(collides(scene));
    EXPECT_EQ(collisions(scene).pairs.size(), 39U);
    const ScenePairs touching = pairs_within(scene, 0.0);
    ASSERT_EQ(touching.pairs.size(), 39U);
    for (const ScenePair& pair : touching.pairs) {
      EXPECT_TRUE(pair.a == 7 || pair.b == 7);
      EXPECT_EQ(pair.distance, 0.0);
    }
    EXPECT_EQ(nearest_pair(scene)->distance, 0.0);
    // Two of them as well.
    scene.move(20, bad);
    EXPECT_EQ(collisions(scene).pairs.size(), 38U + 39U);
    scene.move(7, Pose::translate({21.0, 0, 0}));
    scene.remove(20);
    EXPECT_FALSE(collides(scene));
  }
}

/// The files of a folder as bodies where they stand, in millimetres.
Scene scene_of_folder(const std::string& folder, const std::string& extension) {
  Scene scene;
  for (const auto& path : files_below(data_path(folder), {extension})) {
    ReadOptions options;
    options.metres_per_unit = 1e-3;
    const Result<LoadedMesh> loaded = read_mesh(path.string(), options);
    EXPECT_TRUE(loaded.ok()) << path;
    if (loaded) scene.add(model_of(loaded->mesh), Pose::identity());
  }
  return scene;
}

/// Most pairs of triangles that one pair of bodies may cost here.
constexpr std::size_t kMostTrianglePairs = 2'500'000;

TEST(Scene, RealAssembliesAreConfirmedByBruteForceOnSampledPairs) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  HitCounter hits;
  for (const auto& [folder, extension] :
       std::vector<std::pair<std::string, std::string>>{{"assemblies/as1", ".stl"},
                                                        {"assemblies/occt_engine", ".stl"},
                                                        {"assemblies/pentomino", ".obj"},
                                                        {"assemblies/factory_round_8mm", ".obj"},
                                                        {"assemblies/factory_rect_8mm", ".obj"},
                                                        {"assemblies/factory_gear", ".obj"},
                                                        {"assemblies/factory_nut_bolt_m16", ".obj"},
                                                        {"assemblies/asap_beam", ".obj"},
                                                        {"assemblies/furniture_drawer", ".obj"},
                                                        {"assemblies/furniture_lamp", ".obj"}}) {
    const Scene scene = scene_of_folder(folder, extension);
    const ScenePairs found = pairs_within(scene, kInfinity);
    EXPECT_EQ(found.pairs.size(), scene.size() * (scene.size() - 1) / 2);
    Random random(1);
    for (const ScenePair& pair : found.pairs) {
      SCOPED_TRACE(folder + " " + std::to_string(pair.a) + " " + std::to_string(pair.b));
      const TriangleSpan a = triangles_of(scene.model(pair.a).bvh());
      const TriangleSpan b = triangles_of(scene.model(pair.b).bvh());
      // Every contact, and every tenth pair that is free: those cost all pairs of triangles.
      const bool small = a.faces.size() * b.faces.size() <= kMostTrianglePairs;
      if (!small && pair.touch == Touch::Surfaces) {
        // Too many: the two triangles that are named.
        hits.count(true);
        EXPECT_TRUE(brute_collide({a.vertices, a.faces.subspan(pair.triangle_a, 1)},
                                  {b.vertices, b.faces.subspan(pair.triangle_b, 1)},
                                  Pose::identity()));
        continue;
      }
      EXPECT_TRUE(small) << "a free pair that nothing confirms";
      if (!small || (pair.distance > 0.0 && scene.size() > 2 && random.below(10) != 0)) continue;
      hits.count(pair.distance == 0.0);
      if (pair.touch == Touch::Surfaces) {
        EXPECT_TRUE(brute_collide(a, b, Pose::identity()));
      } else {
        const Distance right = brute_distance(a, b, Pose::identity());
        EXPECT_GT(right.distance, 0.0);
        if (pair.touch == Touch::None) {
          EXPECT_EQ(pair.distance, right.distance);
          EXPECT_EQ(pair.triangle_a, right.triangle_a);
          EXPECT_EQ(pair.triangle_b, right.triangle_b);
        }
      }
    }
  }
  EXPECT_GT(hits.hits, 40U);
  EXPECT_GT(hits.misses, 10U);
}

class StopAtOnce final : public Monitor {
 public:
  void progress(std::string_view /*stage*/, double /*fraction*/) override {}
  [[nodiscard]] bool cancelled() const override { return true; }
};

TEST(Scene, CancelledSaysSo) {
  const Scene scene = random_scene_of(2, 10);
  StopAtOnce monitor;
  EXPECT_FALSE(pairs_within(scene, kInfinity, {.monitor = &monitor}).complete);
  EXPECT_FALSE(nearest_pair(scene, {.monitor = &monitor}).has_value());
}

}  // namespace
}  // namespace clearance::test
