// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The simple shapes the closest-point functions work on. All are plain values; none checks itself.
#pragma once

#include <array>
#include <limits>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// The straight line between two points; they may be equal.
struct Segment {
  Vec3 a, b;
};

/// The flat region between three points. May be degenerate: a segment or a point.
struct Triangle {
  Vec3 a, b, c;
};

struct Sphere {
  Vec3 center;
  double radius = 0.0;
};

/// All points within `radius` of a segment.
struct Capsule {
  Segment axis;
  double radius = 0.0;
};

/// An axis-aligned box; empty (low > high) by default.
struct Box {
  Vec3 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
           std::numeric_limits<double>::infinity()};
  Vec3 high{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            -std::numeric_limits<double>::infinity()};

  constexpr void include(const Vec3& p) { low = min(low, p), high = max(high, p); }
  constexpr void include(const Box& b) { low = min(low, b.low), high = max(high, b.high); }
  [[nodiscard]] constexpr bool empty() const {
    return !(low.x <= high.x && low.y <= high.y && low.z <= high.z);
  }
  [[nodiscard]] constexpr Vec3 center() const { return 0.5 * (low + high); }
  [[nodiscard]] constexpr Vec3 size() const { return high - low; }
  /// Length of the space diagonal.
  [[nodiscard]] double diagonal() const { return norm(size()); }
  constexpr bool operator==(const Box&) const = default;
};

/// A box at any pose: world_from_box maps the axis-aligned box [-half_size, half_size] into place.
struct OrientedBox {
  Pose world_from_box;
  Vec3 half_size;
};

/// A flat rectangle: corner + s * side[0] * axis[0] + t * side[1] * axis[1], s and t in [0, 1].
/// The axes are orthogonal unit vectors; a side may be zero.
struct Rectangle {
  Vec3 corner;
  std::array<Vec3, 2> axis{Vec3{1, 0, 0}, Vec3{0, 1, 0}};
  std::array<double, 2> side{0.0, 0.0};
};

/// Two points, one on each shape, as near to each other as the shapes are, and their distance.
/// When the shapes touch, the distance is 0 and the two points are (about) the same common point.
struct ClosestPoints {
  Vec3 on_a;
  Vec3 on_b;
  double distance = 0.0;
};

}  // namespace clearance
