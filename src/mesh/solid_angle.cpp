// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/solid_angle.h"

#include <cmath>
#include <numbers>

namespace clearance::detail {
namespace {

// Van Oosterom and Strackee 1983: with a, b, c the corners seen from p,
//   tan(angle / 2) = a · (b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
// Numerator and denominator carry a rounding error of some 1e-15 |a||b||c|. Where both are below
// this fraction of it the angle is near ±180° or undefined in doubles: the point is close to the
// triangle, and the sum is repeated with twice the digits. Beyond, the angle is good to 1e-9.
constexpr double kNear = 1e-6;

/// An unevaluated sum of two doubles: about 32 decimal digits.
struct Wide {
  double high = 0.0;
  double low = 0.0;
};

Wide sum_of(double a, double b) {
  const double sum = a + b;
  const double back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
Wide operator+(const Wide& a, const Wide& b) {
  const Wide high = sum_of(a.high, b.high);
  const Wide low = sum_of(a.low, b.low);
  const Wide sum = sum_of(high.high, high.low + low.high);
  return sum_of(sum.high, sum.low + low.low);
}
Wide operator-(const Wide& a) { return {-a.high, -a.low}; }
Wide operator*(const Wide& a, const Wide& b) {
  const double product = a.high * b.high;
  const double error = std::fma(a.high, b.high, -product);
  return sum_of(product, error + (a.high * b.low + a.low * b.high));
}
Wide root(const Wide& a) {
  // One Newton step doubles the digits of the double root.
  const double r = std::sqrt(a.high);
  if (!(r > 0.0)) return {};
  const Wide rest = a + Wide{-r * r, -std::fma(r, r, -(r * r))};
  return sum_of(r, rest.high / (2.0 * r));
}

struct WideVec3 {
  Wide x, y, z;
};

WideVec3 difference(const Vec3& a, const Vec3& b) {
  return {sum_of(a.x, -b.x), sum_of(a.y, -b.y), sum_of(a.z, -b.z)};
}
Wide dot(const WideVec3& a, const WideVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a.y * b.z + -(a.z * b.y), a.z * b.x + -(a.x * b.z), a.x * b.y + -(a.y * b.x)};
}

double near_solid_angle_fraction(const Triangle& triangle, const Vec3& p) {
  const WideVec3 a = difference(triangle.a, p);
  const WideVec3 b = difference(triangle.b, p);
  const WideVec3 c = difference(triangle.c, p);
  const Wide a_length = root(dot(a, a));
  const Wide b_length = root(dot(b, b));
  const Wide c_length = root(dot(c, c));
  const Wide numerator = dot(a, cross(b, c));
  const Wide denominator = a_length * b_length * c_length + dot(a, b) * c_length +
                           dot(b, c) * a_length + dot(c, a) * b_length;
  return std::atan2(numerator.high, denominator.high) / (2.0 * std::numbers::pi);
}

}  // namespace

double solid_angle_fraction(const Triangle& triangle, const Vec3& p) {
  const Vec3 a = triangle.a - p;
  const Vec3 b = triangle.b - p;
  const Vec3 c = triangle.c - p;
  const double a_length = norm(a);
  const double b_length = norm(b);
  const double c_length = norm(c);
  const double product = a_length * b_length * c_length;
  const double numerator = clearance::dot(a, clearance::cross(b, c));
  const double denominator = product + clearance::dot(a, b) * c_length +
                             clearance::dot(b, c) * a_length + clearance::dot(c, a) * b_length;
  if (denominator <= kNear * product && std::abs(numerator) <= kNear * product) {
    return near_solid_angle_fraction(triangle, p);
  }
  return std::atan2(numerator, denominator) / (2.0 * std::numbers::pi);
}

}  // namespace clearance::detail
