// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bounding volumes of binary trees, all of one form: a box at any angle with a ball rolled over
// it. A rectangle swept sphere is one without thickness, an oriented box one with (nearly) no
// radius, an axis-aligned box one along the coordinate axes, a sphere one without a box. So one set
// of functions serves every pair of them.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// All points within `radius` of the box {center + sum of s_i axis_i, |s_i| <= half_size_i}.
struct RoundedBox {
  Mat3 axes;  ///< the columns; orthonormal within rounding
  Vec3 center;
  Vec3 half_size;       ///< z is 0 in a rectangle swept sphere; all are 0 in a sphere
  double radius = 0.0;  ///< [m]; in boxes what makes up for rounding, about 1e-15 of their size
  bool operator==(const RoundedBox&) const = default;
};

/// Area 2(lw + lh + wh) + 2 pi r (l + w + h) + 4 pi r² and volume
/// lwh + 2r(lw + lh + wh) + pi r² (l + w + h) + 4/3 pi r³, with l, w, h the sides of the box.
[[nodiscard]] double surface_area(const Vec3& half_size, double radius);
[[nodiscard]] double enclosed_volume(const Vec3& half_size, double radius);

/// A point in the frame of a volume to be fitted, in one register; the fourth number is unused.
using FramePoint = double __attribute__((vector_size(32)));

/// Least and greatest coordinates of a set of points.
struct Extents {
  FramePoint low;
  FramePoint high;
  static Extents none() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {FramePoint{kInfinity, kInfinity, kInfinity, kInfinity},
            FramePoint{-kInfinity, -kInfinity, -kInfinity, -kInfinity}};
  }
  void include(const FramePoint& p) {
    low = p < low ? p : low;
    high = p > high ? p : high;
  }
};

/// A volume in the frame it is fitted along.
struct FramedVolume {
  std::array<double, 3> center{};
  std::array<double, 3> half_size{};
  double radius = 0.0;
  [[nodiscard]] double area() const;
};

/// Fits a volume of this kind (not Wide) along the axes of the points' frame. The axis along which
/// the points spread least is across the rectangle of a rectangle swept sphere. Good to rounding
/// only: bounding_volume() makes it safe.
[[nodiscard]] FramedVolume fit_in_frame(Volume volume, std::span<const FramePoint> points,
                                        const Extents& extents);

/// The volume in its place, around all corners of the triangles for certain: the radius is the
/// greatest distance of a corner from the box, rounded up. `origin` and the columns of `axes` are
/// the frame `fitted` was made in.
[[nodiscard]] RoundedBox bounding_volume(const FramedVolume& fitted, const Vec3& origin,
                                         const Mat3& axes, std::span<const Triangle> triangles);

/// The volume of one triangle: its longest side is the first axis, its normal the last.
[[nodiscard]] RoundedBox volume_of_triangle(Volume volume, const Triangle& triangle);

/// A volume of this kind around the triangles along given axes.
[[nodiscard]] RoundedBox fit_volume(Volume volume, const Mat3& axes,
                                    std::span<const Triangle> triangles);

/// True only when p is certainly inside.
[[nodiscard]] bool contains(const RoundedBox& volume, const Vec3& p);

}  // namespace clearance::detail
