// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Poses as the search sees them: where the pivot is and how the body is turned. A step is six
// numbers of one kind: the way of the pivot, and the turn times a radius.
#pragma once

#include <algorithm>
#include <cmath>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

struct Place {
  Vec3 position;    ///< of the pivot, world [m]
  Quaternion turn;  ///< world from body
};

/// A small motion: the pivot goes by `way`, the body turns about it by `turn` / radius (world
/// axes).
struct Step6 {
  Vec3 way;   ///< [m]
  Vec3 turn;  ///< turn vector [rad] times the radius of the metric [m]

  Step6& operator+=(const Step6& b) { return way += b.way, turn += b.turn, *this; }
};
inline Step6 operator*(double s, const Step6& a) { return {s * a.way, s * a.turn}; }
inline Step6 operator+(const Step6& a, const Step6& b) { return {a.way + b.way, a.turn + b.turn}; }
inline Step6 operator-(const Step6& a, const Step6& b) { return {a.way - b.way, a.turn - b.turn}; }
inline double dot(const Step6& a, const Step6& b) {
  return dot(a.way, b.way) + dot(a.turn, b.turn);
}
inline double norm(const Step6& a) { return std::sqrt(dot(a, a)); }

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
inline Quaternion conjugate(const Quaternion& q) { return {-q.x, -q.y, -q.z, q.w}; }
inline Quaternion unit(const Quaternion& q) {
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}
inline double cosine(const Quaternion& a, const Quaternion& b) {
  return std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

/// The turn of a rotation vector [rad].
inline Quaternion turn_by(const Vec3& vector) {
  const double angle = norm(vector);
  if (angle < 1e-12) return unit({0.5 * vector.x, 0.5 * vector.y, 0.5 * vector.z, 1.0});
  const double s = std::sin(0.5 * angle) / angle;
  return {s * vector.x, s * vector.y, s * vector.z, std::cos(0.5 * angle)};
}
/// The rotation vector of a turn, at most half a turn long [rad].
inline Vec3 vector_of(const Quaternion& q) {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const Vec3 v{sign * q.x, sign * q.y, sign * q.z};
  const double sine = norm(v);
  if (sine < 1e-12) return 2.0 * v;
  return (2.0 * std::atan2(sine, sign * q.w) / sine) * v;
}

inline Pose pose_of(const Place& place, const Vec3& pivot) {
  const Mat3 rotation = rotation_from(place.turn);
  return {rotation, place.position - rotation * pivot};
}
inline Place place_of(const Pose& pose, const Vec3& pivot) {
  return {pose * pivot, quaternion_from(pose.rotation)};
}

/// The step from one place to another.
inline Step6 between(const Place& from, const Place& to, double radius) {
  return {to.position - from.position, radius * vector_of(to.turn * conjugate(from.turn))};
}
inline Place moved(const Place& from, const Step6& step, double radius) {
  return {from.position + step.way, unit(turn_by(step.turn / radius) * from.turn)};
}

/// Squared length of the step between two places, the turn as a chord: monotone in the angle, and
/// without an arc cosine. Equal to the square of the step to a few percent for small turns.
inline double squared_gap(const Place& a, const Place& b, double radius) {
  return squared_norm(a.position - b.position) +
         8.0 * radius * radius * std::max(0.0, 1.0 - cosine(a.turn, b.turn));
}

inline bool inside(const Box& box, const Vec3& p) {
  return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x &&
         p.y <= box.high.y && p.z <= box.high.z;
}

}  // namespace clearance::detail
