// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The coordinates of a device: single precision, about the middle of the mesh, in units of a power
// of two in which the mesh fits into a sphere of radius 1. So squares neither overflow nor vanish,
// whatever the mesh is measured in.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/contour/contour.h>

#include "contour/probe_contest.h"
#include "contour/probe_opencl_device.h"

namespace clearance::detail {

/// Not below v.
[[nodiscard]] inline float float_at_least(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

struct DeviceFrame {
  Vec3 center;
  double scale = 1.0;  // of lengths [1/m]

  DeviceFrame() = default;
  explicit DeviceFrame(const ProbeMesh& mesh) : center(mesh.center) {
    if (mesh.radius > 0.0) {
      // Kept away from the ends, where a power of two is none: such a mesh is all contact or far.
      constexpr int kMostExponent = 1000;
      scale =
          std::ldexp(1.0, std::clamp(-std::ilogb(mesh.radius) - 1, -kMostExponent, kMostExponent));
    }
  }

  [[nodiscard]] float length(double metres) const { return float_at_least(metres * scale); }
  [[nodiscard]] Vec3 point(const Vec3& p) const { return scale * (p - center); }
  [[nodiscard]] ProbeSegment segment(const ContourSegment& segment) const;
  /// Whether single precision can say anything about the segment: false when it is so far from the
  /// mesh that squares overflow.
  [[nodiscard]] bool holds(const ContourSegment& segment) const;
  /// What places on the device may be off, and the slack of the query.
  [[nodiscard]] float slack(const ProbeQuery& query) const;
};

}  // namespace clearance::detail
