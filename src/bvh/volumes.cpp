// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/volumes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace clearance::detail {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Bound on the rounding error of the distance of a point p from a rounded box, as a fraction of
/// |p - center|: the difference 1 u, three products with axes 4 u each, what is left of p after
/// taking away three multiples 8 u, its norm 4 u; doubled. u is 2^-53.
constexpr double kDistanceRounding = 40.0 * 0x1p-53;

/// What is left of p - center once its part within the box is taken away.
Vec3 beyond_box(const RoundedBox& volume, const Vec3& from_center) {
  Vec3 rest = from_center;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 axis = volume.axes.column(i);
    const double half = volume.half_size[i];
    rest -= std::min(std::max(dot(axis, from_center), -half), half) * axis;
  }
  return rest;
}

/// The squares of the greatest distances of a corner from the box and from its centre. The three
/// corners of a triangle are looked at together.
struct CornerReach {
  double beyond_sq = 0.0;
  double center_sq = 0.0;
};
CornerReach corner_reach(const RoundedBox& volume, std::span<const Triangle> triangles) {
  using Lanes = FramePoint;
  const auto all = [](double value) { return Lanes{value, value, value, value}; };
  const auto greater = [](const Lanes& a, const Lanes& b) { return b > a ? b : a; };
  const auto lesser = [](const Lanes& a, const Lanes& b) { return b < a ? b : a; };
  std::array<Lanes, 9> axes;
  std::array<Lanes, 3> half;
  for (std::size_t i = 0; i < 3; ++i) {
    half[i] = all(volume.half_size[i]);
    for (std::size_t k = 0; k < 3; ++k) axes[3 * i + k] = all(volume.axes[k][i]);
  }
  Lanes beyond_sq = all(0.0);
  Lanes center_sq = all(0.0);
  for (const Triangle& t : triangles) {
    const Lanes x = Lanes{t.a.x, t.b.x, t.c.x, t.c.x} - all(volume.center.x);
    const Lanes y = Lanes{t.a.y, t.b.y, t.c.y, t.c.y} - all(volume.center.y);
    const Lanes z = Lanes{t.a.z, t.b.z, t.c.z, t.c.z} - all(volume.center.z);
    Lanes rest_x = x;
    Lanes rest_y = y;
    Lanes rest_z = z;
    for (std::size_t i = 0; i < 3; ++i) {
      const Lanes& axis_x = axes[3 * i];
      const Lanes& axis_y = axes[3 * i + 1];
      const Lanes& axis_z = axes[3 * i + 2];
      const Lanes along = axis_x * x + axis_y * y + axis_z * z;
      const Lanes within = lesser(greater(along, -half[i]), half[i]);
      rest_x -= within * axis_x;
      rest_y -= within * axis_y;
      rest_z -= within * axis_z;
    }
    beyond_sq = greater(beyond_sq, rest_x * rest_x + rest_y * rest_y + rest_z * rest_z);
    center_sq = greater(center_sq, x * x + y * y + z * z);
  }
  return {std::max({beyond_sq[0], beyond_sq[1], beyond_sq[2]}),
          std::max({center_sq[0], center_sq[1], center_sq[2]})};
}

/// How far the surface of a ball whose middle is `off` above its plane reaches along the plane.
double reach(double radius_sq, double off) {
  return std::sqrt(std::max(0.0, radius_sq - off * off));
}

