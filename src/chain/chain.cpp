// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/chain/chain.h>

namespace clearance {

std::vector<Pose> link_poses(std::span<const Pose> joints) {
  std::vector<Pose> poses{Pose::identity()};
  poses.reserve(joints.size() + 1);
  for (const Pose& joint : joints) poses.push_back(poses.back() * joint);
  return poses;
}

Pose turned(const Pose& joint, const Vec3& point, const Vec3& unit_axis, double angle) {
  const Mat3 turn = rotation_about(unit_axis, angle);
  return {turn * joint.rotation, turn * (joint.translation - point) + point};
}

}  // namespace clearance
