// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/hull_distance.h"

#include <algorithm>
#include <cmath>

#include "contour/hull_simplex.h"

namespace clearance::detail {
namespace {

struct RimPoint {
  double along = 0.0;
  double u = 0.0;
  double v = 0.0;
  double reach = 0.0;
};

/// How far a disc reaches along n.
RimPoint farthest(const ContourCircle& disc, const Vec3& n) {
  const double u = dot(n, disc.u);
  const double v = dot(n, disc.v);
  const double reach = std::sqrt(u * u + v * v);
  return {dot(n, disc.center) + reach, u, v, reach};
}

/// The difference with the least product with n, and the proven gap along n.
HullDifference least_along(const HullPair& pair, const Vec3& n, double& gap) {
  HullDifference d;
  double least = dot(n, pair.corner[0]);
  for (int i = 1; i < pair.corners; ++i) {
    const double along = dot(n, pair.corner[i]);
    if (along < least) least = along, d.corner = i;
  }
  RimPoint rim = farthest(pair.disc[0], n);
  const RimPoint second = farthest(pair.disc[1], n);
  if (second.along > rim.along) rim = second, d.disc = 1;
  // Where the disc is perpendicular to n, any of its points will do.
  const double scale = rim.reach > 0.0 ? 1.0 / rim.reach : 0.0;
  d.x = rim.reach > 0.0 ? rim.u * scale : 1.0;
  d.y = rim.v * scale;
  const ContourCircle& disc = pair.disc[d.disc];
  d.w = pair.corner[d.corner] - (disc.center + d.x * disc.u + d.y * disc.v);
  gap = least - rim.along - kHullRounding * pair.magnitude;
  return d;
}

}  // namespace

double HullPair::gap_along(const Vec3& n) const {
  double least = dot(n, corner[0]);
  for (int i = 1; i < corners; ++i) least = std::min(least, dot(n, corner[i]));
  const double most = std::max(farthest(disc[0], n).along, farthest(disc[1], n).along);
  return least - most - kHullRounding * magnitude;
}

HullSearch::HullSearch(const HullPair& pair, const Vec3& direction)
    : pair_(&pair), next_(normalized(direction)) {}

void HullSearch::run(const HullGoal& goal) {
  const double touching = kHullRounding * pair_->magnitude;
  const double close = std::max(goal.close, touching);
  for (int step = 0; step < goal.steps && count_ < 4 && next_ != Vec3{}; ++step) {
    double gap = 0.0;
    simplex_[count_] = least_along(*pair_, next_, gap);
    if (gap > lower_) {
      lower_ = gap;
      normal_ = next_;
    }
    // Bounds that meet, or one that is good enough.
    if (lower_ > goal.enough) break;
    if (upper_ - lower_ <= std::min(goal.tolerance, 0.25 * upper_)) break;

    const int tried = count_ + 1;
    const std::array<Vec3, 4> w{simplex_[0].w, simplex_[1].w, simplex_[2].w, simplex_[3].w};
    SimplexPoint nearest = nearest_at_last(w, tried, touching);
    if (!(nearest.squared < squared_)) {
      // Rounding. Once all has been tried, nothing better is to be had.
      nearest = nearest_to_origin(w, tried, touching);
      if (!(nearest.squared < squared_)) break;
    }
    squared_ = nearest.squared;
    count_ = 0;
    for (int i = 0; i < tried; ++i) {
      if (!(nearest.weight[i] > 0.0)) continue;
      simplex_[count_] = simplex_[i];
      weight_[count_] = nearest.weight[i];
      ++count_;
    }
    upper_ = std::sqrt(squared_);
    next_ = normalized(nearest.direction);
    if (upper_ <= close) break;
  }
}

HullSearch::Combination HullSearch::combination() const {
  Combination result;
  for (int i = 0; i < count_; ++i) {
    const HullDifference& d = simplex_[i];
    result.corner_weight[d.corner] += weight_[i];
    result.disc_weight[d.disc] += weight_[i];
    result.x[d.disc] += weight_[i] * d.x;
    result.y[d.disc] += weight_[i] * d.y;
  }
  return result;
}

}  // namespace clearance::detail