/// The rectangle for a given thickness. Its sides come as near to the middle as the ball allows
/// for every point; then its corners are pushed out along their diagonals where points beyond two
/// sides at once are still outside.
FramedVolume fit_rss(std::span<const FramePoint> points, const Extents& extents) {
  // Across the rectangle is the axis along which the points spread least.
  std::size_t z = 0;
  const auto thickness = [&](std::size_t k) { return extents.high[k] - extents.low[k]; };
  for (const std::size_t k : {1, 2}) {
    if (thickness(k) <= thickness(z)) z = k;
  }
  const std::size_t x = (z + 1) % 3;
  const std::size_t y = (z + 2) % 3;

  FramedVolume result;
  const double radius = 0.5 * thickness(z);
  const double radius_sq = radius * radius;
  const double middle = 0.5 * (extents.high[z] + extents.low[z]);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low_x = kInfinity;
  double high_x = -kInfinity;
  double low_y = kInfinity;
  double high_y = -kInfinity;
  // No jumps in either loop: on the small sets that most nodes are they cannot be foreseen.
  for (const FramePoint& p : points) {
    const double within = reach(radius_sq, p[z] - middle);
    low_x = std::min(low_x, p[x] + within);
    high_x = std::max(high_x, p[x] - within);
    low_y = std::min(low_y, p[y] + within);
    high_y = std::max(high_y, p[y] - within);
  }
  if (low_x > high_x) low_x = high_x = 0.5 * (low_x + high_x);
  if (low_y > high_y) low_y = high_y = 0.5 * (low_y + high_y);

  for (const FramePoint& p : points) {
    const double beyond_x = std::max(low_x - p[x], p[x] - high_x);
    const double beyond_y = std::max(low_y - p[y], p[y] - high_y);
    const double off = p[z] - middle;
    const double within_sq = std::max(0.0, radius_sq - off * off);
    const bool inside = (beyond_x <= 0.0) | (beyond_y <= 0.0) |
                        (beyond_x * beyond_x + beyond_y * beyond_y <= within_sq);
    if (inside) continue;
    // The least s with (beyond_x - s)² + (beyond_y - s)² = within_sq.
    const double difference = beyond_x - beyond_y;
    const double root = std::sqrt(std::max(0.0, 2.0 * within_sq - difference * difference));
    const double step = std::max(0.0, 0.5 * (beyond_x + beyond_y - root));
    (p[x] < low_x ? low_x : high_x) += p[x] < low_x ? -step : step;
    (p[y] < low_y ? low_y : high_y) += p[y] < low_y ? -step : step;
  }

  result.center[x] = 0.5 * (low_x + high_x);
  result.center[y] = 0.5 * (low_y + high_y);
  result.center[z] = middle;
  result.half_size[x] = 0.5 * (high_x - low_x);
  result.half_size[y] = 0.5 * (high_y - low_y);
  result.radius = radius;
  return result;
}

FramedVolume fit_box(const Extents& extents) {
  FramedVolume result;
  for (std::size_t k = 0; k < 3; ++k) {
    result.center[k] = 0.5 * (extents.high[k] + extents.low[k]);
    result.half_size[k] = 0.5 * (extents.high[k] - extents.low[k]);
  }
  return result;
}

FramedVolume fit_sphere(std::span<const FramePoint> points, const Extents& extents) {
  FramedVolume result = fit_box(extents);
  result.half_size = {};
  double largest = 0.0;
  for (const FramePoint& p : points) {
    double squared = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      squared += (p[k] - result.center[k]) * (p[k] - result.center[k]);
    }
    largest = std::max(largest, squared);
  }
  result.radius = std::sqrt(largest);
  return result;
}

Mat3 frame_of_triangle(const Triangle& t) {
  const std::array<Vec3, 3> sides{t.b - t.a, t.c - t.b, t.a - t.c};
  std::size_t longest = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (squared_norm(sides[i]) > squared_norm(sides[longest])) longest = i;
  }
  // Scaled to 1, so that no square below underflows.
  const double size = largest_component(abs(sides[longest]));
  if (!(size > 0.0)) return Mat3::identity();
  const Vec3 first = normalized(sides[longest] / size);
  const Vec3 other = sides[(longest + 1) % 3] / size;
  Vec3 second = other - dot(other, first) * first;
  // Below this width, of the longest side, the rest is too much rounding to become perpendicular
  // in one more step; and which way such a needle is flat does not matter.
  constexpr double kNoWidth = 1e-8;
  second = norm(second) > kNoWidth ? normalized(second) : any_perpendicular(first);
  second = normalized(second - dot(second, first) * first);
  return Mat3::from_columns(first, second, cross(first, second));
}

}  // namespace

