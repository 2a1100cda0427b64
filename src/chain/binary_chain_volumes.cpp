// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/binary_chain_volumes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include <clearance/geometry/symmetric_eigen.h>

#include "chain/link_pair.h"

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a coordinate may be off that went from the frame of a child through that of its parent into
/// that of a box and back, as a fraction of the magnitudes: some thirty operations of 1e-16 and
/// axes orthonormal to 1e-15.
constexpr double kFitError = 1e-14;

/// A point with a ball around it: volumes are the hulls of a few of these.
using BallPoint = Sphere;

/// Corner i of a box around the origin: the first four have z below.
Vec3 corner(const Vec3& half, std::size_t i) {
  return {(i & 1U) != 0 ? half.x : -half.x, (i & 2U) != 0 ? half.y : -half.y,
          (i & 4U) != 0 ? half.z : -half.z};
}

/// The corners of a volume, moved; returns how many. Eight of a box, four of a rectangle.
std::size_t corners_of(const RoundedBox& volume, const Pose& pose, std::span<BallPoint, 8> out) {
  const std::size_t count = volume.half_size.z == 0.0 ? 4 : 8;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 local = volume.axes * corner(volume.half_size, i);
    out[i] = {pose * (volume.center + local), volume.radius};
  }
  return count;
}

/// The hull of a link as points with balls.
std::vector<BallPoint> hull_of(const LinkShape& link) {
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) return *spheres;
  if (const auto* capsule = std::get_if<Capsule>(&link)) {
    return {{capsule->axis.a, capsule->radius}, {capsule->axis.b, capsule->radius}};
  }
  const Box box = bounds_of(link);
  std::vector<BallPoint> corners;
  if (box.empty()) return corners;
  for (std::size_t i = 0; i < 8; ++i) {
    corners.push_back({box.center() + corner(0.5 * box.size(), i), 0.0});
  }
  return corners;
}

/// Axes along which the points spread most and least.
Mat3 principal_axes(std::span<const BallPoint> points) {
  Vec3 mean;
  for (const BallPoint& p : points) mean += p.center;
  mean *= 1.0 / static_cast<double>(points.size());
  Mat3 covariance = Mat3::zero();
  for (const BallPoint& p : points) {
    covariance = covariance + outer(p.center - mean, p.center - mean);
  }
  return eigen_of_symmetric(covariance).vectors;
}

RoundedBox fit_box(const Mat3& axes, std::span<const BallPoint> points) {
  Vec3 low{kInfinity, kInfinity, kInfinity};
  Vec3 high = -low;
  for (const BallPoint& p : points) {
    const Vec3 along = transpose_times(axes, p.center);
    const Vec3 ball{p.radius, p.radius, p.radius};
    low = min(low, along - ball);
    high = max(high, along + ball);
  }
  return box_between(axes, low, high);
}

/// The rectangle lies across the axis along which the points spread least, in the middle. Its sides
/// come as near to the middle as the thickness allows.
RoundedBox fit_rectangle(const Mat3& axes, std::span<const BallPoint> points) {
  double low_z = kInfinity;
  double high_z = -kInfinity;
  for (const BallPoint& p : points) {
    const double z = dot(axes.column(2), p.center);
    low_z = std::min(low_z, z - p.radius);
    high_z = std::max(high_z, z + p.radius);
  }
  const double middle_z = 0.5 * (low_z + high_z);
  const double thickness = 0.5 * (high_z - low_z);
  Vec3 low{kInfinity, kInfinity, 0.0};
  Vec3 high = -low;
  for (const BallPoint& p : points) {
    const Vec3 along = transpose_times(axes, p.center);
    // How far the ball may stick out of the rectangle at its height.
    const double rest = thickness - p.radius;
    const double off = along.z - middle_z;
    const double reach = std::sqrt(std::max(0.0, rest * rest - off * off));
    low = min(low, along + Vec3{reach, reach, 0.0});
    high = max(high, along - Vec3{reach, reach, 0.0});
  }
  RoundedBox volume;
  volume.axes = axes;
  // Sides that passed each other: everything is within the thickness of a point or a line.
  const Vec3 size = max(high - low, Vec3{});
  const Vec3 middle = 0.5 * (low + high);
  volume.half_size = {0.5 * size.x, 0.5 * size.y, 0.0};
  volume.center = axes * Vec3{middle.x, middle.y, middle_z};
  // Points beyond two sides at once decide about the radius.
  double magnitude = norm(volume.center) + norm(volume.half_size);
  for (const BallPoint& p : points) {
    const Vec3 local = transpose_times(axes, p.center - volume.center);
    const double beyond = norm(local - max(-volume.half_size, min(volume.half_size, local)));
    volume.radius = std::max(volume.radius, beyond + p.radius);
    magnitude = std::max(magnitude, norm(p.center) + p.radius);
  }
  volume.radius += 2.0 * kFitError * magnitude;
  return volume;
}

