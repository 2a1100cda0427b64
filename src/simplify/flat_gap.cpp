// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/flat_gap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace clearance::detail {
namespace {

/// The other face is looked for from a place nearer to it by this part of the radius.
constexpr double kAcross = 0.1;
/// Faces are opposite when their normals differ from that by no more [rad].
constexpr double kOpposite = 1e-3;
/// Faces that lean out of the plane by more than this are not looked at [rad]. They may lean
/// towards the place: pockets end in round corners, of flat pieces.
constexpr double kLeaning = 0.3;
/// Triangles that leave less than this of a square, as a part of the coordinates, cover it; those
/// with a smaller angle than kLeastAngle [rad], where that could be far away, are left out.
constexpr double kThin = 1e-13;
constexpr double kLeastAngle = 1e-3;

struct Point {
  double u = 0.0, v = 0.0;
};
using Polygon = std::vector<Point>;

/// What of a convex polygon is on the left of the line from a to b, or no farther to the right of
/// it than `beyond`; the other way round for is_right.
Polygon clipped(const Polygon& polygon, const Point& a, const Point& b, double beyond,
                bool is_right) {
  const double length = std::hypot(b.u - a.u, b.v - a.v);
  const auto left = [&](const Point& p) {
    const double side = ((b.u - a.u) * (p.v - a.v) - (b.v - a.v) * (p.u - a.u)) / length + beyond;
    return is_right ? -side : side;
  };
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& p = polygon[i];
    const Point& q = polygon[(i + 1) % polygon.size()];
    const double at_p = left(p);
    const double at_q = left(q);
    if (at_p >= 0.0) kept.push_back(p);
    if ((at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0)) {
      const double t = at_p / (at_p - at_q);
      kept.push_back({p.u + t * (q.u - p.u), p.v + t * (q.v - p.v)});
    }
  }
  return kept;
}

bool is_thin(const Polygon& polygon, double thin) {
  if (polygon.size() < 3) return true;
  double low = polygon[0].u, high = low, low_v = polygon[0].v, high_v = low_v;
  for (const Point& p : polygon) {
    low = std::min(low, p.u), high = std::max(high, p.u);
    low_v = std::min(low_v, p.v), high_v = std::max(high_v, p.v);
  }
  return high - low <= thin && high_v - low_v <= thin;
}

/// How far the surface may be behind the points of a disc, seen along the normal, when a few
/// triangles cover it.
std::optional<double> flatness(const BodyProbe& body, const Vec3& middle, const Vec3& normal,
                               double around) {
  const Vec3 u = any_perpendicular(normal);
  const Vec3 v = cross(normal, u);
  // The triangles at the middle, the corners and the sides of a square around the disc.
  std::vector<std::uint32_t> triangles;
  for (int i = 0; i < 9; ++i) {
    const int row = i / 3;
    const std::array<double, 2> corner{double(i % 3) - 1.0, double(row) - 1.0};
    const Vec3 at = middle + around * (corner[0] * u + corner[1] * v);
    const SurfacePoint near = body.surface(at);
    if (near.distance > kLeaning * around + 8.0 * body.slack(at)) return std::nullopt;
    if (std::find(triangles.begin(), triangles.end(), near.triangle) == triangles.end())
      triangles.push_back(near.triangle);
  }
  const double thin = kThin * (norm(middle) + around) + body.slack(middle);
  const Polygon square{{-around, -around}, {around, -around}, {around, around}, {-around, around}};
  std::vector<Polygon> left{square};
  double off = 0.0;
  for (const std::uint32_t t : triangles) {
    const Triangle whole = body.body().bvh().triangle(t);
    const std::array<Vec3, 3> triangle{whole.a, whole.b, whole.c};
    std::array<Point, 3> corner;
    std::array<double, 3> height{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 way = triangle[k] - middle;
      corner[k] = {dot(way, u), dot(way, v)};
      height[k] = dot(way, normal);
    }
    const auto side = [&](std::size_t k) {
      return Point{corner[(k + 1) % 3].u - corner[k].u, corner[(k + 1) % 3].v - corner[k].v};
    };
    const double doubled = side(0).u * side(1).v - side(0).v * side(1).u;
    if (doubled < 0.0) std::swap(corner[1], corner[2]), std::swap(height[1], height[2]);
    const double area = std::abs(doubled);
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      longest = std::max(longest, std::hypot(side(k).u, side(k).v));
    if (!(area > kLeastAngle * longest * longest)) continue;
    // Its plane over the square: slopes from the two sides at the first corner.
    const Point a = side(0);
    const Point b{corner[2].u - corner[0].u, corner[2].v - corner[0].v};
    const double rise_a = height[1] - height[0];
    const double rise_b = height[2] - height[0];
    const double slope_u = (rise_a * b.v - rise_b * a.v) / area;
    const double slope_v = (rise_b * a.u - rise_a * b.u) / area;
    for (const Point& p : square) {
      off = std::max(
          off, std::abs(height[0] + slope_u * (p.u - corner[0].u) + slope_v * (p.v - corner[0].v)));
    }
    std::vector<Polygon> next;
    for (Polygon& polygon : left) {
      for (std::size_t k = 0; k < 3; ++k) {
        Polygon outside = clipped(polygon, corner[k], corner[(k + 1) % 3], thin, true);
        if (!is_thin(outside, thin)) next.push_back(std::move(outside));
        polygon = clipped(polygon, corner[k], corner[(k + 1) % 3], thin, false);
        if (polygon.size() < 3) break;
      }
    }
    left = std::move(next);
    if (left.empty()) break;
  }
  if (!left.empty()) return std::nullopt;
  // Points beyond a side by `thin` are beyond a corner by no more than this.
  return off + 4.0 * thin / kLeastAngle;
}

}  // namespace

bool is_between_flat_faces(const BodyProbe& body, const Vec3& place, double around, double radius,
                           const Vec3& touched) {
  const double far = distance(place, touched);
  if (!(far > 0.5 * radius) || !(around < 0.5 * radius)) return false;
  const Vec3 up = (1.0 / far) * (place - touched);
  const Vec3 nearer = place + kAcross * radius * up;
  const SurfacePoint other = body.surface(nearer);
  if (!(other.distance > 0.5 * radius)) return false;
  const Vec3 down = (1.0 / other.distance) * (nearer - other.nearest);
  if (norm(up + down) > kOpposite) return false;
  // How far a place is from the nearer of two planes is at most the mean of how far it is from
  // both, which changes by no more than half of what is left of the two normals.
  const double mean = 0.5 * (far + dot(down, place - other.nearest) + around * norm(up + down));
  const double slack = 4.0 * body.slack(place);
  if (!(mean + slack < radius)) return false;
  const std::optional<double> one = flatness(body, touched, up, around);
  if (!one || !(mean + *one + slack < radius)) return false;
  // The other disc is below the place as well, up to how much the faces lean.
  const Vec3 below = place - dot(down, place - other.nearest) * down;
  const std::optional<double> two = flatness(body, below, down, around);
  return two && mean + 0.5 * (*one + *two) + slack < radius;
}

}  // namespace clearance::detail
