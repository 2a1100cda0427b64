// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hash tables for welding keep eight entries together and compare them at once: a search then looks
// at one line of the cache and seldom takes a branch the processor did not expect.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace clearance::detail {

inline constexpr std::size_t kBucket = 8;

/// Bit i is set when (words[i] & mask) == value, for eight words.
inline unsigned matching(const std::uint32_t* words, std::uint32_t mask, std::uint32_t value) {
#if defined(__AVX2__)
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i masked = _mm256_and_si256(all, _mm256_set1_epi32(static_cast<int>(mask)));
  const __m256i equal = _mm256_cmpeq_epi32(masked, _mm256_set1_epi32(static_cast<int>(value)));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
#else
  unsigned bits = 0;
  for (std::size_t i = 0; i < kBucket; ++i) bits |= unsigned{(words[i] & mask) == value} << i;
  return bits;
#endif
}

}  // namespace clearance::detail
