// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Branch and bound over eta: the hull of a part gives a lower bound, a point of the part an upper
// one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <clearance/base/assert.h>
#include <clearance/contour/segment_distance.h>

#include "contour/hull_distance.h"
#include "contour/hull_simplex.h"

namespace clearance {
namespace {

using detail::HullDistance;
using detail::HullPair;

/// Of kSegmentDistanceError, for one hull; the rest is for the parts left out.
constexpr double kHullShare = 0.25;
/// Parts are halved no further than to 2^-40, where the hull adds nothing to the part but rounding.
constexpr int kDeepest = 40;
/// Hulls measured at most. What is left then keeps the bound it has.
constexpr int kMostHulls = 2000;

/// The shape and the segment relative to a point near both.
struct Problem {
  HullPair whole;
  Vec3 origin;
  double tolerance = 0.0;  // [m]
  double touching = 0.0;   // points this close are the same [m]
};

struct Part {
  double begin = 0.0;
  double end = 1.0;
  int depth = 0;
  Vec3 direction;
};

/// A point of the segment and the nearest of the shape.
struct Best {
  double distance = std::numeric_limits<double>::infinity();
  double eta = 0.0;
  double x = 0.0;
  double y = 0.0;
  std::array<double, 3> weight{};
  Vec3 from_segment;  // from the one to the other
};

ContourCircle between(const ContourCircle& a, const ContourCircle& b, double eta) {
  const double rest = 1.0 - eta;
  return {rest * a.center + eta * b.center, rest * a.u + eta * b.u, rest * a.v + eta * b.v};
}

double reach_of(const ContourCircle& circle) {
  return norm(circle.center) + std::sqrt(squared_norm(circle.u) + squared_norm(circle.v));
}

Problem problem_of(const ContourSegment& segment, const std::array<Vec3, 3>& corner, int corners) {
  Problem problem;
  problem.origin = corner[0];
  HullPair& pair = problem.whole;
  pair.corners = corners;
  for (int i = 0; i < corners; ++i) {
    CLEARANCE_ASSERT(is_finite(corner[i]));
    pair.corner[i] = corner[i] - problem.origin;
    pair.magnitude = std::max(pair.magnitude, norm(pair.corner[i]));
  }
  const std::array<const ContourCircle*, 2> circles{&segment.start, &segment.end};
  for (int j = 0; j < 2; ++j) {
    const ContourCircle& circle = *circles[j];
    CLEARANCE_ASSERT(is_finite(circle.center) && is_finite(circle.u) && is_finite(circle.v));
    pair.disc[j] = {circle.center - problem.origin, circle.u, circle.v};
    pair.magnitude = std::max(pair.magnitude, reach_of(pair.disc[j]));
  }
  problem.tolerance = kSegmentDistanceError * pair.magnitude;
  problem.touching = detail::kHullRounding * pair.magnitude;
  return problem;
}

/// From the middle of the segment to the middle of the shape; never zero.
Vec3 first_direction(const HullPair& pair) {
  Vec3 middle;
  for (int i = 0; i < pair.corners; ++i) middle += pair.corner[i];
  const Vec3 direction =
      (1.0 / pair.corners) * middle - 0.5 * (pair.disc[0].center + pair.disc[1].center);
  return normalized(direction) == Vec3{} ? Vec3{0.0, 0.0, 1.0} : direction;
}

/// S(eta, (x, y)) and the nearest point of the shape.
Best measured(const Problem& problem, double eta, double x, double y) {
  const HullPair& pair = problem.whole;
  const ContourCircle disc = between(pair.disc[0], pair.disc[1], eta);
  const Vec3 s = disc.center + x * disc.u + y * disc.v;
  std::array<Vec3, 4> w;
  for (int i = 0; i < pair.corners; ++i) w[i] = pair.corner[i] - s;
  const detail::SimplexPoint nearest = detail::nearest_to_origin(w, pair.corners, 0.0);
  return {std::sqrt(nearest.squared),
          eta,
          x,
          y,
          {nearest.weight[0], nearest.weight[1], nearest.weight[2]},
          nearest.point};
}

/// The disc at eta, and in it the point nearest to the one the hull's combination is.
Best measured_mix(const Problem& problem, double eta, const HullPair& pair,
                  const HullDistance& hull) {
  const ContourCircle disc = between(problem.whole.disc[0], problem.whole.disc[1], eta);
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
  return measured(problem, eta, x, y);
}

/// The least distance of the disc at eta, and how it changes with eta.
struct Slice {
  double eta = 0.0;
  double slope = 0.0;
};

/// Measures the disc at best.eta, keeps what is closer, and returns the slope there.
Slice measured_slice(const Problem& problem, double eta, Best& best) {
  const HullPair& pair = problem.whole;
  HullPair slice = pair;
  slice.disc[0] = slice.disc[1] = between(pair.disc[0], pair.disc[1], eta);
  detail::HullDistanceOptions options;
  options.tolerance = kHullShare * problem.tolerance;
  const HullDistance hull = detail::hull_distance(slice, best.from_segment, options);
  const Best found = measured_mix(problem, eta, slice, hull);
  if (found.distance < best.distance) best = found;
  // The point moves with eta along its line from circle to circle; that the nearest point of the
  // disc is another one then is of second order.
  const auto end_of = [&](const ContourCircle& c) {
    return c.center + found.x * c.u + found.y * c.v;
  };
  return {eta, -dot(normalized(found.from_segment), end_of(pair.disc[1]) - end_of(pair.disc[0]))};
}

/// Goes down from a point: towards smaller distances along eta until they grow, then to where the
/// slope vanishes.
Best improved(const Problem& problem, Best best) {
  Slice from = measured_slice(problem, best.eta, best);
  constexpr double kFirstStep = 1.0 / 64.0;
  double step = from.slope < 0.0 ? kFirstStep : -kFirstStep;
  Slice to = from;
  while (best.distance > problem.touching) {
    const double eta = std::clamp(from.eta + step, 0.0, 1.0);
    if (eta == from.eta) return best;
    to = measured_slice(problem, eta, best);
    if ((to.slope < 0.0) != (from.slope < 0.0)) break;
    from = to;
    step *= 2.0;
  }
  // Regula falsi with the Illinois rule.
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds && best.distance > problem.touching; ++round) {
    const double width = to.eta - from.eta;
    if (!(std::abs(width) * std::min(std::abs(from.slope), std::abs(to.slope)) >
          0.01 * problem.tolerance))
      break;
    const double eta = from.eta - from.slope * width / (to.slope - from.slope);
    const Slice middle = measured_slice(problem, eta, best);
    if ((middle.slope < 0.0) == (to.slope < 0.0)) {
      from.slope *= 0.5;
      to = middle;
    } else {
      from = to;
      to = middle;
    }
  }
  return best;
}

SegmentDistance result_of(const ContourSegment& segment, const Problem& problem, const Best& best,
                          double lower) {
  SegmentDistance result;
  result.lower = std::max(std::min(lower, best.distance), 0.0);
  // As close as this and not proven apart: contact.
  const bool apart = result.lower > 0.0 || best.distance > problem.tolerance;
  result.distance = apart ? best.distance : 0.0;
  result.place.eta = best.eta;
  result.place.rho = std::min(std::sqrt(best.x * best.x + best.y * best.y), 1.0);
  result.place.theta = std::atan2(best.y, best.x);
  if (result.place.theta < 0.0) result.place.theta += 2.0 * std::numbers::pi;
  if (result.place.theta >= 2.0 * std::numbers::pi) result.place.theta = 0.0;
  result.alpha = best.weight[1];
  result.beta = best.weight[2];
  result.on_segment = segment.at(best.eta, best.x, best.y);
  Vec3 local;
  for (int i = 0; i < problem.whole.corners; ++i) local += best.weight[i] * problem.whole.corner[i];
  result.on_shape = problem.origin + local;
  return result;
}

SegmentDistance solve(const ContourSegment& segment, const std::array<Vec3, 3>& corner,
                      int corners) {
  const Problem problem = problem_of(segment, corner, corners);
  const bool convex = is_convex(segment);
  Best best;
  double lower = std::numeric_limits<double>::infinity();
  // Depth first: of each level at most one half waits.
  std::array<Part, kDeepest + 1> waiting;
  int count = 0;
  waiting[count++] = {0.0, 1.0, 0, first_direction(problem.whole)};
  int hulls = 0;
  while (count > 0 && best.distance > problem.touching) {
    const Part part = waiting[--count];
    HullPair pair = problem.whole;
    pair.disc = {between(problem.whole.disc[0], problem.whole.disc[1], part.begin),
                 between(problem.whole.disc[0], problem.whole.disc[1], part.end)};
    detail::HullDistanceOptions options;
    options.tolerance = kHullShare * problem.tolerance;
    // Near contact the bounds have to meet more closely, to tell it from a gap.
    options.enough = best.distance - std::min(problem.tolerance, 0.5 * best.distance);
    const HullDistance hull = detail::hull_distance(pair, part.direction, options);
    ++hulls;
    if (!(hull.lower > options.enough)) {
      const double eta = part.begin + std::min(hull.disc_weight[1], 1.0) * (part.end - part.begin);
      Best found = measured_mix(problem, eta, pair, hull);
      if (!convex && (part.depth < 5 || found.distance < best.distance))
        found = improved(problem, found);
      if (found.distance < best.distance) best = found;
    }
    const double allowed = std::min(problem.tolerance, 0.5 * best.distance);
    if (convex || hull.lower >= best.distance - allowed || part.depth == kDeepest ||
        hulls >= kMostHulls) {
      lower = std::min(lower, hull.lower);
      continue;
    }
    const double middle = 0.5 * (part.begin + part.end);
    const Vec3 direction = hull.lower > 0.0 ? hull.normal : part.direction;
    const Part first{part.begin, middle, part.depth + 1, direction};
    const Part second{middle, part.end, part.depth + 1, direction};
    // The half with the better point is looked into first.
    const bool first_is_closer = best.eta < middle;
    waiting[count++] = first_is_closer ? second : first;
    waiting[count++] = first_is_closer ? first : second;
  }
  if (best.distance <= problem.touching) lower = 0.0;
  return result_of(segment, problem, best, lower);
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
  const Problem problem = problem_of(segment, {triangle.a, triangle.b, triangle.c}, 3);
  constexpr int kSteps = 4;
  detail::HullDistanceOptions options;
  options.tolerance = problem.tolerance;
  options.enough = limit;
  options.close = limit;
  options.steps = kSteps;
  const HullDistance hull =
      detail::hull_distance(problem.whole, first_direction(problem.whole), options);
  return std::max(hull.lower, 0.0);
}

}  // namespace clearance
