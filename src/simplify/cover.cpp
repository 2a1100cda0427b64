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
using detail::CellPiece;
using detail::PieceLimits;
using detail::PieceOutcome;
using detail::PieceWork;
using detail::SpaceProof;
using detail::SurfaceProof;

/// Gaps that are looked for when the caller names none, as a fraction of the diagonal.
constexpr double kLeastDepth = 1e-7;
/// A gap of depth d holds a ball of radius d / 2; pieces of a quarter find it.
constexpr double kSmallestPiece = 0.25;
/// Pieces at their smallest and not decided, after which nothing is going to be proven.
constexpr std::size_t kMostTooSmall = 2'000;
/// Vertices looked at by one task.
constexpr std::size_t kVertexBlock = 1024;

double reach_of(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

/// A cube around a box, its middle a little beside that of the box: the planes of symmetry of a
/// part would be sides of cells for ever.
CellPiece cell_around(const Box& box) {
  const double half = 0.5 * largest_component(box.size());
  return {box.center() + 0.013 * half * Vec3{1.0, 0.71, 0.43}, 1.02 * half};
}

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
  PieceLimits limits{options.most_pieces, kMostTooSmall, options.threads, options.monitor};
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

  const SurfaceProof surface_proof(balls, smallest);
  PieceWork surface_work(surface_proof, limits);
  const PieceOutcome surface = surface_work.run(bvh.triangle_count(), [&](std::size_t t) {
    const Triangle triangle = bvh.triangle(t);
    PieceWork<SurfaceProof>::Root root{{{triangle.a, triangle.b, triangle.c}, {true, true, true}},
                                       {}};
    const Vec3 middle = (triangle.a + triangle.b + triangle.c) / 3.0;
    const double reach = std::max(
        {distance(middle, triangle.a), distance(middle, triangle.b), distance(middle, triangle.c)});
    balls.near(middle, reach * (1.0 + 1e-14), root.balls);
    return root;
  });
  cover.pieces = surface.pieces;
  if (surface.found) return uncovered_at(surface.point);
  // Without a proof of the surface there is none of the inside, but there may be a gap.
  bool complete = surface.complete;
  if (cover.solid && cover.pieces >= limits.most_pieces) {
    complete = false;
  } else if (cover.solid) {
    limits.most_pieces -= cover.pieces;
    const SpaceProof space_proof(balls, probe, kept, smallest);
    PieceWork space_work(space_proof, limits);
    const PieceOutcome space = space_work.run(1, [&](std::size_t) {
      PieceWork<SpaceProof>::Root root{cell_around(bvh.bounds()), Candidates(balls.size())};
      for (std::size_t i = 0; i < balls.size(); ++i) root.balls[i] = static_cast<std::uint32_t>(i);
      return root;
    });
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
  const bool filled = kept.external_diameter() > 0.0;
  return prove(kept.body(), filled ? &kept : nullptr, spheres, options);
}

}  // namespace clearance