double surface_area(const Vec3& half_size, double radius) {
  const Vec3 s = 2.0 * half_size;
  return 2.0 * (s.x * s.y + s.y * s.z + s.z * s.x) + 2.0 * kPi * radius * (s.x + s.y + s.z) +
         4.0 * kPi * radius * radius;
}

double enclosed_volume(const Vec3& half_size, double radius) {
  const Vec3 s = 2.0 * half_size;
  return s.x * s.y * s.z + 2.0 * radius * (s.x * s.y + s.y * s.z + s.z * s.x) +
         kPi * radius * radius * (s.x + s.y + s.z) + 4.0 / 3.0 * kPi * radius * radius * radius;
}

double FramedVolume::area() const {
  return surface_area({half_size[0], half_size[1], half_size[2]}, radius);
}

FramedVolume fit_in_frame(Volume volume, std::span<const FramePoint> points,
                          const Extents& extents) {
  switch (volume) {
    case Volume::Rss:
      return fit_rss(points, extents);
    case Volume::Sphere:
      return fit_sphere(points, extents);
    case Volume::Obb:
    case Volume::Aabb:
    case Volume::Wide:
      break;
  }
  return fit_box(extents);
}

RoundedBox bounding_volume(const FramedVolume& fitted, const Vec3& origin, const Mat3& axes,
                           std::span<const Triangle> triangles) {
  // Axes in order of size; a rectangle's missing one comes last.
  std::array<std::size_t, 3> order{0, 1, 2};
  if (axes != Mat3::identity()) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return fitted.half_size[i] > fitted.half_size[j];
    });
  }
  RoundedBox result;
  // The last is turned round when the new order would be left-handed.
  const bool even = (order[0] + 1) % 3 == order[1];
  const Vec3 last = axes.column(order[2]);
  result.axes =
      Mat3::from_columns(axes.column(order[0]), axes.column(order[1]), even ? last : -last);
  result.half_size = {fitted.half_size[order[0]], fitted.half_size[order[1]],
                      fitted.half_size[order[2]]};
  result.center = axes * Vec3{fitted.center[0], fitted.center[1], fitted.center[2]} + origin;

  const CornerReach reach = corner_reach(result, triangles);
  // The second term also makes up for squares that underflow.
  result.radius = std::sqrt(reach.beyond_sq) +
                  kDistanceRounding * (std::sqrt(reach.center_sq) + norm(result.half_size)) +
                  std::numeric_limits<double>::min();
  return result;
}

RoundedBox volume_of_triangle(Volume volume, const Triangle& triangle) {
  return fit_volume(volume, frame_of_triangle(triangle), std::span(&triangle, 1));
}

RoundedBox fit_volume(Volume volume, const Mat3& axes, std::span<const Triangle> triangles) {
  const bool turned = volume == Volume::Rss || volume == Volume::Obb;
  const Mat3 frame = turned ? axes : Mat3::identity();
  const Vec3 origin = triangles.front().a;
  std::vector<FramePoint> many;
  std::array<FramePoint, 3> few;
  std::span<FramePoint> points = few;
  if (triangles.size() > 1) {
    many.resize(3 * triangles.size());
    points = many;
  }
  Extents extents = Extents::none();
  std::size_t count = 0;
  for (const Triangle& t : triangles) {
    for (const Vec3& p : {t.a, t.b, t.c}) {
      const Vec3 local = transpose_times(frame, p - origin);
      points[count] = FramePoint{local.x, local.y, local.z, 0.0};
      extents.include(points[count++]);
    }
  }
  return bounding_volume(fit_in_frame(volume, points, extents), origin, frame, triangles);
}

bool contains(const RoundedBox& volume, const Vec3& p) {
  const Vec3 from_center = p - volume.center;
  return norm(beyond_box(volume, from_center)) +
             kDistanceRounding / 2.0 * (norm(from_center) + norm(volume.half_size)) <=
         volume.radius;
}

}  // namespace clearance::detail
