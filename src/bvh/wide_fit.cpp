// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bvh/double4.h"
#include "bvh/float8.h"

namespace clearance::detail {
namespace {

using Int4 = std::int32_t __attribute__((vector_size(16)));

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// What a corner may be off after its conversion to model floats, as a fraction of the model's
/// radius: half a unit in the last place in each of three coordinates.
constexpr double kCornerError = 1.2e-7;
/// What rotating a corner in single precision may add, as a fraction of the corner's distance from
/// the origin of the frame: eight roundings.
constexpr double kRotateError = 6e-7;

Double4 widened(const float* p) {
  Float4 f;
  std::memcpy(&f, p, sizeof f);
  return __builtin_convertvector(f, Double4);
}

// As the one of single numbers.
Float4 rounded_up(Double4 v) {
  const Float4 f = __builtin_convertvector(v, Float4);
  const Long4 below = __builtin_convertvector(f, Double4) < v;
  return (Float4)((Int4)f - __builtin_convertvector(below, Int4));
}

}  // namespace

void FrameBounds::include(const FrameBounds& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], b.low[k]);
    high[k] = std::max(high[k], b.high[k]);
  }
}

Rotation rotation_of(const FrameAxes& axes, const Vec3& origin) {
  return {
      axes,
      {static_cast<float>(origin.x), static_cast<float>(origin.y), static_cast<float>(origin.z)}};
}

FrameBounds bounds_of(std::span<const LeafCorners> leaves, const Rotation& rotation) {
  Float8 low[3];
  Float8 high[3];
  Float8 axes[3][3];
  Float8 origin[3];
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = broadcast8(kInfinity);
    high[k] = broadcast8(-kInfinity);
    origin[k] = broadcast8(rotation.origin[k]);
    for (std::size_t j = 0; j < 3; ++j) axes[k][j] = broadcast8(rotation.axes[k][j]);
  }
  for (const LeafCorners& leaf : leaves) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Float8 x = load8(leaf.corner[3 * corner]) - origin[0];
      const Float8 y = load8(leaf.corner[3 * corner + 1]) - origin[1];
      const Float8 z = load8(leaf.corner[3 * corner + 2]) - origin[2];
      for (std::size_t k = 0; k < 3; ++k) {
        const Float8 u = fused(axes[k][0], x, fused(axes[k][1], y, axes[k][2] * z));
        low[k] = min(low[k], u);
        high[k] = max(high[k], u);
      }
    }
  }
  FrameBounds b;
  for (std::size_t k = 0; k < 3; ++k) {
    b.low[k] = lowest(low[k]);
    b.high[k] = highest(high[k]);
  }
  return b;
}

FrameBounds coordinate_bounds(const LeafCorners& leaf) {
  FrameBounds b;
  for (std::size_t k = 0; k < 3; ++k) {
    const Float8 first = load8(leaf.corner[k]);
    const Float8 second = load8(leaf.corner[3 + k]);
    const Float8 third = load8(leaf.corner[6 + k]);
    b.low[k] = lowest(min(first, min(second, third)));
    b.high[k] = highest(max(first, max(second, third)));
  }
  return b;
}

void ChildBounds::add(const FrameBounds& b) { add(b, {}); }

void ChildBounds::add(const FrameBounds& b, const std::array<float, 3>& origin) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k][count] = b.low[k] - origin[k];
    high[k][count] = b.high[k] - origin[k];
  }
  ++count;
}

float ChildBounds::half_area() const {
  Float8 size[3];
  for (std::size_t k = 0; k < 3; ++k) size[k] = load8(high[k]) - load8(low[k]);
  const Float8 area = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  float sum = 0.0F;
  for (std::size_t i = 0; i < kWidth; ++i) sum += area[i];
  return sum;
}

void fit_node(WideNode& node, const Rotation& rotation, const ChildBounds& children,
              double model_radius) {
  std::array<float, 3> low;
  std::array<float, 3> high;
  const Int8 used = Int8{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(children.count);
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = lowest(used ? load8(children.low[k]) : broadcast8(kInfinity));
    high[k] = highest(used ? load8(children.high[k]) : broadcast8(-kInfinity));
  }

  // The origin moves to the middle of the box; it is rounded, and what was meant is forgotten.
  set_axes(node.frame, rotation.axes);
  std::array<Vec3, 3> rows;
  const Vec3 old_origin{rotation.origin[0], rotation.origin[1], rotation.origin[2]};
  Vec3 origin = old_origin;
  for (std::size_t k = 0; k < 3; ++k) {
    rows[k] = {rotation.axes[k][0], rotation.axes[k][1], rotation.axes[k][2]};
    origin += 0.5 * (static_cast<double>(low[k]) + static_cast<double>(high[k])) * rows[k];
  }
  for (std::size_t k = 0; k < 3; ++k) node.frame.origin[k] = static_cast<float>(origin[k]);
  const Vec3 moved =
      Vec3{node.frame.origin[0], node.frame.origin[1], node.frame.origin[2]} - old_origin;

  double reach = 0.0;  // of the corners from the old origin, as rotated
  for (std::size_t k = 0; k < 3; ++k) reach += std::max(std::abs(low[k]), std::abs(high[k]));
  const double margin = kCornerError * model_radius + kRotateError * reach;
  double radius_sq = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double shift = dot(rows[k], moved);
    for (std::size_t i = 0; i < kWidth; i += 4) {
      const Double4 from = widened(&children.low[k][i]) - shift;
      const Double4 to = widened(&children.high[k][i]) - shift;
      const Float4 center = __builtin_convertvector(0.5 * (from + to), Float4);
      const Double4 wide_center = __builtin_convertvector(center, Double4);
      const Double4 half = higher_of(to - wide_center, wide_center - from) + margin;
      const Float4 up = rounded_up(half * (1.0 + kHalfUlp));
      std::memcpy(&node.center[k][i], &center, sizeof center);
      std::memcpy(&node.half[k][i], &up, sizeof up);
    }
    double own = 0.0;
    for (std::size_t i = 0; i < children.count; ++i) {
      own = std::max(own, std::abs(static_cast<double>(node.center[k][i])) +
                              static_cast<double>(node.half[k][i]));
    }
    for (std::size_t i = children.count; i < kWidth; ++i) {
      node.center[k][i] = 0.0F;
      node.half[k][i] = kEmptyHalf;
    }
    node.frame.half_size[k] = rounded_up(own);
    radius_sq += own * own;
  }
  node.frame.radius = rounded_up(std::sqrt(radius_sq) * (1.0 + kHalfUlp));
}

}  // namespace clearance::detail
