// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The path of a rigid body: poses, and what happens between them. From one pose to the next the
// pivot goes straight and the body turns about it at a constant rate by the shorter way
// (RigidMotion::interpolated). That is the whole definition: a path file holds poses and the pivot.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/query/sweep.h>

namespace clearance {

struct PlanPath {
  Vec3 pivot;               ///< in the body's frame [m]
  std::vector<Pose> poses;  ///< world_from_body, at least one

  /// Pieces between neighbouring poses.
  [[nodiscard]] std::size_t size() const { return poses.empty() ? 0 : poses.size() - 1; }
  [[nodiscard]] RigidMotion motion(std::size_t piece) const {
    return RigidMotion::interpolated(poses[piece], poses[piece + 1], pivot);
  }
};

/// How far two poses are apart: the way of the pivot and the turn, the latter as the way of a point
/// at `radius` from the pivot: sqrt(|dp|^2 + (radius * angle)^2) [m]. With the radius of gyration
/// this is about the way of an average point of the body.
[[nodiscard]] double pose_distance(const Pose& a, const Pose& b, const Vec3& pivot, double radius);

/// Root mean square distance of the surface from the pivot [m].
[[nodiscard]] double gyration_radius(const Mesh& body, const Vec3& pivot);

struct PathLength {
  double translation = 0.0;  ///< way of the pivot [m]
  double rotation = 0.0;     ///< sum of the turns [rad]
};
[[nodiscard]] PathLength length_of(const PlanPath& path);

/// The pose at `s` in [0, 1] of the path by arc length in the sense of pose_distance.
[[nodiscard]] Pose pose_at(const PlanPath& path, double s, double radius);

}  // namespace clearance
