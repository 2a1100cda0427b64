// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/check/sphere_checker.h>

#include "check/check_scenes.h"
#include "check/forward_lanes.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

/// The arm as spheres along its links, random spheres around it, all pairs but neighbours.
SphereScene random_scene(Random& random, int standing) {
  SphereScene scene{six_axes(), Pose::translate({0.1, -0.2, 0.05}), {}, {}};
  const std::size_t links = scene.robot.links().size();
  for (std::uint32_t i = 0; i < links; ++i) {
    SphereBody body{i, {}};
    const int count = 5 + static_cast<int>(random.below(25));
    for (int k = 0; k < count; ++k) {
      const Vec3 at{random.uniform(-0.05, 0.3), random.uniform(-0.05, 0.05),
                    random.uniform(-0.05, 0.3)};
      body.spheres.push_back({at, random.uniform(0.0, 0.04)});
    }
    scene.bodies.push_back(std::move(body));
  }
  SphereBody around{kNoLink, {}};
  for (int k = 0; k < standing; ++k) {
    const Vec3 at{random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), random.uniform(-0.5, 1.5)};
    around.spheres.push_back({at, random.uniform(0.0, 0.08)});
  }
  scene.bodies.push_back(std::move(around));
  const auto last = static_cast<std::uint32_t>(links);
  for (std::uint32_t i = 0; i < links; ++i) {
    for (std::uint32_t j = i + 2; j < links; ++j) scene.pairs.emplace_back(i, j);
    scene.pairs.emplace_back(i, last);
  }
  return scene;
}

/// The smallest gap of two spheres of a pair: below 0 they overlap.
double gap_of(const SphereScene& scene, std::span<const double> values) {
  const std::vector<Pose> links = scene.robot.link_poses(values, scene.world_from_base);
  const auto pose = [&](const SphereBody& body) {
    return body.link == kNoLink ? Pose::identity() : links[body.link];
  };
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : scene.pairs) {
    for (const Sphere& s : scene.bodies[a].spheres) {
      const Vec3 p = pose(scene.bodies[a]) * s.center;
      for (const Sphere& t : scene.bodies[b].spheres) {
        const Vec3 q = pose(scene.bodies[b]) * t.center;
        least = std::min(least, distance(p, q) - s.radius - t.radius);
      }
    }
  }
  return least;
}

TEST(SphereChecker, AgreesWithAPlainLoopOverAllSpheres) {
  Random random(42);
  std::size_t hit_count = 0;
  std::size_t all = 0;
  for (int round = 0; round < 8; ++round) {
    const SphereScene scene = random_scene(random, 3 * round);
    const SphereChecker checker = std::move(SphereChecker::make(scene).value());
    EXPECT_GT(checker.margin(), 0.0);
    EXPECT_LT(checker.margin(), 1e-4);
    SphereChecker::Scratch scratch;
    // Configurations around a few middles, as a path would have them; a number that is no multiple
    // of eight.
    std::vector<double> values;
    const std::size_t count = 301;
    std::vector<double> middle;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 20 == 0) middle = scene.robot.random(random);
      for (const double value : middle) values.push_back(value + random.uniform(-0.2, 0.2));
    }
    std::vector<std::uint8_t> hits(count);
    checker.collides(values, hits, scratch);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const double> one = std::span(values).subspan(6 * i, 6);
      const double gap = gap_of(scene, one);
      EXPECT_TRUE(hits[i] == 1 || gap > 0.0) << "gap " << gap;
      EXPECT_TRUE(hits[i] == 0 || gap <= 4.0 * checker.margin()) << "gap " << gap;
      EXPECT_EQ(checker.collides(one, scratch), hits[i] == 1);
      hit_count += hits[i];
      ++all;
    }
  }
  EXPECT_GT(hit_count, all / 10);
  EXPECT_LT(hit_count, all * 9 / 10);
}

