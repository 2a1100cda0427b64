// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A shell around a contour segment from which points are quickly proven far: a solid of revolution
// about the centre line, of the shape a pencil has in a sharpener. With z along the axis and r the
// distance from it, all of the segment has
//
//   |z| <= half_length,   r <= radius,   r <= cone_radius + cone_slope z.
//
// The map of a point to (z, r) makes no distance longer, so the distance from this region of the
// (z, r) plane is a lower bound of the distance from the segment. It is exact for cylinders, whose
// flat ends a capsule would miss by up to a radius; for cones up to the rim; and for tilted circles
// what the tilt adds to half_length is lost.
#pragma once

#include <algorithm>
#include <cmath>

#include <clearance/contour/contour.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

struct SegmentShell {
  Vec3 center;  // z = 0 [m]
  Vec3 axis;    // unit
  double half_length = 0.0;
  double radius = 0.0;
  double cone_radius = 0.0;  // at z = 0
  double cone_slope = 0.0;
  double cone_cosine = 1.0;  // 1 / sqrt(1 + slope²): heights above the cone as distances

  SegmentShell() = default;
  explicit SegmentShell(const ContourSegment& segment);

  /// A lower bound of the distance of a point [m]; negative within the cone.
  [[nodiscard]] double lower(const Vec3& p) const {
    const Vec3 d = p - center;
    const double z = dot(d, axis);
    const double r = norm(d - z * axis);
    const double along = std::max(std::abs(z) - half_length, 0.0);
    const double aside = std::max(r - radius, 0.0);
    return std::max(std::sqrt(along * along + aside * aside),
                    cone_cosine * (r - (cone_radius + cone_slope * z)));
  }
  /// No point of the segment is farther from the center.
  [[nodiscard]] double reach() const { return std::hypot(half_length, radius); }
};

}  // namespace clearance::detail
