// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <clearance/geometry/pose.h>

namespace clearance {

Mat3 rotation_about(const Vec3& u, double angle) {
  // Rodrigues: I + sin(angle) K + (1 - cos(angle)) K².
  const double s = std::sin(angle);
  const double half = std::sin(0.5 * angle);
  const double v = 2.0 * half * half;
  const Mat3 k{{Vec3{0, -u.z, u.y}, Vec3{u.z, 0, -u.x}, Vec3{-u.y, u.x, 0}}};
  return Mat3::identity() + s * k + v * (k * k);
}

Mat3 rotation_from(const Quaternion& given) {
  // Scaled by the largest component first, so that no square overflows or underflows.
  const double largest =
      std::max({std::abs(given.x), std::abs(given.y), std::abs(given.z), std::abs(given.w)});
  if (!(largest > 0.0)) return Mat3::identity();
  const Quaternion q{given.x / largest, given.y / largest, given.z / largest, given.w / largest};
  const double s = 2.0 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {{Vec3{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z),
                s * (q.x * q.z + q.w * q.y)},
           Vec3{s * (q.x * q.y + q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z),
                s * (q.y * q.z - q.w * q.x)},
           Vec3{s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x),
                1 - s * (q.x * q.x + q.y * q.y)}}};
}

Quaternion quaternion_from(const Mat3& m) {
  // Shepperd: start from the largest of the four squares, so that no root is of a small difference.
  const double t = trace(m);
  Quaternion q;
  if (t >= std::max({m[0].x, m[1].y, m[2].z})) {
    const double r = std::sqrt(1.0 + t);
    q = {(m[2].y - m[1].z) / (2 * r), (m[0].z - m[2].x) / (2 * r), (m[1].x - m[0].y) / (2 * r),
         r / 2};
  } else if (m[0].x >= m[1].y && m[0].x >= m[2].z) {
    const double r = std::sqrt(1.0 + m[0].x - m[1].y - m[2].z);
    q = {r / 2, (m[0].y + m[1].x) / (2 * r), (m[0].z + m[2].x) / (2 * r),
         (m[2].y - m[1].z) / (2 * r)};
  } else if (m[1].y >= m[2].z) {
    const double r = std::sqrt(1.0 - m[0].x + m[1].y - m[2].z);
    q = {(m[0].y + m[1].x) / (2 * r), r / 2, (m[1].z + m[2].y) / (2 * r),
         (m[0].z - m[2].x) / (2 * r)};
  } else {
    const double r = std::sqrt(1.0 - m[0].x - m[1].y + m[2].z);
    q = {(m[0].z + m[2].x) / (2 * r), (m[1].z + m[2].y) / (2 * r), r / 2,
         (m[1].x - m[0].y) / (2 * r)};
  }
  if (q.w < 0.0) q = {-q.x, -q.y, -q.z, -q.w};
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / n, q.y / n, q.z / n, q.w / n};
}

Mat3 rotation_from_rpy(double roll, double pitch, double yaw) {
  return rotation_about({0, 0, 1}, yaw) * rotation_about({0, 1, 0}, pitch) *
         rotation_about({1, 0, 0}, roll);
}

double rigidity_error(const Mat3& m) {
  double error = 0.0;
  const Mat3 deviation = transpose(m) * m - Mat3::identity();
  for (const Vec3& row : deviation.rows) {
    if (!is_finite(row)) return std::numeric_limits<double>::infinity();
    error = std::max(error, largest_component(abs(row)));
  }
  return determinant(m) < 0.0 ? std::max(error, 2.0) : error;
}

Result<Pose> checked_pose(const Pose& pose) {
  const auto refuse = [](std::string reason) {
    return Error{ErrorCode::Invalid, "", "pose", std::move(reason), ""};
  };
  for (const Vec3& row : pose.rotation.rows) {
    if (!is_finite(row)) return refuse("the rotation holds a number that is not finite");
  }
  if (!is_finite(pose.translation))
    return refuse("the translation holds a number that is not finite");
  if (rigidity_error(pose.rotation) <= kRigidTolerance) return pose;
  if (determinant(pose.rotation) < 0.0)
    return refuse("not a rotation: it mirrors (determinant below zero)");
  const double sx = norm(pose.rotation.column(0));
  const double sy = norm(pose.rotation.column(1));
  const double sz = norm(pose.rotation.column(2));
  return refuse("not a rotation: its columns have lengths " + std::to_string(sx) + ", " +
                std::to_string(sy) + ", " + std::to_string(sz) +
                " and RᵀR differs from the identity by " +
                std::to_string(rigidity_error(pose.rotation)));
}

Mat3 nearest_rotation(const Mat3& m) {
  // Newton's iteration for the polar factor: R <- (R + R⁻ᵀ) / 2. Quadratic once near, and a scale
  // taken out first brings it near.
  const double size = std::sqrt(squared_norm(m[0]) + squared_norm(m[1]) + squared_norm(m[2]));
  if (!(size > 0.0)) return Mat3::identity();
  Mat3 r = (std::numbers::sqrt3 / size) * m;
  for (int i = 0; i < 20; ++i) {
    const double det = determinant(r);
    if (!(std::abs(det) > 0.0)) break;
    const Mat3 inverse_transpose =
        (1.0 / det) * Mat3{{cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])}};
    r = 0.5 * (r + inverse_transpose);
    if (rigidity_error(r) < 1e-15) break;
  }
  return r;
}

}  // namespace clearance
