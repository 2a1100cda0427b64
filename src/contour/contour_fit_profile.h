// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which stations circles should stand at, planned for a centre line that is given.
//
// With it given, a mesh is a profile: points (z, distance from the line). The segments above it
// that enclose least, their corners at stations and on a grid of radii, are found by dynamic
// programming, for every number of segments at once. contour_fit_circles.h then solves for the
// centres and radii themselves.
#pragma once

#include <cstddef>
#include <vector>

#include "contour/contour_fit_circles.h"

namespace clearance::detail {

class FitProfile {
 public:
  /// About the centre line of a fit.
  FitProfile(const FitSlabs& slabs, const CirclesFit& line, std::size_t most_segments);

  /// Stations for the circles of so many segments, at least 1 and at most most_segments and the
  /// number of slabs.
  [[nodiscard]] std::vector<std::size_t> plan(std::size_t segments) const;

 private:
  struct Point {
    double z = 0.0;
    double radius = 0.0;
  };
  /// The best way to reach a radius at a station with so many segments.
  struct State {
    double volume = 0.0;
    std::uint32_t from = 0;  ///< state with one segment less
  };

  void measure(const FitSlabs& slabs, const CirclesFit& line);
  void set_levels(const FitSlabs& slabs);
  void link_from(std::size_t station, std::size_t level, const std::vector<State>& before,
                 std::vector<State>& next) const;

  const std::vector<double>& stations_;
  std::vector<std::vector<Point>> points_;   // by slab
  std::vector<std::vector<double>> levels_;  // radii by station, ascending
  std::vector<std::vector<State>> states_;   // by number of segments; index: station, level
};

}  // namespace clearance::detail
