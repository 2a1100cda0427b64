// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/volumes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/mesh.h>

#include "support/oracle.h"
#include "support/query_scenes.h"
#include "support/simple_meshes.h"

namespace clearance::detail {
namespace {

using namespace clearance::test;

constexpr std::array kVolumes{Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere};

std::vector<Triangle> triangles_of(const Mesh& mesh) {
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) triangles.push_back(mesh.triangle(i));
  return triangles;
}

std::vector<Triangle> triangles_of(const TriangleSet& set) {
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < set.faces.size(); ++i) triangles.push_back(set.triangle(i));
  return triangles;
}

/// How far p lies outside, in quadruple precision, for the numbers of the volume as they stand.
/// Every choice of s within the half sizes proves a bound; that of double precision is near enough.
double excess(const RoundedBox& v, const Vec3& p) {
  const Vec3 d = p - v.center;
  std::array<Quad, 3> rest{};
  for (std::size_t k = 0; k < 3; ++k) {
    rest[k] = static_cast<Quad>(p[k]) - static_cast<Quad>(v.center[k]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double s = std::clamp(dot(v.axes.column(i), d), -v.half_size[i], v.half_size[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      rest[k] -= static_cast<Quad>(s) * static_cast<Quad>(v.axes[k][i]);
    }
  }
  const Quad squared = rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2];
  return static_cast<double>(quad_sqrt(squared) - static_cast<Quad>(v.radius));
}

TEST(Volumes, AreaAndVolumeFollowTheFormulas) {
  constexpr double kPi = std::numbers::pi;
  // A rectangle swept sphere with l = 2, w = 1, r = 0.5.
  EXPECT_DOUBLE_EQ(surface_area({1.0, 0.5, 0.0}, 0.5),
                   2.0 * 2.0 * 1.0 + 2.0 * kPi * 0.5 * 3.0 + 4.0 * kPi * 0.25);
  EXPECT_DOUBLE_EQ(enclosed_volume({1.0, 0.5, 0.0}, 0.5),
                   2.0 * 0.5 * 2.0 + kPi * 0.25 * 3.0 + 4.0 / 3.0 * kPi * 0.125);
  // A box of 1 x 2 x 3 and a ball of radius 2.
  EXPECT_DOUBLE_EQ(surface_area({0.5, 1.0, 1.5}, 0.0), 22.0);
  EXPECT_DOUBLE_EQ(enclosed_volume({0.5, 1.0, 1.5}, 0.0), 6.0);
  EXPECT_DOUBLE_EQ(surface_area({}, 2.0), 16.0 * kPi);
  EXPECT_DOUBLE_EQ(enclosed_volume({}, 2.0), 32.0 / 3.0 * kPi);
}

TEST(Volumes, ContainEveryCornerInExactArithmetic) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const SceneKind kind = kSceneKinds[random.below(kSceneKinds.size())];
    TriangleSet set = scenes::triangle_set(random, kind, 1 + random.below(20));
    const double scale = std::pow(10.0, random.uniform(-9.0, 9.0));
    scenes::place(random, set, scale, random.below(2) == 0 ? 0.0 : 1e7);
    const std::vector<Triangle> triangles = triangles_of(set);
    const Mat3 axes = scenes::rotation(random);
    for (const Volume volume : kVolumes) {
      const RoundedBox fitted = triangles.size() == 1 ? volume_of_triangle(volume, triangles[0])
                                                      : fit_volume(volume, axes, triangles);
      for (const Vec3& p : set.vertices) {
        EXPECT_LE(excess(fitted, p), 0.0) << clearance::name_of(volume) << ", seed " << seed;
        EXPECT_TRUE(contains(fitted, p)) << clearance::name_of(volume) << ", seed " << seed;
      }
    }
  }
}

