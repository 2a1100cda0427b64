// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Poses as the rows of a 3x4 matrix, each one register of four doubles: rotation and translation
// take part in the same instructions. Products cost about five nanoseconds.
#pragma once

#include <cstddef>
#include <type_traits>

#include <clearance/geometry/pose.h>

#include "bvh/float8.h"

namespace clearance::detail {

using Double4 = double __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));

#if CLEARANCE_FLOAT8_AVX
inline Double4 fused(double a, Double4 b, Double4 c) {
  return _mm256_fmadd_pd(_mm256_set1_pd(a), b, c);
}
#else
inline Double4 fused(double a, Double4 b, Double4 c) {
  return Double4{std::fma(a, b[0], c[0]), std::fma(a, b[1], c[1]), std::fma(a, b[2], c[2]),
                 std::fma(a, b[3], c[3])};
}
#endif

/// Not `Affine`: the mesh module has another of that name in this namespace, and functions of both
/// with one signature, not inlined, would become one.
///
/// p -> rotation * p + translation; row k is the k-th row of the rotation, then the translation.
struct ChainPose {
  Double4 row[3];

  static ChainPose identity() {
    return {
        {Double4{1.0, 0.0, 0.0, 0.0}, Double4{0.0, 1.0, 0.0, 0.0}, Double4{0.0, 0.0, 1.0, 0.0}}};
  }
  static ChainPose from(const Pose& pose) {
    // A row and the number behind it, which is still the pose's, in one load each.
    static_assert(sizeof(Pose) == 12 * sizeof(double) && sizeof(Mat3) == 9 * sizeof(double) &&
                  offsetof(Pose, rotation) == 0 && std::is_trivially_copyable_v<Pose>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&pose);
    ChainPose a;
    for (std::size_t k = 0; k < 3; ++k) {
      Double4 row;
      std::memcpy(&row, bytes + 3 * k * sizeof(double), sizeof row);
      const double t = pose.translation[k];
      a.row[k] = __builtin_shufflevector(row, Double4{t, t, t, t}, 0, 1, 2, 7);
    }
    return a;
  }
  [[nodiscard]] Pose pose() const {
    Pose p;
    for (std::size_t k = 0; k < 3; ++k) {
      p.rotation[k] = {row[k][0], row[k][1], row[k][2]};
      p.translation[k] = row[k][3];
    }
    return p;
  }
};

/// The translation's lane of a row, zero in the others.
inline Double4 translation_lane(Double4 row) {
  return __builtin_shufflevector(row, Double4{}, 4, 4, 4, 3);
}

inline ChainPose operator*(const ChainPose& a, const ChainPose& b) {
  ChainPose c;
  for (int k = 0; k < 3; ++k) {
    c.row[k] = fused(
        a.row[k][0], b.row[0],
        fused(a.row[k][1], b.row[1], fused(a.row[k][2], b.row[2], translation_lane(a.row[k]))));
  }
  return c;
}

/// inverse(a) * b
inline ChainPose inverse_times(const ChainPose& a, const ChainPose& b) {
  const Double4 from_a[3] = {b.row[0] - translation_lane(a.row[0]),
                             b.row[1] - translation_lane(a.row[1]),
                             b.row[2] - translation_lane(a.row[2])};
  ChainPose c;
  for (int k = 0; k < 3; ++k) {
    c.row[k] =
        fused(a.row[0][k], from_a[0], fused(a.row[1][k], from_a[1], a.row[2][k] * from_a[2]));
  }
  return c;
}

inline ChainPose inverse(const ChainPose& a) { return inverse_times(a, ChainPose::identity()); }

/// The same in single precision, for reading number by number.
struct alignas(16) FloatAffine {
  float row[3][4];

  explicit FloatAffine(const ChainPose& a) {
    for (int k = 0; k < 3; ++k) {
      const Float4 rounded = __builtin_convertvector(a.row[k], Float4);
      std::memcpy(row[k], &rounded, sizeof rounded);
    }
  }
  /// Sum of the sizes of the translation: not less than its length.
  [[nodiscard]] float shift() const {
    return __builtin_fabsf(row[0][3]) + __builtin_fabsf(row[1][3]) + __builtin_fabsf(row[2][3]);
  }
};

}  // namespace clearance::detail
