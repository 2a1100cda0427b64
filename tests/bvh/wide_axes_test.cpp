// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_axes.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/symmetric_eigen.h>

namespace clearance {
namespace {

using detail::AxesBatch;
using detail::FrameAxes;
using detail::Moments;

Vec3 row(const FrameAxes& axes, std::size_t k) { return {axes[k][0], axes[k][1], axes[k][2]}; }

/// Points of an ellipsoid with the given half axes, turned somehow.
Moments random_moments(Random& random, const Vec3& half) {
  const Vec3 u = normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)});
  const Vec3 v = any_perpendicular(u);
  const Vec3 w = cross(u, v);
  Moments m;
  for (int i = 0; i < 50; ++i) {
    const Vec3 p = random.uniform(-half.x, half.x) * u + random.uniform(-half.y, half.y) * v +
                   random.uniform(-half.z, half.z) * w;
    m.add({1.0, p, {p.x * p.x, p.x * p.y, p.x * p.z, p.y * p.y, p.y * p.z, p.z * p.z}});
  }
  return m;
}

void expect_rotation(const FrameAxes& axes) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(norm(row(axes, k)), 1.0, 2e-7);
    EXPECT_LT(norm(cross(row(axes, k), row(axes, (k + 1) % 3)) - row(axes, (k + 2) % 3)), 4e-7);
  }
}

TEST(AxesBatch, FindsThePrincipalAxesOfEightSets) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    AxesBatch batch;
    std::vector<Moments> sets;
    while (sets.size() < AxesBatch::kRoom) {
      const double scale = std::pow(10.0, random.uniform(-12, 12));
      const double thin = std::pow(10.0, random.uniform(-5, 0));
      sets.push_back(random_moments(random, {scale, 0.3 * scale, 0.1 * thin * scale}));
      batch.add(sets.back());
    }
    batch.solve();
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const FrameAxes axes = batch.axes(i);
      expect_rotation(axes);
      const Mat3 expected = eigen_of_symmetric(sets[i].covariance()).vectors;
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_LT(norm(cross(row(axes, k), expected.column(k))), 3e-7) << "axis " << k;
    }
  }
}

TEST(AxesBatch, KeepsAGivenNormalAndTurnsWithinItsPlane) {
  Random random(12);
  for (int round = 0; round < 200; ++round) {
    const Moments m = random_moments(random, {1.0, 0.5, 0.2});
    const Vec3 normal =
        normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)});
    AxesBatch batch;
    batch.add(m, normal);
    batch.solve();
    const FrameAxes axes = batch.axes(0);
    expect_rotation(axes);
    EXPECT_LT(norm(cross(row(axes, 2), normal)), 3e-7);
    // No correlation along the two others, and the first is the longer one.
    const Vec3 spread = m.covariance() * row(axes, 0);
    EXPECT_NEAR(dot(spread, row(axes, 1)), 0.0, 1e-6);
    EXPECT_GE(dot(spread, row(axes, 0)) + 1e-6, dot(m.covariance() * row(axes, 1), row(axes, 1)));
  }
}

TEST(AxesBatch, OfSetsWithoutExtentGivesTheCoordinateAxes) {
  EXPECT_EQ(detail::principal_axes(Moments{}), (FrameAxes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}));
  Moments cube;
  cube.weight = 2.0;
  cube.second = {1, 0, 0, 1, 0, 1};
  EXPECT_EQ(detail::principal_axes(cube), (FrameAxes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}));
}

}  // namespace
}  // namespace clearance