TEST(Volumes, FitACubeExactlyWhereTheyCan) {
  const Mat3 turn = rotation_about(normalized({1.0, 2.0, 3.0}), 0.7);
  const std::vector<Triangle> cube =
      triangles_of(transformed(test::cube(2.0), {turn, {10.0, 20.0, 30.0}}));
  const Vec3 middle = turn * Vec3{1.0, 1.0, 1.0} + Vec3{10.0, 20.0, 30.0};

  const RoundedBox obb = fit_volume(Volume::Obb, turn, cube);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(obb.half_size[i], 1.0, 1e-13);
  EXPECT_LT(obb.radius, 1e-13);
  EXPECT_LT(distance(obb.center, middle), 1e-13);

  const RoundedBox sphere = fit_volume(Volume::Sphere, turn, cube);
  EXPECT_EQ(sphere.half_size, Vec3{});
  EXPECT_NEAR(sphere.radius, std::sqrt(3.0), 1e-13);

  // The axis-aligned box takes no notice of the axes.
  const RoundedBox aabb = fit_volume(Volume::Aabb, turn, triangles_of(test::cube(2.0)));
  EXPECT_EQ(aabb.axes, Mat3::identity());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(aabb.half_size[i], 1.0, 1e-15);
}

TEST(Volumes, RssOfAPlateIsItsRectangle) {
  // 4 x 2 x 0.2: the ball has the radius of half the thickness. Corners on the rims of the plate
  // leave the ball no reach, so the rectangle is the plate's own.
  const std::vector<Triangle> plate = triangles_of(scaled(test::cube(), {4.0, 2.0, 0.2}));
  const RoundedBox rss = fit_volume(Volume::Rss, Mat3::identity(), plate);
  EXPECT_NEAR(rss.radius, 0.1, 1e-13);
  EXPECT_NEAR(rss.half_size.x, 2.0, 1e-13);
  EXPECT_NEAR(rss.half_size.y, 1.0, 1e-13);
  EXPECT_EQ(rss.half_size.z, 0.0);
  EXPECT_NEAR(std::abs(rss.axes.column(2).z), 1.0, 1e-15);
}

TEST(Volumes, RssOfABallIsNearlyABall) {
  const std::vector<Triangle> ball = triangles_of(uv_sphere(1.0, 24));
  const RoundedBox rss = fit_volume(Volume::Rss, Mat3::identity(), ball);
  EXPECT_NEAR(rss.radius, 1.0, 0.02);
  EXPECT_LT(rss.half_size.x, 0.05);
  EXPECT_LT(surface_area(rss.half_size, rss.radius), 1.05 * 4.0 * std::numbers::pi);
}

TEST(Volumes, RssCornersAreCutWhenPointsAllowIt) {
  // A disc of radius 1 and thickness 0.5: the rectangle's corners need not reach the disc's square.
  std::vector<Triangle> disc;
  for (int i = 0; i < 64; ++i) {
    const double t = 2.0 * std::numbers::pi * i / 64.0;
    const Vec3 rim{std::cos(t), std::sin(t), 0.0};
    disc.push_back({rim, {0.0, 0.0, 0.25}, {0.0, 0.0, -0.25}});
  }
  const RoundedBox rss = fit_volume(Volume::Rss, Mat3::identity(), disc);
  EXPECT_NEAR(rss.radius, 0.25, 1e-9);
  EXPECT_NEAR(rss.half_size.x, 0.75, 0.01);
}

TEST(Volumes, OfATriangleAreFlatAlongItsLongestSide) {
  // Sides 4, 3 and 5: the rectangle is 5 by the height 12/5.
  const Triangle t{{0.0, 0.0, 7.0}, {4.0, 0.0, 7.0}, {0.0, 3.0, 7.0}};
  for (const Volume volume : {Volume::Rss, Volume::Obb}) {
    const RoundedBox v = volume_of_triangle(volume, t);
    EXPECT_NEAR(v.half_size.x, 2.5, 1e-14);
    EXPECT_NEAR(v.half_size.y, 1.2, 1e-14);
    EXPECT_NEAR(v.half_size.z, 0.0, 1e-14);
    EXPECT_LT(v.radius, 1e-13);
  }
}

TEST(Volumes, DoNotContainWhatIsOutside) {
  const RoundedBox rss{Mat3::identity(), {}, {2.0, 1.0, 0.0}, 0.5};
  EXPECT_TRUE(contains(rss, {2.4, 0.0, 0.0}));
  EXPECT_FALSE(contains(rss, {2.6, 0.0, 0.0}));
  EXPECT_TRUE(contains(rss, {0.0, 0.0, 0.49}));
  EXPECT_FALSE(contains(rss, {0.0, 0.0, 0.51}));
  // Past the corner the ball is round.
  EXPECT_TRUE(contains(rss, {2.35, 1.35, 0.0}));
  EXPECT_FALSE(contains(rss, {2.36, 1.36, 0.0}));
}

}  // namespace
}  // namespace clearance::detail
