// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/level_of_detail.h>
#include <clearance/mesh/sample.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::cube;
using test::uv_sphere;

/// The largest distance from sampled points of `from` to the triangles of `to`, by brute force.
double sampled_distance(const Mesh& from, const Mesh& to, std::size_t count) {
  double largest = 0.0;
  for (const SurfaceSample& sample : sample_surface(from, count, 1)) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < to.triangle_count(); ++i) {
      nearest = std::min(nearest, squared_distance(sample.point, to.triangle(i)));
    }
    largest = std::max(largest, nearest);
  }
  return std::sqrt(largest);
}

bool equal(const Mesh& a, const Mesh& b) {
  return std::ranges::equal(a.vertices(), b.vertices()) && std::ranges::equal(a.faces(), b.faces());
}

TEST(Simplified, ReachesTheTargetAndStatesItsError) {
  const Mesh sphere = uv_sphere(0.5, 50);
  const LevelOfDetail coarse = simplified(sphere, {.target_triangles = 500}).value();
  EXPECT_LE(coarse.mesh.triangle_count(), 500u);
  EXPECT_GT(coarse.mesh.triangle_count(), 400u);
  EXPECT_GT(coarse.error_estimate, 0.0);
  // The estimate is of the right size: the measured distance is within a factor of four of it.
  const double measured = std::max(sampled_distance(sphere, coarse.mesh, 2000),
                                   sampled_distance(coarse.mesh, sphere, 500));
  EXPECT_LT(measured, 4.0 * coarse.error_estimate);
  EXPECT_GT(measured, coarse.error_estimate / 4.0);
  const MeshHealth health = examine(coarse.mesh);
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_EQ(health.euler_characteristic, 2);
}

TEST(Simplified, StopsAtTheErrorLimit) {
  const Mesh sphere = uv_sphere(0.5, 50);
  const double limit = 5e-3;
  const LevelOfDetail coarse = simplified(sphere, {.max_error = limit}).value();
  EXPECT_LT(coarse.mesh.triangle_count(), sphere.triangle_count() / 2);
  EXPECT_LE(coarse.error_estimate, limit * 1.0001);
  const LevelOfDetail finer = simplified(sphere, {.max_error = limit / 10}).value();
  EXPECT_GT(finer.mesh.triangle_count(), coarse.mesh.triangle_count());
}

TEST(Simplified, KeepsTheCoordinatesOfTheVerticesThatStay) {
  const Mesh sphere = uv_sphere(0.5, 30, {0.1, 0.2, 0.3});
  std::set<std::tuple<double, double, double>> originals;
  for (const Vec3& v : sphere.vertices()) originals.insert({v.x, v.y, v.z});
  const LevelOfDetail coarse = simplified(sphere, {.target_triangles = 300}).value();
  for (const Vec3& v : coarse.mesh.vertices()) {
    EXPECT_TRUE(originals.contains({v.x, v.y, v.z}));
  }
}

TEST(Simplified, WorksFarFromTheOriginAtAnyScale) {
  // Single precision at 1e6 would see a part of a centimetre as a point.
  const Mesh sphere = uv_sphere(0.01, 30, {1e6, -1e6, 1e6});
  const LevelOfDetail far = simplified(sphere, {.target_triangles = 400}).value();
  const LevelOfDetail near = simplified(uv_sphere(0.01, 30), {.target_triangles = 400}).value();
  EXPECT_LE(far.mesh.triangle_count(), 400u);
  EXPECT_NEAR(far.error_estimate / near.error_estimate, 1.0, 0.1);
  EXPECT_LT(sampled_distance(sphere, far.mesh, 500), 4.0 * far.error_estimate);
  const LevelOfDetail tiny = simplified(uv_sphere(1e-6, 30), {.target_triangles = 400}).value();
  EXPECT_NEAR(tiny.error_estimate / near.error_estimate, 1e-4, 1e-5);
}

