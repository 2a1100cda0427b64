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
#include "simplify/open_places.h"
#include "simplify/simplify_methods.h"

namespace clearance::detail {
namespace {

// The search is for an error smaller by this part than the one allowed: what proven radii may be
// too small by, and room for the proof to end in.
constexpr double kReserve = 0.03;
// Of it, what gaps may be deep that the search leaves.
constexpr double kGapDepth = 0.02;
// Proven radii may be too small by this part of the error.
constexpr double kRadiusTolerance = 0.005;
// Resolution of the kept volume, as a part of the error.
constexpr double kResolution = 0.3;
// Pieces of a proof are not divided below this part of the error; places that stay open are held by
// balls that reach farther around them by as much again.
constexpr double kSmallestPiece = 2e-3;
// Rounds of proof and balls for what it leaves open, at most.
constexpr int kMostMendings = 40;
// Centres tried for a ball about an open place.
constexpr std::size_t kCentersTried = 3;

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
  [[nodiscard]] std::optional<Covering> make(double error) const {
    const double aimed = (1.0 - kReserve) * error;
    kept_.prepare(aimed, options_.threads);
    kept_.prepare(error, options_.threads);
    const BallField field(kept_, aimed);
    CoverSearch search(field, edges_, search_options());
    std::optional<Covering> best;
    for (int i = 0; i < options_.searches; ++i) {
      if (!search.run()) return std::nullopt;
      std::vector<Vec3> open;
      std::optional<Covering> now = prove(field, search.balls(), error, open);
      if (!now) return std::nullopt;
      const bool better =
          !best || (now->covered && !best->covered) ||
          (now->covered == best->covered && now->spheres.size() < best->spheres.size());
      if (better) best = std::move(now);
      search.note(open);
    }
    return best;
  }

  // About how many balls an error takes, without a proof. Nothing when cancelled.
  [[nodiscard]] std::optional<std::size_t> guess_count(double error) const {
    kept_.prepare(error, options_.threads);
    const BallField field(kept_, error);
    CoverSearchOptions quick = search_options();
    quick.rounds = 0;
    CoverSearch search(field, edges_, quick);
    if (!search.run()) return std::nullopt;
    return search.balls().size();
  }

 private:
  [[nodiscard]] CoverSearchOptions search_options() const {
    CoverSearchOptions search;
    search.gap_depth = kGapDepth;
    search.seed = options_.seed;
    search.threads = options_.threads;
    search.monitor = options_.monitor;
    return search;
  }

  // The balls with proven radii, and as many more as the proof takes. `open`: the places that the
  // balls alone left open.
  [[nodiscard]] std::optional<Covering> prove(const BallField& field, std::span<const Sphere> balls,
                                              double error, std::vector<Vec3>& open) const {
    Covering result;
    result.error = error;
    result.spheres.resize(balls.size());
    parallel_for(options_.threads, balls.size(),
                 [&](std::size_t i) { result.spheres[i] = proven(balls[i].center, error); });
    std::erase_if(result.spheres, [](const Sphere& s) { return !(s.radius > 0.0); });
    const OpenPlacesOptions places_options{.smallest = kSmallestPiece * error,
                                           .threads = options_.threads,
                                           .monitor = options_.monitor};
    for (int mending = 0; mending <= kMostMendings; ++mending) {
      const OpenPlaces places = open_places(kept_, result.spheres, places_options);
      if (is_cancelled(options_.monitor)) return std::nullopt;
      result.covered = places.covered;
      if (places.points.empty()) break;
      open.insert(open.end(), places.points.begin(), places.points.end());
      close(field, places.points, error, result.spheres);
    }
    return result;
  }

  // Balls that hold the points and a little around them, the farthest from the others first.
  void close(const BallField& field, std::span<const Vec3> points, double error,
             std::vector<Sphere>& spheres) const {
    const double around = 2.0 * kSmallestPiece * error;
    const auto holds = [&](const Sphere& ball, const Vec3& p) {
      return distance(ball.center, p) + around <= ball.radius;
    };
    std::vector<std::pair<double, std::uint32_t>> by_depth(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      double depth = std::numeric_limits<double>::infinity();
      for (const Sphere& ball : spheres)
        depth = std::min(depth, distance(ball.center, points[i]) - ball.radius);
      by_depth[i] = {-depth, static_cast<std::uint32_t>(i)};
    }
    std::sort(by_depth.begin(), by_depth.end());
    const std::size_t known = spheres.size();
    for (const auto& [depth, i] : by_depth) {
      const Vec3& p = points[i];
      const auto added = std::span(spheres).subspan(known);
      if (std::any_of(added.begin(), added.end(),
                      [&](const Sphere& ball) { return holds(ball, p); }))
        continue;
      // Those that hold the most of the other points as well first; about the point itself last.
      std::vector<Vec3> centers;
      append_centers(field, p, centers);
      std::vector<std::pair<std::size_t, std::size_t>> by_use(centers.size());
      for (std::size_t k = 0; k < centers.size(); ++k) {
        const Sphere ball{centers[k], field.radius(centers[k])};
        const auto held = std::count_if(points.begin(), points.end(),
                                        [&](const Vec3& q) { return holds(ball, q); });
        by_use[k] = {points.size() - static_cast<std::size_t>(held), k};
      }
      std::sort(by_use.begin(), by_use.end());
      by_use.resize(std::min(by_use.size(), kCentersTried));
      Sphere ball = proven(p, error);
      for (const auto& [others, k] : by_use) {
        const Sphere better = proven(centers[k], error);
        if (!holds(better, p)) continue;
        ball = better;
        break;
      }
      if (ball.radius > 0.0) spheres.push_back(ball);
    }
  }

  [[nodiscard]] Sphere proven(const Vec3& center, double error) const {
    return {center, kept_.safe_radius(center, error, kRadiusTolerance * error)};
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
      const std::optional<std::size_t> guess = maker_.guess_count(next);
      if (!guess) return std::nullopt;
      count = *guess;
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
      std::optional<Covering> now = maker_.make(error);
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
    covering = maker.make(options.error);
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
