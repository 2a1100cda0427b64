// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Frames and boxes of the wide tree: which orientation a set of triangles gets, and the boxes of
// its parts in it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <clearance/geometry/vector.h>

#include "bvh/wide_tree.h"

namespace clearance::detail {

/// Weight of a triangle without area, as a fraction of the squared radius of the model: enough to
/// orient a set of needles, too little to matter beside any area.
inline constexpr double kLeastWeight = 1e-20;

/// Triangles that follow each other in the order of the tree.
struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Area-weighted moments of a set of triangles, in model coordinates; sums of parts add up.
struct Moments {
  double weight = 0.0;
  Vec3 first;
  std::array<double, 6> second{};  // xx xy xz yy yz zz
  void add(const Triangle& t, double least_weight);
  void add(const Moments& m);
  [[nodiscard]] Mat3 covariance() const;
  /// The principal axes as rows, the longest first.
  [[nodiscard]] Mat3 axes() const;
  [[nodiscard]] Vec3 centroid() const { return weight > 0.0 ? first / weight : first; }
};

/// Axes for the few triangles of a leaf, as rows: the principal ones within their mean plane, and
/// its normal. The principal axes of `moments` where the triangles have no common normal.
[[nodiscard]] Mat3 leaf_axes(std::span<const Triangle> triangles, const Moments& moments);

/// The corners of all triangles in the order of the tree, model coordinates, one array for each of
/// the nine numbers, with room to read eight at any place.
class CornerArrays {
 public:
  explicit CornerArrays(std::size_t count);
  [[nodiscard]] float* row(std::size_t k) { return data_.data() + k * stride_; }
  [[nodiscard]] const float* row(std::size_t k) const { return data_.data() + k * stride_; }
  void set(std::size_t i, const Triangle& t);

 private:
  std::size_t stride_;
  std::vector<float> data_;
};

/// Bounds in a rotated frame, in single precision, not yet rounded outward.
struct RotatedBounds {
  std::array<float, 3> low, high;
  void include(const RotatedBounds& b);
  [[nodiscard]] float half_area() const;
};

struct Rotation {
  std::array<std::array<float, 3>, 3> axes;
  std::array<float, 3> origin;
};
[[nodiscard]] Rotation rotation_of(const Mat3& axes, const Vec3& origin);
[[nodiscard]] RotatedBounds bounds_of(const CornerArrays& corners, std::size_t first,
                                      std::size_t count, const Rotation& rotation);

/// Writes frame and boxes of a node from the bounds of its children. model_radius scales the
/// rounding of the corners.
void fit_node(WideNode& node, const Rotation& rotation, std::span<const RotatedBounds> children,
              double model_radius);
/// Writes frame and corners of a leaf; the triangles are given in model coordinates.
void fit_leaf(WideLeaf& leaf, const Mat3& axes, std::span<const Triangle> triangles);

}  // namespace clearance::detail