TEST(Simplified, TreatsASoupLikeTheWeldedMesh) {
  const Mesh sphere = uv_sphere(0.5, 30);
  EXPECT_TRUE(equal(simplified(test::soup(sphere), {.target_triangles = 400}).value().mesh,
                    simplified(sphere, {.target_triangles = 400}).value().mesh));
}

TEST(Simplified, CubeCannotLoseACorner) {
  const LevelOfDetail same = simplified(cube(), {.max_error = 1e-6}).value();
  EXPECT_EQ(same.mesh.triangle_count(), 12u);
  EXPECT_EQ(same.error_estimate, 0.0);
}

TEST(Simplified, KeepsTheBorderWhenAsked) {
  // The upper half of a sphere: its rim is the only border.
  const Mesh sphere = uv_sphere(1.0, 20);
  std::vector<std::size_t> lower;
  for (std::size_t i = 0; i < sphere.triangle_count(); ++i) {
    const Triangle t = sphere.triangle(i);
    if (t.a.z + t.b.z + t.c.z < 0.0) lower.push_back(i);
  }
  const Mesh half = test::without(sphere, lower);
  const std::size_t rim = examine(half).open_edges;
  const LevelOfDetail kept =
      simplified(half, {.target_triangles = 150, .keep_border = true}).value();
  EXPECT_LT(kept.mesh.triangle_count(), half.triangle_count());
  EXPECT_EQ(examine(kept.mesh).open_edges, rim);
}

TEST(Simplified, RefusesWhatItCannotDo) {
  EXPECT_EQ(simplified(Mesh(), {.target_triangles = 5}).error().code, ErrorCode::Invalid);
  EXPECT_FALSE(simplified(cube(), {}).ok());
  EXPECT_FALSE(simplified(cube(), {.max_error = -1.0}).ok());
  EXPECT_FALSE(simplified(cube(), {.max_error = std::numeric_limits<double>::quiet_NaN()}).ok());
}

TEST(Simplified, DegenerateMeshesComeBackAsTheyAre) {
  const Mesh point = Mesh::make({{1, 1, 1}, {1, 1, 1}}, {{0, 1, 0}, {0, 0, 0}}).value();
  EXPECT_EQ(simplified(point, {.target_triangles = 1}).value().mesh.triangle_count(), 2u);
  const Mesh triangle = Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}).value();
  EXPECT_EQ(simplified(triangle, {.max_error = 5.0}).value().mesh.triangle_count(), 1u);
}

TEST(LevelsOfDetail, HalveTheTrianglesAndTheErrorGrows) {
  const Mesh sphere = uv_sphere(0.5, 40);
  const std::vector<LevelOfDetail> levels = levels_of_detail(sphere, 5).value();
  ASSERT_EQ(levels.size(), 5u);
  EXPECT_TRUE(equal(levels[0].mesh, sphere));
  EXPECT_EQ(levels[0].error_estimate, 0.0);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double ratio = static_cast<double>(levels[i].mesh.triangle_count()) /
                         static_cast<double>(levels[i - 1].mesh.triangle_count());
    EXPECT_NEAR(ratio, 0.5, 0.05);
    EXPECT_GT(levels[i].error_estimate, levels[i - 1].error_estimate);
  }
}

TEST(LevelsOfDetail, EndWhereNothingMoreCanGo) {
  const std::vector<LevelOfDetail> levels = levels_of_detail(uv_sphere(0.5, 10), 50).value();
  EXPECT_GT(levels.size(), 3u);
  EXPECT_LT(levels.size(), 15u);
}

TEST(LevelsOfDetail, RefuseNonsense) {
  EXPECT_FALSE(levels_of_detail(cube(), 0).ok());
  EXPECT_FALSE(levels_of_detail(cube(), 3, 1.0).ok());
  EXPECT_FALSE(levels_of_detail(cube(), 3, 0.0).ok());
  EXPECT_FALSE(levels_of_detail(Mesh(), 3).ok());
}

}  // namespace
}  // namespace clearance
