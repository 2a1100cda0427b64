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

/// A row with another number in the translation's lane.
#if CLEARANCE_FLOAT8_AVX
inline Double4 with_translation(Double4 row, double t) {
  return _mm256_blend_pd(row, _mm256_set1_pd(t), 0b1000);
}
#else
inline Double4 with_translation(Double4 row, double t) {
  return __builtin_shufflevector(row, Double4{t, t, t, t}, 0, 1, 2, 7);
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
    const auto row = [&](std::size_t k, double t) {
      Double4 numbers;
      std::memcpy(&numbers, bytes + 3 * k * sizeof(double), sizeof numbers);
      return with_translation(numbers, t);
    };
    return {{row(0, pose.translation.x), row(1, pose.translation.y), row(2, pose.translation.z)}};
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
#if CLEARANCE_FLOAT8_AVX
// GCC 12 makes two shuffles of it where one blend will do.
inline Double4 translation_lane(Double4 row) {
  return _mm256_blend_pd(_mm256_setzero_pd(), row, 0b1000);
}
#else
inline Double4 translation_lane(Double4 row) {
  return __builtin_shufflevector(row, Double4{}, 4, 4, 4, 3);
}
#endif

/// One row of a product: what one row of `a` makes of the rows of `b`.
inline Double4 row_times(Double4 a, const ChainPose& b) {
  return fused(a[0], b.row[0], fused(a[1], b.row[1], fused(a[2], b.row[2], translation_lane(a))));
}

// The rows are written out: in a loop, GCC 12 keeps poses in memory, and each of a series of
// products waits for the stores of the one before. Always inline for the same reason: a call hands
// poses over in memory.
[[gnu::always_inline]] inline ChainPose operator*(const ChainPose& a, const ChainPose& b) {
  return {{row_times(a.row[0], b), row_times(a.row[1], b), row_times(a.row[2], b)}};
}

/// inverse(a) * b
[[gnu::always_inline]] inline ChainPose inverse_times(const ChainPose& a, const ChainPose& b) {
  const Double4 x = b.row[0] - translation_lane(a.row[0]);
  const Double4 y = b.row[1] - translation_lane(a.row[1]);
  const Double4 z = b.row[2] - translation_lane(a.row[2]);
  return {{fused(a.row[0][0], x, fused(a.row[1][0], y, a.row[2][0] * z)),
           fused(a.row[0][1], x, fused(a.row[1][1], y, a.row[2][1] * z)),
           fused(a.row[0][2], x, fused(a.row[1][2], y, a.row[2][2] * z))}};
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
