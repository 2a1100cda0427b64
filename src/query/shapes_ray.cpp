// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a ray first meets a mesh. Whether it meets a triangle is decided by the proven test of
// geometry; how far away, by the plane of the triangle, or, where the ray runs nearly within that
// plane, by the edges.
#include <algorithm>
#include <cmath>

#include <clearance/base/assert.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>
#include <clearance/query/shapes.h>

#include "query/wide_shape.h"

namespace clearance {
namespace {

/// Below this sine of the angle between ray and triangle the crossing with the plane has lost half
/// of its digits, and the nearest points of ray and edges are the better answer.
constexpr double kGrazing = 1e-8;

class RayVisitor {
 public:
  RayVisitor(const Bvh& mesh, const Vec3& origin, const Vec3& direction, double length)
      : mesh_(mesh),
        origin_(origin),
        direction_(direction),
        length_(length),
        segment_{origin, origin + length * direction},
        best_(std::numeric_limits<double>::infinity()),
        threshold_(detail::float_above(length)) {}

  [[nodiscard]] float threshold() const { return threshold_; }
  bool triangle(std::uint32_t t) {
    const Triangle triangle = mesh_.triangle(t);
    if (!intersects(segment_, triangle)) return false;
    const double at = std::clamp(crossing(triangle), 0.0, length_);
    if (at < best_ || (at == best_ && t < found)) {
      best_ = at;
      found = t;
      threshold_ = std::min(threshold_, detail::float_above(at));
    }
    return false;
  }
  [[nodiscard]] double best() const { return best_; }
  std::uint32_t found = kNoTriangle;

 private:
  [[nodiscard]] double crossing(const Triangle& t) const {
    const Vec3 normal = cross(t.b - t.a, t.c - t.a);
    const double slope = dot(normal, direction_);
    if (std::abs(slope) > kGrazing * norm(normal)) {
      // The normal of a sliver may lean: where the crossing is not on the triangle, a point that
      // both are known to share is.
      const double at = dot(normal, t.a - origin_) / slope;
      const double tolerance = 8.0 * kShapeContactError * (length_ + distance(t.a, origin_));
      if (closest_points(origin_ + at * direction_, t).distance <= tolerance) return at;
      return dot(closest_points(segment_, t).on_a - origin_, direction_);
    }
    // The nearest edge that is as near to the ray as any; the origin itself may lie within.
    double gap = std::numeric_limits<double>::infinity();
    double at = 0.0;
    const auto consider = [&](double distance, double along) {
      const double tolerance = kShapeContactError * length_;
      if (distance < gap - tolerance || (distance <= gap + tolerance && along < at)) {
        gap = std::min(gap, distance);
        at = along;
      }
    };
    consider(closest_points(origin_, t).distance, 0.0);
    for (const Segment& edge : {Segment{t.a, t.b}, Segment{t.b, t.c}, Segment{t.c, t.a}}) {
      const ClosestPoints points = closest_points(segment_, edge);
      consider(points.distance, dot(points.on_a - origin_, direction_));
      // Of an edge along the ray, any point may have come back: its ends are the outermost.
      for (const Vec3& end : {edge.a, edge.b}) {
        const Vec3 on_ray = closest_point(end, segment_);
        consider(distance(end, on_ray), dot(on_ray - origin_, direction_));
      }
    }
    return at;
  }

  const Bvh& mesh_;
  Vec3 origin_;
  Vec3 direction_;
  double length_;
  Segment segment_;
  double best_;
  float threshold_;
};

}  // namespace

RayHit first_hit(const Bvh& mesh, const Vec3& origin, const Vec3& direction, double max_distance) {
  const Vec3 along = normalized(direction);
  CLEARANCE_ASSERT(mesh.wide() != nullptr);
  CLEARANCE_ASSERT(is_finite(origin) && norm(along) > 0.5 && max_distance >= 0.0);
  // Beyond the far side of the mesh there is nothing to find.
  const Box& bounds = mesh.bounds();
  const double far = distance(origin, bounds.center()) + bounds.diagonal();
  RayVisitor visitor(mesh, origin, along, std::min(max_distance, far));

  const Vec3 y = any_perpendicular(along);
  const Pose ray{Mat3::from_columns(along, y, cross(along, y)), origin};
  RayHit result;
  detail::descend_shape(*mesh.wide(), detail::RayKernel(*mesh.wide(), ray), visitor, result.work);
  if (visitor.found == kNoTriangle) return result;
  result.hit = true;
  result.distance = visitor.best();
  result.point = origin + visitor.best() * along;
  result.triangle = visitor.found;
  const Triangle t = mesh.triangle(visitor.found);
  result.normal = normalized(cross(t.b - t.a, t.c - t.a));
  return result;
}

}  // namespace clearance
