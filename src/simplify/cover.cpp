// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <optional>

#include <clearance/geometry/predicates.h>
#include <clearance/simplify/cover.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_deepest.h"
#include "simplify/cover_proof.h"
#include "simplify/piece_work.h"

namespace clearance {
namespace {

using detail::BallSet;
using detail::BodyProbe;
using detail::Candidates;
using detail::PieceLimits;
using detail::PieceOutcome;

/// Gaps that are looked for when the caller names none, as a fraction of the diagonal.
constexpr double kLeastDepth = 1e-7;
/// A gap of depth d holds a ball of radius d / 2; pieces of a quarter find it.
constexpr double kSmallestPiece = 0.25;
/// Pieces at their smallest and not decided, after which nothing is going to be proven.
constexpr std::size_t kMostTooSmall = 2'000;
/// Vertices looked at by one task.
constexpr std::size_t kVertexBlock = 1024;

double reach_of(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

/// The first vertex of a triangle that is in no ball, exactly.
std::optional<Vec3> uncovered_vertex(const Bvh& bvh, const BallSet& balls, Threads threads) {
  std::vector<bool> used(bvh.vertices().size(), false);
  for (const auto& face : bvh.faces()) {
    for (const std::uint32_t v : face) used[v] = true;
  }
  const std::size_t count = used.size();
  const std::size_t blocks = (count + kVertexBlock - 1) / kVertexBlock;
  std::vector<std::size_t> first(blocks, count);
  parallel_for(threads, blocks, [&](std::size_t block) {
    Candidates near;
    for (std::size_t v = block * kVertexBlock; v < std::min(count, (block + 1) * kVertexBlock);
         ++v) {
      if (!used[v]) continue;
      near.clear();
      const Vec3& p = bvh.vertices()[v];
      balls.near(p, 0.0, near);
      const bool held = std::any_of(near.begin(), near.end(), [&](std::uint32_t i) {
        return side_of_ball(p, {balls[i].center, balls[i].radius}) <= 0;
      });
      if (held) continue;
      first[block] = v;
      return;
    }
  });
  for (const std::size_t v : first) {
    if (v < count) return bvh.vertices()[v];
  }
  return std::nullopt;
}

/// `kept` null: the body itself.
Cover prove(const Model& body, const KeptVolume* kept, std::span<const Sphere> spheres,
            const CoverOptions& options) {
  const Bvh& bvh = body.bvh();
  const BodyProbe probe(body);
  const BallSet balls(spheres, reach_of(bvh.bounds()));
  const double least =
      options.least_depth > 0.0 ? options.least_depth : kLeastDepth * bvh.bounds().diagonal();
  const double smallest = kSmallestPiece * least;
  Cover cover;
  cover.solid = body.is_solid() || kept != nullptr;
  PieceLimits limits;
  limits.most_pieces = options.most_pieces;
  limits.most_too_small = kMostTooSmall;
  limits.threads = options.threads;
  limits.monitor = options.monitor;
  const auto uncovered_at = [&](const Vec3& point) {
    cover.status = CoverStatus::Uncovered;
    cover.point = point;
    cover.depth = std::max(0.0, balls.nearest(point).distance);
    if (options.deepest && balls.size() > 0) {
      const detail::DeepestGap gap = detail::deepest_gap(probe, kept, balls, point, least, limits);
      cover.point = gap.point;
      cover.depth = gap.depth;
      cover.depth_upper = gap.upper;
      cover.pieces += gap.pieces;
    } else {
      cover.depth_upper = std::numeric_limits<double>::infinity();
    }
    return cover;
  };

  if (const std::optional<Vec3> vertex = uncovered_vertex(bvh, balls, options.threads))
    return uncovered_at(*vertex);

  const PieceOutcome surface = detail::prove_surface(bvh, balls, smallest, limits);
  cover.pieces = surface.pieces;
  if (surface.found) return uncovered_at(surface.point);
  // Without a proof of the surface there is none of the inside, but there may be a gap.
  bool complete = surface.complete;
  if (cover.solid && cover.pieces >= limits.most_pieces) {
    complete = false;
  } else if (cover.solid) {
    limits.most_pieces -= cover.pieces;
    const PieceOutcome space = detail::prove_space(probe, kept, balls, smallest, true, limits);
    cover.pieces += space.pieces;
    if (space.found) return uncovered_at(space.point);
    complete = complete && space.complete;
  }
  if (complete) cover.status = CoverStatus::Covered;
  if (!complete) cover.depth_upper = std::numeric_limits<double>::infinity();
  return cover;
}

}  // namespace

const char* name_of(CoverStatus status) {
  switch (status) {
    case CoverStatus::Covered:
      return "covered";
    case CoverStatus::Uncovered:
      return "uncovered";
    case CoverStatus::Undecided:
      break;
  }
  return "undecided";
}

Cover verify_cover(const Model& body, std::span<const Sphere> spheres,
                   const CoverOptions& options) {
  return prove(body, nullptr, spheres, options);
}

Cover verify_cover(const KeptVolume& kept, std::span<const Sphere> spheres,
                   const CoverOptions& options) {
  const bool filled = kept.is_filled();
  return prove(kept.body(), filled ? &kept : nullptr, spheres, options);
}

}  // namespace clearance
