// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/inside.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/sample.h>

#include "mesh/solid_angle.h"
#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::cube;
using test::together;
using test::uv_sphere;

double brute_force(const Mesh& mesh, const Vec3& p) {
  double sum = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    sum += detail::solid_angle_fraction(mesh.triangle(i), p);
  }
  return sum;
}

Vec3 random_point(Random& random, const Box& box) {
  return {random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
          random.uniform(box.low.z, box.high.z)};
}

Vec3 random_direction(Random& random) {
  return normalized({random.normal(), random.normal(), random.normal()});
}

TEST(SolidAngle, OfAnOctantIsAnEighthOfTheSphere) {
  const Triangle t{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_NEAR(detail::solid_angle_fraction(t, {0, 0, 0}), 1.0 / 8.0, 1e-15);
  EXPECT_NEAR(detail::solid_angle_fraction({t.a, t.c, t.b}, {0, 0, 0}), -1.0 / 8.0, 1e-15);
}

TEST(SolidAngle, IsHalfTheSphereJustBehindATriangleHoweverThin) {
  // A cap a metre long and 1e-10 m high, and a point behind its middle at a thousandth of that.
  for (const double height : {1.0, 1e-3, 1e-7, 1e-10}) {
    const Triangle cap{{0, 0, 0}, {1, 0, 0}, {0.4, height, 0}};
    const double off = 1e-3 * height;
    const Vec3 middle{0.45, 0.4 * height, 0};
    const double behind = detail::solid_angle_fraction(cap, middle + Vec3{0, 0, -off});
    const double before = detail::solid_angle_fraction(cap, middle + Vec3{0, 0, off});
    EXPECT_NEAR(behind, 0.5, 2e-3) << height;
    EXPECT_NEAR(before, -0.5, 2e-3) << height;
  }
}

TEST(InsideTest, CubeInsideAndOutside) {
  const InsideTest inside(cube());
  EXPECT_EQ(inside.side({0.5, 0.5, 0.5}), Side::Inside);
  EXPECT_EQ(inside.side({1e-9, 1e-9, 1e-9}), Side::Inside);
  EXPECT_EQ(inside.side({-1e-9, 0.5, 0.5}), Side::Outside);
  EXPECT_EQ(inside.side({5, 5, 5}), Side::Outside);
  EXPECT_NEAR(inside.winding_number({0.25, 0.5, 0.75}), 1.0, kWindingNumberError);
  EXPECT_NEAR(inside.winding_number({1.5, 0.5, 0.5}), 0.0, kWindingNumberError);
  EXPECT_NEAR(inside.winding_number({0.5, 0.5, 1e12}), 0.0, kWindingNumberError);
}

TEST(InsideTest, FacesEdgesAndVerticesAreBoundary) {
  const Mesh mesh = cube(0.3, {0.1, 0.2, 0.7});
  const InsideTest inside(mesh);
  Random random(1);
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    for (const Vec3& corner : {t.a, t.b, t.c}) EXPECT_EQ(inside.side(corner), Side::Boundary);
    for (int k = 0; k < 100; ++k) {
      const double s = random.uniform();
      EXPECT_EQ(inside.side(t.a + s * (t.b - t.a)), Side::Boundary);
      EXPECT_EQ(inside.side(t.b + s * (t.c - t.b)), Side::Boundary);
    }
  }
  for (const SurfaceSample& sample : sample_surface(mesh, 2000, 2)) {
    EXPECT_EQ(inside.side(sample.point), Side::Boundary);
  }
}

TEST(InsideTest, IsRightJustOffFacesEdgesAndVertices) {
  // Steps off the surface from 1e-2 down to a few times the tolerance.
  const Vec3 center{0.3, -0.2, 0.1};
  const Mesh sphere = uv_sphere(1.0, 30, center);
  const InsideTest inside(sphere);
  const double tolerance = kBoundaryTolerance * 1.3;
  for (const double step : {1e-2, 1e-5, 1e-9, 1e-12, 8.0 * tolerance}) {
    for (const SurfaceSample& sample : sample_surface(sphere, 500, 3)) {
      EXPECT_EQ(inside.side(sample.point - step * sample.normal), Side::Inside) << step;
      EXPECT_EQ(inside.side(sample.point + step * sample.normal), Side::Outside) << step;
    }
    // The sphere is convex: from a vertex or the middle of an edge, inward is inside.
    for (std::size_t i = 0; i < sphere.triangle_count(); i += 7) {
      const Triangle t = sphere.triangle(i);
      for (const Vec3& p : {t.a, 0.5 * (t.a + t.b)}) {
        const Vec3 out = normalized(p - center);
        EXPECT_EQ(inside.side(p - 2.0 * step * out), Side::Inside) << step;
        EXPECT_EQ(inside.side(p + 2.0 * step * out), Side::Outside) << step;
      }
    }
  }
}

TEST(InsideTest, WindingNumberStaysWithinItsErrorOfBruteForce) {
  const Mesh body = together({uv_sphere(1.0, 40), uv_sphere(0.6, 30, {0.8, 0.3, 0.2}),
                              test::without(cube(0.7, {-1.5, -0.4, -0.2}), {2, 3})});
  const InsideTest inside(body);
  Random random(4);
  Box box = body.bounds();
  box.low -= Vec3{0.1, 0.1, 0.1};
  box.high += Vec3{0.1, 0.1, 0.1};
  int inside_count = 0;
  constexpr int kPoints = 300;
  for (int i = 0; i < kPoints; ++i) {
    const Vec3 p = random_point(random, box);
    const double exact = brute_force(body, p);
    for (const double error : {0.1, kWindingNumberError, 1e-4, 0.0}) {
      EXPECT_NEAR(inside.winding_number(p, error), exact, error + 1e-12);
    }
    inside_count += exact > 0.5 ? 1 : 0;
    EXPECT_EQ(inside.side(p), exact > 0.5 ? Side::Inside : Side::Outside) << "point " << i;
  }
  EXPECT_GT(inside_count, kPoints / 5);
  EXPECT_LT(inside_count, kPoints * 4 / 5);
}

