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

#include "simplify/closing_balls.h"
#include "simplify/cover_search.h"
#include "simplify/open_places.h"
#include "simplify/simplify_methods.h"

namespace clearance::detail {
namespace {

// Of it, what all places are in balls by after the search, where it can: room for the proof.
constexpr double kGapDepth = -0.003;
// With a tool, what limits a ball is not looked at closely: a larger reserve, which shallow gaps
// are left to.
constexpr double kToolReserve = 0.02;
constexpr double kToolGapDepth = 0.01;
// Resolution of the kept volume, as a part of the error.
constexpr double kResolution = 0.3;

// A symmetry moves the body by no more than this part of the error, and has no more motions.
constexpr double kSameBody = 0.002;
constexpr std::size_t kMostMotions = 12;

// Proofs that end in moving balls; after the next one there are more of them.
constexpr int kProofs = 2;

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
    const double aimed = (1.0 - (has_tool() ? kToolReserve : kReserve)) * error;
    kept_.prepare(aimed, options_.threads, options_.monitor);
    kept_.prepare(error, options_.threads, options_.monitor);
    if (is_cancelled(options_.monitor)) return std::nullopt;
    BallField field(kept_, aimed);
    CoverSearchOptions searching = search_options();
    if (!has_tool())
      searching.symmetries = Symmetry::find(kept_.body(), kSameBody * error, kMostMotions);
    CoverSearch search(field, edges_, searching);
    std::optional<Covering> best;
    for (int i = 0; i < options_.searches; ++i) {
      if (!search.run()) return std::nullopt;
      // What a proof leaves open is closed by moving balls, as long as that does.
      std::vector<Vec3> open;
      std::optional<Covering> now = prove(field, search.balls(), error, 0, open);
      for (int round = 0; now && !now->covered && round < kProofs; ++round) {
        if (!search.close(open)) return std::nullopt;
        open.clear();
        now = prove(field, search.balls(), error, round + 1 < kProofs ? 0 : kMostMendings, open);
      }
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
    kept_.prepare(error, options_.threads, options_.monitor);
    if (is_cancelled(options_.monitor)) return std::nullopt;
    BallField field(kept_, error);
    CoverSearchOptions quick = search_options();
    quick.is_rough = true;
    CoverSearch search(field, edges_, quick);
    if (!search.run()) return std::nullopt;
    return search.balls().size();
  }

  // Does an error take far more balls than that, as larger errors already show? Nothing when
  // cancelled. `largest`: an error that one ball does for.
  [[nodiscard]] std::optional<bool> takes_far_more(double error, std::size_t most,
                                                   double largest) const {
    constexpr double kShrink = 0.5;
    constexpr std::size_t kFarMore = 3;
    for (double larger = kShrink * largest; larger > error; larger *= kShrink) {
      const std::optional<std::size_t> guess = guess_count(larger);
      if (!guess) return std::nullopt;
      if (*guess > kFarMore * most) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool has_tool() const { return !kept_.external_tool().empty(); }
  [[nodiscard]] CoverSearchOptions search_options() const {
    CoverSearchOptions search;
    search.gap_depth = has_tool() ? kToolGapDepth : kGapDepth;
    search.seed = options_.seed;
    search.threads = options_.threads;
    search.monitor = options_.monitor;
    return search;
  }

  // The balls with proven radii, and as many more as the proof takes in so many rounds. `open`: the
  // places that the balls alone left open.
  [[nodiscard]] std::optional<Covering> prove(const BallField& field, std::span<const Sphere> balls,
                                              double error, int most_mendings,
                                              std::vector<Vec3>& open) const {
    Covering result;
    result.error = error;
    result.spheres.resize(balls.size());
    parallel_for(options_.threads, balls.size(), [&](std::size_t i) {
      if (is_cancelled(options_.monitor)) return;
      result.spheres[i] = proven_ball(kept_, balls[i].center, error);
    });
    std::erase_if(result.spheres, [](const Sphere& s) { return !(s.radius > 0.0); });
    const OpenPlacesOptions places_options{.smallest = kSmallestPiece * error,
                                           .threads = options_.threads,
                                           .monitor = options_.monitor};
    for (int mending = 0;; ++mending) {
      const OpenPlaces places = open_places(kept_, result.spheres, places_options);
      if (is_cancelled(options_.monitor)) return std::nullopt;
      result.covered = places.covered;
      open.insert(open.end(), places.points.begin(), places.points.end());
      if (places.points.empty() || mending == most_mendings) break;
      append_closing_balls(field, places.points, error,
                           {.threads = options_.threads, .monitor = options_.monitor},
                           result.spheres);
    }
    return result;
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
  kept_options.fill_cavities = options.fill_cavities;
  kept_options.external_tool = options.external_tool;
  kept_options.resolution = options.error > 0.0 ? kResolution * options.error : 0.0;
  kept_options.threads = options.threads;
  kept_options.monitor = options.monitor;
  Result<KeptVolume> kept = KeptVolume::make(body, kept_options);
  if (!kept) return kept.error();
  const CoverMaker maker(*kept, options);
  std::optional<Covering> covering;
  // With a number, too, not before it is known that the error is worth a search.
  bool is_worth_it = options.error > 0.0;
  if (is_worth_it && options.most_spheres > 0) {
    const std::optional<bool> more =
        maker.takes_far_more(options.error, options.most_spheres, 0.5 * diagonal);
    if (!more) return cancelled();
    is_worth_it = !*more;
  }
  if (is_worth_it) {
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
