// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>

namespace clearance {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double difference(const Mat3& a, const Mat3& b) {
  double largest = 0.0;
  for (const Vec3& row : (a - b).rows) {
    if (!is_finite(row)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, largest_component(abs(row)));
  }
  return largest;
}

Vec3 random_direction(Random& random) {
  return normalized({random.normal(), random.normal(), random.normal()});
}

/// Angles of every kind: tiny, ordinary, next to a half turn.
double random_angle(Random& random) {
  switch (random.below(3)) {
    case 0:
      return std::pow(10.0, random.uniform(-17.0, 0.0));
    case 1:
      return kPi - std::pow(10.0, random.uniform(-17.0, 0.0));
    default:
      return random.uniform(-kPi, kPi);
  }
}

TEST(RotationAbout, TurnsRightHanded) {
  const Mat3 r = rotation_about({0, 0, 1}, kPi / 2);
  EXPECT_NEAR(distance(r * Vec3{1, 0, 0}, {0, 1, 0}), 0.0, 1e-15);
  EXPECT_NEAR(distance(r * Vec3{0, 1, 0}, {-1, 0, 0}), 0.0, 1e-15);
  EXPECT_EQ(rotation_about({0, 1, 0}, 0.0), Mat3::identity());
}

TEST(RotationAbout, KeepsTinyAngles) {
  const Mat3 r = rotation_about({1, 0, 0}, 1e-20);
  EXPECT_EQ(r[2].y, 1e-20);
  EXPECT_EQ(r[1].z, -1e-20);
}

TEST(RotationAbout, IsARotationThatKeepsItsAxis) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Vec3 axis = random_direction(random);
    const double angle = random_angle(random);
    const Mat3 r = rotation_about(axis, angle);
    RC_ASSERT(rigidity_error(r) < 4e-15);
    RC_ASSERT(distance(r * axis, axis) < 2e-15);
    RC_ASSERT(std::abs(trace(r) - (1.0 + 2.0 * std::cos(angle))) < 4e-15);
  }));
}

TEST(Quaternion, ThereAndBackForEveryRotation) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Mat3 r = rotation_about(random_direction(random), random_angle(random));
    const Quaternion q = quaternion_from(r);
    RC_ASSERT(q.w >= 0.0);
    RC_ASSERT(std::abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-15);
    RC_ASSERT(difference(rotation_from(q), r) < 4e-15);
  }));
}

TEST(Quaternion, HalfTurnsAboutEachAxis) {
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 diagonal{-1, -1, -1};
    diagonal[i] = 1.0;
    const Mat3 r = Mat3::diagonal(diagonal);
    const Quaternion q = quaternion_from(r);
    EXPECT_EQ(q.w, 0.0);
    EXPECT_EQ(rotation_from(q), r);
  }
}

TEST(Quaternion, IsNormalisedFirst) {
  const Quaternion q{0.1, 0.2, 0.3, 0.4};
  const Quaternion large{1e200, 2e200, 3e200, 4e200};
  const Quaternion small{1e-200, 2e-200, 3e-200, 4e-200};
  EXPECT_LT(difference(rotation_from(q), rotation_from({1, 2, 3, 4})), 1e-15);
  EXPECT_LT(difference(rotation_from(large), rotation_from(q)), 1e-15);
  EXPECT_LT(difference(rotation_from(small), rotation_from(q)), 1e-15);
  EXPECT_EQ(rotation_from({0, 0, 0, 0}), Mat3::identity());
}

TEST(RollPitchYaw, FollowsUrdf) {
  // Fixed axes: roll about x first, then pitch about y, then yaw about z.
  const double roll = 0.3;
  const double pitch = -0.5;
  const double yaw = 1.2;
  const Mat3 expected = rotation_about({0, 0, 1}, yaw) * rotation_about({0, 1, 0}, pitch) *
                        rotation_about({1, 0, 0}, roll);
  EXPECT_LT(difference(rotation_from_rpy(roll, pitch, yaw), expected), 1e-15);
  // x goes by yaw and pitch alone.
  EXPECT_NEAR(distance(rotation_from_rpy(roll, pitch, yaw).column(0),
                       {std::cos(yaw) * std::cos(pitch), std::sin(yaw) * std::cos(pitch),
                        -std::sin(pitch)}),
              0.0, 1e-15);
}

