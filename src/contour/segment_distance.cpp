// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points that are close, found by going down, and a proof that nothing is closer.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <clearance/contour/segment_distance.h>

#include "contour/hull_distance.h"
#include "contour/segment_problem.h"
#include "contour/segment_proof.h"

namespace clearance {
namespace {

using detail::HullPair;
using detail::HullSearch;
using detail::SegmentCandidate;
using detail::SegmentProblem;
using detail::SegmentSlice;

/// Of the tolerance, for the hull of the whole.
constexpr double kHullShare = 0.25;
/// Steps of the search in the hull before a descent from what it found is tried.
constexpr int kFirstSteps = 5;
/// Parts are not cut below this length of eta, where they are as straight as rounding lets them be.
constexpr double kShortest = 0x1p-40;
/// Parts looked at, at most. What is left then keeps the bound it has.
constexpr int kMostParts = 5000;
/// Parts that wait, at most: a part is cut between its quarters or where a new least distance was
/// found, so that about a hundred are enough to reach kShortest; what finds no place keeps its
/// bound.
constexpr int kMostWaiting = 128;

/// Between two discs that were measured.
struct Part {
  SegmentSlice left;
  SegmentSlice right;
};

/// How far below the best distance a bound may stay. Near contact the two have to meet more
/// closely, to tell it from a gap.
double allowed_gap(const SegmentProblem& problem, const SegmentCandidate& best) {
  return std::min(problem.tolerance(), 0.5 * best.distance);
}

bool touches(const SegmentProblem& problem, const SegmentCandidate& best) {
  return !(best.distance > problem.touching());
}

/// Goes along eta towards smaller distances until they grow, then to where the slope vanishes.
void follow_slope(const SegmentProblem& problem, SegmentSlice from, SegmentCandidate& best) {
  constexpr double kFirstStep = 1.0 / 64.0;
  double step = from.slope < 0.0 ? kFirstStep : -kFirstStep;
  SegmentSlice to = from;
  while (!touches(problem, best)) {
    const double eta = std::clamp(from.eta + step, 0.0, 1.0);
    if (eta == from.eta) return;
    to = problem.slice_at(eta, from.x, from.y, best);
    if ((to.slope < 0.0) != (from.slope < 0.0)) break;
    from = to;
    step *= 2.0;
  }
  // Regula falsi with the Illinois rule.
  constexpr int kRounds = 50;
  constexpr double kEnough = 0.01;  // of the tolerance
  for (int round = 0; round < kRounds && !touches(problem, best); ++round) {
    const double width = to.eta - from.eta;
    const double rest = std::abs(width) * std::min(std::abs(from.slope), std::abs(to.slope));
    if (!(rest > kEnough * problem.tolerance())) break;
    const double eta = from.eta - from.slope * width / (to.slope - from.slope);
    const SegmentSlice middle = problem.slice_at(eta, to.x, to.y, best);
    if ((middle.slope < 0.0) == (to.slope < 0.0)) {
      from.slope *= 0.5;
      to = middle;
    } else {
      from = to;
      to = middle;
    }
  }
}

/// Goes down from the best candidate to a disc beside which none is closer.
SegmentSlice settle(const SegmentProblem& problem, SegmentCandidate& best) {
  best = problem.descended(best);
  SegmentSlice slice = problem.slice_at(best.eta, best.x, best.y, best);
  const bool can_go = slice.slope < 0.0 ? slice.eta < 1.0 : slice.eta > 0.0;
  constexpr double kLevel = 1e-7;  // slope of what Newton's method found, as a fraction
  if (can_go && std::abs(slice.slope) > kLevel * problem.whole().magnitude) {
    follow_slope(problem, slice, best);
    slice = problem.slice_at(best.eta, best.x, best.y, best);
  }
  return slice;
}

/// Proven for the part by one direction; for parts that are not to be cut any more.
double bound_of(const HullPair& pair, const Part& part) {
  return std::max(pair.gap_along(part.left.normal), pair.gap_along(part.right.normal));
}

bool proven(const HullPair& pair, const Part& part, double distance) {
  return proves_farther(pair, part.left.normal, part.right.normal, distance) ||
         proves_farther(pair, part.left.normal, part.left.normal, distance) ||
         proves_farther(pair, part.right.normal, part.right.normal, distance);
}

/// A proven lower bound, at most allowed_gap() below best, which becomes closer where a part holds
/// something closer.
double bounded(const SegmentProblem& problem, SegmentCandidate& best) {
  std::array<Part, kMostWaiting> waiting;
  int count = 0;
  double lower = std::numeric_limits<double>::infinity();

  const SegmentSlice settled = settle(problem, best);
  if (touches(problem, best)) return 0.0;
  if (settled.eta < 1.0)
    waiting[count++] = {settled, problem.slice_at(1.0, settled.x, settled.y, best)};
  if (settled.eta > 0.0)
    waiting[count++] = {problem.slice_at(0.0, settled.x, settled.y, best), settled};
  int looked_at = 0;
  while (count > 0 && !touches(problem, best)) {
    const Part part = waiting[--count];
    const HullPair pair = problem.part(part.left.eta, part.right.eta);
    const double target = best.distance - allowed_gap(problem, best);
    ++looked_at;
    if (proven(pair, part, target)) {
      lower = std::min(lower, target);
      continue;
    }
    const double width = part.right.eta - part.left.eta;
    if (width < kShortest || looked_at > kMostParts || count + 2 > kMostWaiting) {
      lower = std::min(lower, bound_of(pair, part));
      continue;
    }
    // Where the slopes say the least distance is, or in the middle.
    double share = 0.5;
    if (part.left.slope < 0.0 && part.right.slope > 0.0)
      share = std::clamp(part.left.slope / (part.left.slope - part.right.slope), 0.25, 0.75);
    const double before = best.distance;
    SegmentSlice middle =
        problem.slice_at(part.left.eta + share * width, part.left.x, part.left.y, best);
    if (best.distance < before - allowed_gap(problem, best)) {
      const SegmentSlice lowest = settle(problem, best);
      if (lowest.eta > part.left.eta && lowest.eta < part.right.eta) middle = lowest;
    }
    waiting[count++] = {middle, part.right};
    waiting[count++] = {part.left, middle};
  }
  return touches(problem, best) ? 0.0 : lower;
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
  const HullPair& whole = problem.whole();
  SegmentCandidate best;
  double lower = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const SegmentCandidate& found) {
    if (found.distance < best.distance) best = found;
    if (best.normal != Vec3{}) lower = std::max(lower, whole.gap_along(best.normal));
  };
  const auto done = [&] {
    return touches(problem, best) || lower >= best.distance - allowed_gap(problem, best);
  };
  const auto found_by = [&](const HullSearch& search) {
    const double eta = std::min(search.combination().disc_weight[1], 1.0);
    return problem.at(eta, whole, search);
  };

  // The nearest points of the hull, roughly, and down from there.
  HullSearch search(whole, problem.first_direction());
  search.run({.tolerance = kHullShare * problem.tolerance(), .steps = kFirstSteps});
  lower = search.lower();
  consider(found_by(search));
  if (!done()) consider(problem.descended(best));
  // Where that is not it: to the end in the hull where the segment fills it, else part by part.
  if (!done() && is_convex(segment)) {
    search.run({.tolerance = kHullShare * problem.tolerance()});
    lower = std::max(lower, search.lower());
    consider(found_by(search));
    if (!done()) consider(problem.descended(best));
  } else if (!done()) {
    lower = std::max(lower, bounded(problem, best));
  }
  if (touches(problem, best)) lower = 0.0;
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
  const SegmentProblem problem(segment, {triangle.a, triangle.b, triangle.c}, 3);
  constexpr int kSteps = 4;
  HullSearch search(problem.whole(), problem.first_direction());
  search.run({.tolerance = problem.tolerance(), .enough = limit, .close = limit, .steps = kSteps});
  return std::max(search.lower(), 0.0);
}

}  // namespace clearance
