// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_shell.h"

namespace clearance::detail {
namespace {

// The longest radius of a circle: exact also when u and v are not quite perpendicular.
double radius_of(const ContourCircle& c) {
  const double mean = 0.5 * (squared_norm(c.u) + squared_norm(c.v));
  const double difference = 0.5 * (squared_norm(c.u) - squared_norm(c.v));
  return std::sqrt(mean + std::hypot(difference, dot(c.u, c.v)));
}

// Steeper cones are as good as a cylinder: their side is hardly ever what is met.
constexpr double kSteepest = 4.0;

}  // namespace

SegmentShell::SegmentShell(const ContourSegment& segment) {
  const ContourCircle& c0 = segment.start;
  const ContourCircle& c1 = segment.end;
  const Vec3 between = c1.center - c0.center;
  const double length = norm(between);
  // Any axis is right; without a length that of a circle is best.
  axis = normalized(between);
  if (axis == Vec3{}) axis = normalized(cross(c0.u, c0.v));
  if (axis == Vec3{}) axis = normalized(cross(c1.u, c1.v));
  if (axis == Vec3{}) axis = {1.0, 0.0, 0.0};

  // How far the circles stand out along the axis, each side, and across.
  const double tilt0 = std::hypot(dot(c0.u, axis), dot(c0.v, axis));
  const double tilt1 = std::hypot(dot(c1.u, axis), dot(c1.v, axis));
  const double r0 = radius_of(c0);
  const double r1 = radius_of(c1);
  const double low = std::min(-tilt0, length - tilt1);
  const double high = std::max(tilt0, length + tilt1);
  const double middle = 0.5 * (low + high);
  center = c0.center + middle * axis;
  half_length = 0.5 * (high - low);
  radius = std::max(r0, r1);

  // The side is as steep as the radii say, and as high as the tilted rims need. Points between the
  // circles lie on straight lines between points of both, so what holds for both holds for all.
  const double slope = length > 0.0 ? (r1 - r0) / length : 0.0;
  if (std::abs(slope) <= kSteepest) cone_slope = slope;
  const double steepness = std::abs(cone_slope);
  cone_radius = std::max(r0 - cone_slope * (0.0 - middle) + steepness * tilt0,
                         r1 - cone_slope * (length - middle) + steepness * tilt1);
  cone_cosine = 1.0 / std::sqrt(1.0 + cone_slope * cone_slope);
}

}  // namespace clearance::detail
