// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// GJK (Gilbert, Johnson, Keerthi 1988) on the differences of the points of the shape and the hull.
#include "contour/hull_distance.h"

#include <algorithm>
#include <cmath>

#include "contour/hull_simplex.h"

namespace clearance::detail {
namespace {

/// A difference of a corner and a rim point: a corner of GJK's simplex.
struct Difference {
  Vec3 w;
  int corner = 0;
  int disc = 0;
  double x = 0.0;
  double y = 0.0;
};

struct RimPoint {
  double along = 0.0;
  double x = 0.0;
  double y = 0.0;
};

/// The point of a disc farthest along n.
RimPoint farthest(const ContourCircle& disc, const Vec3& n) {
  const double u = dot(n, disc.u);
  const double v = dot(n, disc.v);
  const double reach = std::sqrt(u * u + v * v);
  const double along = dot(n, disc.center) + reach;
  if (!(reach > 0.0)) return {along, 1.0, 0.0};
  return {along, u / reach, v / reach};
}

/// The difference with the least product with n.
Difference least_along(const HullPair& pair, const Vec3& n, double& gap) {
  Difference d;
  double least = dot(n, pair.corner[0]);
  for (int i = 1; i < pair.corners; ++i) {
    const double along = dot(n, pair.corner[i]);
    if (along < least) least = along, d.corner = i;
  }
  const RimPoint first = farthest(pair.disc[0], n);
  const RimPoint second = farthest(pair.disc[1], n);
  d.disc = second.along > first.along ? 1 : 0;
  const RimPoint& rim = d.disc == 1 ? second : first;
  d.x = rim.x;
  d.y = rim.y;
  const ContourCircle& disc = pair.disc[d.disc];
  d.w = pair.corner[d.corner] - (disc.center + d.x * disc.u + d.y * disc.v);
  gap = least - rim.along - kHullRounding * pair.magnitude;
  return d;
}

}  // namespace

double HullPair::gap_along(const Vec3& n) const {
  double gap = 0.0;
  (void)least_along(*this, n, gap);
  return gap;
}

Vec3 HullDistance::on_shape(const HullPair& pair) const {
  Vec3 p;
  for (int i = 0; i < pair.corners; ++i) p += corner_weight[i] * pair.corner[i];
  return p;
}

HullDistance hull_distance(const HullPair& pair, const Vec3& direction,
                           const HullDistanceOptions& options) {
  HullDistance result;
  std::array<Difference, 4> simplex;
  std::array<Vec3, 4> w;
  int count = 0;  // of the differences that `nearest` is made of
  SimplexPoint nearest;
  Vec3 n = normalized(direction);
  const double touching = kHullRounding * pair.magnitude;
  for (int step = 0; step < options.steps && count < 4 && n != Vec3{}; ++step) {
    double gap = 0.0;
    simplex[count] = least_along(pair, n, gap);
    w[count] = simplex[count].w;
    if (gap > result.lower) {
      result.lower = gap;
      result.normal = n;
    }
    // Bounds that meet, or one that is good enough.
    if (result.lower > options.enough) break;
    if (result.upper - result.lower <= std::min(options.tolerance, 0.25 * result.upper)) break;

    const SimplexPoint next = nearest_to_origin(w, count + 1, touching);
    // Rounding stops progress before the bounds meet when the simplex is too thin.
    if (!(next.squared < nearest.squared)) break;
    nearest = next;
    const int tried = count + 1;
    count = 0;
    for (int i = 0; i < tried; ++i) {
      if (!(nearest.weight[i] > 0.0)) continue;
      simplex[count] = simplex[i];
      w[count] = w[i];
      nearest.weight[count] = nearest.weight[i];
      ++count;
    }
    result.upper = std::sqrt(nearest.squared);
    if (result.upper <= std::max(options.close, touching)) break;
    n = normalized(nearest.direction);
  }
  for (int i = 0; i < count; ++i) {
    const double weight = nearest.weight[i];
    result.corner_weight[simplex[i].corner] += weight;
    result.disc_weight[simplex[i].disc] += weight;
    result.x[simplex[i].disc] += weight * simplex[i].x;
    result.y[simplex[i].disc] += weight * simplex[i].y;
  }
  return result;
}

}  // namespace clearance::detail
