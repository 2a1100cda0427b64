// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Four doubles at a time, on the compiler's vectors: what fitting the frames of trees needs. The
// same bits with and without AVX.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#else
#include <cmath>
#endif

namespace clearance::detail {

using Double4 = double __attribute__((vector_size(32)));
using Long4 = std::int64_t __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));

inline Double4 spread4(double v) { return Double4{v, v, v, v}; }
inline Double4 load4(const double* p) {
  Double4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store4(double* p, Double4 v) { std::memcpy(p, &v, sizeof v); }
/// Rounded to single precision.
inline void store4(float* p, Double4 v) {
  const Float4 f = __builtin_convertvector(v, Float4);
  std::memcpy(p, &f, sizeof f);
}

#ifdef __AVX__
inline Double4 lower_of(Double4 a, Double4 b) { return _mm256_min_pd(a, b); }
inline Double4 higher_of(Double4 a, Double4 b) { return _mm256_max_pd(a, b); }
inline Double4 root_of(Double4 a) { return _mm256_sqrt_pd(a); }
inline Double4 size_of(Double4 a) { return _mm256_andnot_pd(spread4(-0.0), a); }
inline bool any(Long4 mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
#else
// The order of the operands is that of the instructions, for the same answer on a NaN.
inline Double4 lower_of(Double4 a, Double4 b) { return a < b ? a : b; }
inline Double4 higher_of(Double4 a, Double4 b) { return a > b ? a : b; }
inline Double4 root_of(Double4 a) {
  return Double4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
inline Double4 size_of(Double4 a) {
  return Double4{std::fabs(a[0]), std::fabs(a[1]), std::fabs(a[2]), std::fabs(a[3])};
}
inline bool any(Long4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
#endif

inline double sum_of(Double4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
inline double lowest(Double4 v) {
  v = lower_of(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  return lower_of(v, __builtin_shufflevector(v, v, 1, 0, 3, 2))[0];
}
inline double highest(Double4 v) {
  v = higher_of(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  return higher_of(v, __builtin_shufflevector(v, v, 1, 0, 3, 2))[0];
}

}  // namespace clearance::detail
