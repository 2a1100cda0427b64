// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stretches of a chain as its tree has them, in place in the world: what a descent of the chain
// against anything else walks over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// What the pose of a link may be off after two dozen products, and the distance measured there, as
/// a fraction of the extent of the scene. Below kChainContactError with both sides of a pair.
inline constexpr double kPlacedPoseError = 4e-14;

struct ChainPart {
  std::uint32_t first = 0;  // links, both included
  std::uint32_t last = 0;
  bool is_link = false;  // opens into nothing
  std::uint32_t level = 0;
  std::uint32_t index = 0;  // which node of the tree it is; the link when it is one
  Pose world_from_part;     // the frame of the node, or of the link
  OrientedBox box;          // around all links, in the world, rounded outward
  Box bounds;               // of that, axis-aligned
};

/// Sets box and bounds: the box [center - half, center + half] of a frame.
inline void set_box(ChainPart& part, const Pose& world_from_frame, const Vec3& center,
                    const Vec3& half) {
  part.box = {{world_from_frame.rotation, world_from_frame * center}, half};
  const Mat3& r = world_from_frame.rotation;
  const Vec3 reach{dot(abs(r[0]), half), dot(abs(r[1]), half), dot(abs(r[2]), half)};
  part.bounds = {part.box.world_from_box.translation - reach,
                 part.box.world_from_box.translation + reach};
}

/// A lower bound of the distance of two boxes, up to rounding: seen in the frame of either.
inline double box_gap(const OrientedBox& a, const OrientedBox& b) {
  const Mat3& ra = a.world_from_box.rotation;
  const Mat3& rb = b.world_from_box.rotation;
  const Vec3 shift = b.world_from_box.translation - a.world_from_box.translation;
  const Vec3 in_a = transpose_times(ra, shift);
  const Vec3 in_b = transpose_times(rb, shift);
  double square_a = 0.0;
  double square_b = 0.0;
  double m[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = std::abs(dot(ra.column(i), rb.column(j)));
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& ha = a.half_size;
    const Vec3& hb = b.half_size;
    const double gap_a =
        std::abs(in_a[i]) - ha[i] - (m[i][0] * hb.x + m[i][1] * hb.y + m[i][2] * hb.z);
    const double gap_b =
        std::abs(in_b[i]) - hb[i] - (m[0][i] * ha.x + m[1][i] * ha.y + m[2][i] * ha.z);
    square_a += gap_a > 0.0 ? gap_a * gap_a : 0.0;
    square_b += gap_b > 0.0 ? gap_b * gap_b : 0.0;
  }
  return std::sqrt(std::max(square_a, square_b));
}

/// The same of two axis-aligned boxes.
inline double bounds_gap(const Box& a, const Box& b) {
  const Vec3 apart = max(max(a.low - b.high, b.low - a.high), Vec3{});
  return norm(apart);
}

/// The largest coordinate of a box.
inline double reach_of(const Box& box) {
  return box.empty() ? 0.0 : largest_component(max(abs(box.low), abs(box.high)));
}

}  // namespace clearance::detail
