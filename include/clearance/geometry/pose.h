// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rigid motions, SE(3). A pose named world_from_link maps link coordinates to world coordinates, so
// that products read world_from_link * link_from_tool. Lengths in metres, angles in radians.
#pragma once

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// A unit quaternion w + xi + yj + zk. The order of the members is that of ROS messages.
struct Quaternion {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  double w = 1.0;
  constexpr bool operator==(const Quaternion&) const = default;
};

/// A rotation followed by a translation: p -> rotation * p + translation.
struct Pose {
  Mat3 rotation;
  Vec3 translation;

  static constexpr Pose identity() { return {}; }
  static constexpr Pose translate(const Vec3& t) { return {Mat3::identity(), t}; }
  constexpr bool operator==(const Pose&) const = default;
};

constexpr Vec3 operator*(const Pose& pose, const Vec3& point) {
  return pose.rotation * point + pose.translation;
}
constexpr Pose operator*(const Pose& a, const Pose& b) {
  return {a.rotation * b.rotation, a.rotation * b.translation + a.translation};
}
constexpr Pose inverse(const Pose& pose) {
  return {transpose(pose.rotation), -transpose_times(pose.rotation, pose.translation)};
}

/// Rotation by `angle` [rad] about the unit vector `axis`, right-handed.
Mat3 rotation_about(const Vec3& unit_axis, double angle);
/// The rotation of a quaternion; it is normalised first. The zero quaternion gives the identity.
Mat3 rotation_from(const Quaternion& q);
/// The quaternion of a rotation, with w >= 0.
Quaternion quaternion_from(const Mat3& rotation);
/// Fixed-axis roll, pitch, yaw as in URDF: Rz(yaw) Ry(pitch) Rx(roll).
Mat3 rotation_from_rpy(double roll, double pitch, double yaw);

/// Largest entry of |RᵀR - I| that still counts as a rotation. Rotations that went through a text
/// file with seven digits pass; a scale of 0.1 % does not.
inline constexpr double kRigidTolerance = 1e-6;
/// How far the matrix is from a rotation: the largest entry of |RᵀR - I|; infinity when a number is
/// not finite, and 2 for a reflection.
double rigidity_error(const Mat3& rotation);
/// A finite pose whose rotation is one within kRigidTolerance, or an error that says what is wrong
/// ("not a rotation: columns scale by 1.002"). The pose comes back as it was given.
Result<Pose> checked_pose(const Pose& pose);
/// The rotation nearest to a matrix that is nearly one, up to a scale (iterated polar
/// decomposition). The determinant must be above zero: a mirroring matrix gives a mirroring result.
Mat3 nearest_rotation(const Mat3& m);

}  // namespace clearance
