// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forward kinematics of eight configurations at once, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/robot/robot.h>

#include "bvh/float8.h"
#include "geometry/simd.h"

namespace clearance::detail {

inline constexpr std::size_t kLanes = 8;

/// A number for each of eight configurations.
struct Lanes {
  Double4 low;
  Double4 high;
};

/// Poses of a link in eight configurations, as floats: rows of the rotation, then the translation.
struct PoseLanes {
  std::array<Float8, 9> rotation;
  std::array<Float8, 3> translation;
};

/// A point in eight configurations, as floats.
struct PointLanes {
  Float8 x;
  Float8 y;
  Float8 z;
};

/// A point of a link.
inline PointLanes placed(const PoseLanes& pose, float x, float y, float z) {
  const auto row = [&](std::size_t i) {
    return fused(pose.rotation[3 * i], broadcast8(x),
                 fused(pose.rotation[3 * i + 1], broadcast8(y),
                       fused(pose.rotation[3 * i + 2], broadcast8(z), pose.translation[i])));
  };
  return {row(0), row(1), row(2)};
}

/// Squares of the distances of two points.
inline Float8 squared_distances(const PointLanes& a, const PointLanes& b) {
  const Float8 dx = a.x - b.x;
  const Float8 dy = a.y - b.y;
  const Float8 dz = a.z - b.z;
  return fused(dx, dx, fused(dy, dy, dz * dz));
}

/// What the forward kinematics of a robot need, link after link.
class ForwardLanes {
 public:
  /// Scratch: poses in double precision.
  struct LinkPose {
    std::array<Lanes, 9> rotation;
    std::array<Lanes, 3> translation;
  };

  /// Only links in `needed` (by link), and those before them, are placed.
  ForwardLanes(const Robot& robot, const Pose& world_from_base, const std::vector<bool>& needed);

  /// Places the links. `values` has a Lanes for each free joint.
  void place(std::span<const Lanes> values, std::vector<LinkPose>& scratch,
             std::vector<PoseLanes>& poses) const;

 private:
  /// parent_from_child = fixed + sine * along_sine + versine * along_versine, translated; or, for
  /// joints that slide, fixed, translated by origin + value * slide.
  struct Step {
    std::uint32_t link = 0;
    std::uint32_t parent = 0;
    JointKind kind = JointKind::Fixed;
    std::uint32_t value = 0;
    double multiplier = 1.0;
    double offset = 0.0;
    Mat3 fixed;
    Mat3 along_sine;
    Mat3 along_versine;
    Vec3 origin;
    Vec3 slide;
  };
  std::size_t links_ = 0;
  Pose world_from_base_;
  std::vector<Step> steps_;
};

/// One of the eight. Off from Robot::link_poses() by rounding only, and the same bits in any lane,
/// whatever the other lanes hold.
Pose lane_of(const ForwardLanes::LinkPose& pose, std::size_t lane);
/// a_from_b of two rotations and translations that are rigid.
PoseLanes relative(const ForwardLanes::LinkPose& a, const ForwardLanes::LinkPose& b);

/// Sine, and 1 - cosine, right to some 1e-16.
struct SineLanes {
  Double4 sine;
  Double4 versine;
};
SineLanes sine_of(Double4 angle);

}  // namespace clearance::detail
