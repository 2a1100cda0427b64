// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of about 32 decimal digits: a sum of two doubles (Dekker; Hida, Li and Bailey). Used
// where a double is not enough and exact arithmetic is not needed. Needs -ffp-contract=off.
#pragma once

#include <cmath>

#include "geometry/expansion.h"

namespace clearance::detail {

/// high + low with |low| at most half a unit in the last place of high. Each operation below has a
/// relative error of at most 2^-100 (sums of opposite signs: of the larger operand).
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor)
  DoubleDouble(double h, double l) : high(h), low(l) {}

  explicit operator double() const { return high; }

  static DoubleDouble difference(double a, double b) {
    const Pair d = two_sum(a, -b);
    return {d.high, d.low};
  }
};

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  Pair high = two_sum(a.high, b.high);
  const Pair low = two_sum(a.low, b.low);
  high = fast_two_sum(high.high, high.low + low.high);
  high = fast_two_sum(high.high, high.low + low.low);
  return {high.high, high.low};
}
inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const Pair p = two_product(a.high, b.high);
  const Pair r = fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
  return {r.high, r.low};
}
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  // Long division, one double of quotient at a time.
  const double q1 = a.high / b.high;
  DoubleDouble rest = a - b * DoubleDouble(q1);
  const double q2 = rest.high / b.high;
  rest = rest - b * DoubleDouble(q2);
  const double q3 = rest.high / b.high;
  const Pair q = fast_two_sum(q1, q2);
  return DoubleDouble(q.high, q.low) + DoubleDouble(q3);
}
inline bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
inline DoubleDouble sqrt(const DoubleDouble& a) {
  // One Newton step from the double root doubles its digits.
  if (!(a.high > 0.0)) return {};
  const double root = std::sqrt(a.high);
  const Pair square = two_product(root, root);
  const DoubleDouble rest = a - DoubleDouble(square.high, square.low);
  const Pair r = fast_two_sum(root, rest.high / (2.0 * root));
  return {r.high, r.low};
}

}  // namespace clearance::detail
