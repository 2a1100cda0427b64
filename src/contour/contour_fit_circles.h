// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The smallest segments between circles at given heights.
//
// With the heights fixed, the centres and radii that enclose the least volume are a convex problem:
// a point at height z is inside when |p - c(z)| <= r(z), c and r being linear between the circles
// (a second-order cone), and the volume of the truncated cones is a convex quadratic of the radii.
// It is solved by Newton's method on a logarithmic barrier (Boyd and Vandenberghe, Convex
// Optimization, chapter 11), with few of the points at first; those found outside join.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contour/contour_fit_slabs.h"

namespace clearance::detail {

/// A circle at a station, in the frame and unit of FitSlabs.
struct FitCircle {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
};

struct CirclesFit {
  std::vector<std::size_t> nodes;  ///< stations the circles stand at, ascending
  std::vector<FitCircle> circles;  ///< one for each node
  double volume = 0.0;             ///< of the segments between them
};

/// How exactly to solve.
struct CirclesPrecision {
  double volume = 0.0;  ///< as a fraction of it
  /// Points outside by less than this are not asked to join; all radii are raised instead [units].
  double outside = 0.0;
  /// Look at the outermost points of each slab only: good enough to compare.
  bool outer_only = false;
};
inline constexpr CirclesPrecision kSearchPrecision{1e-2, 2e-3, true};
inline constexpr CirclesPrecision kFinalPrecision{1e-4, 1e-5, false};

/// Solves one problem after another for the same slabs. It remembers the points that mattered,
/// which is where the next solution is likely to touch.
class CircleFitter {
 public:
  explicit CircleFitter(const FitSlabs& slabs);

  /// Circles at these stations (the first and the last are among them) that hold all points the
  /// precision looks at, with a little to spare.
  CirclesFit fit(std::vector<std::size_t> nodes, const CirclesPrecision& precision);

 private:
  struct Limit {
    std::uint32_t slab = 0;
    std::uint32_t point = 0;
  };
  /// A limit as the solver needs it: point p between circle `node` and the next, at fraction t.
  struct Row {
    double x = 0.0;
    double y = 0.0;
    double t = 0.0;
    std::size_t node = 0;
  };

  void locate(const std::vector<std::size_t>& nodes);
  [[nodiscard]] Row row_of(const Limit& limit, std::span<const std::size_t> nodes) const;
  double add_outside(std::span<const std::size_t> nodes, std::span<const FitCircle> circles,
                     const CirclesPrecision& precision);
  void minimise(std::span<const std::size_t> nodes, double precision,
                std::vector<FitCircle>& circles) const;

  const FitSlabs& slabs_;
  std::vector<Limit> limits_;
  std::vector<std::vector<bool>> is_limit_;  // by slab and point
  std::vector<std::size_t> node_of_slab_;    // the circle below each slab
};

/// Volume of the segments between circles at the stations `nodes`.
[[nodiscard]] double volume_of(const FitSlabs& slabs, std::span<const std::size_t> nodes,
                               std::span<const FitCircle> circles);

}  // namespace clearance::detail