TEST(Pose, ProductsAndInverses) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const auto pose = [&] {
      return Pose{rotation_about(random_direction(random), random_angle(random)),
                  {random.normal(), random.normal(), random.normal()}};
    };
    const Pose a = pose();
    const Pose b = pose();
    const Vec3 p{random.normal(), random.normal(), random.normal()};
    RC_ASSERT(distance((a * b) * p, a * (b * p)) < 2e-14);
    RC_ASSERT(distance(inverse(a) * (a * p), p) < 2e-14);
    RC_ASSERT(distance((a * inverse(a)) * p, p) < 2e-14);
  }));
}

TEST(RigidityError, SaysHowFarFromARotation) {
  EXPECT_EQ(rigidity_error(Mat3::identity()), 0.0);
  EXPECT_NEAR(rigidity_error(1.001 * Mat3::identity()), 0.002001, 1e-12);
  EXPECT_EQ(rigidity_error(Mat3::diagonal({1, 1, -1})), 2.0);
  Mat3 bad;
  bad[1].x = kNan;
  EXPECT_EQ(rigidity_error(bad), std::numeric_limits<double>::infinity());
  bad[1].x = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rigidity_error(bad), std::numeric_limits<double>::infinity());
}

TEST(CheckedPose, AcceptsRotationsOfSevenDigitsAndChangesNothing) {
  const auto seven_digits = [](double x) { return std::round(x * 1e7) / 1e7; };
  Pose pose{rotation_from_rpy(0.1, 0.2, 0.3), {1, 2, 3}};
  for (Vec3& row : pose.rotation.rows) {
    row = {seven_digits(row.x), seven_digits(row.y), seven_digits(row.z)};
  }
  const Result<Pose> checked = checked_pose(pose);
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(*checked, pose);
}

TEST(CheckedPose, RefusesScaleMirrorShearAndNotFinite) {
  const auto reason = [](const Pose& pose) {
    const Result<Pose> checked = checked_pose(pose);
    EXPECT_FALSE(checked.ok());
    if (checked.ok()) return std::string();
    EXPECT_EQ(checked.error().code, ErrorCode::Invalid);
    return checked.error().reason;
  };
  EXPECT_NE(reason({1.001 * Mat3::identity(), {}}).find("1.001"), std::string::npos);
  EXPECT_NE(reason({Mat3::diagonal({1, 1, -1}), {}}).find("mirror"), std::string::npos);
  Mat3 shear;
  shear[0].y = 0.01;
  EXPECT_NE(reason({shear, {}}).find("not a rotation"), std::string::npos);
  EXPECT_NE(reason({Mat3::identity(), {0, kNan, 0}}).find("translation"), std::string::npos);
  Mat3 nan;
  nan[2].z = kNan;
  EXPECT_NE(reason({nan, {}}).find("rotation"), std::string::npos);
  EXPECT_NE(reason({Mat3::zero(), {}}).find("not a rotation"), std::string::npos);
}

TEST(NearestRotation, RestoresADisturbedRotation) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Mat3 r = rotation_about(random_direction(random), random_angle(random));
    // r times a symmetric positive matrix: the polar factor is r again.
    const double size = std::pow(10.0, random.uniform(-12.0, -1.0));
    const Vec3 v = random_direction(random);
    const Mat3 stretched = r * (Mat3::identity() + size * outer(v, v));
    RC_ASSERT(rigidity_error(nearest_rotation(stretched)) < 2e-15);
    RC_ASSERT(difference(nearest_rotation(stretched), r) < 1e-14);
    RC_ASSERT(difference(nearest_rotation(r), r) < 4e-15);
  }));
}

TEST(NearestRotation, LargeDisturbanceStillGivesARotation) {
  const Mat3 m{{Vec3{1.2, 0.3, -0.1}, Vec3{0.0, 0.7, 0.2}, Vec3{0.1, -0.2, 1.1}}};
  EXPECT_LT(rigidity_error(nearest_rotation(m)), 2e-15);
  EXPECT_LT(rigidity_error(nearest_rotation(1e6 * m)), 2e-15);
  EXPECT_LT(rigidity_error(nearest_rotation(1e-6 * m)), 2e-15);
}

}  // namespace
}  // namespace clearance
