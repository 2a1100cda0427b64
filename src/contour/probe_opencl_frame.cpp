// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_opencl_frame.h"

#include <algorithm>

#include "contour/probe_shell.h"

namespace clearance::detail {
namespace {

void put(float (&to)[3], const Vec3& v) {
  for (std::size_t k = 0; k < 3; ++k) to[k] = static_cast<float>(v[k]);
}

// No coordinate of the segment is farther from the middle of the mesh, in units of the device.
double reach_of(const DeviceFrame& frame, const ContourSegment& segment) {
  double reach = 0.0;
  for (const ContourCircle* c : {&segment.start, &segment.end})
    reach = std::max(reach, norm(frame.point(c->center)) + frame.scale * (norm(c->u) + norm(c->v)));
  return reach;
}

// Sums of fourth powers of twice this are below the largest float.
constexpr double kFarthest = 0x1p28;
// What vanishes in squares, in units of the device: 1e-19 for each of a few.
constexpr double kUnderflow = 1e-18;
// An axis shorter than this is taken for none, in units of the device.
constexpr double kShortest = 1e-18;

}  // namespace

ProbeSegment DeviceFrame::segment(const ContourSegment& segment) const {
  const Vec3 axis = scale * (segment.end.center - segment.start.center);
  const double radius = scale * SegmentShell(segment).radius;
  ProbeSegment out = {};
  put(out.origin, point(segment.start.center));
  put(out.axis, axis);
  put(out.u0, scale * segment.start.u);
  put(out.v0, scale * segment.start.v);
  put(out.du, scale * (segment.end.u - segment.start.u));
  put(out.dv, scale * (segment.end.v - segment.start.v));
  const double length_sq = squared_norm(axis);
  if (length_sq > kShortest * kShortest) out.inverse_axis_sq = static_cast<float>(1.0 / length_sq);
  out.radius = float_at_least(radius);
  out.size = float_at_least(std::sqrt(length_sq) + 2.0 * radius);
  return out;
}

bool DeviceFrame::holds(const ContourSegment& segment) const {
  return reach_of(*this, segment) <= kFarthest;
}

float DeviceFrame::slack(const ProbeQuery& query) const {
  // Rounding a point to single precision moves it by sqrt(3) 2^-24 of its coordinates: vertices are
  // within 1, first centres within their reach. Before that it was rounded as a double, by less
  // than the slack of the query is made of.
  constexpr double kRounding = 1.7320508075688774 * 0x1p-24;
  double reach = 0.0;
  for (const ContourSegment& segment : query.segments)
    if (holds(segment)) reach = std::max(reach, reach_of(*this, segment));
  return float_at_least(kRounding * (1.0 + reach) + 2.0 * scale * query.slack + kUnderflow);
}

}  // namespace clearance::detail
