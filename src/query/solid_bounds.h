// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small things about bounding boxes that solid queries and sweeps share.
#pragma once

#include <array>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// Largest distance of a point of the box from the origin of its frame, at most [m].
inline double reach(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

inline std::array<Vec3, 8> corners(const Box& box) {
  std::array<Vec3, 8> result;
  for (unsigned i = 0; i < 8; ++i) {
    result[i] = {(i & 1U) != 0 ? box.high.x : box.low.x, (i & 2U) != 0 ? box.high.y : box.low.y,
                 (i & 4U) != 0 ? box.high.z : box.low.z};
  }
  return result;
}

}  // namespace clearance::detail
