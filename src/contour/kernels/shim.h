// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Makes C++ of probe.cl: include that behind this, inside the namespace. Its words become what they
// mean on one thread that runs a work-group: local memory is on its stack, and the items run one
// after the other between two barriers. device.h is the same for OpenCL.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#define LANES 8

namespace clearance::detail::kernels {

using uint = std::uint32_t;
using ushort = std::uint16_t;

struct float3 {
  float x, y, z;
};
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float3 operator*(float3 a, float t) { return {a.x * t, a.y * t, a.z * t}; }
inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float3 vload3(std::size_t i, const float* p) {
  return {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
}

using std::max;
using std::min;
using std::sqrt;
inline uint as_uint(float v) { return std::bit_cast<uint>(v); }
inline float as_float(uint v) { return std::bit_cast<float>(v); }

// Groups run on several threads; what they share is touched by these only, or read.
inline uint atomic_add(volatile uint* p, uint v) {
  return std::atomic_ref<uint>(*const_cast<uint*>(p)).fetch_add(v, std::memory_order_relaxed);
}
inline uint atomic_inc(volatile uint* p) { return atomic_add(p, 1); }
inline uint peek(volatile uint* p) {
  return std::atomic_ref<uint>(*const_cast<uint*>(p)).load(std::memory_order_relaxed);
}
inline uint atomic_min(volatile uint* p, uint v) {
  const std::atomic_ref<uint> shared(*const_cast<uint*>(p));
  uint old = shared.load(std::memory_order_relaxed);
  while (v < old && !shared.compare_exchange_weak(old, v, std::memory_order_relaxed)) {
  }
  return old;
}

// Eight lanes: the compiler's own vectors.
using floatN = float __attribute__((vector_size(4 * LANES)));
inline floatN load_lanes(std::size_t i, const float* p) {
  floatN v;
  std::memcpy(&v, p + LANES * i, sizeof v);
  return v;
}
inline void store_lanes(floatN v, std::size_t i, float* p) {
  std::memcpy(p + LANES * i, &v, sizeof v);
}
inline floatN clamp_lanes(floatN v) {
  const floatN zero = {};
  const floatN one = zero + 1.0F;
  v = v > zero ? v : zero;
  return v < one ? v : one;
}
inline floatN min(floatN a, floatN b) { return b < a ? b : a; }
template <class Mask>
bool any_lane(const Mask& mask) {
  int any = 0;
  for (uint lane = 0; lane < LANES; ++lane) any |= mask[lane];
  return any != 0;
}

// The work-group this thread runs.
inline thread_local uint group_id = 0;

}  // namespace clearance::detail::kernels

// NOLINTBEGIN(bugprone-macro-parentheses): declarations, not expressions
#define GROUP (PROBE_BLOCK / LANES)
#define KERNEL inline void
#define EACH_ITEM(item) for (uint item = 0; item < GROUP; ++item) {
#define END_ITEMS }
#define GROUP_ID group_id
#define LOAD_LANES(i, p) load_lanes(i, p)
#define STORE_LANES(v, i, p) store_lanes(v, i, p)
#define CLAMP_LANES(v) clamp_lanes(v)
#define ANY_LANE(condition) any_lane(condition)
#define LANE(v, lane) (v)[lane]
#define INFINITE_BITS 0x7f800000U
#define PEEK(p) peek(p)
#define GLOBAL
#define CONSTANT
#define LOCAL
// NOLINTEND(bugprone-macro-parentheses)
