// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Triangles and rectangles as one kind of thing: a flat convex face in an orthogonal frame, so that
// points, segments and faces are tested against both by the same code.
#pragma once

#include <array>

#include <clearance/geometry/shapes.h>

#include "geometry/segment_core.h"

namespace clearance::detail {

/// A face {x e + y g : 0 <= y <= 1, left y <= x <= 1 - right y}, relative to its first corner.
///
/// e and g are orthogonal. For a triangle e is its longest edge and g its height over that edge,
/// made orthogonal twice. Rounding then amounts to moving the apex by about u |e|, however thin the
/// triangle is; a normal taken from two edges of a thin triangle would be off by u |e| / |g|.
struct FlatFace {
  Vec3 origin;  // caller's frame
  Vec3 e, g;
  double ee = 0.0, gg = 0.0;  // squared lengths
  double left = 0.0, right = 0.0;
  int corner_count = 0;
  std::array<Vec3, 4> corners;  // relative to origin, in order around

  explicit FlatFace(const Triangle& triangle);
  explicit FlatFace(const Rectangle& rectangle);

  /// The coordinates of the foot of p (relative to origin) in the plane of the face. A direction
  /// without extent gives 0.
  [[nodiscard]] double x_of(const Vec3& p) const { return ee > 0.0 ? dot(p, e) / ee : 0.0; }
  [[nodiscard]] double y_of(const Vec3& p) const { return gg > 0.0 ? dot(p, g) / gg : 0.0; }
  [[nodiscard]] bool contains(double x, double y) const {
    return y >= 0.0 && y <= 1.0 && x >= left * y && x <= 1.0 - right * y;
  }
  /// Perpendicular to the face; its length is without meaning. Zero when a side is zero.
  [[nodiscard]] Vec3 normal() const { return cross(e, g); }
  [[nodiscard]] Vec3 edge(int i) const {
    return corners[i + 1 == corner_count ? 0 : i + 1] - corners[i];
  }
  /// The nearest point of the face to p, both relative to origin.
  [[nodiscard]] Vec3 nearest(const Vec3& p) const;
};

/// The point of a rectangle nearest to p, both relative to its corner.
inline Vec3 nearest_on_rectangle(const Rectangle& r, const Vec3& p) {
  const auto along = [&](std::size_t i) {
    const double x = dot(p, r.axis[i]);
    return x > 0.0 ? (x < r.side[i] ? x : r.side[i]) : 0.0;
  };
  return along(0) * r.axis[0] + along(1) * r.axis[1];
}

/// Segment start + t d, t in [0, 1], against a face; all relative to the face's origin.
Candidate nearest_on_face(const Vec3& start, const Vec3& d, const FlatFace& face);

}  // namespace clearance::detail
