// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the circles of a series stand: the best series of one segment, of two, and so on.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/mesh/mesh.h>

#include "contour/contour_fit_circles.h"

namespace clearance::detail {

/// Series around one mesh along one axis, of 1, 2, ... segments.
struct FitLadder {
  FitSlabs slabs;
  std::vector<CirclesFit> steps;  ///< steps[k] has k + 1 segments, unless no station was left
  double margin = 0.0;            ///< [m]

  /// Of steps[k] with the margin [m³].
  [[nodiscard]] double volume(std::size_t k) const;
  /// Of the last step [m³].
  [[nodiscard]] double least_volume() const;
  [[nodiscard]] Result<Contour> contour(std::size_t k, const std::string& name) const;
};

/// For each number of segments a plan (contour_fit_profile.h), then circles are moved while that
/// helps.
[[nodiscard]] FitLadder fit_ladder(const Mesh& mesh, const Vec3& unit_axis,
                                   std::size_t most_segments, double margin);

/// Along the axis that encloses least of those tried: the principal axes of the surface, those of
/// the mesh's frame, and some about the best of them.
[[nodiscard]] FitLadder best_ladder(const Mesh& mesh, std::size_t most_segments, double margin);

/// The step a single fit takes: each further segment takes away `least_gain` of the volume, by
/// itself or on average with those behind it.
[[nodiscard]] std::size_t chosen_step(const FitLadder& ladder, double least_gain);

}  // namespace clearance::detail
