// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/simplify_primitives.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simplify/body_probe.h"
#include "simplify/closing_balls.h"
#include "simplify/convex_shape.h"
#include "simplify/cover_points.h"
#include "simplify/point_blocks.h"
#include "simplify/primitive_candidates.h"
#include "simplify/primitive_proof.h"
#include "simplify/set_cover.h"
#include "simplify/simplify_methods.h"

namespace clearance::detail {
namespace {

// The search is for an error smaller by this part: room for the proof to end in.
constexpr double kPrimitiveReserve = 0.03;
// Rounds of choosing and of adding the places that a proof leaves open as points.
constexpr int kRounds = 4;
// In one of them, choices made while chosen primitives turn out to stick out.
constexpr int kMostChoices = 4;
// How often a primitive that sticks out is made smaller, and by what part of the error.
constexpr int kShrinks = 3;
constexpr double kShrink = 0.05;
// Pieces of one proof at most, and open places it names at most.
constexpr std::size_t kMostPieces = 200'000;
constexpr std::size_t kMostPoints = 512;
// Pairs that exchanges of the search look at.
constexpr double kMostWork = 1e9;

enum class Kind : std::uint8_t { Sphere, Capsule, Box };

struct Candidate {
  Kind kind = Kind::Sphere;
  Sphere sphere;
  Capsule capsule;
  OrientedBox box;
  bool is_proven = false;
  bool is_dead = false;  // sticks out
};

class PrimitiveSearch {
 public:
  PrimitiveSearch(const KeptVolume& kept, double error, const SimplifyOptions& options)
      : kept_(kept),
        field_(kept, (1.0 - kPrimitiveReserve) * error),
        error_(error),
        options_(options),
        probe_(kept.body()) {
    const Box bounds = kept.bounds();
    reach_ = norm(max(abs(bounds.low), abs(bounds.high)));
  }

  // Nothing when it is cancelled, or not covered in the end.
  [[nodiscard]] std::optional<PrimitiveSet> run(std::span<const Sphere> spheres) {
    kept_.prepare(field_.error(), options_.threads, options_.monitor);
    kept_.prepare(error_, options_.threads, options_.monitor);
    if (is_cancelled(options_.monitor)) return std::nullopt;
    make_candidates(spheres);
    PrimitiveSet chosen;
    for (int round = 0; round < kRounds; ++round) {
      report_progress(options_.monitor, "choosing primitives", double(round) / kRounds);
      choose(chosen);
      if (is_cancelled(options_.monitor)) return std::nullopt;
      bool covered = false;
      const std::vector<Vec3> open = open_places(chosen, covered);
      if (covered) return chosen;
      note(open);
    }
    // By spheres alone, which comes to an end.
    for (int mending = 0; mending <= kMostMendings; ++mending) {
      report_progress(options_.monitor, "closing gaps", double(mending) / kMostMendings);
      bool covered = false;
      const std::vector<Vec3> open = open_places(chosen, covered);
      if (is_cancelled(options_.monitor)) return std::nullopt;
      if (covered) return chosen;
      if (chosen.size() > spheres.size()) return std::nullopt;
      append_closing_balls(field_, open, error_,
                           {.threads = options_.threads, .monitor = options_.monitor},
                           chosen.spheres);
    }
    return std::nullopt;
  }

 private:
  void make_candidates(std::span<const Sphere> spheres) {
    const std::vector<SharpEdge> edges = sharp_edges(kept_.body().mesh());
    CoverPoints made = make_cover_points(field_, edges, {}, {}, options_.threads, options_.monitor);
    points_ = std::move(made.points);
    std::vector<Vec3> seeds;
    for (const Sphere& sphere : spheres) {
      add(sphere, true);
      seeds.push_back(sphere.center);
    }
    for (const Vec3& c : made.centers) seeds.push_back(uphill(field_, c));
    const std::size_t known = spheres.size();
    for (std::size_t i = known; i < seeds.size(); ++i)
      add({seeds[i], field_.radius(seeds[i])}, false);
    const CandidateOptions options{options_.threads, options_.monitor};
    if (options_.primitives.capsules) {
      for (const Capsule& capsule : capsule_candidates(field_, seeds, options)) {
        Candidate& candidate = candidates_.emplace_back();
        candidate.kind = Kind::Capsule;
        candidate.capsule = capsule;
      }
    }
    if (options_.primitives.boxes) {
      for (const OrientedBox& box : box_candidates(field_, seeds, options)) {
        Candidate& candidate = candidates_.emplace_back();
        candidate.kind = Kind::Box;
        candidate.box = box;
      }
    }
  }

  void add(const Sphere& sphere, bool is_proven) {
    Candidate& candidate = candidates_.emplace_back();
    candidate.sphere = sphere;
    candidate.is_proven = is_proven;
  }

