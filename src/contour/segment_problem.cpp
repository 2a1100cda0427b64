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
/// Points closer than this many times the rounding of a bound are the same: 1.4e-14 of the extent.
/// With less, gaps would have to be proven that rounding makes as good as any.
constexpr double kTouching = 4.0;
/// Of the tolerance, for one disc.
constexpr double kSliceShare = 0.125;

/// The norm of the farthest point, or more.
double reach_of(const ContourCircle& circle) {
  return norm(circle.center) + std::sqrt(std::max(squared_norm(circle.u), squared_norm(circle.v)));
}

}  // namespace

SegmentProblem::SegmentProblem(const ContourSegment& segment, const std::array<Vec3, 3>& corner,
                               int corners)
    : origin_(corner[0]) {
  whole_.corners = corners;
  for (int i = 0; i < corners; ++i) {
    CLEARANCE_ASSERT(is_finite(corner[i]));
    whole_.corner[i] = corner[i] - origin_;
    whole_.magnitude = std::max(whole_.magnitude, norm(whole_.corner[i]));
  }
  const std::array<const ContourCircle*, 2> circles{&segment.start, &segment.end};
  for (int j = 0; j < 2; ++j) {
    const ContourCircle& circle = *circles[j];
    CLEARANCE_ASSERT(is_finite(circle.center) && is_finite(circle.u) && is_finite(circle.v));
    whole_.disc[j] = {circle.center - origin_, circle.u, circle.v};
    whole_.magnitude = std::max(whole_.magnitude, reach_of(whole_.disc[j]));
  }
  tolerance_ = kShare * kSegmentDistanceError * whole_.magnitude;
  touching_ = kTouching * kHullRounding * whole_.magnitude;
  if (corners < 3) return;
  e_ = whole_.corner[1];
  f_ = whole_.corner[2];
  ee_ = squared_norm(e_);
  ef_ = dot(e_, f_);
  ff_ = squared_norm(f_);
  normal_ = cross(e_, f_);
  // Angles and sizes from here on down make products of edges lose more digits than there are to
  // spare between rounding and the tolerance.
  constexpr double kLeastSine = 1e-3;
  constexpr double kLeastSize = 1e-3;
  const double size = kLeastSize * whole_.magnitude;
  plain_ = ee_ > size * size && ff_ > size * size &&
           squared_norm(normal_) > kLeastSine * kLeastSine * ee_ * ff_;
}

ContourCircle SegmentProblem::disc_at(double eta) const {
  const double rest = 1.0 - eta;
  const ContourCircle& a = whole_.disc[0];
  const ContourCircle& b = whole_.disc[1];
  return {rest * a.center + eta * b.center, rest * a.u + eta * b.u, rest * a.v + eta * b.v};
}

HullPair SegmentProblem::part(double begin, double end) const {
  HullPair pair = whole_;
  pair.disc = {disc_at(begin), disc_at(end)};
  return pair;
}

Vec3 SegmentProblem::first_direction() const {
  Vec3 middle;
  for (int i = 0; i < whole_.corners; ++i) middle += whole_.corner[i];
  const Vec3 direction =
      (1.0 / whole_.corners) * middle - 0.5 * (whole_.disc[0].center + whole_.disc[1].center);
  return normalized(direction) == Vec3{} ? Vec3{0.0, 0.0, 1.0} : direction;
}

Vec3 SegmentProblem::ruling(double x, double y) const {
  const ContourCircle& a = whole_.disc[0];
  const ContourCircle& b = whole_.disc[1];
  return (b.center - a.center) + x * (b.u - a.u) + y * (b.v - a.v);
}

