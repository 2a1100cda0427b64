// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box centred at the origin of its own frame: what axis-aligned and oriented boxes have in
// common.
#pragma once

#include <algorithm>
#include <optional>

#include <clearance/geometry/vector.h>

#include "geometry/segment_core.h"

namespace clearance::detail {

/// p limited to [-half, half].
inline Vec3 clamp_to(const Vec3& half, const Vec3& p) { return max(-half, min(half, p)); }

/// Where the segment start + t d, t in [0, 1], enters the box [-half, half].
inline std::optional<double> entry_fraction(const Vec3& half, const Vec3& start, const Vec3& d) {
  double enter = 0.0;
  double leave = 1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (d[i] == 0.0) {
      if (!(std::abs(start[i]) <= half[i])) return std::nullopt;
      continue;
    }
    const double t0 = (-half[i] - start[i]) / d[i];
    const double t1 = (half[i] - start[i]) / d[i];
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  if (!(enter <= leave)) return std::nullopt;
  return enter;
}

/// The start of edge `index` (0 to 3) of the box along `axis`; the edge is 2 half[axis] long.
inline Vec3 edge_start(const Vec3& half, std::size_t axis, unsigned index) {
  Vec3 start = -half;
  if ((index & 1u) != 0) start[(axis + 1) % 3] = half[(axis + 1) % 3];
  if ((index & 2u) != 0) start[(axis + 2) % 3] = half[(axis + 2) % 3];
  return start;
}

inline Vec3 edge_along(const Vec3& half, std::size_t axis) {
  Vec3 along;
  along[axis] = 2.0 * half[axis];
  return along;
}

/// Corner `index` (0 to 7) of the box.
inline Vec3 box_corner(const Vec3& half, unsigned index) {
  return {(index & 1u) != 0 ? half.x : -half.x, (index & 2u) != 0 ? half.y : -half.y,
          (index & 4u) != 0 ? half.z : -half.z};
}

}  // namespace clearance::detail
