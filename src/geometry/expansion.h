// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact arithmetic on doubles: a number is held as an unevaluated sum of doubles that do not
// overlap, smallest first (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
// geometric predicates", 1997). Sums and products are exact as long as nothing under- or overflows;
// kExactLow and kExactHigh say when that is certain. Needs -ffp-contract=off and round-to-even.
#pragma once

#include <array>
#include <cmath>

namespace clearance::detail {

// A product of three differences of coordinates is exact when every non-zero coordinate has a
// magnitude in this range. Such coordinates are multiples of 2^-302, so every product of three is a
// multiple of 2^-906, far above the smallest double 2^-1074, and below 2^753.
inline constexpr double kExactLow = 0x1p-250;
inline constexpr double kExactHigh = 0x1p250;

/// A pair high + low, exactly, with high the rounded value.
struct Pair {
  double high;
  double low;
};

inline Pair two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// two_sum for |a| >= |b|.
inline Pair fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline Pair two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// A sum of at most Capacity non-overlapping doubles, smallest magnitude first, zeros left out.
template <int Capacity>
struct Expansion {
  std::array<double, Capacity> terms;
  int count = 0;

  void append(double term) {
    if (term != 0.0) terms[static_cast<std::size_t>(count++)] = term;
  }
  /// -1, 0 or 1: the sign of the largest term is the sign of the sum.
  [[nodiscard]] int sign() const {
    if (count == 0) return 0;
    return terms[static_cast<std::size_t>(count - 1)] > 0.0 ? 1 : -1;
  }
};

inline Expansion<2> exact_difference(double a, double b) {
  const Pair d = two_sum(a, -b);
  Expansion<2> e;
  e.append(d.low);
  e.append(d.high);
  return e;
}

template <int M, int N>
Expansion<M + N> operator+(const Expansion<M>& e, const Expansion<N>& f) {
  // Merge by magnitude and carry the running sum upward.
  Expansion<M + N> h;
  int i = 0;
  int j = 0;
  const auto next = [&] {
    const bool take_e =
        j >= f.count || (i < e.count && std::abs(e.terms[static_cast<std::size_t>(i)]) <
                                            std::abs(f.terms[static_cast<std::size_t>(j)]));
    return take_e ? e.terms[static_cast<std::size_t>(i++)] : f.terms[static_cast<std::size_t>(j++)];
  };
  const int total = e.count + f.count;
  if (total == 0) return h;
  double carry = next();
  for (int k = 1; k < total; ++k) {
    const Pair sum = two_sum(carry, next());
    h.append(sum.low);
    carry = sum.high;
  }
  h.append(carry);
  return h;
}

template <int N>
Expansion<N> operator-(Expansion<N> e) {
  for (int i = 0; i < e.count; ++i)
    e.terms[static_cast<std::size_t>(i)] = -e.terms[static_cast<std::size_t>(i)];
  return e;
}

template <int M, int N>
Expansion<M + N> operator-(const Expansion<M>& e, const Expansion<N>& f) {
  return e + (-f);
}

template <int N>
Expansion<2 * N> scaled(const Expansion<N>& e, double factor) {
  Expansion<2 * N> h;
  if (e.count == 0 || factor == 0.0) return h;
  Pair carry = two_product(e.terms[0], factor);
  h.append(carry.low);
  for (int i = 1; i < e.count; ++i) {
    const Pair product = two_product(e.terms[static_cast<std::size_t>(i)], factor);
    const Pair sum = two_sum(carry.high, product.low);
    h.append(sum.low);
    carry = fast_two_sum(product.high, sum.high);
    h.append(carry.low);
  }
  h.append(carry.high);
  return h;
}

template <int N>
Expansion<4 * N> operator*(const Expansion<N>& e, const Expansion<2>& f) {
  Expansion<4 * N> h;
  if (f.count == 0) return h;
  const Expansion<2 * N> low = scaled(e, f.terms[0]);
  if (f.count == 1) {
    for (int i = 0; i < low.count; ++i) h.append(low.terms[static_cast<std::size_t>(i)]);
    return h;
  }
  return low + scaled(e, f.terms[1]);
}

}  // namespace clearance::detail
