// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/triangle_pair.h"

#include <limits>

#include <clearance/geometry/mass.h>

namespace clearance::detail {
namespace {

/// Largest gap that touches() may call contact, and what moving a triangle may round away, as a
/// fraction of the coordinates of a scene: what touches() states, and a reserve of ten times that
/// for the question whether to ask it at all.
constexpr double kReserve = 10.0;
constexpr double kTouchRange = kReserve * 1.6e-15;

/// Relative error of a computed distance of two triangles, as closest_points() states it.
constexpr double kPairError = 1e-9;

double reach(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

}  // namespace

TrianglePairs::TrianglePairs(const Bvh& a, const Bvh& b, const Pose& a_from_b)
    : a_(a),
      b_(b),
      a_from_b_(a_from_b),
      touch_range_(kTouchRange *
                   (reach(a.bounds()) + reach(b.bounds()) + norm(a_from_b.translation))) {}

ClosestPoints TrianglePairs::closest(std::uint32_t a, std::uint32_t b) const {
  const Triangle ta = a_.triangle(a);
  const Triangle tb = b_.triangle(b);
  const Triangle moved{a_from_b_ * tb.a, a_from_b_ * tb.b, a_from_b_ * tb.c};
  ClosestPoints points = closest_points(ta, moved);
  // Contact is decided at the exact pose, as collide() does; only tiny gaps are in doubt.
  if (points.distance <= touch_range_ && points.distance > 0.0 && touches(ta, tb, a_from_b_))
    points.distance = 0.0;
  return points;
}

bool TrianglePairs::proven_beyond(std::uint32_t a, std::uint32_t b, double found,
                                  double limit) const {
  if (!(found > limit)) return false;
  const double rounding = touch_range_ / kReserve;
  if (found > limit * (1.0 + kPairError) + rounding) return true;
  const Triangle tb = b_.triangle(b);
  return proven_farther(a_.triangle(a), {a_from_b_ * tb.a, a_from_b_ * tb.b, a_from_b_ * tb.c},
                        limit + rounding);
}

Vec3 TrianglePairs::normal(std::uint32_t a, const ClosestPoints& points) const {
  if (points.distance > 0.0) return normalized(points.on_b - points.on_a);
  return triangle_normal(a_.triangle(a));
}

}  // namespace clearance::detail