TEST(SphereChecker, NeverSaysFreeWhenSpheresJustTouch) {
  // A sphere on a slider approaches another until the gap is a rounding error, from both sides.
  SphereScene scene{slider(), Pose::translate({0.3, 0.7, -0.2}), {}, {{0, 1}}};
  scene.bodies = {{1, {{{0.11, 0.22, 0.33}, 0.07}}},
                  {kNoLink, {{{0.3 + 0.11 + 1.0, 0.7 + 0.22, -0.2 + 0.33}, 0.13}}}};
  const SphereChecker checker = std::move(SphereChecker::make(scene).value());
  SphereChecker::Scratch scratch;
  for (int i = -2000; i <= 2000; ++i) {
    const double value = 0.8 + 1e-8 * i;  // 1 - 0.07 - 0.13
    const double gap = gap_of(scene, std::vector{value});
    const bool hit = checker.collides(std::vector{value}, scratch);
    EXPECT_TRUE(hit || gap > 0.0) << "gap " << gap;
  }
  EXPECT_FALSE(checker.collides(std::vector{0.8 - 5.0 * checker.margin()}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{1.0}, scratch));
  EXPECT_FALSE(checker.collides(std::vector{1.21}, scratch));
}

TEST(SphereChecker, HoldsSpheresAgainstMeshes) {
  // A ball of 0.1 slides along x past a cube at [1, 2]³ - (0, 1.5, 1.5): solid.
  SphereScene scene{slider(), {}, {}, {{0, 1}}};
  scene.bodies = {{1, {{{}, 0.1}}},
                  {kNoLink, {}, {std::move(Model::build(cube(1.0, {1.0, -0.5, -0.5})).value())}}};
  const SphereChecker checker = std::move(SphereChecker::make(scene).value());
  SphereChecker::Scratch scratch;
  EXPECT_FALSE(checker.collides(std::vector{0.0}, scratch));
  EXPECT_FALSE(checker.collides(std::vector{0.899}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{0.9}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{1.5}, scratch));  // wholly inside
  EXPECT_TRUE(checker.collides(std::vector{2.1}, scratch));
  EXPECT_FALSE(checker.collides(std::vector{2.101}, scratch));
}

TEST(SphereChecker, BodiesAllowedToTouchAreNotHeldAgainstEachOther) {
  SphereScene scene{slider(), {}, {}, {{0, 1}}};
  const Sphere there{{1.0, 0.0, 0.0}, 0.1};
  scene.bodies = {{1, {{{}, 0.1}}}, {kNoLink, {{{3.0, 0.0, 0.0}, 0.1}}}, {kNoLink, {there}}};
  const SphereChecker checker = std::move(SphereChecker::make(scene).value());
  SphereChecker::Scratch scratch;
  EXPECT_FALSE(checker.collides(std::vector{1.0}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{3.0}, scratch));
}

TEST(SphereChecker, NumbersThatAreNoneAreContact) {
  SphereScene scene{slider(), {}, {{1, {{{}, 0.1}}}}, {}};
  const SphereChecker checker = std::move(SphereChecker::make(scene).value());
  SphereChecker::Scratch scratch;
  EXPECT_FALSE(checker.collides(std::vector{0.0}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{std::nan("")}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{std::numeric_limits<double>::infinity()}, scratch));
  // The slider ends at 10 m: what is beyond is farther than the margin is made for.
  EXPECT_FALSE(checker.collides(std::vector{-10.0}, scratch));
  EXPECT_TRUE(checker.collides(std::vector{11.0}, scratch));
}

TEST(SphereChecker, RefusesWhatMakesNoSense) {
  const auto refused = [](const SphereScene& scene) {
    const Result<SphereChecker> checker = SphereChecker::make(scene);
    return checker ? std::string("accepted") : checker.error().message();
  };
  EXPECT_SAYS(refused({slider(), {}, {{7, {}}}, {}}), "a link that is not there");
  EXPECT_SAYS(refused({slider(), {}, {{1, {{{}, -1.0}}}}, {}}), "a radius below 0");
  EXPECT_SAYS(refused({slider(), {}, {{1, {{{}, 1.0}}}}, {{0, 1}}}), "a pair names a body");
}

TEST(SineOf, IsRightToTenDigits) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const double scale = std::pow(10.0, random.uniform(-6.0, 6.0));
    const double x = random.uniform(-scale, scale);
    const detail::SineLanes lanes = detail::sine_of(detail::broadcast4(x));
    EXPECT_NEAR(lanes.sine[1], std::sin(x), 2e-11) << x;
    EXPECT_NEAR(lanes.versine[2], 1.0 - std::cos(x), 2e-11) << x;
  }
}

}  // namespace
}  // namespace clearance
