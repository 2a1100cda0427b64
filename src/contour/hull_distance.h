// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The distance between a triangle (or an edge, or a point) and the convex hull of two discs, which
// holds a segment or a part of one. GJK between proven bounds.
#pragma once

#include <array>
#include <limits>

#include <clearance/contour/contour.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// The rounding error of a bound, as a fraction of the coordinates: a support is a product of three
/// terms for each of a corner, a centre and a radius, each of them interpolated with two roundings,
/// along a direction of unit length within three roundings. 16 would do.
inline constexpr double kHullRounding = 32.0 * 0x1p-53;

/// The shape and the hull, relative to a point near both.
struct HullPair {
  std::array<Vec3, 3> corner;         ///< of the shape
  int corners = 3;                    ///< 1: a point, 2: an edge
  std::array<ContourCircle, 2> disc;  ///< images of the unit disc, ellipses in general
  double magnitude = 0.0;             ///< at least the norm of every point of both

  /// At least this far apart are they, along the unit vector n; what rounding may add is taken off.
  [[nodiscard]] double gap_along(const Vec3& n) const;
};

struct HullDistance {
  double lower = -std::numeric_limits<double>::infinity();  ///< proven
  double upper = std::numeric_limits<double>::infinity();   ///< of the points below
  Vec3 normal;  ///< of unit length, from the hull to the shape; gives `lower`
  std::array<double, 3> corner_weight{};
  std::array<double, 2> disc_weight{};
  /// For each disc the mean of its points of the combination times disc_weight.
  std::array<double, 2> x{};
  std::array<double, 2> y{};
  [[nodiscard]] Vec3 on_shape(const HullPair& pair) const;
};

struct HullDistanceOptions {
  double tolerance = 0.0;  ///< stop when upper - lower is not more [m]
  /// Stop when lower is more than this [m].
  double enough = std::numeric_limits<double>::infinity();
  /// Stop when upper is not more than this [m].
  double close = -std::numeric_limits<double>::infinity();
  int steps = 200;
};

/// `direction`: a guess, from the hull to the shape; of any length but zero.
[[nodiscard]] HullDistance hull_distance(const HullPair& pair, const Vec3& direction,
                                         const HullDistanceOptions& options);

}  // namespace clearance::detail
