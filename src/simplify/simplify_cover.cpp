// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The method Cover: a search for few balls, and the proof that they cover.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "simplify/cover_search.h"
#include "simplify/simplify_methods.h"

namespace clearance::detail {
namespace {

// The search is for an error smaller by this part than the one allowed: what quick radii are off
// by, and room for the proof to end in.
constexpr double kReserve = 0.01;
// Resolution of the kept volume, as a part of the error: quick radii are then good to about a
// hundredth of the error.
constexpr double kResolution = 0.3;
// Proven radii may be too small by this part of the error.
constexpr double kRadiusTolerance = 1e-3;
// Gaps that proofs find beyond those of the search, at most.
constexpr int kMostMendings = 400;
// Pieces of one proof.
constexpr std::size_t kMostPieces = 20'000'000;

struct Covering {
  std::vector<Sphere> spheres;
  double error = 0.0;
  bool covered = false;
};

class CoverMaker {
 public:
  CoverMaker(const KeptVolume& kept, const SimplifyOptions& options)
      : kept_(kept), options_(options), edges_(sharp_edges(kept.body().mesh())) {}

  // Nothing when cancelled.
  [[nodiscard]] std::optional<Covering> make(double error, bool quickly) const {
    const double aimed = (1.0 - kReserve) * error;
    kept_.prepare(aimed, options_.threads);
    kept_.prepare(error, options_.threads);
    const BallField field(kept_, aimed);
    CoverSearchOptions search_options;
    search_options.seed = options_.seed;
    search_options.threads = options_.threads;
    search_options.monitor = options_.monitor;
    if (quickly) search_options.rounds = 1, search_options.passes = 1;
    CoverSearch search(field, edges_, search_options);
    if (!search.run()) return std::nullopt;
    Covering result;
    result.error = error;
    if (quickly) {
      result.spheres = search.balls();
      return result;
    }
    return prove(search, error);
  }

 private:
  [[nodiscard]] std::optional<Covering> prove(CoverSearch& search, double error) const {
    Covering result;
    result.error = error;
    CoverOptions proof;
    proof.most_pieces = kMostPieces;
    proof.threads = options_.threads;
    proof.monitor = options_.monitor;
    // The search only adds balls from here on: each is proven once.
    std::size_t known = 0;
    for (int mending = 0; mending <= kMostMendings; ++mending) {
      append_proven(std::span(search.balls()).subspan(known), error, result.spheres);
      known = search.balls().size();
      const Cover cover = verify_cover(kept_, result.spheres, proof);
      if (is_cancelled(options_.monitor)) return std::nullopt;
      result.covered = cover.status == CoverStatus::Covered;
      if (cover.status != CoverStatus::Uncovered) break;
      search.close(std::span(&cover.point, 1));
      append_proven(std::span(search.balls()).subspan(known), error, result.spheres);
      known = search.balls().size();
      const bool held = std::any_of(
          result.spheres.begin(), result.spheres.end(),
          [&](const Sphere& ball) { return distance(ball.center, cover.point) <= ball.radius; });
      // The radius that the search took for true was too large there.
      if (!held) {
        const Sphere about{cover.point, 0.0};
        append_proven(std::span(&about, 1), error, result.spheres);
      }
    }
    return result;
  }

  // The same centres with proven radii.
  void append_proven(std::span<const Sphere> balls, double error,
                     std::vector<Sphere>& spheres) const {
    std::vector<Sphere> some(balls.size());
    parallel_for(options_.threads, balls.size(), [&](std::size_t i) {
      const Vec3& c = balls[i].center;
      some[i] = {c, kept_.safe_radius(c, error, kRadiusTolerance * error)};
    });
    std::erase_if(some, [](const Sphere& s) { return !(s.radius > 0.0); });
    spheres.insert(spheres.end(), some.begin(), some.end());
  }