SegmentCandidate SegmentProblem::at(double eta, double x, double y) const {
  const ContourCircle disc = disc_at(eta);
  const Vec3 s = disc.center + x * disc.u + y * disc.v;
  SegmentCandidate result{.distance = 0.0, .eta = eta, .x = x, .y = y, .weight = {}, .normal = {}};
  if (!plain_) {
    std::array<Vec3, 4> w;
    for (int i = 0; i < whole_.corners; ++i) w[i] = whole_.corner[i] - s;
    const SimplexPoint nearest = nearest_to_origin(w, whole_.corners, 0.0);
    result.distance = std::sqrt(nearest.squared);
    result.weight = {nearest.weight[0], nearest.weight[1], nearest.weight[2]};
    result.normal = normalized(nearest.direction);
    return result;
  }
  // The regions of the triangle in turn (Ericson, Real-Time Collision Detection, 5.1.5). The first
  // corner is the origin; an, bn, cn are the products of the edges with the way from each corner.
  const double a1 = dot(e_, s);
  const double a2 = dot(f_, s);
  const double b1 = a1 - ee_;
  const double b2 = a2 - ef_;
  const double c1 = a1 - ef_;
  const double c2 = a2 - ff_;
  const double over_c = a1 * b2 - b1 * a2;
  const double over_b = c1 * a2 - a1 * c2;
  const double over_a = b1 * c2 - c1 * b2;
  double beta = 0.0;
  double gamma = 0.0;
  Vec3 edge;
  bool face = false;
  if (a1 <= 0.0 && a2 <= 0.0) {
  } else if (b1 >= 0.0 && b2 <= b1) {
    beta = 1.0;
  } else if (over_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0) {
    beta = a1 / ee_;
    edge = e_;
  } else if (c2 >= 0.0 && c1 <= c2) {
    gamma = 1.0;
  } else if (over_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0) {
    gamma = a2 / ff_;
    edge = f_;
  } else if (over_a <= 0.0 && b2 - b1 >= 0.0 && c1 - c2 >= 0.0) {
    gamma = (b2 - b1) / ((b2 - b1) + (c1 - c2));
    beta = 1.0 - gamma;
    edge = f_ - e_;
  } else {
    const double scale = 1.0 / (over_a + over_b + over_c);
    beta = over_b * scale;
    gamma = over_c * scale;
    face = true;
  }
  const Vec3 gap = beta * e_ + gamma * f_ - s;
  result.distance = norm(gap);
  result.weight = {std::max(1.0 - beta - gamma, 0.0), beta, gamma};
  // Perpendicular to the feature, more exactly than the gap is.
  if (face) {
    result.normal = normalized(dot(gap, normal_) < 0.0 ? -normal_ : normal_);
  } else {
    const double length_sq = squared_norm(edge);
    const double along = length_sq > 0.0 ? dot(gap, edge) / length_sq : 0.0;
    result.normal = normalized(gap - along * edge);
  }
  return result;
}

SegmentCandidate SegmentProblem::at(double eta, const HullPair& pair,
                                    const HullSearch& search) const {
  const HullSearch::Combination mix = search.combination();
  const ContourCircle disc = disc_at(eta);
  const Vec3 offset = mix.x[0] * pair.disc[0].u + mix.y[0] * pair.disc[0].v +
                      mix.x[1] * pair.disc[1].u + mix.y[1] * pair.disc[1].v;
  // Normal equations of offset = x u + y v.
  const double uu = squared_norm(disc.u);
  const double uv = dot(disc.u, disc.v);
  const double vv = squared_norm(disc.v);
  const double determinant = uu * vv - uv * uv;
  double x = mix.x[0] + mix.x[1];
  double y = mix.y[0] + mix.y[1];
  constexpr double kFlat = 1e-12;  // of an ellipse, squared: then any of its points may do
  if (determinant > kFlat * uu * vv) {
    const double u = dot(disc.u, offset);
    const double v = dot(disc.v, offset);
    x = (vv * u - uv * v) / determinant;
    y = (uu * v - uv * u) / determinant;
  }
  const double rho = std::sqrt(x * x + y * y);
  if (rho > 1.0) x /= rho, y /= rho;
  return at(eta, x, y);
}

SegmentCandidate SegmentProblem::descended(const SegmentCandidate& from) const {
  return descended(from, Along::Free);
}

