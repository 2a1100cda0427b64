// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/contour_fit_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/base/assert.h>

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Radii on the grid of a station. Twice as many change the volumes of real links by less than 1 %.
constexpr std::size_t kLevels = 16;
/// The largest of them, in parts of the largest radius of the profile: the corner of a cone may
/// stand out above what it covers.
constexpr double kHighestLevel = 1.5;
/// Points nearer to a station than this count as on it [units]; less than half of a step.
constexpr double kAtStation = 5e-5;

double cone(double height, double a, double b) { return height * (a * a + a * b + b * b); }

}  // namespace

FitProfile::FitProfile(const FitSlabs& slabs, const CirclesFit& line, std::size_t most_segments)
    : stations_(slabs.stations) {
  measure(slabs, line);
  set_levels(slabs);
  const std::size_t count = stations_.size() * kLevels;
  states_.emplace_back(count, State{kInfinity, 0});
  for (std::size_t level = 0; level < kLevels; ++level) states_[0][level].volume = 0.0;
  for (std::size_t k = 0; k < most_segments; ++k) {
    std::vector<State> next(count, State{kInfinity, 0});
    for (std::size_t station = 0; station + 1 < stations_.size(); ++station)
      for (std::size_t level = 0; level < kLevels; ++level)
        if (states_[k][station * kLevels + level].volume < kInfinity)
          link_from(station, level, states_[k], next);
    states_.push_back(std::move(next));
  }
}

/// Distances from the centre line; of each slab the points on the upper hull.
void FitProfile::measure(const FitSlabs& slabs, const CirclesFit& line) {
  points_.resize(slabs.points.size());
  std::size_t node = 0;
  for (std::size_t slab = 0; slab < slabs.points.size(); ++slab) {
    while (line.nodes[node + 1] <= slab) ++node;
    const double low = stations_[line.nodes[node]];
    const double height = stations_[line.nodes[node + 1]] - low;
    const FitCircle& a = line.circles[node];
    const FitCircle& b = line.circles[node + 1];
    std::vector<Point> all;
    for (const Vec3& p : slabs.points[slab]) {
      const double t = (p.z - low) / height;
      all.push_back({p.z, std::hypot(p.x - a.x - t * (b.x - a.x), p.y - a.y - t * (b.y - a.y))});
    }
    std::sort(all.begin(), all.end(), [](const Point& p, const Point& q) {
      return p.z != q.z ? p.z < q.z : p.radius > q.radius;
    });
    std::vector<Point>& hull = points_[slab];
    for (const Point& p : all) {
      const auto is_below = [&] {
        const Point& q = hull[hull.size() - 2];
        const Point& r = hull.back();
        return (r.radius - q.radius) * (p.z - q.z) <= (p.radius - q.radius) * (r.z - q.z);
      };
      while (hull.size() >= 2 && is_below()) hull.pop_back();
      hull.push_back(p);
    }
  }
}

/// From what a station needs by itself up, closer to each other at the low end.
void FitProfile::set_levels(const FitSlabs& slabs) {
  double largest = 0.0;
  std::vector<double> least(stations_.size(), 0.0);
  for (std::size_t slab = 0; slab < slabs.points.size(); ++slab) {
    for (const Point& p : points_[slab]) {
      largest = std::max(largest, p.radius);
      for (const std::size_t station : {slab, slab + 1})
        if (std::abs(p.z - stations_[station]) < kAtStation)
          least[station] = std::max(least[station], p.radius);
    }
  }
  for (const double lowest : least) {
    std::vector<double>& levels = levels_.emplace_back();
    for (std::size_t i = 0; i < kLevels; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(kLevels - 1);
      levels.push_back(lowest + share * share * (kHighestLevel * largest - lowest));
    }
  }
}

/// All segments that start at a station with a radius.
void FitProfile::link_from(std::size_t station, std::size_t level, const std::vector<State>& before,
                           std::vector<State>& next) const {
  const auto from = static_cast<std::uint32_t>(station * kLevels + level);
  const double low = stations_[station];
  const double radius = levels_[station][level];
  // The least slope above all points passed so far.
  double slope = -kInfinity;
  for (std::size_t end = station + 1; end < stations_.size(); ++end) {
    for (const Point& p : points_[end - 1])
      if (p.z - low >= kAtStation) slope = std::max(slope, (p.radius - radius) / (p.z - low));
    const double height = stations_[end] - low;
    const double needed = std::max(radius + slope * height, 0.0);
    const std::vector<double>& levels = levels_[end];
    for (auto l = std::lower_bound(levels.begin(), levels.end(), needed); l != levels.end(); ++l) {
      State& state = next[end * kLevels + static_cast<std::size_t>(l - levels.begin())];
      const double volume = before[from].volume + cone(height, radius, *l);
      if (volume < state.volume) state = {volume, from};
    }
  }
}

std::vector<std::size_t> FitProfile::plan(std::size_t segments) const {
  CLEARANCE_ASSERT(segments >= 1 && segments < states_.size());
  const auto last = states_[segments].end() - static_cast<std::ptrdiff_t>(kLevels);
  const auto best =
      std::min_element(last, states_[segments].end(),
                       [](const State& a, const State& b) { return a.volume < b.volume; });
  auto state = static_cast<std::size_t>(best - states_[segments].begin());
  std::vector<std::size_t> nodes(segments + 1);
  for (std::size_t k = segments;; --k) {
    nodes[k] = state / kLevels;
    if (k == 0) return nodes;
    state = states_[k][state].from;
  }
}

}  // namespace clearance::detail
