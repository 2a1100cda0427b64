// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/volume_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

namespace clearance::detail {
namespace {

/// Rounding of a separation, as a fraction of the magnitudes that enter it: about twenty rounded
/// operations of 1e-16 each, and axes orthonormal to 1e-15, doubled.
constexpr double kSeparationError = 1e-14;
/// Rounding of a point carried from B's frame into A's and set against another, as a fraction of
/// the largest coordinate: about ten operations, doubled.
constexpr double kMotionError = 4e-15;

/// The rectangle of a volume without thickness.
Rectangle rectangle_of(const Vec3& center, const Vec3& axis0, const Vec3& axis1,
                       const Vec3& half_size) {
  return {center - half_size.x * axis0 - half_size.y * axis1,
          {axis0, axis1},
          {2.0 * half_size.x, 2.0 * half_size.y}};
}

bool is_flat(Volume kind) { return kind == Volume::Rss || kind == Volume::Sphere; }

double sum(const Vec3& v) { return v.x + v.y + v.z; }

/// The greatest gap of two boxes along the fifteen axes that can separate them, less the rounding
/// of it; something below zero when there is none. Stops at the first axis that shows more than
/// `enough`.
double axis_separation(const RoundedBox& a, const RoundedBox& b, const Mat3& a_from_b,
                       const Vec3& offset, double enough) {
  // B's axes and middle in the frame of box a.
  const Mat3 to_a = transpose(a.axes);
  const Mat3 turn = to_a * (a_from_b * b.axes);
  const Vec3 d = to_a * offset;
  const Mat3 size{{abs(turn[0]), abs(turn[1]), abs(turn[2])}};
  const double magnitude = sum(abs(d)) + sum(a.half_size) + sum(b.half_size);
  const double error = kSeparationError * magnitude;

  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    best = std::max(best, std::abs(d[i]) - a.half_size[i] - dot(size[i], b.half_size) - error);
  }
  if (best > enough) return best;
  for (std::size_t j = 0; j < 3; ++j) {
    best = std::max(best, std::abs(dot(turn.column(j), d)) - b.half_size[j] -
                              dot(size.column(j), a.half_size) - error);
  }
  if (best > enough) return best;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3;
    const std::size_t i2 = (i + 2) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      // The product of axis i of a and axis j of b, in the frame of a, and its square.
      const double along1 = -turn[i2][j];
      const double along2 = turn[i1][j];
      const double squared = along1 * along1 + along2 * along2;
      // Nearly parallel edges: the axes of the faces tell as much, and the quotient would not.
      constexpr double kParallel = 1e-6;
      if (squared < kParallel) continue;
      const std::size_t j1 = (j + 1) % 3;
      const std::size_t j2 = (j + 2) % 3;
      const double gap = std::abs(along1 * d[i1] + along2 * d[i2]) - a.half_size[i1] * size[i2][j] -
                         a.half_size[i2] * size[i1][j] - b.half_size[j1] * size[i][j2] -
                         b.half_size[j2] * size[i][j1];
      // Only a gap above zero counts in the end, and the root and the quotient cost as much as the
      // rest of the test.
      if (gap > error) best = std::max(best, (gap - error) / std::sqrt(squared) - error);
    }
    if (best > enough) return best;
  }
  return best;
}

}  // namespace

VolumeMotion volume_motion(const Pose& a_from_b, const Box& bounds_a, const Box& bounds_b) {
  VolumeMotion motion{a_from_b, 0.0, 0.0};
  // ||M - R|| is at most ||MᵀM - I||, which is at most three times its largest entry.
  const double off_rotation = 3.0 * rigidity_error(a_from_b.rotation);
  constexpr double kRotationRounding = 1e-15;
  if (off_rotation > kRotationRounding) {
    const Vec3 middle = bounds_b.center();
    motion.a_from_b.rotation = nearest_rotation(a_from_b.rotation);
    motion.a_from_b.translation = a_from_b * middle - motion.a_from_b.rotation * middle;
  }
  const auto reach = [](const Box& box) { return norm(max(abs(box.low), abs(box.high))); };
  motion.rounding = kMotionError * (reach(bounds_a) + 2.0 * reach(bounds_b) +
                                    norm(a_from_b.translation) + norm(motion.a_from_b.translation));
  motion.slack = motion.rounding + off_rotation * bounds_b.diagonal();
  return motion;
}

double VolumePair::lower_bound(const RoundedBox& a, const RoundedBox& b) const {
  const Vec3 offset = motion.a_from_b * b.center - a.center;
  const double thickness = a.radius + b.radius + motion.slack;
  double separation = 0.0;
  if (is_flat(kind_a) && is_flat(kind_b)) {
    if (kind_a == Volume::Sphere && kind_b == Volume::Sphere) {
      separation = norm(offset);
    } else {
      const Mat3& rotation = motion.a_from_b.rotation;
      separation = closest_points(rectangle_of({}, a.axes.column(0), a.axes.column(1), a.half_size),
                                  rectangle_of(offset, rotation * b.axes.column(0),
                                               rotation * b.axes.column(1), b.half_size))
                       .distance;
    }
    separation -= kSeparationError * (separation + 2.0 * (sum(a.half_size) + sum(b.half_size)));
  } else {
    separation = axis_separation(a, b, motion.a_from_b.rotation, offset,
                                 std::numeric_limits<double>::infinity());
  }
  // The thickness itself is rounded by less than the separation's own allowance.
  return std::max(0.0, separation - thickness * (1.0 + kSeparationError));
}

bool VolumePair::farther_than(const RoundedBox& a, const RoundedBox& b, double distance) const {
  const Vec3 offset = motion.a_from_b * b.center - a.center;
  const double needed = (distance + a.radius + b.radius + motion.slack) * (1.0 + kSeparationError);
  // Balls around both settle most of the far pairs.
  const double reach = norm(a.half_size) + norm(b.half_size) + needed;
  if (squared_norm(offset) > reach * reach * (1.0 + kSeparationError)) return true;
  if (is_flat(kind_a) && is_flat(kind_b)) {
    if (kind_a == Volume::Sphere && kind_b == Volume::Sphere) return false;
    const Mat3& rotation = motion.a_from_b.rotation;
    return rectangles_farther_than(
        rectangle_of({}, a.axes.column(0), a.axes.column(1), a.half_size),
        rectangle_of(offset, rotation * b.axes.column(0), rotation * b.axes.column(1), b.half_size),
        needed);
  }
  return axis_separation(a, b, motion.a_from_b.rotation, offset, needed) > needed;
}

}  // namespace clearance::detail
