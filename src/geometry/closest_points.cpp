// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points and segments against points, segments and flat shapes.
#include <clearance/geometry/closest_points.h>

#include "geometry/flat_face.h"
#include "geometry/segment_core.h"

namespace clearance {
namespace {

using detail::FlatFace;

/// p and its nearest point q, both relative to origin.
ClosestPoints point_result(const Vec3& p, const Vec3& p_local, const Vec3& q_local,
                           const Vec3& origin) {
  const double distance = norm(p_local - q_local);
  return {p, distance == 0.0 ? p : origin + q_local, distance};
}

Vec3 nearest_local(const Vec3& p_local, const Segment& s) {
  const Vec3 d = s.b - s.a;
  return detail::nearest_fraction(p_local, d) * d;
}

}  // namespace

Vec3 closest_point(const Vec3& p, const Segment& s) { return s.a + nearest_local(p - s.a, s); }

double squared_distance(const Vec3& p, const Segment& s) {
  const Vec3 local = p - s.a;
  return squared_norm(local - nearest_local(local, s));
}

ClosestPoints closest_points(const Vec3& p, const Segment& s) {
  const Vec3 local = p - s.a;
  return point_result(p, local, nearest_local(local, s), s.a);
}

Vec3 closest_point(const Vec3& p, const Triangle& t) {
  const FlatFace face(t);
  return face.origin + face.nearest(p - face.origin);
}

double squared_distance(const Vec3& p, const Triangle& t) {
  const FlatFace face(t);
  const Vec3 local = p - face.origin;
  return squared_norm(local - face.nearest(local));
}

ClosestPoints closest_points(const Vec3& p, const Triangle& t) {
  const FlatFace face(t);
  const Vec3 local = p - face.origin;
  return point_result(p, local, face.nearest(local), face.origin);
}

Vec3 closest_point(const Vec3& p, const Rectangle& r) {
  return r.corner + detail::nearest_on_rectangle(r, p - r.corner);
}

double squared_distance(const Vec3& p, const Rectangle& r) {
  const Vec3 local = p - r.corner;
  return squared_norm(local - detail::nearest_on_rectangle(r, local));
}

ClosestPoints closest_points(const Vec3& p, const Rectangle& r) {
  const Vec3 local = p - r.corner;
  return point_result(p, local, detail::nearest_on_rectangle(r, local), r.corner);
}

double squared_distance(const Segment& a, const Segment& b) {
  return detail::nearest_on_segments({}, a.b - a.a, b.a - a.a, b.b - b.a).squared;
}

ClosestPoints closest_points(const Segment& a, const Segment& b) {
  return to_result(detail::nearest_on_segments({}, a.b - a.a, b.a - a.a, b.b - b.a), a.a);
}

ClosestPoints closest_points(const Segment& s, const Triangle& t) {
  const FlatFace face(t);
  return to_result(nearest_on_face(s.a - face.origin, s.b - s.a, face), face.origin);
}

ClosestPoints closest_points(const Segment& s, const Rectangle& r) {
  const FlatFace face(r);
  return to_result(nearest_on_face(s.a - face.origin, s.b - s.a, face), face.origin);
}

}  // namespace clearance
