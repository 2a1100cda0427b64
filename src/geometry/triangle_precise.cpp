// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/triangle_precise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/double_double.h"

namespace clearance::detail {
namespace {

constexpr std::array<std::size_t, 3> kNext{1, 2, 0};

template <class T>
struct Vector {
  T x, y, z;
};
template <class T>
Vector<T> operator+(const Vector<T>& a, const Vector<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Vector<T> operator-(const Vector<T>& a, const Vector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Vector<T> operator*(const T& s, const Vector<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
T dot(const Vector<T>& a, const Vector<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

using Precise = Vector<DoubleDouble>;

Precise precise_difference(const Vec3& a, const Vec3& b) {
  return {DoubleDouble::difference(a.x, b.x), DoubleDouble::difference(a.y, b.y),
          DoubleDouble::difference(a.z, b.z)};
}
Vec3 rounded(const Precise& v) { return {double(v.x), double(v.y), double(v.z)}; }

DoubleDouble clamped(const DoubleDouble& s) {
  if (s < DoubleDouble(0.0)) return 0.0;
  if (s > DoubleDouble(1.0)) return 1.0;
  return s;
}
DoubleDouble quotient_or_zero(const DoubleDouble& a, const DoubleDouble& b) {
  return b.high > 0.0 ? a / b : DoubleDouble(0.0);
}

// Points relative to the first corner of a, so that differences of the given doubles stay exact.
struct PrecisePair {
  Precise on_a, on_b;
  DoubleDouble distance_sq = std::numeric_limits<double>::infinity();

  void offer(const Precise& p, const Precise& q) {
    const Precise d = q - p;
    const DoubleDouble sq = dot(d, d);
    if (sq < distance_sq) *this = {p, q, sq};
  }
};

void offer_corner_face(PrecisePair& best, const Precise& p, const std::array<Precise, 3>& face,
                       bool p_is_on_a) {
  const Precise n = cross(face[1] - face[0], face[2] - face[0]);
  const DoubleDouble n_sq = dot(n, n);
  if (!(n_sq.high > 0.0)) return;
  for (std::size_t i = 0; i < 3; ++i) {
    const Precise inward = cross(n, face[kNext[i]] - face[i]);
    if (dot(inward, p - face[i]) < DoubleDouble(0.0)) return;
  }
  const DoubleDouble height = dot(n, p - face[0]) / n_sq;
  const Precise foot = p - height * n;
  if (p_is_on_a) {
    best.offer(p, foot);
  } else {
    best.offer(foot, p);
  }
}

// The closest pair among edges and corner-face pairs; knows nothing of triangles that pierce.
PrecisePair closest_features_precise(const Triangle& ta, const Triangle& tb) {
  const Vec3& origin = ta.a;
  const std::array<Precise, 3> a{Precise{}, precise_difference(ta.b, origin),
                                 precise_difference(ta.c, origin)};
  const std::array<Precise, 3> b{precise_difference(tb.a, origin), precise_difference(tb.b, origin),
                                 precise_difference(tb.c, origin)};
  PrecisePair best;
  for (std::size_t i = 0; i < 3; ++i) {
    const Precise d1 = a[kNext[i]] - a[i];
    const DoubleDouble d1_sq = dot(d1, d1);
    for (std::size_t j = 0; j < 3; ++j) {
      const Precise d2 = b[kNext[j]] - b[j];
      const DoubleDouble d2_sq = dot(d2, d2);
      const Precise r = a[i] - b[j];
      const Precise n = cross(d1, d2);
      const DoubleDouble d1_d2 = dot(d1, d2);
      DoubleDouble s = clamped(quotient_or_zero(-dot(cross(r, d2), n), dot(n, n)));
      const DoubleDouble t = clamped(quotient_or_zero(d1_d2 * s + dot(d2, r), d2_sq));
      s = clamped(quotient_or_zero(d1_d2 * t - dot(d1, r), d1_sq));
      best.offer(a[i] + s * d1, b[j] + t * d2);
    }
  }
  for (const Precise& p : a) offer_corner_face(best, p, b, true);
  for (const Precise& p : b) offer_corner_face(best, p, a, false);
  return best;
}

// How far a point is from a triangle, squared.
DoubleDouble precise_distance_sq(const Precise& p, const std::array<Precise, 3>& t) {
  PrecisePair best;
  for (std::size_t i = 0; i < 3; ++i) {
    const Precise d = t[kNext[i]] - t[i];
    best.offer(p, t[i] + clamped(quotient_or_zero(dot(p - t[i], d), dot(d, d))) * d);
  }
  offer_corner_face(best, p, t, true);
  return best.distance_sq;
}

}  // namespace

ClosestPoints closest_features(const Triangle& a, const Triangle& b) {
  const PrecisePair best = closest_features_precise(a, b);
  return {a.a + rounded(best.on_a), a.a + rounded(best.on_b), double(sqrt(best.distance_sq))};
}

// Of the points where an edge crosses the other's plane and the closest features, the one nearest
// to both triangles.
Vec3 common_point_precise(const Triangle& ta, const Triangle& tb) {
  const std::array<Precise, 3> a{Precise{}, precise_difference(ta.b, ta.a),
                                 precise_difference(ta.c, ta.a)};
  const std::array<Precise, 3> b{precise_difference(tb.a, ta.a), precise_difference(tb.b, ta.a),
                                 precise_difference(tb.c, ta.a)};
  Precise best;
  DoubleDouble best_sq = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Precise& p) {
    const DoubleDouble sq = std::max(precise_distance_sq(p, a), precise_distance_sq(p, b));
    if (sq < best_sq) best_sq = sq, best = p;
  };
  const auto offer_crossings = [&](const std::array<Precise, 3>& e,
                                   const std::array<Precise, 3>& face) {
    const Precise n = cross(face[1] - face[0], face[2] - face[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      const Precise d = e[kNext[i]] - e[i];
      const DoubleDouble h0 = dot(n, e[i] - face[0]);
      const DoubleDouble h1 = dot(n, e[kNext[i]] - face[0]);
      if (double(h0 - h1) != 0.0) offer(e[i] + clamped(h0 / (h0 - h1)) * d);
    }
  };
  const PrecisePair features = closest_features_precise(ta, tb);
  offer(features.on_a);
  offer(features.on_b);
  offer_crossings(a, b);
  offer_crossings(b, a);
  return ta.a + rounded(best);
}

bool proven_farther_precise(const Triangle& a, const Triangle& b, double gap) {
  const std::array<const Vec3*, 6> corners{&a.a, &a.b, &a.c, &b.a, &b.b, &b.c};
  const PrecisePair precise = closest_features_precise(a, b);
  const Precise axis = precise.on_b - precise.on_a;
  DoubleDouble a_high = -std::numeric_limits<double>::infinity();
  DoubleDouble b_low = std::numeric_limits<double>::infinity();
  double size = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const Precise v = precise_difference(*corners[i], a.a);
    const DoubleDouble projection = dot(axis, v);
    size = std::max(size, clearance::dot(abs(rounded(axis)), abs(rounded(v))));
    if (i < 3) {
      a_high = std::max(a_high, projection);
    } else {
      b_low = std::min(b_low, projection);
    }
  }
  // Each operation errs by at most 2^-100 of its operands.
  const double margin = double((b_low - a_high) - DoubleDouble(16.0 * 0x1p-100 * size));
  const double length = norm(rounded(axis)) * (1.0 + 0x1p-50);
  return margin * (1.0 - 0x1p-50) > gap * length * (1.0 + 0x1p-50);
}

}  // namespace clearance::detail
