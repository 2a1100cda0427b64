// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bounding volumes of parts of a chain: oriented boxes and rectangle swept spheres, around links
// and around two volumes.
#pragma once

#include <cstdint>

#include <clearance/chain/chain.h>

#include "bvh/volumes.h"

namespace clearance::detail {

/// A volume around nothing: links without a body.
[[nodiscard]] inline RoundedBox empty_volume() {
  RoundedBox box;
  box.radius = -1.0;
  return box;
}
[[nodiscard]] inline bool is_empty(const RoundedBox& box) { return box.radius < 0.0; }

/// The greatest distance of a point of the volume from the origin of its frame.
[[nodiscard]] inline double reach_of(const RoundedBox& box) {
  return is_empty(box) ? 0.0 : norm(box.center) + norm(box.half_size) + box.radius;
}

/// Around a link, in its frame; `kind` is Obb or Rss.
[[nodiscard]] RoundedBox volume_of_link(Volume kind, const LinkShape& link);

/// How the axes of a volume around two others are chosen.
enum class Axes : std::uint8_t {
  Principal,  ///< along which the corners of both spread most and least
  Least,      ///< those, or the axes of one of the two: whatever makes the least surface
};
/// Around two volumes, the second of which is moved.
[[nodiscard]] RoundedBox volume_of_two(Volume kind, Axes choice, const RoundedBox& a,
                                       const RoundedBox& b, const Pose& a_from_b);

/// The greatest coordinate of a link along a direction of its frame, which need not be of length 1.
/// Of a body that is not round, that of its volume.
[[nodiscard]] double farthest_along(const LinkShape& link, const RoundedBox& link_volume,
                                    const Vec3& direction);
/// The greatest coordinate of a volume along a direction.
[[nodiscard]] double farthest_along(const RoundedBox& volume, const Vec3& direction);

/// The oriented box with these axes (columns) and coordinates along them, rounded outward.
[[nodiscard]] RoundedBox box_between(const Mat3& axes, const Vec3& low, const Vec3& high);

}  // namespace clearance::detail
