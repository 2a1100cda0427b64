// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bin_picking/paired_test.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include <clearance/base/assert.h>

namespace clearance::study {
namespace {

/// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;  // instead of a zero denominator
  constexpr double kEnough = 1e-15;
  constexpr int kMostTerms = 10'000;
  double c = 1.0;
  double d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const auto step = [&](double term) {
      d = 1.0 + term * d;
      d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1.0 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      result *= c * d;
      return c * d;
    };
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double change = step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(change - 1.0) < kEnough) break;
  }
  return result;
}

/// I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  // The fraction converges fast on one side of the mean; the other is its complement.
  if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(a, b, x) / a;
  return 1.0 - std::exp(log_front) * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace

double two_sided_t(double t, double degrees_of_freedom) {
  const double n = degrees_of_freedom;
  return incomplete_beta(0.5 * n, 0.5, n / (n + t * t));
}

PairedTest paired_test(std::span<const double> a, std::span<const double> b) {
  CLEARANCE_ASSERT(a.size() == b.size() && a.size() >= 2);
  const auto n = static_cast<double>(a.size());
  PairedTest test;
  for (std::size_t i = 0; i < a.size(); ++i) test.mean_difference += (a[i] - b[i]) / n;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = a[i] - b[i] - test.mean_difference;
    squares += off * off;
  }
  test.deviation = std::sqrt(squares / (n - 1.0));
  if (test.deviation == 0.0) {
    test.t = test.mean_difference == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
    test.probability = test.mean_difference == 0.0 ? 1.0 : 0.0;
    return test;
  }
  test.t = test.mean_difference / (test.deviation / std::sqrt(n));
  test.probability = two_sided_t(test.t, n - 1.0);
  return test;
}

}  // namespace clearance::study
