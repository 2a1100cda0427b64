// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lower bounds of the distances of eight triangles from the hull of a segment's two circles, by a
// few steps of Gilbert's iteration (SIAM J. Control 4, 1966): a direction that separates the two
// shapes proves a gap, and the points of both that are extreme along it give a better direction.
// Tighter than spheres and boxes where triangles are large, and a tenth of the cost of
// lower_bound(), of which it spares all but a few.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <clearance/contour/contour.h>

#include "bvh/float8.h"

namespace clearance::detail {

struct ProbeMesh;

/// The circles of a segment in some frame; circle j: center[j] + x u[j] + y v[j].
struct Hull8 {
  float center[2][3];
  float u[2][3];
  float v[2][3];
};

/// Corners of eight triangles in the same frame: ax ay az bx by bz cx cy cz.
using Corners8 = Float8[9];

inline Float8 dot8(const Float8 (&a)[3], const Float8 (&b)[3]) {
  return fused(a[0], b[0], fused(a[1], b[1], a[2] * b[2]));
}
inline Float8 dot8(const Float8 (&a)[3], const float (&b)[3]) {
  return fused(a[0], broadcast8(b[0]), fused(a[1], broadcast8(b[1]), a[2] * broadcast8(b[2])));
}

/// Steps after which what is left is for lower_bound(); most pairs need one or two.
inline constexpr int kHullSteps = 5;

/// Stops early when each lane is proven to be above the limit, or cannot be; `best` is what is
/// proven already. Errors are those of a few products of the coordinates: below kFloatError of
/// bvh/wide_tree.h times their size.
inline Float8 hull_lower8(const Hull8& hull, const Corners8& corner, Float8 limit,
                          Float8 best = broadcast8(-std::numeric_limits<float>::infinity())) {
  // A difference of points of both: of the middles, to begin with.
  Float8 p[3];
  for (int k = 0; k < 3; ++k)
    p[k] = broadcast8(1.0F / 3.0F) * (corner[k] + corner[3 + k] + corner[6 + k]) -
           broadcast8(0.5F * (hull.center[0][k] + hull.center[1][k]));
  const Float8 tiny = broadcast8(std::numeric_limits<float>::min());
  for (int step = 0; step < kHullSteps; ++step) {
    const Float8 length_sq = dot8(p, p);
    const Float8 inverse = broadcast8(1.0F) / sqrt(max(length_sq, tiny));
    const Float8 n[3] = {p[0] * inverse, p[1] * inverse, p[2] * inverse};

    // The corner least along n.
    Float8 w[3] = {corner[0], corner[1], corner[2]};
    Float8 least = dot8(n, w);
    for (int c = 3; c < 9; c += 3) {
      const Float8 q[3] = {corner[c], corner[c + 1], corner[c + 2]};
      const Float8 along = dot8(n, q);
      const Int8 less = along < least;
      least = less ? along : least;
      for (int k = 0; k < 3; ++k) w[k] = less ? q[k] : w[k];
    }
    // The rim point farthest along n.
    Float8 along[2];
    Float8 x[2];
    Float8 y[2];
    for (int j = 0; j < 2; ++j) {
      const Float8 nu = dot8(n, hull.u[j]);
      const Float8 nv = dot8(n, hull.v[j]);
      const Float8 reach = sqrt(fused(nu, nu, nv * nv));
      const Float8 scale = broadcast8(1.0F) / max(reach, tiny);
      along[j] = dot8(n, hull.center[j]) + reach;
      x[j] = nu * scale;
      y[j] = nv * scale;
    }
    best = max(least - max(along[0], along[1]), best);
    const Int8 settled = (best > limit) | (length_sq <= limit * limit);
    if (bits(settled) == 0xffU || step + 1 == kHullSteps) break;

    // On to the point nearest to zero between this difference and that of the extreme points.
    const Int8 second = along[1] > along[0];
    const Float8 rim_x = second ? x[1] : x[0];
    const Float8 rim_y = second ? y[1] : y[0];
    Float8 d[3];
    for (int k = 0; k < 3; ++k) {
      const Float8 center = second ? broadcast8(hull.center[1][k]) : broadcast8(hull.center[0][k]);
      const Float8 u = second ? broadcast8(hull.u[1][k]) : broadcast8(hull.u[0][k]);
      const Float8 v = second ? broadcast8(hull.v[1][k]) : broadcast8(hull.v[0][k]);
      d[k] = w[k] - fused(rim_x, u, fused(rim_y, v, center)) - p[k];
    }
    const Float8 t =
        max(min(-dot8(p, d) / max(dot8(d, d), tiny), broadcast8(1.0F)), broadcast8(0.0F));
    for (int k = 0; k < 3; ++k) p[k] = fused(t, d[k], p[k]);
  }
  return best;
}

/// The same for any triangles of a mesh, relative to the middle of the segment.
class SegmentHull8 {
 public:
  explicit SegmentHull8(const ContourSegment& segment);
  /// Proven lower bounds for up to eight triangles, at least one; those above the limit are no
  /// better than that.
  [[nodiscard]] Float8 lower(const ProbeMesh& mesh, std::span<const std::uint32_t> triangles,
                             double limit) const;

 private:
  Hull8 hull_;
  Vec3 middle_;
  double reach_;  // no point of the segment is farther from the middle [m]
};

}  // namespace clearance::detail
