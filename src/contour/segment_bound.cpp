// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/segment_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contour/segment_proof.h"

namespace clearance::detail {
namespace {

/// Parts are not cut below this length of eta, where they are as straight as rounding lets them be.
constexpr double kShortest = 0x1p-40;
/// Parts looked at, at most. What is left then keeps the bound it has.
constexpr int kMostParts = 1000;
/// Parts that wait, at most: a part is cut between its quarters or where a new least distance was
/// found, so that about a hundred are enough to reach kShortest; what finds no place keeps its
/// bound.
constexpr int kMostWaiting = 128;

/// Between two discs that were measured.
struct Part {
  SegmentSlice left;
  SegmentSlice right;
};

/// Goes along eta towards smaller distances until they grow, then to where the slope vanishes.
void follow_slope(const SegmentProblem& problem, SegmentSlice from, SegmentCandidate& best) {
  constexpr double kFirstStep = 1.0 / 64.0;
  double step = from.slope < 0.0 ? kFirstStep : -kFirstStep;
  SegmentSlice to = from;
  while (!problem.touches(best)) {
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
  for (int round = 0; round < kRounds && !problem.touches(best); ++round) {
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

/// The direction is about that of the disc's normal.
bool faces(const ContourCircle& disc, const Vec3& direction) {
  constexpr double kSlope = 0.1;
  const double u = dot(disc.u, direction);
  const double v = dot(disc.v, direction);
  return u * u + v * v <= kSlope * kSlope * std::max(squared_norm(disc.u), squared_norm(disc.v));
}

bool proven(const HullPair& pair, const Part& part, double distance) {
  return proves_farther(pair, part.left.normal, part.right.normal, distance) ||
         proves_farther(pair, part.left.normal, part.left.normal, distance) ||
         proves_farther(pair, part.right.normal, part.right.normal, distance) ||
         (faces(pair.disc[0], part.left.normal) && faces(pair.disc[1], part.right.normal) &&
          proves_farther_over_discs(pair, part.left.normal, distance));
}

}  // namespace

double bounded(const SegmentProblem& problem, SegmentCandidate& best) {
  std::array<Part, kMostWaiting> waiting;
  int count = 0;
  double lower = std::numeric_limits<double>::infinity();

  const SegmentSlice settled = settle(problem, best);
  if (problem.touches(best)) return 0.0;
  if (settled.eta < 1.0)
    waiting[count++] = {settled, problem.slice_at(1.0, settled.x, settled.y, best)};
  if (settled.eta > 0.0)
    waiting[count++] = {problem.slice_at(0.0, settled.x, settled.y, best), settled};
  int looked_at = 0;
  while (count > 0 && !problem.touches(best)) {
    const Part part = waiting[--count];
    const HullPair pair = problem.part(part.left.eta, part.right.eta);
    const double target = best.distance - problem.allowed_gap(best);
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
    if (best.distance < before - problem.allowed_gap(best)) {
      const SegmentSlice lowest = settle(problem, best);
      if (lowest.eta > part.left.eta && lowest.eta < part.right.eta) middle = lowest;
    }
    waiting[count++] = {middle, part.right};
    waiting[count++] = {part.left, middle};
  }
  return problem.touches(best) ? 0.0 : lower;
}

}  // namespace clearance::detail
