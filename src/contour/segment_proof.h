// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs that a part of a segment is no closer to a shape than some distance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "contour/hull_distance.h"

namespace clearance::detail {

/// Proves that no disc between the two of `part` is closer to the shape than `distance`, with a
/// direction that turns from `first` at the first disc to `second` at the last, both of unit
/// length.
///
/// With n(t) = (1-t) first + t second, the disc at t (centre a, span u, v, all linear in t) is at
/// least D from every point of the shape when for each of its corners x
///   R(t) = n.(x - a) - D |n| >= |p(t)|,  p(t) = (n.u, n.v).
/// |n| is at most (n.n + 1)/2, so that R is taken for a polynomial of degree 2, as p is, and what
/// is left is R >= 0 and R^2 - p.p >= 0: of degree 4. Polynomials are not negative between 0 and 1
/// where their Bernstein coefficients are not. All that is lost by this is of fourth order in the
/// length of the part where the directions are those of the nearest points at its ends: a least
/// distance at an end of a part is proven without the part being small.
[[nodiscard]] inline bool proves_farther(const HullPair& part, const Vec3& first,
                                         const Vec3& second, double distance) {
  const ContourCircle& a = part.disc[0];
  const ContourCircle& b = part.disc[1];
  const double target = distance + kHullRounding * part.magnitude;
  // Bernstein coefficients of p and of the upper bound of |n|.
  const double x0 = dot(first, a.u);
  const double y0 = dot(first, a.v);
  const double x1 = 0.5 * (dot(first, b.u) + dot(second, a.u));
  const double y1 = 0.5 * (dot(first, b.v) + dot(second, a.v));
  const double x2 = dot(second, b.u);
  const double y2 = dot(second, b.v);
  const double length1 = 0.5 * (1.0 + dot(first, second));
  const double pp0 = x0 * x0 + y0 * y0;
  const double pp1 = x0 * x1 + y0 * y1;
  const double pp2 = x0 * x2 + y0 * y2 + 2.0 * (x1 * x1 + y1 * y1);
  const double pp3 = x1 * x2 + y1 * y2;
  const double pp4 = x2 * x2 + y2 * y2;
  const double first_a = dot(first, a.center);
  const double first_b = dot(first, b.center);
  const double second_a = dot(second, a.center);
  const double second_b = dot(second, b.center);
  for (int i = 0; i < part.corners; ++i) {
    const double along_first = dot(first, part.corner[i]);
    const double along_second = dot(second, part.corner[i]);
    const double r0 = along_first - first_a - target;
    const double r1 = 0.5 * (along_first - first_b + along_second - second_a) - target * length1;
    const double r2 = along_second - second_b - target;
    const bool proven = r0 >= 0.0 && r1 >= 0.0 && r2 >= 0.0 && r0 * r0 >= pp0 && r0 * r1 >= pp1 &&
                        r0 * r2 + 2.0 * r1 * r1 >= pp2 && r1 * r2 >= pp3 && r2 * r2 >= pp4;
    if (!proven) return false;
  }
  return true;
}

/// Coefficients of a polynomial of degree N in the Bernstein basis of [0, 1].
template <std::size_t N>
using Bernstein = std::array<double, N + 1>;

constexpr double binomial(std::size_t n, std::size_t k) {
  double result = 1.0;
  for (std::size_t i = 0; i < k; ++i)
    result = result * static_cast<double>(n - i) / static_cast<double>(i + 1);
  return result;
}

template <std::size_t N, std::size_t M>
[[nodiscard]] Bernstein<N + M - 2> product(const std::array<double, N>& f,
                                           const std::array<double, M>& g) {
  Bernstein<N + M - 2> result{};
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < M; ++j)
      result[i + j] +=
          binomial(N - 1, i) * binomial(M - 1, j) / binomial(N + M - 2, i + j) * f[i] * g[j];
  return result;
}

/// Proves the same with the normals of the discs, which turn from disc to disc: n = u x v is of
/// degree 2, and along it a disc has no width. For shapes over the insides of the discs of a sharp
/// bend, which cut through each other. `towards`: from the discs to the shape.
[[nodiscard]] inline bool proves_farther_over_discs(const HullPair& part, const Vec3& towards,
                                                    double distance) {
  const ContourCircle& a = part.disc[0];
  const ContourCircle& b = part.disc[1];
  std::array<Vec3, 3> n{cross(a.u, a.v), 0.5 * (cross(a.u, b.v) + cross(b.u, a.v)),
                        cross(b.u, b.v)};
  // The longest of unit length, so that no power of it over- or underflows. Rounding is a fraction
  // of it and must stay one of |n|, which is at least its part along the middle one.
  constexpr double kShortest = 0.1;
  const double longest =
      std::sqrt(std::max({squared_norm(n[0]), squared_norm(n[1]), squared_norm(n[2])}));
  const double scale = (dot(n[0], towards) < 0.0 ? -1.0 : 1.0) / longest;
  for (Vec3& k : n) k *= scale;
  for (const Vec3& k : n)
    if (!(dot(k, n[1]) > kShortest)) return false;
  const double target = distance + kHullRounding / kShortest * part.magnitude;
  // R = n.(x - a) >= 0 and R^2 - D^2 n.n >= 0, of degree 6.
  Bernstein<4> nn{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      nn[i + j] += binomial(2, i) * binomial(2, j) / binomial(4, i + j) * dot(n[i], n[j]);
  const Bernstein<6> limit = product(nn, Bernstein<2>{1.0, 1.0, 1.0});
  for (int i = 0; i < part.corners; ++i) {
    const Vec3 from_a = part.corner[i] - a.center;
    const Vec3 from_b = part.corner[i] - b.center;
    const Bernstein<3> r{dot(n[0], from_a), (2.0 * dot(n[1], from_a) + dot(n[0], from_b)) / 3.0,
                         (dot(n[2], from_a) + 2.0 * dot(n[1], from_b)) / 3.0, dot(n[2], from_b)};
    for (const double coefficient : r)
      if (!(coefficient >= 0.0)) return false;
    const Bernstein<6> rr = product(r, r);
    for (std::size_t k = 0; k < rr.size(); ++k)
      if (!(rr[k] >= target * target * limit[k])) return false;
  }
  return true;
}

}  // namespace clearance::detail