TEST(InsideTest, CountsHowOftenTheSurfaceWrapsAround) {
  const InsideTest twice(together({cube(2.0), cube(2.0, {1, 1, 1})}));
  EXPECT_NEAR(twice.winding_number({1.5, 1.5, 1.5}), 2.0, kWindingNumberError);
  EXPECT_EQ(twice.side({1.5, 1.5, 1.5}), Side::Inside);
  const InsideTest hollow(together({cube(3.0), test::turned(cube(1.0, {1, 1, 1}))}));
  EXPECT_EQ(hollow.side({1.5, 1.5, 1.5}), Side::Outside);
  EXPECT_EQ(hollow.side({0.5, 0.5, 0.5}), Side::Inside);
  const InsideTest turned(test::turned(cube()));
  EXPECT_NEAR(turned.winding_number({0.5, 0.5, 0.5}), -1.0, kWindingNumberError);
  EXPECT_EQ(turned.side({0.5, 0.5, 0.5}), Side::Outside);
}

TEST(InsideTest, ToleratesSmallHoles) {
  const Mesh sphere = uv_sphere(1.0, 30);
  const Mesh holed = test::without(sphere, {10, 300, 301, 302, 900});
  const InsideTest inside(holed);
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    const double r = random.uniform() < 0.5 ? random.uniform(0.0, 0.85) : random.uniform(1.15, 1.7);
    EXPECT_EQ(inside.side(r * random_direction(random)), r < 1.0 ? Side::Inside : Side::Outside);
  }
}

TEST(InsideTest, WorksFarFromTheOriginAndTiny) {
  const Vec3 far{1e6, -1e6, 1e6};
  const double s = 0x1p-10;
  const InsideTest inside(cube(s, far));
  EXPECT_EQ(inside.side(far + Vec3{s / 2, s / 2, s / 2}), Side::Inside);
  EXPECT_EQ(inside.side(far + Vec3{s / 2, s / 2, -s / 4}), Side::Outside);
  EXPECT_EQ(inside.side(far), Side::Boundary);
  const InsideTest tiny(cube(1e-6));
  EXPECT_EQ(tiny.side({5e-7, 5e-7, 5e-7}), Side::Inside);
  EXPECT_EQ(tiny.side({5e-7, 5e-7, -1e-9}), Side::Outside);
}

TEST(InsideTest, DegenerateTrianglesAreHarmless) {
  const Mesh mesh = test::with(cube(), {{0, 0, 1}, {5, 5, 5}, {0, 3, 0}});
  const InsideTest inside(mesh);
  EXPECT_EQ(inside.side({0.5, 0.5, 0.5}), Side::Inside);
  EXPECT_EQ(inside.side({1.5, 0.5, 0.5}), Side::Outside);
  EXPECT_EQ(InsideTest(Mesh()).side({0, 0, 0}), Side::Outside);
  EXPECT_EQ(InsideTest(Mesh()).winding_number({0, 0, 0}), 0.0);
}

TEST(InsideTest, SplitsTheCubeInProportionToTheBall) {
  // Fraction of random points of the cube around a ball that are inside: pi / 6.
  const InsideTest inside(uv_sphere(1.0, 50));
  Random random(8);
  std::vector<Vec3> points(20000);
  for (Vec3& p : points) p = random_point(random, {{-1, -1, -1}, {1, 1, 1}});
  const std::vector<Side> sides = inside.sides(points);
  const auto count = static_cast<double>(std::count(sides.begin(), sides.end(), Side::Inside));
  EXPECT_NEAR(count / 20000.0, std::numbers::pi / 6.0, 0.02);
}

TEST(InsideTest, AgreesWithBruteForceOnARealAtrium) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // Closed, curved, its vessels thin, and far from the origin compared with its size.
  const auto loaded =
      read_mesh(test::data_path("anatomy/left_atrium_mri/segmentation_10k.stl").string());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  const InsideTest inside(loaded->mesh);
  Random random(10);
  int inside_count = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = random_point(random, loaded->mesh.bounds());
    const double exact = brute_force(loaded->mesh, p);
    EXPECT_NEAR(exact, std::round(exact), 1e-9);
    EXPECT_EQ(inside.side(p), exact > 0.5 ? Side::Inside : Side::Outside);
    inside_count += exact > 0.5 ? 1 : 0;
  }
  EXPECT_GT(inside_count, 10);
  EXPECT_LT(inside_count, 190);
}

TEST(InsideTest, BatchesAreTheSameForAnyNumberOfThreads) {
  const Mesh sphere = uv_sphere(1.0, 110);  // more than one subtree of the parallel build
  const InsideTest one(sphere, {1});
  const InsideTest many(sphere, {3});
  Random random(9);
  std::vector<Vec3> points(300);
  for (Vec3& p : points) p = random_point(random, {{-2, -2, -2}, {2, 2, 2}});
  const std::vector<double> expected = one.winding_numbers(points, 0.01, {1});
  EXPECT_EQ(expected, one.winding_numbers(points, 0.01, {4}));
  EXPECT_EQ(expected, many.winding_numbers(points, 0.01, {2}));
  EXPECT_EQ(one.sides(points, {1}), many.sides(points, {4}));
  for (std::size_t i = 0; i < points.size(); i += 30) {
    EXPECT_EQ(expected[i], one.winding_number(points[i]));
  }
}

}  // namespace
}  // namespace clearance
