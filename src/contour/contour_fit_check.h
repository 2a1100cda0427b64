// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the fits of one mesh and of a robot share.
#pragma once

#include <string>

#include <clearance/contour/contour_fit.h>

#include "contour/contour_fit_search.h"

namespace clearance::detail {

/// What is wrong with the options of a fit.
Status check_fit(const ContourFitOptions& options);
/// How much a contour encloses beside a mesh.
struct FitExcess {
  double hull_volume = 0.0;  ///< of the convex hull of the mesh [m³]
  double farthest = 0.0;     ///< ContourFit::farthest [m]
};
[[nodiscard]] FitExcess excess_of(const Contour& contour, const Mesh& mesh);
/// A step of a ladder as a contour that is proven to cover the mesh.
[[nodiscard]] Result<Contour> covering_contour(const FitLadder& ladder, std::size_t step,
                                               const Mesh& mesh, const std::string& name);

}  // namespace clearance::detail
