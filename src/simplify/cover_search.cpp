// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <clearance/base/random.h>

#include "simplify/ball_squeeze.h"
#include "simplify/cover_gaps.h"
#include "simplify/set_cover.h"

namespace clearance::detail {
namespace {

// Cells in which gaps are looked for, as a part of the error.
constexpr double kFinestInside = 0.15;
// When balls were squeezed before, so many put back in a row end it, as a part of all; where there
// are few balls, so many that trying them costs little.
constexpr double kMostFailures = 0.1;
constexpr double kFewFailures = 24.0;
// Sweeps of relaxing: after squeezing, and when gaps have become points.
constexpr int kSpreads = 3;
constexpr int kClosings = 10;
// While spheres still move, gaps are noted that are shallower than those that count, by this.
constexpr double kShallow = 0.5;
// Small bodies: those with fewer pairs of a candidate and a point than this.
constexpr double kFewPairs = 2e7;
// Exchanges in their local searches look at no more pairs than this: a second or so.
constexpr double kMostWork = 1e10;
// Choices made for them, each for the points of the last and for the gaps that it left.
constexpr int kChoices = 8;
// Places tried beside each candidate of such a body, and beside each of its balls later on; and how
// far beside, as a part of the radius. Every second one is moved to where its ball is largest.
constexpr int kBesideCandidates = 2;
constexpr int kBesideBalls = 20;
constexpr double kFarBeside = 0.3;
// Centres in one piece of a parallel loop.
constexpr std::size_t kPiece = 64;

}  // namespace

CoverSearch::CoverSearch(const BallField& field, const std::vector<SharpEdge>& edges,
                         const CoverSearchOptions& options)
    : field_(field), edges_(edges), options_(options) {}

bool CoverSearch::run() {
  Monitor* monitor = options_.monitor;
  if (balls_.empty()) {
    report_progress(monitor, "choosing spheres", 0.0);
    choose();
    if (options_.rounds > 0) {
      for (int round = 0; round < kChoices && is_small_ && !is_cancelled(monitor); ++round) {
        if (note_gaps(options_.gap_depth) == 0) return !is_cancelled(monitor);
        choose_again(round);
      }
      if (!is_small_) {
        points_.clear();
        blocks_ = {};
      }
      note(make_cover_points(field_, edges_, options_.fine, options_.threads, monitor).points);
      mend();
    }
    squeeze(1.0);
  }
  for (int round = 0; round < options_.rounds && !is_cancelled(monitor); ++round) {
    report_progress(monitor, "moving spheres", double(round) / options_.rounds);
    relax(Relax::All, kSpreads);
    (void)note_gaps(kShallow * options_.gap_depth);
    relax(Relax::All, kClosings);
    mend();
    squeeze(std::max(kMostFailures, kFewFailures / (double(balls_.size()) + 1.0)));
  }
  if (options_.rounds > 0) relax(Relax::All, kSpreads);
  for (int round = 0; options_.rounds > 0 && round < options_.closing_rounds; ++round) {
    if (is_cancelled(monitor)) break;
    report_progress(monitor, "closing gaps", double(round) / options_.closing_rounds);
    if (note_gaps(options_.gap_depth) == 0) break;
    relax(Relax::NearOpen, kClosings);
    mend();
  }
  return !is_cancelled(monitor);
}

void CoverSearch::note(std::span<const Vec3> points) {
  points_.insert(points_.end(), points.begin(), points.end());
}

const PointBlocks& CoverSearch::blocks() {
  if (blocks_.size() != points_.size()) blocks_ = PointBlocks(points_);
  return blocks_;
}

// A first cover of points that are far apart.
void CoverSearch::choose() {
  CoverPoints made =
      make_cover_points(field_, edges_, options_.spacing, options_.threads, options_.monitor);
  points_ = std::move(made.points);
  candidates_ = balls_about(made.centers);
  is_small_ = double(candidates_.size()) * double(points_.size()) < kFewPairs;
  if (is_small_) {
    const std::vector<Sphere> more =
        balls_beside(candidates_, kBesideCandidates, kFarBeside, options_.seed);
    candidates_.insert(candidates_.end(), more.begin(), more.end());
  }
  choose_among(candidates_, 0);
}

// The same for the points there are now, among the balls, places beside them and the candidates of
// the first choice. For small bodies: which balls are neighbours matters most where there are few,
// and squeezing does not change it. On large ones squeezing does as well, and costs less.
void CoverSearch::choose_again(int round) {
  std::vector<Sphere> all = balls_;
  const std::vector<Sphere> moved =
      balls_beside(balls_, kBesideBalls, kFarBeside / (1.0 + round),
                   options_.seed + 1 + static_cast<std::uint64_t>(round));
  all.insert(all.end(), moved.begin(), moved.end());
  all.insert(all.end(), candidates_.begin(), candidates_.end());
  choose_among(all, balls_.size());
}

// Begins with the first `known` candidates.
void CoverSearch::choose_among(const std::vector<Sphere>& candidates, std::size_t known) {
  const BallIncidence incidence(candidates, points_, options_.threads);
  std::vector<std::uint32_t> first(known);
  std::iota(first.begin(), first.end(), 0U);
  const std::vector<std::uint32_t> numbers =
      cover_with_few(incidence, first,
                     {.steps_per_ball = options_.steps_per_ball,
                      .most_steps_per_ball = options_.long_steps_per_ball,
                      .most_work = is_small_ ? kMostWork : 0.0,
                      .seed = options_.seed,
                      .monitor = options_.monitor});
  std::vector<Sphere> chosen;
  chosen.reserve(numbers.size());
  for (const std::uint32_t k : numbers) chosen.push_back(candidates[k]);
  balls_ = std::move(chosen);
}

// At random places around each ball, up to `far` radii away.
std::vector<Sphere> CoverSearch::balls_beside(const std::vector<Sphere>& balls, int count,
                                              double far, std::uint64_t seed) const {
  Random random(seed);
  std::vector<Vec3> centers;
  for (const Sphere& ball : balls) {
    for (int i = 0; i < count; ++i) {
      const Vec3 direction = normalized(Vec3{random.normal(), random.normal(), random.normal()});
      const Vec3 c = ball.center + random.uniform(0.1, 1.0) * far * ball.radius * direction;
      centers.push_back(i % 2 == 0 ? uphill(field_, c) : c);
    }
  }
  return balls_about(centers);
}

std::vector<Sphere> CoverSearch::balls_about(const std::vector<Vec3>& centers) const {
  std::vector<Sphere> balls(centers.size());
  parallel_for(options_.threads, (centers.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    for (std::size_t i = piece * kPiece; i < std::min(centers.size(), (piece + 1) * kPiece); ++i)
      balls[i] = {centers[i], field_.radius(centers[i])};
  });
  return balls;
}

void CoverSearch::squeeze(double most_failures) {
  if (is_cancelled(options_.monitor)) return;
  squeeze_balls(
      field_, blocks(), balls_,
      {.most_failures = most_failures, .threads = options_.threads, .monitor = options_.monitor});
}

void CoverSearch::mend() {
  if (is_cancelled(options_.monitor)) return;
  mend_balls(field_, blocks(), balls_, {.monitor = options_.monitor});
}

void CoverSearch::relax(Relax which, int sweeps) {
  relax_balls(field_, blocks(), balls_, which, sweeps,
              {.threads = options_.threads, .monitor = options_.monitor});
}

// Gaps deeper than a part of the error become points to cover. How many there are.
std::size_t CoverSearch::note_gaps(double depth) {
  std::vector<Sphere> larger = balls_;
  for (Sphere& ball : larger) ball.radius += depth * field_.error();
  const std::vector<Vec3> gaps = find_gaps(
      field_, larger,
      {.finest_inside = kFinestInside, .threads = options_.threads, .monitor = options_.monitor});
  note(gaps);
  return gaps.size();
}

}  // namespace clearance::detail