  const KeptVolume& kept_;
  const SimplifyOptions& options_;
  std::vector<SharpEdge> edges_;
};

// The smallest error found for a number of spheres: quick searches bracket it, whole ones decide.
class CountSearch {
 public:
  CountSearch(const CoverMaker& maker, std::size_t most_spheres, double diagonal)
      : maker_(maker), most_(most_spheres), diagonal_(diagonal) {}

  [[nodiscard]] std::optional<Covering> run(double least_error) {
    // With an error of half the diagonal one ball about the middle does.
    double high = 0.5 * diagonal_;
    double error = high;
    std::size_t count = 1;
    constexpr double kShrink = 0.6;
    constexpr int kMostShrinks = 40;
    for (int i = 0; i < kMostShrinks && error > least_error; ++i) {
      const double next = std::max(kShrink * error, least_error);
      const std::optional<Covering> some = maker_.make(next, true);
      if (!some) return std::nullopt;
      count = some->spheres.size();
      if (count > most_) {
        // Between the two by the power law that covers of surfaces follow, nearly.
        return decide(next, count, error, least_error);
      }
      error = next;
    }
    return decide(error, count, high, least_error);
  }

 private:
  [[nodiscard]] std::optional<Covering> decide(double low, std::size_t count_at_low, double high,
                                               double least_error) {
    constexpr int kTrials = 5;
    constexpr double kPower = 0.75;  // the error falls with about this power of the number
    std::optional<Covering> best;
    double error =
        std::clamp(low * std::pow(double(count_at_low) / double(most_), kPower) * 1.02, low, high);
    double failed = 0.0;
    for (int trial = 0; trial < kTrials || !best; ++trial) {
      std::optional<Covering> now = maker_.make(error, false);
      if (!now) return std::nullopt;
      const double count = double(now->spheres.size());
      const bool enough = now->spheres.size() <= most_ && now->covered;
      if (enough && (!best || now->error < best->error)) best = std::move(now);
      if (!enough) failed = std::max(failed, error);
      if (best && best->error <= least_error) break;
      double next = error * std::pow(count / double(most_), kPower);
      if (!enough) next = std::max(next, 1.02 * error);
      if (best) {
        // Between what failed and what did.
        if (failed > 0.0 && best->error < 1.02 * failed) break;
        const double floor = failed > 0.0 ? failed : 0.7 * best->error;
        next = std::clamp(next, floor + 0.25 * (best->error - floor),
                          floor + 0.75 * (best->error - floor));
      }
      error = std::max(next, least_error);
    }
    return best;
  }

  const CoverMaker& maker_;
  std::size_t most_;
  double diagonal_;
};

}  // namespace

Result<Simplification> simplify_by_cover(const Model& body, const SimplifyOptions& options) {
  const double diagonal = body.mesh().bounds().diagonal();
  KeptVolumeOptions kept_options;
  kept_options.external_diameter = options.external_diameter;
  kept_options.resolution = options.error > 0.0 ? kResolution * options.error : 0.0;
  kept_options.threads = options.threads;
  kept_options.monitor = options.monitor;
  Result<KeptVolume> kept = KeptVolume::make(body, kept_options);
  if (!kept) return kept.error();
  const CoverMaker maker(*kept, options);
  std::optional<Covering> covering;
  if (options.error > 0.0) {
    covering = maker.make(options.error, false);
    if (!covering) return cancelled();
  }
  if (options.most_spheres > 0 && (!covering || covering->spheres.size() > options.most_spheres)) {
    covering = CountSearch(maker, options.most_spheres, diagonal).run(options.error);
    if (!covering) return cancelled();
  }
  Simplification result{.kept = *kept};
  result.spheres = std::move(covering->spheres);
  std::stable_sort(result.spheres.begin(), result.spheres.end(),
                   [](const Sphere& a, const Sphere& b) { return a.radius > b.radius; });
  result.error = covering->error;
  result.covered = covering->covered;
  return result;
}

}  // namespace clearance::detail