  [[nodiscard]] ConvexShape shape_of(const Candidate& candidate) const {
    if (candidate.kind == Kind::Capsule) return convex_shape(candidate.capsule, reach_);
    if (candidate.kind == Kind::Box) return convex_shape(candidate.box, reach_);
    return convex_shape(candidate.sphere, reach_);
  }

  // Makes a candidate smaller until it is proven to stay within the error.
  void prove(Candidate& candidate) const {
    if (candidate.kind == Kind::Sphere) {
      candidate.sphere = proven_ball(kept_, candidate.sphere.center, error_);
      candidate.is_proven = candidate.sphere.radius > 0.0;
    }
    const double less = kShrink * error_;
    for (int i = 0; i < kShrinks && !candidate.is_proven; ++i) {
      if (candidate.kind == Kind::Capsule) {
        if (i > 0) candidate.capsule.radius -= less;
        candidate.is_proven = stays_within(kept_, candidate.capsule, error_);
      } else if (candidate.kind == Kind::Box) {
        if (i > 0) candidate.box.half_size -= Vec3{less, less, less};
        candidate.is_proven = stays_within(kept_, candidate.box, error_);
      }
    }
    candidate.is_dead = !candidate.is_proven;
  }

  // The fewest candidates found that hold all points, proven.
  void choose(PrimitiveSet& out) {
    const PointBlocks blocks(points_);
    std::vector<std::vector<std::uint32_t>> held(candidates_.size());
    const auto look = [&](std::size_t k) {
      held[k].clear();
      if (candidates_[k].is_dead) return;
      const ConvexShape shape = shape_of(candidates_[k]);
      blocks.in_ball(shape.around(), [&](std::size_t p) {
        if (shape.holds(blocks.point(p))) held[k].push_back(blocks.given(p));
      });
    };
    parallel_for(options_.threads, candidates_.size(), look);
    std::vector<std::uint32_t> numbers;
    for (int choice = 0; choice < kMostChoices; ++choice) {
      numbers = cover_with_few(BallIncidence(held, points_.size()), {},
                               {.steps_per_ball = 20,
                                .most_steps_per_ball = 120,
                                .most_work = kMostWork,
                                .seed = options_.seed,
                                .monitor = options_.monitor});
      std::vector<std::uint32_t> unproven;
      for (const std::uint32_t k : numbers)
        if (!candidates_[k].is_proven) unproven.push_back(k);
      if (unproven.empty() || is_cancelled(options_.monitor)) break;
      parallel_for(options_.threads, unproven.size(), [&](std::size_t i) {
        prove(candidates_[unproven[i]]);
        look(unproven[i]);
      });
    }
    out = {};
    for (const std::uint32_t k : numbers) {
      const Candidate& candidate = candidates_[k];
      if (!candidate.is_proven) continue;
      if (candidate.kind == Kind::Sphere) out.spheres.push_back(candidate.sphere);
      if (candidate.kind == Kind::Capsule) out.capsules.push_back(candidate.capsule);
      if (candidate.kind == Kind::Box) out.boxes.push_back(candidate.box);
    }
  }

  [[nodiscard]] std::vector<Vec3> open_places(const PrimitiveSet& chosen, bool& covered) const {
    const PrimitiveField field(chosen, reach_);
    PieceLimits limits;
    limits.most_pieces = kMostPieces;
    limits.most_points = kMostPoints;
    limits.threads = options_.threads;
    limits.monitor = options_.monitor;
    PrimitiveOutcome outcome = prove_primitives(probe_, kept_.is_filled() ? &kept_ : nullptr, field,
                                                kSmallestPiece * error_, false, limits);
    covered = outcome.surface.complete && outcome.space.complete;
    std::vector<Vec3> points = std::move(outcome.surface.points);
    points.insert(points.end(), outcome.space.points.begin(), outcome.space.points.end());
    return points;
  }

  // Open places become points, and balls about them candidates.
  void note(const std::vector<Vec3>& open) {
    for (const Vec3& p : open) {
      points_.push_back(p);
      std::vector<Vec3> centers;
      append_centers(field_, p, centers);
      for (const Vec3& c : centers) add({c, field_.radius(c)}, false);
    }
  }

  const KeptVolume& kept_;
  BallField field_;
  double error_;
  const SimplifyOptions& options_;
  BodyProbe probe_;
  double reach_ = 0.0;
  std::vector<Vec3> points_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Result<PrimitiveSet> with_primitives(const KeptVolume& kept, std::span<const Sphere> spheres,
                                     double error, const SimplifyOptions& options) {
  std::optional<PrimitiveSet> made = PrimitiveSearch(kept, error, options).run(spheres);
  if (is_cancelled(options.monitor)) return cancelled();
  if (made && made->size() < spheres.size()) return std::move(*made);
  return PrimitiveSet{{spheres.begin(), spheres.end()}, {}, {}};
}

}  // namespace clearance::detail
