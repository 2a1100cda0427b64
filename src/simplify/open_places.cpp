// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/open_places.h"

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_proof.h"

namespace clearance::detail {
namespace {

/// Of one look; beyond, there are points enough or nothing is going to be proven.
constexpr std::size_t kMostPieces = 4'000'000;

}  // namespace

OpenPlaces open_places(const KeptVolume& kept, std::span<const Sphere> balls,
                       const OpenPlacesOptions& options) {
  const Bvh& bvh = kept.body().bvh();
  const Box& bounds = bvh.bounds();
  const BodyProbe probe(kept.body());
  const BallSet set(balls, norm(max(abs(bounds.low), abs(bounds.high))));
  const KeptVolume* filled = kept.is_filled() ? &kept : nullptr;
  PieceLimits limits;
  limits.most_pieces = kMostPieces;
  limits.most_points = options.most_points;
  limits.threads = options.threads;
  limits.monitor = options.monitor;
  OpenPlaces places;
  PieceOutcome surface = prove_surface(bvh, set, options.smallest, limits);
  places.points = std::move(surface.points);
  places.covered = surface.complete;
  if (kept.body().is_solid() || filled != nullptr) {
    const PieceOutcome space = prove_space(probe, filled, set, options.smallest, false, limits);
    places.points.insert(places.points.end(), space.points.begin(), space.points.end());
    places.covered = places.covered && space.complete;
  }
  return places;
}

}  // namespace clearance::detail
