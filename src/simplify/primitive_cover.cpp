// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include <clearance/simplify/primitives.h>

#include "simplify/body_probe.h"
#include "simplify/primitive_proof.h"

namespace clearance {
namespace {

/// As among spheres (cover.cpp): gaps that are looked for, as a fraction of the diagonal, the
/// pieces that find them, and how many of them may stay open before nothing is going to be proven.
constexpr double kLeastDepth = 1e-7;
constexpr double kSmallestPiece = 0.25;
constexpr std::size_t kMostTooSmall = 2'000;

Cover prove(const Model& body, const KeptVolume* kept, const PrimitiveSet& primitives,
            const CoverOptions& options) {
  const Box& bounds = body.bvh().bounds();
  const detail::BodyProbe probe(body);
  const detail::PrimitiveField field(primitives, norm(max(abs(bounds.low), abs(bounds.high))));
  const double least =
      options.least_depth > 0.0 ? options.least_depth : kLeastDepth * bounds.diagonal();
  detail::PieceLimits limits;
  limits.most_pieces = options.most_pieces;
  limits.most_too_small = kMostTooSmall;
  limits.threads = options.threads;
  limits.monitor = options.monitor;
  const detail::PrimitiveOutcome outcome =
      detail::prove_primitives(probe, kept, field, kSmallestPiece * least, true, limits);
  Cover cover;
  cover.solid = body.is_solid() || kept != nullptr;
  cover.pieces = outcome.surface.pieces + outcome.space.pieces;
  if (outcome.surface.found || outcome.space.found) {
    cover.status = CoverStatus::Uncovered;
    cover.point = outcome.surface.found ? outcome.surface.point : outcome.space.point;
    cover.depth = std::max(0.0, field.signed_distance(cover.point));
  } else if (outcome.surface.complete && outcome.space.complete) {
    cover.status = CoverStatus::Covered;
    return cover;
  }
  cover.depth_upper = std::numeric_limits<double>::infinity();
  return cover;
}

}  // namespace

Cover verify_cover(const Model& body, const PrimitiveSet& primitives, const CoverOptions& options) {
  return prove(body, nullptr, primitives, options);
}

Cover verify_cover(const KeptVolume& kept, const PrimitiveSet& primitives,
                   const CoverOptions& options) {
  const bool filled = kept.is_filled();
  return prove(kept.body(), filled ? &kept : nullptr, primitives, options);
}

}  // namespace clearance