SegmentCandidate SegmentProblem::descended(const SegmentCandidate& from, Along along) const {
  const ContourCircle& first = whole_.disc[0];
  const ContourCircle& second = whole_.disc[1];
  SegmentCandidate best = from;
  const double rho = std::sqrt(from.x * from.x + from.y * from.y);
  if (!(rho > 0.0)) return best;
  double c = from.x / rho;
  double s = from.y / rho;
  double eta = from.eta;
  // Convergence is quadratic but where a circle touches an edge or a face: there each step takes a
  // third of the way.
  constexpr int kSteps = 40;
  bool turn_only = along == Along::Fixed;
  // The distance says nothing any more before the place, and with it the normal, is exact.
  constexpr int kLevelSteps = 2;
  int level_steps = 0;
  for (int step = 0; step < kSteps; ++step) {
    SegmentCandidate now = at(eta, c, s);
    if (now.distance < best.distance) {
      best = now;
      turn_only = along == Along::Fixed;
    } else if (step > 0 && level_steps < kLevelSteps && now.distance <= best.distance + touching_) {
      best = now;
      ++level_steps;
    } else if (step > 0) {
      // Too far: the nearest feature of the shape is another one there. A turn alone may do.
      if (turn_only || now.eta == best.eta) break;
      turn_only = true;
      now = best;
      eta = best.eta;
      c = best.x;
      s = best.y;
    }
    if (!(now.distance > touching_)) break;
    // Derivatives of half the squared distance by eta and theta. The nearest point of the shape
    // moves along in the directions of its feature, which takes their part out of the first-order
    // terms.
    const ContourCircle disc = disc_at(eta);
    const Vec3 gap = -now.distance * now.normal;
    const Vec3 outward = c * disc.u + s * disc.v;
    Vec3 by_theta = c * disc.v - s * disc.u;
    Vec3 by_eta = ruling(c, s);
    const Vec3 mixed = c * (second.v - first.v) - s * (second.u - first.u);
    const double slope_eta = dot(gap, by_eta);
    const double slope_theta = dot(gap, by_theta);
    int kept = 0;
    std::array<int, 3> used{};
    for (int i = 0; i < whole_.corners; ++i)
      if (now.weight[i] > 0.0) used[kept++] = i;
    if (kept == 2) {
      const Vec3 edge = normalized(whole_.corner[used[1]] - whole_.corner[used[0]]);
      by_theta = by_theta - dot(by_theta, edge) * edge;
      by_eta = by_eta - dot(by_eta, edge) * edge;
    } else if (kept == 3) {
      by_theta = dot(by_theta, now.normal) * now.normal;
      by_eta = dot(by_eta, now.normal) * now.normal;
    }
    const double ee = squared_norm(by_eta);
    const double et = dot(by_eta, by_theta) + dot(gap, mixed);
    const double tt = squared_norm(by_theta) - dot(gap, outward);
    if (!(tt > 0.0)) break;
    double next = eta;
    if (!turn_only) {
      const double determinant = ee * tt - et * et;
      if (determinant > 0.0) {
        next = eta - (tt * slope_eta - et * slope_theta) / determinant;
      } else if (slope_eta != 0.0) {
        // Not convex here: some way down.
        constexpr double kStep = 0.125;
        next = eta - std::copysign(kStep, slope_eta);
      }
      next = std::clamp(next, 0.0, 1.0);
    }
    constexpr double kFarthestTurn = 0.5;
    const double turn =
        std::clamp(-(slope_theta + et * (next - eta)) / tt, -kFarthestTurn, kFarthestTurn);
    constexpr double kStill = 1e-15;
    if (std::abs(next - eta) <= kStill && std::abs(turn) <= kStill) break;
    eta = next;
    // A turn about it, to the second order, and back to the circle.
    const double cosine = 1.0 - 0.5 * turn * turn;
    const double c_next = c * cosine - s * turn;
    const double s_next = s * cosine + c * turn;
    const double size = 1.0 / std::sqrt(c_next * c_next + s_next * s_next);
    c = c_next * size;
    s = s_next * size;
  }
  return best;
}

SegmentSlice SegmentProblem::slice_at(double eta, double x, double y,
                                      SegmentCandidate& best) const {
  const HullPair pair = part(eta, eta);
  SegmentCandidate found = descended(at(eta, x, y), Along::Fixed);
  Vec3 normal = found.normal;
  const double tolerance = kSliceShare * std::min(tolerance_, 0.5 * found.distance);
  if (!(pair.gap_along(normal) >= found.distance - tolerance)) {
    HullSearch search(pair, normal == Vec3{} ? first_direction() : normal);
    search.run({.tolerance = kSliceShare * tolerance_});
    const SegmentCandidate other = at(eta, pair, search);
    if (other.distance < found.distance) found = other;
    normal = search.normal();
  }
  if (found.distance < best.distance) best = found;
  // That the nearest point of the disc becomes another one changes the distance in second order.
  return {eta, -dot(normal, ruling(found.x, found.y)), normal, found.x, found.y};
}

Vec3 SegmentProblem::on_shape(const SegmentCandidate& candidate) const {
  Vec3 local;
  for (int i = 0; i < whole_.corners; ++i) local += candidate.weight[i] * whole_.corner[i];
  return origin_ + local;
}

}  // namespace clearance::detail
