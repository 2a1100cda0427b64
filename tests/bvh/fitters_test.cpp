// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/fitters.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>

#include "support/query_scenes.h"

namespace clearance::detail {
namespace {

using namespace clearance::test;

std::vector<Triangle> triangles_of(const TriangleSet& set) {
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < set.faces.size(); ++i) triangles.push_back(set.triangle(i));
  return triangles;
}

SplitFrame frame(Fitter fitter, const std::vector<Triangle>& triangles) {
  std::vector<double> scratch;
  return split_frame(fitter, triangles, scratch);
}

/// Largest entry off the diagonal of Vᵀ m V, as a fraction of the trace: 0 when the columns of V
/// are eigenvectors of m. Also checks that the eigenvalues fall.
double off_diagonal(const Mat3& m, const Mat3& v) {
  const Mat3 d = transpose(v) * (m * v);
  EXPECT_GE(d[0][0], d[1][1] * (1.0 - 1e-9));
  EXPECT_GE(d[1][1], d[2][2] * (1.0 - 1e-9));
  const double largest = std::max({std::abs(d[0][1]), std::abs(d[0][2]), std::abs(d[1][2])});
  return largest / trace(d);
}

TEST(PqpFitter, TakesMeanAndCovarianceOfTheVertices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const std::vector<Triangle> set =
        triangles_of(scenes::triangle_set(random, SceneKind::Mixed, 20));
    Vec3 mean;
    for (const Triangle& t : set) mean += (t.a + t.b + t.c) / 60.0;
    Mat3 covariance = Mat3::zero();
    for (const Triangle& t : set) {
      for (const Vec3& p : {t.a, t.b, t.c}) covariance = covariance + outer(p - mean, p - mean);
    }
    const SplitFrame found = frame(Fitter::Pqp, set);
    EXPECT_LT(distance(found.position, mean), 1e-14);
    EXPECT_LT(off_diagonal(covariance, found.axes), 1e-12);
  }
}

TEST(Rapid2Fitter, TakesTheCovarianceOfTheSurface) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const TriangleSet set = scenes::triangle_set(random, SceneKind::Mixed, 20);
    // The inertia of a shell is tr(C) I - C, C its covariance times its area.
    const SurfaceProperties shell = surface_properties(set.vertices, set.faces);
    const Mat3 covariance = 0.5 * trace(shell.inertia) * Mat3::identity() - shell.inertia;
    const SplitFrame found = frame(Fitter::Rapid2, triangles_of(set));
    EXPECT_LT(distance(found.position, shell.centroid), 1e-13);
    EXPECT_LT(off_diagonal(covariance, found.axes), 1e-11);
  }
}

TEST(InertiaFitter, TakesCentreOfMassAndEquationTen) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const TriangleSet set = scenes::triangle_set(random, SceneKind::Mixed, 20);
    const Vec3 center = surface_properties(set.vertices, set.faces).centroid;
    Mat3 tensor = Mat3::zero();
    for (std::size_t i = 0; i < set.faces.size(); ++i) {
      const Triangle t = set.triangle(i);
      for (const Vec3& p : {t.a, t.b, t.c}) {
        tensor = tensor + triangle_area(t) * outer(p - center, p - center);
      }
    }
    const SplitFrame found = frame(Fitter::Inertia, triangles_of(set));
    EXPECT_LT(distance(found.position, center), 1e-13);
    EXPECT_LT(off_diagonal(tensor, found.axes), 1e-11);
  }
}

TEST(InertiaFitter, IsNotDrawnToACrowdOfTinyTriangles) {
  // A plate 4 x 1 made of two triangles, its centre at the origin, and a thousand specks beside
  // one end of it.
  std::vector<Triangle> set{{{-2, -0.5, 0}, {2, -0.5, 0}, {2, 0.5, 0}},
                            {{-2, -0.5, 0}, {2, 0.5, 0}, {-2, 0.5, 0}}};
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 at = Vec3{2.0, 0.0, 0.0} + 0.1 * scenes::in_ball(random);
    set.push_back({at, at + Vec3{1e-4, 0, 0}, at + Vec3{0, 1e-4, 0}});
  }
  EXPECT_LT(norm(frame(Fitter::Inertia, set).position), 1e-4);
  EXPECT_LT(norm(frame(Fitter::Rapid2, set).position), 1e-4);
  EXPECT_GT(frame(Fitter::Pqp, set).position.x, 1.9);
  // By area the plate's length is the first axis, but for the tilt of its diagonal.
  EXPECT_GT(std::abs(frame(Fitter::Inertia, set).axes.column(0).x), 0.98);
}

TEST(Fitters, WithoutAreaFallBackToTheVertices) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    // Needles with no area at all, and ones as thin as a part in 1e15.
    std::vector<Triangle> set;
    for (int i = 0; i < 10; ++i) {
      const Vec3 p = scenes::in_ball(random);
      const Vec3 q = scenes::in_ball(random);
      const Vec3 off = i % 2 == 0 ? Vec3{} : 1e-15 * scenes::in_ball(random);
      set.push_back({p, q, i % 3 == 0 ? p : p + off});
    }
    const SplitFrame by_vertices = pqp_frame(set);
    for (const Fitter fitter : {Fitter::Rapid2, Fitter::Inertia}) {
      const SplitFrame found = frame(fitter, set);
      EXPECT_EQ(found.position, by_vertices.position);
      EXPECT_EQ(found.axes, by_vertices.axes);
    }
  }
}

TEST(Fitters, MeanTheSameAtEveryScale) {
  for (const Fitter fitter : {Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia}) {
    Random random(3);
    const std::vector<Triangle> set =
        triangles_of(scenes::triangle_set(random, SceneKind::Needles, 30));
    const SplitFrame reference = frame(fitter, set);
    for (const double scale : {0x1p-40, 0x1p-20, 0x1p30}) {
      std::vector<Triangle> scaled_set;
      for (const Triangle& t : set) scaled_set.push_back({scale * t.a, scale * t.b, scale * t.c});
      const SplitFrame found = frame(fitter, scaled_set);
      EXPECT_EQ(found.position, scale * reference.position) << clearance::name_of(fitter);
      EXPECT_EQ(found.axes, reference.axes) << clearance::name_of(fitter);
    }
  }
}

TEST(Fitters, GiveARotationForAnySet) {
  for (const Fitter fitter : {Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia, Fitter::Binned}) {
    const Triangle point{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const Triangle segment{{0, 0, 0}, {1e9, 1e9, 0}, {0, 0, 0}};
    for (const std::vector<Triangle>& set :
         {std::vector<Triangle>{point}, std::vector<Triangle>(5, point),
          std::vector<Triangle>{segment, point}}) {
      EXPECT_LT(rigidity_error(frame(fitter, set).axes), 1e-14);
      EXPECT_TRUE(is_finite(frame(fitter, set).position));
    }
  }
}

}  // namespace
}  // namespace clearance::detail
