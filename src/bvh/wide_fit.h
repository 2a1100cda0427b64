// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of the nodes of the wide tree: bounds of what is below them in a frame, rounded outward.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <clearance/geometry/vector.h>

#include "bvh/large_array.h"
#include "bvh/wide_axes.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

/// Owner of a tree that was built here, not mapped from a file.
struct WideStorage {
  LargeArray<WideNode> nodes;
  LargeArray<WideLeaf> leaves;
};

/// Triangles, or leaves, that follow each other in the order of the tree.
struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The corners of a leaf's triangles in model coordinates, rounded; rows as in WideLeaf. The unused
/// places repeat the first triangle.
struct alignas(32) LeafCorners {
  float corner[9][kWidth];
};

/// Bounds in a frame, in single precision, not yet rounded outward.
struct FrameBounds {
  std::array<float, 3> low, high;
  void include(const FrameBounds& b);
};

/// A frame before its origin has moved to the middle of what it holds.
struct Rotation {
  FrameAxes axes;
  std::array<float, 3> origin;
};
inline constexpr FrameAxes kCoordinateAxes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
[[nodiscard]] Rotation rotation_of(const FrameAxes& axes, const Vec3& origin);

[[nodiscard]] FrameBounds bounds_of(std::span<const LeafCorners> leaves, const Rotation& rotation);
/// Along the coordinate axes, from the origin of model coordinates.
[[nodiscard]] FrameBounds coordinate_bounds(const LeafCorners& leaf);

/// The bounds of the children of a node.
struct alignas(32) ChildBounds {
  float low[3][kWidth] = {};
  float high[3][kWidth] = {};
  std::size_t count = 0;
  void add(const FrameBounds& b);
  /// Bounds in the coordinate axes, moved to an origin.
  void add(const FrameBounds& b, const std::array<float, 3>& origin);
  /// Half the surface of the boxes, summed up.
  [[nodiscard]] float half_area() const;
};

/// Writes frame and boxes of a node from the bounds of its children. model_radius scales the
/// rounding of the corners.
void fit_node(WideNode& node, const Rotation& rotation, const ChildBounds& children,
              double model_radius);

/// Relative rounding of a double that becomes a float, rounded up.
inline constexpr double kHalfUlp = 6e-8;
/// The least float that is not below v, for v of at least zero.
[[nodiscard]] inline float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) + 1U)
                                    : f;
}
inline void set_axes(WideFrame& frame, const FrameAxes& axes) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j) frame.axes[k][j] = axes[k][j];
  }
}

}  // namespace clearance::detail
