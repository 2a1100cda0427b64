// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Four doubles at a time, on the compiler's vector extension: AVX where the instruction set has it,
// two SSE registers elsewhere, the same bits either way.
#pragma once

#if defined(__FMA__) && defined(__AVX__)
#include <immintrin.h>
#else
#include <cmath>
#endif

namespace clearance::detail {

using Double4 = double __attribute__((vector_size(32)));
using Mask4 = long long __attribute__((vector_size(32)));

inline Double4 broadcast4(double value) { return Double4{value, value, value, value}; }
inline Double4 select(Mask4 mask, Double4 yes, Double4 no) { return mask ? yes : no; }
inline Double4 min(Double4 a, Double4 b) { return b < a ? b : a; }
inline Double4 max(Double4 a, Double4 b) { return b > a ? b : a; }
/// a * b + c with one rounding, as the instruction or as std::fma: the same bits.
inline Double4 fused(Double4 a, Double4 b, Double4 c) {
#if defined(__FMA__) && defined(__AVX__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return Double4{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                 std::fma(a[3], b[3], c[3])};
#endif
}
/// Into [0, 1]; a NaN becomes 0.
inline Double4 clamp01(Double4 a) {
  const Double4 zero = broadcast4(0.0);
  const Double4 one = broadcast4(1.0);
  a = a > zero ? a : zero;
  return a < one ? a : one;
}
inline bool all(Mask4 mask) { return (mask[0] & mask[1] & mask[2] & mask[3]) != 0; }

}  // namespace clearance::detail
