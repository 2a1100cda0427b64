// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>
#include <clearance/geometry/predicates.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::cube;
using test::uv_sphere;

SolidProperties solid(const Mesh& mesh, Threads threads = {1}) {
  return solid_properties(mesh.vertices(), mesh.faces(), threads);
}
SurfaceProperties surface(const Mesh& mesh, Threads threads = {1}) {
  return surface_properties(mesh.vertices(), mesh.faces(), threads);
}
void expect_near(const Vec3& actual, const Vec3& expected, double tolerance) {
  EXPECT_LE(distance(actual, expected), tolerance)
      << actual.x << " " << actual.y << " " << actual.z;
}
void expect_near(const Mat3& actual, const Mat3& expected, double tolerance) {
  for (std::size_t i = 0; i < 3; ++i) expect_near(actual[i], expected[i], tolerance);
}

TEST(TriangleArea, OfTheRightTriangleWithLegsThreeAndFour) {
  const Triangle t{{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};
  EXPECT_EQ(triangle_area(t), 6.0);
  EXPECT_EQ(triangle_normal(t), (Vec3{0, 0, 1}));
  EXPECT_EQ(triangle_centroid(t), (Vec3{1, 4.0 / 3.0, 0}));
}

TEST(TriangleArea, DoesNotDependOnTheFirstCornerEvenForNeedles) {
  // Base 1e-9, height 1, seen from the sharp corner: the plain formula would cancel.
  const Vec3 a{0.1, 0.2, 0.3};
  const Vec3 b{1.1, 0.2, 0.3};
  const Vec3 c{1.1, 0.2 + 1e-9, 0.3};
  const double exact = 0.5 * (b.x - a.x) * (c.y - b.y);
  for (const Triangle& t : {Triangle{a, b, c}, Triangle{b, c, a}, Triangle{c, a, b}}) {
    EXPECT_NEAR(triangle_area(t) / exact, 1.0, 1e-15);
  }
}

TEST(TriangleNormal, IsZeroWithoutArea) {
  EXPECT_EQ(triangle_normal({{1, 2, 3}, {1, 2, 3}, {4, 5, 6}}), Vec3{});
}

TEST(TriangleAspectRatio, IsOneForEquilateralAndGrowsWithTheNeedle) {
  EXPECT_NEAR(triangle_aspect_ratio({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 1.0, 1e-15);
  // Sides 100, 1 and about 100: longest over height is about 100, times sqrt(3)/2.
  EXPECT_NEAR(triangle_aspect_ratio({{0, 0, 0}, {100, 0, 0}, {100, 1, 0}}),
              (100.0 * 100.0 + 1.0) / 100.0 * std::numbers::sqrt3 / 2.0, 1e-12);
  EXPECT_EQ(triangle_aspect_ratio({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}),
            std::numeric_limits<double>::infinity());
}

TEST(HasZeroArea, OfPointsOnOneLine) {
  EXPECT_TRUE(has_zero_area({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}));
  EXPECT_TRUE(has_zero_area({{1, 2, 3}, {1, 2, 3}, {7, 7, 7}}));
  EXPECT_TRUE(has_zero_area({{0.1, 0.2, 0.4}, {0.2, 0.4, 0.8}, {0.3, 0.6, 1.2}}));
  EXPECT_TRUE(has_zero_area({{1e-200, 0, 0}, {2e-200, 0, 0}, {5e-200, 0, 0}}));
}

TEST(HasZeroArea, SeesTheSmallestStepOffTheLine) {
  // x = y = z, and one coordinate moved by one unit in the last place.
  const Triangle on{{0.1, 0.1, 0.1}, {0.7, 0.7, 0.7}, {1.3, 1.3, 1.3}};
  ASSERT_TRUE(has_zero_area(on));
  Triangle off = on;
  off.b.y = std::nextafter(off.b.y, 1.0);
  EXPECT_FALSE(has_zero_area(off));
  // The same far from the origin, where the area in doubles rounds to zero.
  const double big = 0x1p52;
  EXPECT_FALSE(has_zero_area({{big, big, 0}, {big + 1, big + 1, 0}, {big + 3, big + 2, 0}}));
  EXPECT_FALSE(has_zero_area({{0, 0, 0}, {1, 0, 0}, {0, 5e-324, 0}}));
}

TEST(HasZeroArea, AgreesWithIntegerArithmetic) {
  // Points near a line with integer coordinates beyond the reach of a double's product; 128 bits
  // hold every cross product exactly.
  __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ needs typedef
  Random random(7);
  int zero_count = 0;
  constexpr int kCases = 20000;
  for (int i = 0; i < kCases; ++i) {
    std::array<std::int64_t, 3> a, d, b, c;
    const auto p = static_cast<std::int64_t>(random.below(1000)) + 1;
    const auto q = static_cast<std::int64_t>(random.below(1000)) + 1;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = static_cast<std::int64_t>(random.below(1ull << 50)) - (1ll << 49);
      d[k] = static_cast<std::int64_t>(random.below(1ull << 38)) - (1ll << 37);
      b[k] = a[k] + p * d[k];
      c[k] = a[k] - q * d[k];
    }
    if (random.below(2) == 0) b[random.below(3)] += 1;
    bool zero = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3;
      zero = zero && Wide(b[k] - a[k]) * (c[l] - a[l]) == Wide(b[l] - a[l]) * (c[k] - a[k]);
    }
    const auto point = [](const std::array<std::int64_t, 3>& v) {
      return Vec3{double(v[0]), double(v[1]), double(v[2])};
    };
    ASSERT_EQ(has_zero_area({point(a), point(b), point(c)}), zero) << "case " << i;
    zero_count += zero ? 1 : 0;
  }
  EXPECT_GT(zero_count, kCases * 3 / 10);
  EXPECT_LT(zero_count, kCases * 7 / 10);
}

TEST(SolidProperties, OfTheCube) {
  const SolidProperties p = solid(cube(2.0, {1, 2, 3}));
  EXPECT_DOUBLE_EQ(p.volume, 8.0);
  expect_near(p.center_of_mass, {2, 3, 4}, 1e-15);
  // m s² / 6 about each axis.
  expect_near(p.inertia, Mat3::diagonal({32.0 / 6, 32.0 / 6, 32.0 / 6}), 1e-14);
}

TEST(SolidProperties, OfTheCornerTetrahedron) {
  // ∫x² = 1/60, ∫xy = 1/120, less volume / 16 for the shift to the centre of mass.
  const SolidProperties p = solid(test::corner_tetrahedron());
  EXPECT_DOUBLE_EQ(p.volume, 1.0 / 6.0);
  expect_near(p.center_of_mass, {0.25, 0.25, 0.25}, 1e-16);
  const double main = 1.0 / 80.0;
  const double side = 1.0 / 480.0;
  expect_near(p.inertia, {{Vec3{main, side, side}, Vec3{side, main, side}, Vec3{side, side, main}}},
              1e-16);
}

TEST(SolidProperties, KeepTheirDigitsFarFromTheOrigin) {
  // 2⁻¹⁰ is exact beside 1e6, so the cube is exactly a cube there.
  const double s = 0x1p-10;
  const SolidProperties near = solid(cube(s));
  const SolidProperties far = solid(cube(s, {1e6, -1e6, 1e6}));
  EXPECT_DOUBLE_EQ(far.volume, s * s * s);
  EXPECT_DOUBLE_EQ(far.volume, near.volume);
  expect_near(far.inertia, near.inertia, 1e-14 * near.inertia[0][0]);
  expect_near(far.center_of_mass, {1e6 + s / 2, -1e6 + s / 2, 1e6 + s / 2}, 1e-9);
}

TEST(SolidProperties, ScaleDownToMicrometres) {
  const double s = 1e-6;
  const SolidProperties p = solid(cube(s));
  EXPECT_NEAR(p.volume / (s * s * s), 1.0, 1e-15);
  EXPECT_NEAR(p.inertia[1][1] / (s * s * s * s * s / 6.0), 1.0, 1e-14);
}

TEST(SolidProperties, AreNegativeInsideOut) {
  const SolidProperties p = solid(test::turned(cube()));
  EXPECT_DOUBLE_EQ(p.volume, -1.0);
  expect_near(p.center_of_mass, {0.5, 0.5, 0.5}, 1e-16);
}

TEST(SolidProperties, SubtractCavities) {
  const SolidProperties p = solid(test::together({cube(3.0), test::turned(cube(1.0, {1, 1, 1}))}));
  EXPECT_DOUBLE_EQ(p.volume, 26.0);
}

TEST(SolidProperties, ConvergeToTheBallWithTheSquareOfTheEdge) {
  const double r = 0.7;
  const double volume = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double inertia = 0.4 * volume * r * r;
  double volume_error = 0.0;
  double inertia_error = 0.0;
  for (const int rings : {32, 64, 128}) {
    const SolidProperties p = solid(uv_sphere(r, rings, {5, 6, 7}));
    const double v = 1.0 - p.volume / volume;
    const double i = 1.0 - p.inertia[2][2] / inertia;
    expect_near(p.center_of_mass, {5, 6, 7}, 1e-14);
    if (rings > 32) {
      EXPECT_NEAR(volume_error / v, 4.0, 0.02);
      EXPECT_NEAR(inertia_error / i, 4.0, 0.02);
    }
    volume_error = v;
    inertia_error = i;
  }
  EXPECT_LT(volume_error, 1e-3);
}

TEST(SurfaceProperties, OfASquarePlate) {
  const Mesh plate =
      Mesh::make({{0, 0, 5}, {1, 0, 5}, {1, 1, 5}, {0, 1, 5}, {99, 99, 99}}, {{0, 1, 2}, {0, 2, 3}})
          .value();
  const SurfaceProperties p = surface(plate);
  EXPECT_DOUBLE_EQ(p.area, 1.0);
  expect_near(p.centroid, {0.5, 0.5, 5.0}, 1e-16);
  expect_near(p.inertia, Mat3::diagonal({1.0 / 12, 1.0 / 12, 1.0 / 6}), 1e-16);
}

TEST(SurfaceProperties, ConvergeToTheSphere) {
  const double r = 2.0;
  const double area = 4.0 * std::numbers::pi * r * r;
  const SurfaceProperties p = surface(uv_sphere(r, 128));
  EXPECT_NEAR(p.area / area, 1.0, 1e-3);
  EXPECT_NEAR(p.inertia[0][0] / (2.0 / 3.0 * area * r * r), 1.0, 2e-3);
}

TEST(SurfaceProperties, WithoutAreaGiveTheMiddle) {
  const Mesh line = Mesh::make({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {{0, 1, 2}}).value();
  const SurfaceProperties p = surface(line);
  EXPECT_EQ(p.area, 0.0);
  EXPECT_EQ(p.centroid, (Vec3{2, 2, 2}));
  EXPECT_EQ(solid(line).volume, 0.0);
}

TEST(MassProperties, AreTheSameBitsForAnyNumberOfThreads) {
  const Mesh sphere = uv_sphere(0.3, 160, {0.1, 0.2, 0.3});  // more than one block of the sum
  const SolidProperties one = solid(sphere, {1});
  const SurfaceProperties thin = surface(sphere, {1});
  for (const int threads : {2, 3, 7}) {
    const SolidProperties p = solid(sphere, {threads});
    EXPECT_EQ(p.volume, one.volume);
    EXPECT_EQ(p.center_of_mass, one.center_of_mass);
    EXPECT_EQ(p.inertia, one.inertia);
    EXPECT_EQ(surface(sphere, {threads}).inertia, thin.inertia);
  }
}

}  // namespace
}  // namespace clearance
