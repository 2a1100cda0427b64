// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/contour_fit_search.h"

#include <algorithm>
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

}  // namespace

double FitLadder::volume(std::size_t k) const {
  std::vector<FitCircle> circles = steps[k].circles;
  for (FitCircle& circle : circles) circle.radius += margin / slabs.unit;
  return volume_of(slabs, steps[k].nodes, circles) * slabs.unit * slabs.unit * slabs.unit;
}

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

FitLadder best_ladder(const Mesh& mesh, const std::vector<Vec3>& unit_axes,
                      std::size_t most_segments, double margin) {
  // All axes with few segments, the best of them with all.
  std::vector<std::pair<double, std::size_t>> trials;
  for (std::size_t i = 0; unit_axes.size() > 1 && i < unit_axes.size(); ++i) {
    const FitLadder trial =
        fit_ladder(mesh, unit_axes[i], std::min(kTrialSegments, most_segments), margin);
    trials.emplace_back(trial.volume(trial.steps.size() - 1), i);
  }
  if (unit_axes.size() == 1) trials.emplace_back(0.0, 0);
  std::sort(trials.begin(), trials.end());
  FitLadder best = fit_ladder(mesh, unit_axes[trials[0].second], most_segments, margin);
  for (std::size_t i = 1; i < std::min(kFinalists, trials.size()); ++i) {
    FitLadder other = fit_ladder(mesh, unit_axes[trials[i].second], most_segments, margin);
    if (other.volume(other.steps.size() - 1) < best.volume(best.steps.size() - 1))
      best = std::move(other);
  }
  return best;
}

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
  return axes;
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
