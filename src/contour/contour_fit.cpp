// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fits around one mesh. What is done where: contour_fit_slabs.h (what has to be enclosed),
// contour_fit_circles.h (the smallest circles at given heights), contour_fit_search.h (the
// heights), contour_cover.cpp (the proof).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <clearance/contour/contour_fit.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/convex_hull.h>
#include <clearance/geometry/mass.h>

#include "contour/contour_fit_check.h"
#include "contour/contour_fit_search.h"

namespace clearance {
namespace {

/// Points of a circle looked at for ContourFit::farthest.
constexpr int kCirclePoints = 32;

/// The hull as a mesh; empty when it has no faces.
Mesh hull_of(const Mesh& mesh) {
  const Result<ConvexHull> hull = convex_hull(mesh.vertices());
  if (!hull || hull->faces.empty()) return {};
  Result<Mesh> made = Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, hull->faces);
  return made ? welded(*made) : Mesh();
}

/// Largest distance of a point of the circles from the hull. The farthest point of a convex solid
/// from another is one of its extreme points, and these are on the circles.
double farthest_from(const Mesh& hull, const Contour& contour) {
  double farthest_sq = 0.0;
  for (const ContourNode& node : contour.nodes()) {
    const Vec3 u = any_perpendicular(node.tangent);
    const Vec3 v = cross(node.tangent, u);
    for (int i = 0; i < kCirclePoints; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kCirclePoints;
      const Vec3 p = node.position + node.radius * (std::cos(angle) * u + std::sin(angle) * v);
      bool is_inside = true;
      double nearest_sq = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < hull.triangle_count(); ++k) {
        const Triangle face = hull.triangle(k);
        is_inside = is_inside && dot(triangle_normal(face), p - face.a) <= 0.0;
        nearest_sq = std::min(nearest_sq, squared_distance(p, face));
      }
      if (!is_inside) farthest_sq = std::max(farthest_sq, nearest_sq);
    }
  }
  return std::sqrt(farthest_sq);
}

}  // namespace

namespace detail {

Status check_fit(const ContourFitOptions& options) {
  const auto invalid = [](std::string reason) {
    return Error{.code = ErrorCode::Invalid, .reason = std::move(reason)};
  };
  if (options.axis && (!is_finite(*options.axis) || normalized(*options.axis) == Vec3{}))
    return invalid("the axis has no length");
  if (options.most_segments == 0) return invalid("a series needs one segment at least");
  if (!(options.margin >= 0.0 && std::isfinite(options.margin)))
    return invalid("the margin is negative or not finite");
  if (!(options.least_gain >= 0.0 && options.least_gain < 1.0))
    return invalid("the least gain is not a fraction");
  return {};
}

FitExcess excess_of(const Contour& contour, const Mesh& mesh) {
  const Mesh hull = hull_of(mesh);
  if (hull.empty()) return {};
  return {.hull_volume = solid_properties(hull.vertices(), hull.faces()).volume,
          .farthest = farthest_from(hull, contour)};
}

Result<Contour> covering_contour(const FitLadder& ladder, std::size_t step, const Mesh& mesh,
                                 const std::string& name) {
  Result<Contour> contour = ladder.contour(step, name);
  if (!contour) return contour;
  // Far from the origin a coordinate has an error of its own.
  const Box bounds = mesh.bounds();
  const double coordinate =
      std::max(largest_component(abs(bounds.low)), largest_component(abs(bounds.high)));
  if (!covers(contour->segments(), mesh, std::max(1e-12, 1e-14 * coordinate)))
    return Error{.code = ErrorCode::Invalid,
                 .reason = "no series of segments was found that is proven to enclose the mesh"};
  return contour;
}

}  // namespace detail

Result<ContourFit> fit_contour(const Mesh& mesh, const ContourFitOptions& options) {
  if (mesh.empty()) return Error{.code = ErrorCode::Invalid, .reason = "the mesh is empty"};
  if (const Status status = detail::check_fit(options); !status) return status.error();
  const detail::FitLadder ladder =
      options.axis ? detail::fit_ladder(mesh, normalized(*options.axis), options.most_segments,
                                        options.margin)
                   : detail::best_ladder(mesh, options.most_segments, options.margin);
  const std::size_t step = detail::chosen_step(ladder, options.least_gain);
  Result<Contour> contour = detail::covering_contour(ladder, step, mesh, {});
  if (!contour) return contour.error();
  const detail::FitExcess excess = detail::excess_of(*contour, mesh);
  return ContourFit{.contour = std::move(*contour),
                    .enclosed_volume = ladder.volume(step),
                    .hull_volume = excess.hull_volume,
                    .farthest = excess.farthest};
}

}  // namespace clearance
