// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors of three doubles and 3x3 matrices: plain structs with the usual operations, all inline.
// Why not Eigen in public headers: docs/decisions/0002-own-vectors-in-public-headers.md.
// clearance/geometry/eigen.h converts to and from Eigen for callers who use it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace clearance {

struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  constexpr double& operator[](std::size_t i) { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr double operator[](std::size_t i) const { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  constexpr Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  constexpr Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
  constexpr bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3 operator*(const Vec3& a, double s) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3 operator/(const Vec3& a, double s) { return {a.x / s, a.y / s, a.z / s}; }

constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr double squared_norm(const Vec3& a) { return dot(a, a); }
inline double norm(const Vec3& a) { return std::sqrt(squared_norm(a)); }
inline double distance(const Vec3& a, const Vec3& b) { return norm(a - b); }
/// a / |a|; the zero vector when a is zero (or so short that its square underflows).
inline Vec3 normalized(const Vec3& a) {
  const double length = norm(a);
  return length > 0.0 ? a / length : Vec3{};
}
constexpr Vec3 min(const Vec3& a, const Vec3& b) {
  return {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
}
constexpr Vec3 max(const Vec3& a, const Vec3& b) {
  return {b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z};
}
inline Vec3 abs(const Vec3& a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }
inline double largest_component(const Vec3& a) { return std::fmax(a.x, std::fmax(a.y, a.z)); }
inline bool is_finite(const Vec3& a) {
  // Cheaper than three isfinite: a NaN or an infinity times zero is a NaN.
  const double zero = a.x * 0.0 + a.y * 0.0 + a.z * 0.0;
  return zero == 0.0;
}
/// Some unit vector perpendicular to the unit vector a.
Vec3 any_perpendicular(const Vec3& a);

/// A 3x3 matrix, kept as its three rows: m[row][column].
struct Mat3 {
  std::array<Vec3, 3> rows{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

  constexpr Vec3& operator[](std::size_t row) { return rows[row]; }
  constexpr const Vec3& operator[](std::size_t row) const { return rows[row]; }
  [[nodiscard]] constexpr Vec3 column(std::size_t j) const {
    return {rows[0][j], rows[1][j], rows[2][j]};
  }
  constexpr bool operator==(const Mat3&) const = default;
  static constexpr Mat3 identity() { return {}; }
  static constexpr Mat3 zero() { return {{Vec3{}, Vec3{}, Vec3{}}}; }
  static constexpr Mat3 from_columns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{Vec3{a.x, b.x, c.x}, Vec3{a.y, b.y, c.y}, Vec3{a.z, b.z, c.z}}};
  }
  static constexpr Mat3 diagonal(const Vec3& d) {
    return {{Vec3{d.x, 0, 0}, Vec3{0, d.y, 0}, Vec3{0, 0, d.z}}};
  }
};

constexpr Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {dot(m.rows[0], v), dot(m.rows[1], v), dot(m.rows[2], v)};
}
constexpr Mat3 transpose(const Mat3& m) {
  return Mat3::from_columns(m.rows[0], m.rows[1], m.rows[2]);
}
/// transpose(m) * v, without forming the transpose.
constexpr Vec3 transpose_times(const Mat3& m, const Vec3& v) {
  return v.x * m.rows[0] + v.y * m.rows[1] + v.z * m.rows[2];
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {{transpose_times(b, a.rows[0]), transpose_times(b, a.rows[1]),
           transpose_times(b, a.rows[2])}};
}
constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {{a.rows[0] + b.rows[0], a.rows[1] + b.rows[1], a.rows[2] + b.rows[2]}};
}
constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
  return {{a.rows[0] - b.rows[0], a.rows[1] - b.rows[1], a.rows[2] - b.rows[2]}};
}
constexpr Mat3 operator*(double s, const Mat3& m) {
  return {{s * m.rows[0], s * m.rows[1], s * m.rows[2]}};
}
/// a bᵀ
constexpr Mat3 outer(const Vec3& a, const Vec3& b) { return {{a.x * b, a.y * b, a.z * b}}; }
constexpr double determinant(const Mat3& m) { return dot(m.rows[0], cross(m.rows[1], m.rows[2])); }
constexpr double trace(const Mat3& m) { return m.rows[0].x + m.rows[1].y + m.rows[2].z; }

}  // namespace clearance
