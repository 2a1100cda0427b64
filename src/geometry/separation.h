// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs of separation. Two convex shapes are at least d apart when, along some direction v, all of
// b lies further than all of a by d |v|. Any v will do for the proof, however it was found: the
// search for a direction may use plain floating point and be wrong, the proof may not.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// Half a unit in the last place of 1: the relative error of one rounded operation.
inline constexpr double kRoundoff = 0x1p-53;

/// Bound on the rounding error of a gap, as a multiple of kRoundoff and of the sum of |v_k x_k|
/// over every vector x in it. A product v.x of three terms, with x itself rounded once, errs by 4
/// of these; adding up to 7 of them by 6 more; the sum of magnitudes is itself low by less than 1.
/// 16 leaves room for the rounding of the comparison.
inline constexpr double kGapErrorFactor = 16.0;

/// Two bodies of the kind {sum of s_i w_i, 0 <= s_i <= 1}: segments, rectangles, parallelepipeds.
/// `offset` leads from the first corner of a to the first corner of b.
template <std::size_t N>
struct SpannedPair {
  Vec3 offset;
  std::array<Vec3, N> a;
  std::array<Vec3, N> b;

  /// How much further along v all of b lies than all of a; times |v|, rounded.
  [[nodiscard]] double gap(const Vec3& v) const {
    double low_b = 0.0;
    double high_a = 0.0;
    for (std::size_t i = 0; i < N; ++i) {
      const double along_a = dot(v, a[i]);
      const double along_b = dot(v, b[i]);
      high_a += along_a > 0.0 ? along_a : 0.0;
      low_b += along_b < 0.0 ? along_b : 0.0;
    }
    return dot(v, offset) + low_b - high_a;
  }
  /// At least the sum of the magnitudes of every coordinate of the pair.
  [[nodiscard]] double magnitude() const {
    double sum = largest_component(abs(offset));
    for (std::size_t i = 0; i < N; ++i) {
      sum += largest_component(abs(a[i])) + largest_component(abs(b[i]));
    }
    return sum;
  }
  /// True only when the bodies are certainly more than `distance` apart.
  [[nodiscard]] bool proves_farther(const Vec3& v, double distance) const {
    const Vec3 size = abs(v);
    const double error = kGapErrorFactor * kRoundoff * (size.x + size.y + size.z) * magnitude();
    // |v| as computed may be low by 3 roundings, its product with distance by one more.
    return gap(v) > error + distance * norm(v) * (1.0 + 8.0 * kRoundoff);
  }
};

/// Two convex bodies given by their corners, relative to a point near both, each rounded once.
struct CornerPair {
  std::span<const Vec3> a;
  std::span<const Vec3> b;

  /// True only when the bodies are certainly more than `distance` apart.
  [[nodiscard]] bool proves_farther(const Vec3& v, double distance) const {
    double high_a = -std::numeric_limits<double>::infinity();
    double low_b = std::numeric_limits<double>::infinity();
    double reach_a = 0.0;
    double reach_b = 0.0;
    for (const Vec3& p : a) {
      high_a = std::max(high_a, dot(v, p));
      reach_a = std::max(reach_a, largest_component(abs(p)));
    }
    for (const Vec3& p : b) {
      low_b = std::min(low_b, dot(v, p));
      reach_b = std::max(reach_b, largest_component(abs(p)));
    }
    const Vec3 size = abs(v);
    const double error =
        kGapErrorFactor * kRoundoff * (size.x + size.y + size.z) * (reach_a + reach_b);
    return low_b - high_a > error + distance * norm(v) * (1.0 + 8.0 * kRoundoff);
  }
};

/// x y - z w with a relative error of 2 roundings, however much cancels (Kahan).
inline double difference_of_products(double x, double y, double z, double w) {
  const double zw = z * w;
  const double lost = std::fma(-z, w, zw);
  return std::fma(x, y, -zw) + lost;
}

/// The cross product with each component right to 2 roundings: its direction can be trusted even
/// when the factors are nearly parallel.
inline Vec3 accurate_cross(const Vec3& a, const Vec3& b) {
  return {difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
          difference_of_products(a.x, b.y, a.y, b.x)};
}

/// v without its part along e.
inline Vec3 perpendicular_part(const Vec3& v, const Vec3& e) {
  const double ee = squared_norm(e);
  if (ee == 0.0) return v;
  const Vec3 once = v - (dot(v, e) / ee) * e;
  return once - (dot(once, e) / ee) * e;
}

/// Tries to prove two bodies more than `distance` apart, given the vector v between points of them
/// that are nearest up to rounding and the directions of their edges.
///
/// When the gap is far below the size of the bodies, the rounding of v tilts it, and a tilted v
/// proves nothing. The true direction is then taken from what is nearest: perpendicular to an edge
/// (a corner over an edge), to an edge of each (edge over edge) or to two edges of one (a corner
/// over a face).
template <class Pair>
bool prove_farther(const Pair& pair, const Vec3& v, double distance, std::span<const Vec3> edges_a,
                   std::span<const Vec3> edges_b) {
  if (pair.proves_farther(v, distance)) return true;
  const auto try_product = [&](const Vec3& e, const Vec3& f) {
    const Vec3 n = accurate_cross(e, f);
    return pair.proves_farther(dot(n, v) < 0.0 ? -n : n, distance);
  };
  const auto try_edges = [&](std::span<const Vec3> edges) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (pair.proves_farther(perpendicular_part(v, edges[i]), distance)) return true;
      for (std::size_t j = i + 1; j < edges.size(); ++j) {
        if (try_product(edges[i], edges[j])) return true;
      }
    }
    return false;
  };
  if (try_edges(edges_a) || try_edges(edges_b)) return true;
  for (const Vec3& e : edges_a) {
    for (const Vec3& f : edges_b) {
      if (try_product(e, f)) return true;
    }
  }
  return false;
}

/// A pair of closest points counts as found when the gap along the line between them is this close
/// to their distance, as a fraction of the size of the pair: a tenth of kDistanceError.
inline constexpr double kCertificate = 1e-15;

/// The vector v from a to b is as short as any: its length is at most `tolerance` above the true
/// one.
inline bool certifies(double gap_along_v, const Vec3& v, double tolerance) {
  const double squared = squared_norm(v);
  const double length = std::sqrt(squared);
  return length <= tolerance || squared - gap_along_v <= tolerance * length;
}

}  // namespace clearance::detail
