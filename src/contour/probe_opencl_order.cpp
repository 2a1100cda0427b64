// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_opencl_order.h"

#include <algorithm>
#include <array>

namespace clearance::detail {
namespace {

// Steps of the curve along each axis: 2^10, so that a place on it is 30 bits.
constexpr int kBits = 10;
// Triangles a task looks at.
constexpr std::size_t kPerTask = 16384;

// The lowest ten bits, two zeros before each.
std::uint32_t spread(std::uint32_t v) {
  v = (v | (v << 16)) & 0x030000FFU;
  v = (v | (v << 8)) & 0x0300F00FU;
  v = (v | (v << 4)) & 0x030C30C3U;
  return (v | (v << 2)) & 0x09249249U;
}

}  // namespace

void order_along_curve(const ProbeMesh& mesh, Threads threads, std::vector<std::uint32_t>& order) {
  const std::size_t count = mesh.faces.size();
  // The sum of three corners is within three radii of three times the centre.
  constexpr double kSteps = 1 << kBits;
  const double scale = mesh.radius > 0.0 ? kSteps / (6.0 * mesh.radius) : 0.0;
  const auto step = [&](double v) {
    return static_cast<std::uint32_t>(std::clamp(scale * v + 0.5 * kSteps, 0.0, kSteps - 1.0));
  };
  // Place on the curve and triangle in one number.
  std::vector<std::uint64_t> keys(count);
  parallel_for(threads, (count + kPerTask - 1) / kPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(count, (task + 1) * kPerTask);
    for (std::size_t i = task * kPerTask; i < end; ++i) {
      const Triangle t = mesh.triangle(i);
      const Vec3 p = (t.a - mesh.center) + (t.b - mesh.center) + (t.c - mesh.center);
      const std::uint32_t code =
          spread(step(p.x)) | (spread(step(p.y)) << 1) | (spread(step(p.z)) << 2);
      keys[i] = (std::uint64_t{code} << 32) | i;
    }
  });

  // By the code, ten bits at a time; triangles of the same code keep their order.
  std::vector<std::uint64_t> sorted(count);
  for (int shift = 32; shift < 32 + 3 * kBits; shift += kBits) {
    std::array<std::size_t, std::size_t{1} << kBits> begin{};
    const auto digit = [&](std::uint64_t key) { return (key >> shift) & ((1U << kBits) - 1); };
    for (const std::uint64_t key : keys) ++begin[digit(key)];
    std::size_t sum = 0;
    for (std::size_t& place : begin) sum += std::exchange(place, sum);
    for (const std::uint64_t key : keys) sorted[begin[digit(key)]++] = key;
    keys.swap(sorted);
  }
  order.resize(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(keys[i]);
}

}  // namespace clearance::detail