/// The nearest rotation to a matrix that is one to kRigidTolerance: R (3 - RᵀR) / 2 squares what it
/// is off, and twice brings that below rounding.
Mat3 straightened(Mat3 r) {
  for (int i = 0; i < 2; ++i) {
    r = r * (Mat3::diagonal({1.5, 1.5, 1.5}) - 0.5 * (transpose(r) * r));
  }
  return r;
}

RoundedBox fit(Volume kind, const Mat3& axes, std::span<const BallPoint> points) {
  return kind == Volume::Rss ? fit_rectangle(axes, points) : fit_box(axes, points);
}

}  // namespace

RoundedBox box_between(const Mat3& axes, const Vec3& low, const Vec3& high) {
  RoundedBox box;
  box.axes = axes;
  box.half_size = 0.5 * (high - low);
  box.center = axes * (0.5 * (low + high));
  box.radius = kFitError * (norm(box.center) + norm(box.half_size));
  return box;
}

RoundedBox volume_of_link(Volume kind, const LinkShape& link) {
  const std::vector<BallPoint> points = hull_of(link);
  if (points.empty()) return empty_volume();
  const Mat3 axes = points.size() > 1 ? principal_axes(points) : Mat3::identity();
  return fit(kind, axes, points);
}

RoundedBox volume_of_two(Volume kind, Axes choice, const RoundedBox& a, const RoundedBox& b,
                         const Pose& a_from_b) {
  std::array<BallPoint, 16> corners;
  std::size_t count = 0;
  if (!is_empty(a)) count += corners_of(a, Pose::identity(), std::span(corners).first<8>());
  if (!is_empty(b)) {
    std::array<BallPoint, 8> moved;
    const std::size_t more = corners_of(b, a_from_b, moved);
    std::copy_n(moved.begin(), more, corners.begin() + static_cast<std::ptrdiff_t>(count));
    count += more;
  }
  if (count == 0) return empty_volume();
  const std::span<const BallPoint> points = std::span(corners).first(count);
  RoundedBox best = fit(kind, principal_axes(points), points);
  if (choice == Axes::Principal || is_empty(a) || is_empty(b)) return best;
  const auto area = [](const RoundedBox& box) { return surface_area(box.half_size, box.radius); };
  for (const Mat3& axes : {a.axes, straightened(a_from_b.rotation * b.axes)}) {
    const RoundedBox other = fit(kind, axes, points);
    if (area(other) < area(best)) best = other;
  }
  return best;
}

double farthest_along(const RoundedBox& volume, const Vec3& direction) {
  const Vec3 along = abs(transpose_times(volume.axes, direction));
  return dot(volume.center, direction) + dot(along, volume.half_size) +
         volume.radius * norm(direction);
}

double farthest_along(const LinkShape& link, const RoundedBox& link_volume, const Vec3& direction) {
  const double length = norm(direction);
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    double farthest = -kInfinity;
    for (const Sphere& s : *spheres) {
      farthest = std::max(farthest, dot(s.center, direction) + s.radius * length);
    }
    return farthest;
  }
  if (const auto* capsule = std::get_if<Capsule>(&link)) {
    return std::max(dot(capsule->axis.a, direction), dot(capsule->axis.b, direction)) +
           capsule->radius * length;
  }
  return farthest_along(link_volume, direction);
}

}  // namespace clearance::detail
