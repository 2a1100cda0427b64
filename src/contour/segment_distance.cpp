// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First as if the segment filled its convex hull, which it does when its circles are parallel, and
// often enough near the closest points; then, where the bounds have not met, part by part.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <clearance/contour/segment_distance.h>

#include "contour/hull_distance.h"
#include "contour/segment_bound.h"
#include "contour/segment_problem.h"

namespace clearance {
namespace {

using detail::HullPair;
using detail::HullSearch;
using detail::SegmentCandidate;
using detail::SegmentProblem;

/// Of the tolerance, for the hull of the whole.
constexpr double kHullShare = 0.25;
/// Steps of the search in the hull before a descent from what it found is tried.
constexpr int kFirstSteps = 5;

/// The closest points so far, and what is proven.
struct Bounds {
  SegmentCandidate best;
  double lower = -std::numeric_limits<double>::infinity();

  void consider(const SegmentProblem& problem, const SegmentCandidate& found) {
    if (found.distance < best.distance) best = found;
    if (best.normal != Vec3{}) lower = std::max(lower, problem.whole().gap_along(best.normal));
  }
  [[nodiscard]] bool met(const SegmentProblem& problem) const {
    return problem.touches(best) || lower >= best.distance - problem.allowed_gap(best);
  }
};

/// Along the normals of the discs: where the nearest point is inside one and the shape is tiny, the
/// search cannot tell the normal of the one from the slope of the other as exactly.
double gap_over_discs(const HullPair& pair, const Vec3& direction) {
  double best = -std::numeric_limits<double>::infinity();
  for (const ContourCircle& disc : pair.disc) {
    const Vec3 normal = normalized(cross(disc.u, disc.v));
    if (normal != Vec3{})
      best = std::max(best, pair.gap_along(dot(normal, direction) < 0.0 ? -normal : normal));
  }
  return best;
}

/// What the hull tells. For a convex segment that is all, but for cases that touch in too many
/// ways.
Bounds bounds_by_hull(const SegmentProblem& problem, bool convex) {
  const HullPair& whole = problem.whole();
  Bounds bounds;
  const auto found_by = [&](const HullSearch& search) {
    return problem.at(std::min(search.combination().disc_weight[1], 1.0), whole, search);
  };
  // The nearest points of the hull, roughly, and down from there.
  HullSearch search(whole, problem.first_direction());
  search.run({.tolerance = kHullShare * problem.tolerance(), .steps = kFirstSteps});
  bounds.lower = search.lower();
  bounds.consider(problem, found_by(search));
  if (!bounds.met(problem)) bounds.consider(problem, problem.descended(bounds.best));
  if (bounds.met(problem) || !convex) return bounds;

  search.run({.tolerance = kHullShare * problem.tolerance()});
  bounds.lower = std::max(bounds.lower, search.lower());
  if (!(search.upper() > problem.touching())) {
    // A common point, though the nearest point of a needle may be too hard to tell.
    bounds.best = found_by(search);
    bounds.best.distance = 0.0;
    bounds.best.weight = search.combination().corner_weight;
    return bounds;
  }
  bounds.consider(problem, found_by(search));
  if (!bounds.met(problem)) bounds.consider(problem, problem.descended(bounds.best));
  if (!bounds.met(problem))
    bounds.lower = std::max(bounds.lower, gap_over_discs(whole, bounds.best.normal));
  return bounds;
}

/// The corners and edges of the shape by themselves: where a circle touches one of them and others
/// pass as close, neither the search nor the descent settles on it.
void consider_features(const ContourSegment& segment, const std::array<Vec3, 3>& corner,
                       int corners, const SegmentProblem& problem, Bounds& bounds) {
  const auto consider = [&](const SegmentProblem& feature) {
    if (bounds.met(problem)) return;
    const SegmentCandidate found = bounds_by_hull(feature, true).best;
    bounds.consider(problem, problem.at(found.eta, found.x, found.y));
  };
  for (int i = 0; i < corners && corners > 1; ++i)
    consider(SegmentProblem(segment, {corner[i], {}, {}}, 1));
  for (int i = 0; i < corners && corners > 2; ++i)
    consider(SegmentProblem(segment, {corner[i], corner[(i + 1) % 3], {}}, 2));
}

SegmentDistance result_of(const ContourSegment& segment, const SegmentProblem& problem,
                          const SegmentCandidate& best, double lower) {
  SegmentDistance result;
  result.lower = std::max(std::min(lower, best.distance), 0.0);
  // As close as this and not proven apart: contact.
  const bool apart = result.lower > 0.0 || best.distance > problem.tolerance();
  result.distance = apart ? best.distance : 0.0;
  result.place.eta = best.eta;
  result.place.rho = std::min(std::sqrt(best.x * best.x + best.y * best.y), 1.0);
  result.place.theta = std::atan2(best.y, best.x);
  if (result.place.theta < 0.0) result.place.theta += 2.0 * std::numbers::pi;
  if (result.place.theta >= 2.0 * std::numbers::pi) result.place.theta = 0.0;
  result.alpha = best.weight[1];
  result.beta = best.weight[2];
  result.on_segment = segment.at(best.eta, best.x, best.y);
  result.on_shape = problem.on_shape(best);
  return result;
}

SegmentDistance solve(const ContourSegment& segment, const std::array<Vec3, 3>& corner,
                      int corners) {
  const SegmentProblem problem(segment, corner, corners);
  const bool convex = is_convex(segment);
  Bounds bounds = bounds_by_hull(problem, convex);
  if (!bounds.met(problem) && convex) consider_features(segment, corner, corners, problem, bounds);
  // Convex ones come here when they are so flat that the hull's simplices have no volume.
  if (!bounds.met(problem)) bounds.lower = std::max(bounds.lower, bounded(problem, bounds.best));
  if (problem.touches(bounds.best)) bounds.lower = 0.0;
  return result_of(segment, problem, bounds.best, bounds.lower);
}

}  // namespace

SegmentDistance distance(const ContourSegment& segment, const Vec3& point) {
  return solve(segment, {point, {}, {}}, 1);
}

SegmentDistance distance(const ContourSegment& segment, const Segment& edge) {
  return solve(segment, {edge.a, edge.b, {}}, 2);
}

SegmentDistance distance(const ContourSegment& segment, const Triangle& triangle) {
  return solve(segment, {triangle.a, triangle.b, triangle.c}, 3);
}

double lower_bound(const ContourSegment& segment, const Triangle& triangle, double limit) {
  const SegmentProblem problem(segment, {triangle.a, triangle.b, triangle.c}, 3);
  constexpr int kSteps = 6;
  HullSearch search(problem.whole(), problem.first_direction());
  search.run({.tolerance = problem.tolerance(), .enough = limit, .close = limit, .steps = kSteps});
  return std::max(search.lower(), 0.0);
}

}  // namespace clearance
