// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The distance between a triangle (or an edge, or a point) and the convex hull of two discs, which
// holds a segment or a part of one: GJK (Gilbert, Johnson, Keerthi 1988) between proven bounds.
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

/// A difference of a corner of the shape and a rim point of a disc.
struct HullDifference {
  Vec3 w;
  int corner = 0;
  int disc = 0;
  double x = 0.0;
  double y = 0.0;
};

/// Where the search is to stop.
struct HullGoal {
  double tolerance = 0.0;  ///< when upper - lower is not more [m]
  /// when lower is more than this [m]
  double enough = std::numeric_limits<double>::infinity();
  /// when upper is not more than this [m]
  double close = -std::numeric_limits<double>::infinity();
  int steps = 200;
};

/// The search for the nearest points. It can be stopped and taken up again.
class HullSearch {
 public:
  /// `direction`: a guess, from the hull to the shape; of any length but zero. The pair has to
  /// outlive the search.
  HullSearch(const HullPair& pair, const Vec3& direction);

  /// Goes on until the goal is reached or rounding allows nothing better.
  void run(const HullGoal& goal);

  [[nodiscard]] double lower() const { return lower_; }  ///< proven [m]
  [[nodiscard]] double upper() const { return upper_; }  ///< of the points found [m]
  /// Of unit length, from the hull to the shape; gives lower().
  [[nodiscard]] const Vec3& normal() const { return normal_; }

  /// What the nearest points are made of.
  struct Combination {
    std::array<double, 3> corner_weight{};
    std::array<double, 2> disc_weight{};
    /// For each disc the mean of its points in the combination, times disc_weight.
    std::array<double, 2> x{};
    std::array<double, 2> y{};
  };
  [[nodiscard]] Combination combination() const;

 private:
  const HullPair* pair_;
  std::array<HullDifference, 4> simplex_;
  std::array<double, 4> weight_{};
  int count_ = 0;
  double squared_ = std::numeric_limits<double>::infinity();  // upper^2
  Vec3 next_;                                                 // the direction to look along
  Vec3 normal_;
  double lower_ = -std::numeric_limits<double>::infinity();
  double upper_ = std::numeric_limits<double>::infinity();
};

}  // namespace clearance::detail
