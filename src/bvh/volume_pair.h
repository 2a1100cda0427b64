// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far apart two bounding volumes are at least, one of them moved. Every bound is rounded
// outward: it holds for the exact triangles inside, at the exact pose.
#pragma once

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

#include "bvh/volumes.h"

namespace clearance::detail {

/// How the volumes of B are carried into A's frame. A pose that went through a text file is rigid
/// to 1e-6 only, and triangles are moved by it as it stands; volumes are moved by the nearest
/// rotation about the middle of B, and the difference is part of the slack.
struct VolumeMotion {
  Pose a_from_b;
  /// Bound on the rounding of the distance of any two points of A and B [m].
  double rounding = 0.0;
  /// That and the difference above [m].
  double slack = 0.0;
};
[[nodiscard]] VolumeMotion volume_motion(const Pose& a_from_b, const Box& bounds_a,
                                         const Box& bounds_b);

/// Two volumes, told apart by their kinds (not Wide).
struct VolumePair {
  Volume kind_a = Volume::Rss;
  Volume kind_b = Volume::Rss;
  VolumeMotion motion;

  /// At most the distance of any point in `a` from any point in `b`; 0 when they may touch [m].
  [[nodiscard]] double lower_bound(const RoundedBox& a, const RoundedBox& b) const;
  /// True only when every point in `a` is farther than `distance` (>= 0) from every point in `b`.
  /// Cheaper than the bound.
  [[nodiscard]] bool farther_than(const RoundedBox& a, const RoundedBox& b, double distance) const;
};

}  // namespace clearance::detail
