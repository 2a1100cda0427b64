// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/segment_problem.h"

#include <algorithm>
#include <cmath>

#include <clearance/base/assert.h>
#include <clearance/contour/segment_distance.h>

#include "contour/hull_simplex.h"

namespace clearance::detail {
namespace {

/// Of kSegmentDistanceError. The extent the header speaks of is at least half of the magnitude.
constexpr double kShare = 0.5;
/// Of the tolerance, for one disc.
constexpr double kSliceShare = 0.125;

/// The norm of the farthest point, or more.
double reach_of(const ContourCircle& circle) {
  return norm(circle.center) + std::sqrt(std::max(squared_norm(circle.u), squared_norm(circle.v)));
}

/// How fast the point (x, y) of the disc moves with eta.
Vec3 ruling(const SegmentProblem& problem, double x, double y) {
  const ContourCircle& a = problem.whole.disc[0];
  const ContourCircle& b = problem.whole.disc[1];
  return (b.center - a.center) + x * (b.u - a.u) + y * (b.v - a.v);
}

}  // namespace

SegmentProblem::SegmentProblem(const ContourSegment& segment, const std::array<Vec3, 3>& corner,
                               int corners)
    : origin(corner[0]) {
  whole.corners = corners;
  for (int i = 0; i < corners; ++i) {
    CLEARANCE_ASSERT(is_finite(corner[i]));
    whole.corner[i] = corner[i] - origin;
    whole.magnitude = std::max(whole.magnitude, norm(whole.corner[i]));
  }
  const std::array<const ContourCircle*, 2> circles{&segment.start, &segment.end};
  for (int j = 0; j < 2; ++j) {
    const ContourCircle& circle = *circles[j];
    CLEARANCE_ASSERT(is_finite(circle.center) && is_finite(circle.u) && is_finite(circle.v));
    whole.disc[j] = {circle.center - origin, circle.u, circle.v};
    whole.magnitude = std::max(whole.magnitude, reach_of(whole.disc[j]));
  }
  tolerance = kShare * kSegmentDistanceError * whole.magnitude;
  touching = kHullRounding * whole.magnitude;
}

ContourCircle SegmentProblem::disc_at(double eta) const {
  const double rest = 1.0 - eta;
  const ContourCircle& a = whole.disc[0];
  const ContourCircle& b = whole.disc[1];
  return {rest * a.center + eta * b.center, rest * a.u + eta * b.u, rest * a.v + eta * b.v};
}

Vec3 SegmentProblem::first_direction() const {
  Vec3 middle;
  for (int i = 0; i < whole.corners; ++i) middle += whole.corner[i];
  const Vec3 direction =
      (1.0 / whole.corners) * middle - 0.5 * (whole.disc[0].center + whole.disc[1].center);
  return normalized(direction) == Vec3{} ? Vec3{0.0, 0.0, 1.0} : direction;
}

SegmentCandidate candidate_at(const SegmentProblem& problem, double eta, double x, double y) {
  const ContourCircle disc = problem.disc_at(eta);
  const Vec3 s = disc.center + x * disc.u + y * disc.v;
  std::array<Vec3, 4> w;
  for (int i = 0; i < problem.whole.corners; ++i) w[i] = problem.whole.corner[i] - s;
  const SimplexPoint nearest = nearest_to_origin(w, problem.whole.corners, 0.0);
  return {std::sqrt(nearest.squared),
          eta,
          x,
          y,
          {nearest.weight[0], nearest.weight[1], nearest.weight[2]},
          normalized(nearest.direction)};
}

SegmentCandidate candidate_of(const SegmentProblem& problem, double eta, const HullPair& pair,
                              const HullDistance& hull) {
  const ContourCircle disc = problem.disc_at(eta);
  const Vec3 offset = hull.x[0] * pair.disc[0].u + hull.y[0] * pair.disc[0].v +
                      hull.x[1] * pair.disc[1].u + hull.y[1] * pair.disc[1].v;
  // Normal equations of offset = x u + y v.
  const double uu = squared_norm(disc.u);
  const double uv = dot(disc.u, disc.v);
  const double vv = squared_norm(disc.v);
  const double determinant = uu * vv - uv * uv;
  double x = hull.x[0] + hull.x[1];
  double y = hull.y[0] + hull.y[1];
  constexpr double kFlat = 1e-12;  // of an ellipse, squared: then any of its points may do
  if (determinant > kFlat * uu * vv) {
    const double u = dot(disc.u, offset);
    const double v = dot(disc.v, offset);
    x = (vv * u - uv * v) / determinant;
    y = (uu * v - uv * u) / determinant;
  }
  const double rho = std::sqrt(x * x + y * y);
  if (rho > 1.0) x /= rho, y /= rho;
  return candidate_at(problem, eta, x, y);
}

SegmentSlice slice_at(const SegmentProblem& problem, double eta, const Vec3& direction,
                      SegmentCandidate& best) {
  HullPair slice = problem.whole;
  slice.disc[0] = slice.disc[1] = problem.disc_at(eta);
  HullDistanceOptions options;
  options.tolerance = kSliceShare * problem.tolerance;
  const HullDistance hull = hull_distance(slice, direction, options);
  const SegmentCandidate found = candidate_of(problem, eta, slice, hull);
  if (found.distance < best.distance) best = found;
  // That the nearest point of the disc becomes another one changes the distance in second order.
  return {eta, hull.lower, -dot(hull.normal, ruling(problem, found.x, found.y)), hull.normal};
}

SegmentCandidate descended(const SegmentProblem& problem, const SegmentCandidate& from) {
  const std::array<Vec3, 3>& corner = problem.whole.corner;
  const ContourCircle& first = problem.whole.disc[0];
  const ContourCircle& second = problem.whole.disc[1];
  SegmentCandidate best = from;
  double c = from.x;
  double s = from.y;
  const double rho = std::sqrt(c * c + s * s);
  if (!(rho > 0.0)) return best;
  c /= rho;
  s /= rho;
  double eta = from.eta;
  constexpr int kSteps = 12;
  for (int step = 0; step < kSteps; ++step) {
    const SegmentCandidate now = candidate_at(problem, eta, c, s);
    if (now.distance < best.distance)
      best = now;
    else if (step > 0 && !(now.distance < best.distance + problem.tolerance))
      break;
    if (!(now.distance > problem.touching)) break;
    // Derivatives of half the squared distance by eta and theta. The nearest point of the shape
    // moves along in the directions of its feature, which takes their part out of the first-order
    // terms.
    const ContourCircle disc = problem.disc_at(eta);
    const Vec3 gap = -now.distance * now.normal;
    const Vec3 outward = c * disc.u + s * disc.v;
    Vec3 by_theta = c * disc.v - s * disc.u;
    Vec3 by_eta = ruling(problem, c, s);
    const Vec3 mixed = c * (second.v - first.v) - s * (second.u - first.u);
    const double slope_eta = dot(gap, by_eta);
    const double slope_theta = dot(gap, by_theta);
    int kept = 0;
    std::array<int, 3> used{};
    for (int i = 0; i < problem.whole.corners; ++i)
      if (now.weight[i] > 0.0) used[kept++] = i;
    if (kept == 2) {
      const Vec3 e = normalized(corner[used[1]] - corner[used[0]]);
      by_theta = by_theta - dot(by_theta, e) * e;
      by_eta = by_eta - dot(by_eta, e) * e;
    } else if (kept == 3) {
      by_theta = dot(by_theta, now.normal) * now.normal;
      by_eta = dot(by_eta, now.normal) * now.normal;
    }
    const double ee = squared_norm(by_eta);
    const double et = dot(by_eta, by_theta) + dot(gap, mixed);
    const double tt = squared_norm(by_theta) - dot(gap, outward);
    const double determinant = ee * tt - et * et;
    if (!(tt > 0.0)) break;
    double turn = 0.0;
    double next = eta;
    if (determinant > 0.0) {
      next = eta - (tt * slope_eta - et * slope_theta) / determinant;
    } else if (slope_eta != 0.0) {
      // Not convex here: some way down.
      constexpr double kStep = 0.125;
      next = eta - std::copysign(kStep, slope_eta);
    }
    next = std::clamp(next, 0.0, 1.0);
    turn = -(slope_theta + et * (next - eta)) / tt;
    constexpr double kFarthestTurn = 0.5;
    turn = std::clamp(turn, -kFarthestTurn, kFarthestTurn);
    // Half-angle form of a turn: exactly of unit length but for rounding.
    const double tangent = 0.5 * turn;
    const double scale = 1.0 / (1.0 + tangent * tangent);
    const double cosine = (1.0 - tangent * tangent) * scale;
    const double sine = 2.0 * tangent * scale;
    const double c_next = c * cosine - s * sine;
    const double s_next = s * cosine + c * sine;
    constexpr double kStill = 1e-15;
    if (std::abs(next - eta) <= kStill && std::abs(turn) <= kStill) break;
    eta = next;
    const double size = 1.0 / std::sqrt(c_next * c_next + s_next * s_next);
    c = c_next * size;
    s = s_next * size;
  }
  return best;
}

}  // namespace clearance::detail
