// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The triangles of one leaf, eight at a time: their moments, and the leaf in its frame.
#pragma once

#include <cstddef>
#include <span>

#include <clearance/geometry/vector.h>

#include "bvh/wide_axes.h"
#include "bvh/wide_fit.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

/// A mesh as the wide tree sees it.
struct WideSource {
  std::span<const Vec3> vertices;
  Faces faces;
  Vec3 center;          // origin of model coordinates
  double radius = 0.0;  // WideTree::radius
};

/// What the orientation of a leaf depends on.
struct LeafShape {
  Moments moments;
  /// Unit normal of the mean plane, or zero where the triangles have no common one: of the axes of
  /// a leaf the last is that, the others the principal ones within the plane.
  Vec3 normal;
};

/// Model coordinates of the triangles of a leaf. The unused places repeat the first triangle.
struct alignas(32) LeafTriangles {
  double corner[9][kWidth];  // ax ay az bx by bz cx cy cz
  std::size_t count = 0;

  /// `triangles` are the numbers of up to eight triangles, at least one.
  void gather(const WideSource& source, std::span<const std::uint32_t> triangles);
  /// least_weight: kLeastWeight, times the squared radius of the model.
  [[nodiscard]] LeafShape shape(double least_weight) const;
  [[nodiscard]] LeafCorners rounded() const;
};

/// Writes frame and corners of a leaf, all but its triangle numbers.
void fit_leaf(WideLeaf& leaf, const FrameAxes& axes, const LeafTriangles& triangles);
/// The same in the coordinate axes, in less time; returns the bounds in model coordinates.
FrameBounds fit_straight_leaf(WideLeaf& leaf, const LeafTriangles& triangles);

}  // namespace clearance::detail
