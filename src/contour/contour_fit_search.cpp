// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/contour_fit_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>

#include "contour/contour_fit_profile.h"

namespace clearance::detail {
namespace {

/// Segments of the centre line that bends freely.
constexpr std::size_t kBends = 8;
/// Rounds of moving each circle to the stations beside it.
constexpr int kMostMoves = 3;
/// A circle moves for at least this fraction of the volume: below is the error of the search.
constexpr double kLeastMove = 2e-3;
/// Axes nearer to each other than this (cosine, 5 degrees) enclose about the same.
constexpr double kSameAxis = 0.996;
/// Segments with which axes are compared, and how many axes are looked at closely.
constexpr std::size_t kTrialSegments = 2;
constexpr std::size_t kFinalists = 2;
/// Tilts tried about the best axis [rad], and the part of the volume at which one is taken: an axis
/// of the frame or of symmetry is not left for nothing.
constexpr std::array<double, 2> kTilts{0.3, 0.15};
constexpr double kWorthATilt = 0.98;

bool holds(const std::vector<std::size_t>& nodes, std::size_t station) {
  return std::binary_search(nodes.begin(), nodes.end(), station);
}

/// One circle more, in the middle of the longest segment: never worse than without it.
std::vector<std::size_t> divided(const FitSlabs& slabs, std::vector<std::size_t> nodes) {
  double longest = 0.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const double length = slabs.stations[nodes[i + 1]] - slabs.stations[nodes[i]];
    if (nodes[i + 1] - nodes[i] > 1 && length > longest) longest = length, at = i;
  }
  const std::size_t middle = (nodes[at] + nodes[at + 1]) / 2;
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1, middle);
  return nodes;
}

/// Moves circles one station up or down while that takes something away.
CirclesFit moved(CircleFitter& fitter, CirclesFit fit) {
  for (int round = 0; round < kMostMoves; ++round) {
    bool has_moved = false;
    for (std::size_t i = 1; i + 1 < fit.nodes.size(); ++i) {
      for (const int by : {-1, 1}) {
        const std::size_t station = by < 0 ? fit.nodes[i] - 1 : fit.nodes[i] + 1;
        if (holds(fit.nodes, station)) continue;
        std::vector<std::size_t> nodes = fit.nodes;
        nodes[i] = station;
        CirclesFit tried = fitter.fit(std::move(nodes), kSearchPrecision);
        if (tried.volume > (1.0 - kLeastMove) * fit.volume) continue;
        fit = std::move(tried);
        has_moved = true;
      }
    }
    if (!has_moved) break;
  }
  return fit;
}

/// Axes worth trying: the principal axes of the surface and those of the mesh's frame.
std::vector<Vec3> likely_axes(const Mesh& mesh) {
  const SurfaceProperties surface = surface_properties(mesh.vertices(), mesh.faces());
  const SymmetricEigen principal = eigen_of_symmetric(surface.inertia);
  std::vector<Vec3> axes;
  const auto add = [&](const Vec3& axis) {
    if (std::none_of(axes.begin(), axes.end(),
                     [&](const Vec3& a) { return std::abs(dot(a, axis)) > kSameAxis; }))
      axes.push_back(axis);
  };
  // Least inertia first: the longest axis.
  for (std::size_t k = 3; k-- > 0;) add(principal.vectors.column(k));
  add({1.0, 0.0, 0.0});
  add({0.0, 1.0, 0.0});
  add({0.0, 0.0, 1.0});
  // Half way between two principal axes: bent links.
  const Mat3& v = principal.vectors;
  for (std::size_t k = 0; k < 3; ++k) {
    add(normalized(v.column(k) + v.column((k + 1) % 3)));
    add(normalized(v.column(k) - v.column((k + 1) % 3)));
  }
  return axes;
}

}  // namespace

double FitLadder::volume(std::size_t k) const {
  std::vector<FitCircle> circles = steps[k].circles;
  for (FitCircle& circle : circles) circle.radius += margin / slabs.unit;
  return volume_of(slabs, steps[k].nodes, circles) * slabs.unit * slabs.unit * slabs.unit;
}

double FitLadder::least_volume() const { return volume(steps.size() - 1); }

