// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Eight floats at a time: AVX where the instruction set has it, the compiler's vectors elsewhere,
// the same bits either way.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#define CLEARANCE_FLOAT8_AVX 1
#else
#include <cmath>
#define CLEARANCE_FLOAT8_AVX 0
#endif

namespace clearance::detail {

using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));

inline Float8 broadcast8(float v) { return Float8{v, v, v, v, v, v, v, v}; }
inline Float8 load8(const float* p) {
  Float8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store8(float* p, Float8 v) { std::memcpy(p, &v, sizeof v); }
inline Int8 load8(const std::uint32_t* p) {
  Int8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

#if CLEARANCE_FLOAT8_AVX
inline Float8 min(Float8 a, Float8 b) { return _mm256_min_ps(a, b); }
inline Float8 max(Float8 a, Float8 b) { return _mm256_max_ps(a, b); }
inline Float8 fused(Float8 a, Float8 b, Float8 c) { return _mm256_fmadd_ps(a, b, c); }
inline Float8 sqrt(Float8 a) { return _mm256_sqrt_ps(a); }
inline Float8 abs(Float8 a) { return _mm256_andnot_ps(broadcast8(-0.0F), a); }
/// One bit a lane: set where a < b.
inline unsigned bits_less(Float8 a, Float8 b) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
}
inline unsigned bits(Int8 mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps((__m256i)mask)));
}
/// The named lanes, 0 to 7 each.
inline Float8 take8(Float8 v, Int8 lanes) { return _mm256_permutevar8x32_ps(v, (__m256i)lanes); }
#else
// The order of the operands is that of the instructions, for the same answer on a NaN.
inline Float8 min(Float8 a, Float8 b) { return a < b ? a : b; }
inline Float8 max(Float8 a, Float8 b) { return a > b ? a : b; }
inline Float8 fused(Float8 a, Float8 b, Float8 c) {
  Float8 r{};
  for (int i = 0; i < 8; ++i) r[i] = std::fma(a[i], b[i], c[i]);
  return r;
}
inline Float8 sqrt(Float8 a) {
  Float8 r{};
  for (int i = 0; i < 8; ++i) r[i] = std::sqrt(a[i]);
  return r;
}
inline Float8 abs(Float8 a) {
  Float8 r{};
  for (int i = 0; i < 8; ++i) r[i] = std::fabs(a[i]);
  return r;
}
inline unsigned bits(Int8 mask) {
  unsigned r = 0;
  for (int i = 0; i < 8; ++i) r |= mask[i] < 0 ? 1U << i : 0U;
  return r;
}
inline unsigned bits_less(Float8 a, Float8 b) { return bits(a < b); }
inline Float8 take8(Float8 v, Int8 lanes) {
  Float8 r{};
  for (int i = 0; i < 8; ++i) r[i] = v[lanes[i]];
  return r;
}
#endif

inline float lowest(Float8 v) {
  v = min(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = min(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = min(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
  return v[0];
}
inline float highest(Float8 v) { return -lowest(-v); }

}  // namespace clearance::detail
