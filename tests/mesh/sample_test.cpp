// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>
#include <clearance/mesh/sample.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::cube;
using test::uv_sphere;

bool same(const SurfaceSample& a, const SurfaceSample& b) {
  return a.point == b.point && a.normal == b.normal && a.triangle == b.triangle &&
         a.barycentric == b.barycentric;
}

/// A mesh whose triangles differ in area by a factor of a thousand, some without any.
Mesh uneven() {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  Random random(3);
  for (std::uint32_t i = 0; i < 60; ++i) {
    const double size = i % 10 == 9 ? 0.0 : std::pow(10.0, random.uniform(-1.5, 0.0));
    const Vec3 corner{3.0 * i, random.uniform(), random.uniform()};
    vertices.insert(vertices.end(), {corner, corner + Vec3{size, 0, 0}, corner + Vec3{0, 0, size}});
    faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

/// Chi-square over its degrees of freedom would exceed this once in far more than a million seeds
/// (Wilson-Hilferty: five standard deviations above the mean).
double chi_square_limit(double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1.0 - spread + 5.0 * std::sqrt(spread), 3.0);
}

TEST(SampleSurface, PointsLieOnTheirTriangles) {
  const Mesh sphere = uv_sphere(0.7, 12, {1, 2, 3});
  for (const SurfaceSample& sample : sample_surface(sphere, 2000, 1)) {
    const Triangle t = sphere.triangle(sample.triangle);
    const auto& w = sample.barycentric;
    for (const double weight : w) {
      EXPECT_GE(weight, 0.0);
      EXPECT_LE(weight, 1.0);
    }
    EXPECT_NEAR(w[0] + w[1] + w[2], 1.0, 1e-15);
    EXPECT_LE(distance(sample.point, w[0] * t.a + w[1] * t.b + w[2] * t.c), 1e-15 * 8);
    EXPECT_EQ(sample.normal, triangle_normal(t));
    EXPECT_GT(dot(sample.normal, sample.point - Vec3{1, 2, 3}), 0.0);
  }
}

TEST(SampleSurface, FollowsTheAreas) {
  const Mesh mesh = uneven();
  constexpr std::size_t kCount = 200000;
  std::vector<double> hits(mesh.triangle_count(), 0.0);
  for (const SurfaceSample& sample : sample_surface(mesh, kCount, 42)) hits[sample.triangle] += 1;
  const double area = surface_properties(mesh.vertices(), mesh.faces()).area;
  double chi_square = 0.0;
  double degrees = -1.0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const double expected = kCount * triangle_area(mesh.triangle(i)) / area;
    if (expected == 0.0) {
      EXPECT_EQ(hits[i], 0.0) << "triangle " << i << " has no area";
      continue;
    }
    ASSERT_GT(expected, 5.0);
    chi_square += (hits[i] - expected) * (hits[i] - expected) / expected;
    degrees += 1.0;
  }
  EXPECT_LT(chi_square, chi_square_limit(degrees));
  EXPECT_GT(chi_square, degrees / 4.0) << "too even to be independent";
}

TEST(SampleSurface, IsUniformWithinATriangle) {
  // Cut by the lines through the middles of the sides into four triangles of equal area.
  const Mesh mesh = Mesh::make({{0, 0, 0}, {5, 1, 0}, {2, 3, 4}}, {{0, 1, 2}}).value();
  constexpr std::size_t kCount = 100000;
  std::array<double, 4> hits{};
  for (const SurfaceSample& sample : sample_surface(mesh, kCount, 9)) {
    const auto& w = sample.barycentric;
    const std::size_t part = w[0] > 0.5 ? 0 : (w[1] > 0.5 ? 1 : (w[2] > 0.5 ? 2 : 3));
    hits[part] += 1;
  }
  double chi_square = 0.0;
  constexpr double kExpected = kCount / 4.0;
  for (const double n : hits) chi_square += (n - kExpected) * (n - kExpected) / kExpected;
  EXPECT_LT(chi_square, chi_square_limit(3.0));
}

TEST(SampleSurface, IsTheSameForSeedAndAnyNumberOfThreads) {
  const Mesh mesh = uneven();
  const auto one = sample_surface(mesh, 10000, 5, {1});
  const auto many = sample_surface(mesh, 10000, 5, {4});
  const auto other = sample_surface(mesh, 10000, 6, {1});
  EXPECT_TRUE(std::equal(one.begin(), one.end(), many.begin(), many.end(), same));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), other.begin(), other.end(), same));
}

TEST(SampleSurface, WithoutAreaThereIsNothing) {
  const Mesh line = Mesh::make({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {{0, 1, 2}}).value();
  EXPECT_TRUE(sample_surface(line, 10, 1).empty());
  EXPECT_TRUE(sample_surface_evenly(line, 10, 1).empty());
  EXPECT_TRUE(sample_surface(Mesh(), 10, 1).empty());
  EXPECT_TRUE(sample_surface(cube(), 0, 1).empty());
}

double smallest_spacing(const std::vector<SurfaceSample>& samples) {
  double smallest = 1e300;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      smallest = std::min(smallest, distance(samples[i].point, samples[j].point));
    }
  }
  return smallest;
}

TEST(SampleSurfaceEvenly, KeepsPointsApart) {
  const Mesh sphere = uv_sphere(1.0, 40);
  constexpr std::size_t kCount = 500;
  const auto even = sample_surface_evenly(sphere, kCount, 11);
  ASSERT_EQ(even.size(), kCount);
  // The densest packing has twice this radius between neighbours; elimination reaches well over
  // half of it, independent points almost nothing.
  const double best =
      2.0 * std::sqrt(4.0 * std::numbers::pi / (2.0 * std::numbers::sqrt3 * kCount));
  EXPECT_GT(smallest_spacing(even), 0.55 * best);
  EXPECT_LT(smallest_spacing(sample_surface(sphere, kCount, 11)), 0.2 * best);
  // No large gaps: every direction has a point within about one and a half spacings.
  for (const SurfaceSample& probe : sample_surface(sphere, 500, 12)) {
    double nearest = 1e300;
    for (const SurfaceSample& s : even) nearest = std::min(nearest, distance(probe.point, s.point));
    EXPECT_LT(nearest, 1.2 * best);
  }
}

TEST(SampleSurfaceEvenly, IsTheSameForSeedAndAnyNumberOfThreads) {
  const auto one = sample_surface_evenly(cube(), 300, 5, {1});
  const auto many = sample_surface_evenly(cube(), 300, 5, {3});
  EXPECT_TRUE(std::equal(one.begin(), one.end(), many.begin(), many.end(), same));
}

TEST(SampleSurfaceEvenly, WorksFarFromTheOriginAndOnNeedles) {
  EXPECT_EQ(sample_surface_evenly(cube(1e-3, {1e6, 1e6, 1e6}), 50, 1).size(), 50u);
  const Mesh needle = Mesh::make({{0, 0, 0}, {1, 0, 0}, {1, 1e-100, 0}}, {{0, 1, 2}}).value();
  EXPECT_EQ(sample_surface_evenly(needle, 50, 1).size(), 50u);
}

}  // namespace
}  // namespace clearance