Result<Contour> FitLadder::contour(std::size_t k, const std::string& name) const {
  std::vector<ContourNode> nodes;
  for (std::size_t i = 0; i < steps[k].nodes.size(); ++i) {
    const FitCircle& circle = steps[k].circles[i];
    const Vec3 center{circle.x, circle.y, slabs.stations[steps[k].nodes[i]]};
    nodes.push_back({.position = slabs.mesh_from_frame * (slabs.unit * center),
                     .tangent = slabs.mesh_from_frame.rotation.column(2),
                     .radius = slabs.unit * circle.radius + margin});
  }
  return Contour::make(std::move(nodes), name);
}

FitLadder fit_ladder(const Mesh& mesh, const Vec3& unit_axis, std::size_t most_segments,
                     double margin) {
  FitLadder ladder{cut_into_slabs(mesh, unit_axis, margin), {}, margin};
  const FitSlabs& slabs = ladder.slabs;
  const std::size_t last = slabs.stations.size() - 1;
  most_segments = std::min(most_segments, last);
  CircleFitter fitter(slabs);
  CirclesFit fit = fitter.fit({0, last}, kFinalPrecision);
  ladder.steps.push_back(fit);
  if (most_segments == 1) return ladder;

  // Two centre lines to plan along: the straight one, and one that bends freely.
  std::vector<std::size_t> even;
  for (std::size_t i = 0; i <= kBends; ++i) even.push_back(i * last / kBends);
  even.erase(std::unique(even.begin(), even.end()), even.end());
  const FitProfile straight(slabs, fit, most_segments);
  const FitProfile bent(slabs, fitter.fit(even, kSearchPrecision), most_segments);
  for (std::size_t segments = 2; segments <= most_segments; ++segments) {
    CirclesFit best = fitter.fit(divided(slabs, fit.nodes), kSearchPrecision);
    for (const FitProfile* profile : {&straight, &bent}) {
      CirclesFit tried = fitter.fit(profile->plan(segments), kSearchPrecision);
      if (tried.volume < best.volume) best = std::move(tried);
    }
    best = moved(fitter, std::move(best));
    fit = fitter.fit(best.nodes, kFinalPrecision);
    ladder.steps.push_back(fit);
  }
  return ladder;
}

FitLadder best_ladder(const Mesh& mesh, std::size_t most_segments, double margin) {
  // All axes with few segments, the best of them with all.
  const std::vector<Vec3> axes = likely_axes(mesh);
  std::vector<std::pair<double, std::size_t>> trials;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const FitLadder trial =
        fit_ladder(mesh, axes[i], std::min(kTrialSegments, most_segments), margin);
    trials.emplace_back(trial.least_volume(), i);
  }
  std::sort(trials.begin(), trials.end());
  Vec3 axis = axes[trials[0].second];
  FitLadder best = fit_ladder(mesh, axis, most_segments, margin);
  const auto try_axis = [&](const Vec3& other_axis, double factor) {
    FitLadder other = fit_ladder(mesh, other_axis, most_segments, margin);
    if (other.least_volume() >= factor * best.least_volume()) return;
    best = std::move(other);
    axis = other_axis;
  };
  for (std::size_t i = 1; i < std::min(kFinalists, trials.size()); ++i)
    try_axis(axes[trials[i].second], 1.0);
  // Then a little to each side, as long as it is worth it.
  for (const double tilt : kTilts) {
    const Vec3 from = axis;
    const Vec3 u = any_perpendicular(from);
    const Vec3 v = cross(from, u);
    for (const Vec3& aside : {u, -u, v, -v})
      try_axis(std::cos(tilt) * from + std::sin(tilt) * aside, kWorthATilt);
  }
  return best;
}

std::size_t chosen_step(const FitLadder& ladder, double least_gain) {
  std::size_t chosen = 0;
  for (std::size_t k = 1; k < ladder.steps.size(); ++k) {
    const double kept = std::pow(1.0 - least_gain, static_cast<double>(k - chosen));
    if (ladder.volume(k) <= kept * ladder.volume(chosen)) chosen = k;
  }
  return chosen;
}

}  // namespace clearance::detail
