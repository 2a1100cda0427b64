// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_hull8.h"

#include <algorithm>
#include <cmath>

#include "bvh/wide_tree.h"
#include "contour/probe_contest.h"
#include "contour/probe_shell.h"

namespace clearance::detail {

SegmentHull8::SegmentHull8(const ContourSegment& segment)
    : middle_(0.5 * (segment.start.center + segment.end.center)), reach_(0.0) {
  const ContourCircle* circles[2] = {&segment.start, &segment.end};
  for (int j = 0; j < 2; ++j) {
    const Vec3 center = circles[j]->center - middle_;
    for (std::size_t k = 0; k < 3; ++k) {
      hull_.center[j][k] = static_cast<float>(center[k]);
      hull_.u[j][k] = static_cast<float>(circles[j]->u[k]);
      hull_.v[j][k] = static_cast<float>(circles[j]->v[k]);
    }
    reach_ = std::max(reach_, norm(center) + norm(circles[j]->u) + norm(circles[j]->v));
  }
}

Float8 SegmentHull8::lower(const ProbeMesh& mesh, std::span<const std::uint32_t> triangles,
                           double limit) const {
  alignas(32) float corners[9][8];
  double farthest_sq = 0.0;
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const Triangle t = mesh.triangle(triangles[std::min(lane, triangles.size() - 1)]);
    const Vec3* corner[3] = {&t.a, &t.b, &t.c};
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 p = *corner[c] - middle_;
      farthest_sq = std::max(farthest_sq, squared_norm(p));
      for (std::size_t k = 0; k < 3; ++k) corners[3 * c + k][lane] = static_cast<float>(p[k]);
    }
  }
  Corners8 corner;
  for (int i = 0; i < 9; ++i) corner[i] = load8(corners[i]);
  const auto margin =
      static_cast<float>(static_cast<double>(kFloatError) * (std::sqrt(farthest_sq) + reach_)) +
      kVanishingLength;
  const Float8 raised = broadcast8(static_cast<float>(limit) + 2.0F * margin);
  return hull_lower8(hull_, corner, raised) - broadcast8(margin);
}

}  // namespace clearance::detail
