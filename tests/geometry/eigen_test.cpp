// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/geometry/eigen.h>

namespace clearance {
namespace {

const Pose kPose{rotation_from_rpy(0.3, -0.7, 2.0), {1, -2, 3}};

TEST(EigenConversion, VectorsAndMatricesKeepTheirEntries) {
  const Mat3 m{{Vec3{1, 2, 3}, Vec3{4, 5, 6}, Vec3{7, 8, 9}}};
  EXPECT_EQ(to_eigen(m)(0, 2), 3.0);
  EXPECT_EQ(to_eigen(m)(2, 0), 7.0);
  EXPECT_EQ(mat3_from(to_eigen(m)), m);
  EXPECT_EQ(vec3_from(to_eigen(Vec3{1, 2, 3})), (Vec3{1, 2, 3}));
  EXPECT_EQ(vec3_from(Eigen::Vector3f(1, 2, 3) * 2), (Vec3{2, 4, 6}));
}

TEST(EigenConversion, PosesActAlikeOnPoints) {
  const Vec3 p{0.5, 0.25, -4};
  EXPECT_NEAR(distance(vec3_from(to_eigen(kPose) * to_eigen(p)), kPose * p), 0.0, 1e-15);
  EXPECT_EQ(pose_from(to_eigen(kPose)), kPose);
  EXPECT_EQ(pose_from(Eigen::Affine3d(to_eigen(kPose))), kPose);
}

TEST(EigenConversion, QuaternionsMeanTheSameRotation) {
  const Quaternion q = quaternion_from(kPose.rotation);
  const Mat3 by_eigen = mat3_from(to_eigen(q).toRotationMatrix());
  EXPECT_LT(rigidity_error(transpose(by_eigen) * kPose.rotation), 1e-14);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(distance(by_eigen[i], kPose.rotation[i]), 0.0, 1e-15);
  }
  EXPECT_EQ(quaternion_from(to_eigen(q)), q);
}

}  // namespace
}  // namespace clearance
