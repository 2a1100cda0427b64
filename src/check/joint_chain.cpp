// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/joint_chain.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

/// Sums and products of some hundred doubles are right to this fraction.
constexpr double kOutward = 1.0 + 1e-12;

/// Position of a joint in Robot::free_joints().
std::uint32_t value_of(const Robot& robot, std::uint32_t joint) {
  const auto free = robot.free_joints();
  return static_cast<std::uint32_t>(std::ranges::find(free, joint) - free.begin());
}

}  // namespace

std::vector<ChainJoint> joints_between(const Robot& robot, std::uint32_t link,
                                       std::uint32_t ancestor) {
  std::vector<ChainJoint> chain;
  for (std::uint32_t at = link; at != ancestor; at = robot.links()[at].parent) {
    const std::uint32_t number = robot.links()[at].joint;
    const RobotJoint& joint = robot.joints()[number];
    if (joint.kind == JointKind::Fixed) continue;
    ChainJoint entry;
    entry.child = at;
    entry.value = value_of(robot, joint.mimic ? joint.mimic->joint : number);
    entry.multiplier = joint.mimic ? joint.mimic->multiplier : 1.0;
    entry.turns = joint.kind != JointKind::Prismatic;
    entry.unit_axis = joint.unit_axis;
    chain.push_back(entry);
  }
  return chain;
}

std::uint32_t common_ancestor(const Robot& robot, std::uint32_t a, std::uint32_t b) {
  // Parents have lower numbers than their children.
  while (a != b) {
    if (a > b) {
      a = robot.links()[a].parent;
    } else {
      b = robot.links()[b].parent;
    }
  }
  return a;
}

Corners placed_corners(const Box& box, const Pose& world_from_body) {
  Corners corners;
  for (unsigned i = 0; i < 8; ++i) {
    corners[i] = world_from_body * Vec3{(i & 1U) != 0 ? box.high.x : box.low.x,
                                        (i & 2U) != 0 ? box.high.y : box.low.y,
                                        (i & 4U) != 0 ? box.high.z : box.low.z};
  }
  return corners;
}

double farthest_way(std::span<const ChainJoint> chain, const Corners& corners,
                    std::span<const Pose> poses, std::span<const double> change) {
  // Joints are changed one after the other, the outermost first: each turns the body, as far as it
  // has got, about an axis that has not moved yet. The distance of a point from the axis is convex,
  // so no point of the box is farther from it than a corner.
  double way = 0.0;
  for (const ChainJoint& joint : chain) {
    const double step = std::abs(joint.multiplier) * change[joint.value];
    if (step == 0.0) continue;
    if (!joint.turns) {
      way += step;
      continue;
    }
    const Pose& pose = poses[joint.child];
    const Vec3 axis = pose.rotation * joint.unit_axis;
    double farthest_sq = 0.0;
    for (const Vec3& corner : corners)
      farthest_sq = std::max(farthest_sq, squared_norm(cross(axis, corner - pose.translation)));
    way += step * (std::sqrt(farthest_sq) + way);
  }
  return way * kOutward;
}

}  // namespace clearance::detail
