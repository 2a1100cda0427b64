// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The leaf test all trees share: one triangle of A against one of B, in full. What it says of a
// pair is what the queries promise of it, whichever tree led there.
#pragma once

#include <cstdint>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/triangle_triangle.h>
#include <clearance/query/query.h>

namespace clearance::detail {

class TrianglePairs {
 public:
  TrianglePairs(const Bvh& a, const Bvh& b, const Pose& a_from_b);

  /// touches() of triangle_triangle.h.
  [[nodiscard]] bool touch(std::uint32_t a, std::uint32_t b) const {
    return touches(a_.triangle(a), b_.triangle(b), a_from_b_);
  }
  /// Closest points in A's frame; distance 0 when touch().
  [[nodiscard]] ClosestPoints closest(std::uint32_t a, std::uint32_t b) const;
  /// Is a pair whose distance was computed as `found` proven farther than `limit`? A computed
  /// distance above the limit proves nothing when rounding alone may have put it there.
  [[nodiscard]] bool proven_beyond(std::uint32_t a, std::uint32_t b, double found,
                                   double limit) const;
  /// The point of A's triangle nearest to p.
  [[nodiscard]] Vec3 closest_on_a(std::uint32_t a, const Vec3& p) const {
    return closest_point(p, a_.triangle(a));
  }
  /// Unit vector from A's point to B's; when they touch, the normal of A's triangle.
  [[nodiscard]] Vec3 normal(std::uint32_t a, const ClosestPoints& points) const;

 private:
  const Bvh& a_;
  const Bvh& b_;
  Pose a_from_b_;
  double touch_range_;  // gaps above this are certainly no contact for touches()
};

}  // namespace clearance::detail
