// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/base/random.h>
#include <clearance/geometry/eigen.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/symmetric_eigen.h>

namespace clearance {
namespace {

double largest_entry(const Mat3& m) {
  double largest = 0.0;
  for (const Vec3& row : m.rows) largest = std::max(largest, largest_component(abs(row)));
  return largest;
}

void expect_decomposition(const Mat3& m, const SymmetricEigen& e) {
  RC_ASSERT(rigidity_error(e.vectors) < 2e-15);
  RC_ASSERT(determinant(e.vectors) > 0.5);
  RC_ASSERT(e.values.x >= e.values.y);
  RC_ASSERT(e.values.y >= e.values.z);
  // m = V diag V^T
  const Mat3 back = e.vectors * Mat3::diagonal(e.values) * transpose(e.vectors);
  RC_ASSERT(largest_entry(back - m) <= 1e-14 * largest_entry(m));
}

/// V diag(values) V^T with exactly symmetric entries.
Mat3 symmetric(const Mat3& rotation, const Vec3& values) {
  Mat3 m = rotation * Mat3::diagonal(values) * transpose(rotation);
  m[1].x = m[0].y;
  m[2].x = m[0].z;
  m[2].y = m[1].z;
  return m;
}

Mat3 random_rotation(Random& random) {
  return rotation_from(
      Quaternion{random.normal(), random.normal(), random.normal(), random.normal()});
}

TEST(SymmetricEigen, DiagonalMatrixIsSortedWithItsAxes) {
  const SymmetricEigen e = eigen_of_symmetric(Mat3::diagonal({1, 3, 2}));
  EXPECT_EQ(e.values, (Vec3{3, 2, 1}));
  EXPECT_EQ(e.vectors.column(0), (Vec3{0, 1, 0}));
  EXPECT_EQ(e.vectors.column(1), (Vec3{0, 0, 1}));
  EXPECT_EQ(e.vectors.column(2), (Vec3{1, 0, 0}));
}

TEST(SymmetricEigen, IdentityGivesTheCoordinateAxes) {
  const SymmetricEigen e = eigen_of_symmetric(7.0 * Mat3::identity());
  EXPECT_EQ(e.values, (Vec3{7, 7, 7}));
  EXPECT_EQ(e.vectors, Mat3::identity());
  EXPECT_EQ(eigen_of_symmetric(Mat3::zero()).vectors, Mat3::identity());
  EXPECT_EQ(eigen_of_symmetric(Mat3::zero()).values, Vec3{});
}

TEST(SymmetricEigen, KnownMatrix) {
  // [[2,1],[1,2]] has 3 along (1,1) and 1 along (1,-1); the third axis has 5.
  const Mat3 m{{Vec3{2, 1, 0}, Vec3{1, 2, 0}, Vec3{0, 0, 5}}};
  const SymmetricEigen e = eigen_of_symmetric(m);
  EXPECT_NEAR(e.values.x, 5.0, 1e-15);
  EXPECT_NEAR(e.values.y, 3.0, 1e-15);
  EXPECT_NEAR(e.values.z, 1.0, 1e-15);
  EXPECT_NEAR(e.vectors[0].y, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(e.vectors[1].y, std::sqrt(0.5), 1e-15);
}

TEST(SymmetricEigen, RankOneMatrixHasTwoZeroValues) {
  const Vec3 v{1, -2, 3};
  const SymmetricEigen e = eigen_of_symmetric(outer(v, v));
  EXPECT_NEAR(e.values.x, 14.0, 1e-14);
  EXPECT_NEAR(e.values.y, 0.0, 1e-14);
  EXPECT_NEAR(e.values.z, 0.0, 1e-14);
  EXPECT_NEAR(std::abs(dot(e.vectors.column(0), v)), std::sqrt(14.0), 1e-14);
}

TEST(SymmetricEigen, NotFiniteMatrixGivesNanAndAxes) {
  Mat3 m;
  m[0].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(eigen_of_symmetric(m).values.x));
  EXPECT_EQ(eigen_of_symmetric(m).vectors, Mat3::identity());
  m[0].y = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(eigen_of_symmetric(m).values.x));
}

TEST(SymmetricEigen, SignsAreFixed) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Mat3 m = symmetric(random_rotation(random), {3.0, 2.0, random.uniform(-1.0, 1.0)});
    const SymmetricEigen e = eigen_of_symmetric(m);
    for (std::size_t j = 0; j < 2; ++j) {
      const Vec3 v = e.vectors.column(j);
      RC_ASSERT(largest_component(v) == largest_component(abs(v)));
    }
  }));
}

TEST(SymmetricEigen, AgreesWithEigenOverAllScales) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 200; ++i) {
      const double scale = std::pow(10.0, random.uniform(-30.0, 30.0));
      Vec3 values;
      for (std::size_t k = 0; k < 3; ++k) {
        values[k] = scale * std::pow(10.0, random.uniform(-8.0, 0.0)) * random.uniform(-1.0, 1.0);
      }
      const Mat3 m = symmetric(random_rotation(random), values);
      const SymmetricEigen e = eigen_of_symmetric(m);
      expect_decomposition(m, e);
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> oracle(to_eigen(m));
      for (int k = 0; k < 3; ++k) {
        RC_ASSERT(std::abs(oracle.eigenvalues()[2 - k] - e.values[k]) <= 1e-14 * largest_entry(m));
      }
    }
  }));
}

TEST(SymmetricEigen, NearlyEqualValuesStayOrthonormal) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 200; ++i) {
      // Two or three values equal up to 1e-17 to 1e-1, on any axes or disturbed coordinate axes.
      const double apart = std::pow(10.0, random.uniform(-17.0, -1.0));
      const Vec3 values{1.0, 1.0 + apart, random.below(2) == 0 ? 1.0 : 5.0};
      const double angle = std::pow(10.0, random.uniform(-17.0, 0.0));
      const Mat3 axes = random.below(2) == 0 ? random_rotation(random)
                                             : rotation_about(normalized({1, 2, 3}), angle);
      const Mat3 m = symmetric(axes, values);
      expect_decomposition(m, eigen_of_symmetric(m));
    }
  }));
}

TEST(SymmetricEigen, ScalingByAPowerOfTwoChangesNothingElse) {
  Random random(5);
  const Mat3 m = symmetric(random_rotation(random), {3, 2, 1});
  const SymmetricEigen e = eigen_of_symmetric(m);
  const SymmetricEigen large = eigen_of_symmetric(0x1p900 * m);
  EXPECT_EQ(large.vectors, e.vectors);
  EXPECT_EQ(large.values, 0x1p900 * e.values);
}

}  // namespace
}  // namespace clearance
