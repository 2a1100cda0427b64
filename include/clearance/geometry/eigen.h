// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions between Clearance's vectors and Eigen's, for programs that use Eigen. Header only:
// the library itself neither includes this file nor depends on Eigen, so the functions are compiled
// with the caller's flags and the caller's version
// (docs/decisions/0002-own-vectors-in-public-headers.md).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/vector.h>

namespace clearance {

[[nodiscard]] inline Eigen::Vector3d to_eigen(const Vec3& v) { return {v.x, v.y, v.z}; }

[[nodiscard]] inline Eigen::Matrix3d to_eigen(const Mat3& m) {
  Eigen::Matrix3d result;
  for (int i = 0; i < 3; ++i) result.row(i) << m[i].x, m[i].y, m[i].z;
  return result;
}

[[nodiscard]] inline Eigen::Quaterniond to_eigen(const Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}

[[nodiscard]] inline Eigen::Isometry3d to_eigen(const Pose& pose) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = to_eigen(pose.rotation);
  result.translation() = to_eigen(pose.translation);
  return result;
}

/// Any Eigen expression of three components.
template <class Derived>
[[nodiscard]] Vec3 vec3_from(const Eigen::MatrixBase<Derived>& v) {
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(Derived, 3)
  const Eigen::Vector3d value = v.template cast<double>();
  return {value.x(), value.y(), value.z()};
}

/// Any Eigen expression of 3x3 components.
template <class Derived>
[[nodiscard]] Mat3 mat3_from(const Eigen::MatrixBase<Derived>& m) {
  EIGEN_STATIC_ASSERT_MATRIX_SPECIFIC_SIZE(Derived, 3, 3)
  const Eigen::Matrix3d value = m.template cast<double>();
  Mat3 result;
  for (int i = 0; i < 3; ++i) result[i] = {value(i, 0), value(i, 1), value(i, 2)};
  return result;
}

[[nodiscard]] inline Quaternion quaternion_from(const Eigen::Quaterniond& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}

/// The rotation is taken as it is; checked_pose() says whether it is one.
template <int Mode, int Options>
[[nodiscard]] Pose pose_from(const Eigen::Transform<double, 3, Mode, Options>& transform) {
  return {mat3_from(transform.linear()), vec3_from(transform.translation())};
}

}  // namespace clearance
