// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/base/random.h>
#include <clearance/geometry/vector.h>

namespace clearance {
namespace {

// Plain data: may be copied with memcpy, passed across compilers and mapped from a file.
static_assert(std::is_trivially_copyable_v<Vec3> && std::is_standard_layout_v<Vec3>);
static_assert(sizeof(Vec3) == 3 * sizeof(double) && alignof(Vec3) == alignof(double));
static_assert(sizeof(Mat3) == 9 * sizeof(double) && alignof(Mat3) == alignof(double));

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Vec3, IndexNamesTheComponents) {
  Vec3 v{1, 2, 3};
  EXPECT_EQ(v[0], 1.0);
  EXPECT_EQ(v[1], 2.0);
  EXPECT_EQ(v[2], 3.0);
  v[2] = 7.0;
  EXPECT_EQ(v.z, 7.0);
}

TEST(Vec3, CrossProductIsRightHanded) {
  EXPECT_EQ(cross({1, 0, 0}, {0, 1, 0}), (Vec3{0, 0, 1}));
  EXPECT_EQ(cross({0, 1, 0}, {0, 0, 1}), (Vec3{1, 0, 0}));
  EXPECT_EQ(cross({0, 1, 0}, {1, 0, 0}), (Vec3{0, 0, -1}));
}

TEST(Vec3, ProductsAndNorms) {
  EXPECT_EQ(dot({1, 2, 3}, {4, -5, 6}), 12.0);
  EXPECT_EQ(norm({2, 3, 6}), 7.0);
  EXPECT_EQ(distance({1, 1, 1}, {3, 4, 7}), 7.0);
  EXPECT_EQ(normalized({0, 0, 5}), (Vec3{0, 0, 1}));
  EXPECT_EQ(normalized({}), Vec3{});
}

TEST(Vec3, MinMaxAndLargest) {
  EXPECT_EQ(min({1, 5, -2}, {2, 3, -4}), (Vec3{1, 3, -4}));
  EXPECT_EQ(max({1, 5, -2}, {2, 3, -4}), (Vec3{2, 5, -2}));
  EXPECT_EQ(largest_component({-9, 2, 1}), 2.0);
  EXPECT_EQ(largest_component(abs(Vec3{-9, 2, 1})), 9.0);
}

TEST(Vec3, FiniteMeansNoNanAndNoInfinityAnywhere) {
  EXPECT_TRUE(is_finite({1e308, -1e308, 5e-324}));
  for (std::size_t i = 0; i < 3; ++i) {
    for (const double bad : {kNan, kInfinity, -kInfinity}) {
      Vec3 v{1, 2, 3};
      v[i] = bad;
      EXPECT_FALSE(is_finite(v)) << i << " " << bad;
    }
  }
  EXPECT_FALSE(is_finite({kInfinity, -kInfinity, 0}));
}

TEST(AnyPerpendicular, IsUnitAndPerpendicular) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Vec3 a = normalized({random.normal(), random.normal(), random.normal()});
    const Vec3 b = any_perpendicular(a);
    RC_ASSERT(std::abs(dot(a, b)) < 1e-15);
    RC_ASSERT(std::abs(norm(b) - 1.0) < 1e-15);
  }));
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}}) {
    EXPECT_EQ(dot(axis, any_perpendicular(axis)), 0.0);
    EXPECT_EQ(norm(any_perpendicular(axis)), 1.0);
  }
}

TEST(Mat3, RowsColumnsAndProducts) {
  const Mat3 m{{Vec3{1, 2, 3}, Vec3{4, 5, 6}, Vec3{7, 8, 10}}};
  EXPECT_EQ(m[1].z, 6.0);
  EXPECT_EQ(m.column(1), (Vec3{2, 5, 8}));
  EXPECT_EQ(m * (Vec3{1, 0, -1}), (Vec3{-2, -2, -3}));
  EXPECT_EQ(transpose(m)[0], (Vec3{1, 4, 7}));
  EXPECT_EQ(transpose_times(m, {1, 2, 3}), transpose(m) * (Vec3{1, 2, 3}));
  EXPECT_EQ(m * Mat3::identity(), m);
  EXPECT_EQ((m * m)[0], (Vec3{30, 36, 45}));
  EXPECT_EQ((m * m)[2], (Vec3{109, 134, 169}));
  EXPECT_EQ(determinant(m), -3.0);
  EXPECT_EQ(trace(m), 16.0);
  EXPECT_EQ(Mat3::from_columns(m.column(0), m.column(1), m.column(2)), m);
  EXPECT_EQ(outer({1, 2, 3}, {4, 5, 6})[2], (Vec3{12, 15, 18}));
  EXPECT_EQ(m - m, Mat3::zero());
  EXPECT_EQ(2.0 * m, m + m);
}

TEST(Mat3, ProductAppliesTheRightFactorFirst) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const auto entry = [&] { return static_cast<double>(random.below(21)) - 10.0; };
    const auto vector = [&] {
      const double x = entry();
      const double y = entry();
      return Vec3{x, y, entry()};
    };
    const Mat3 a{{vector(), vector(), vector()}};
    const Mat3 b{{vector(), vector(), vector()}};
    const Vec3 v = vector();
    // Small integers: exact.
    RC_ASSERT((a * b) * v == a * (b * v));
    RC_ASSERT(transpose(a * b) == transpose(b) * transpose(a));
    RC_ASSERT(determinant(a * b) == determinant(a) * determinant(b));
  }));
}

}  // namespace
}  // namespace clearance
