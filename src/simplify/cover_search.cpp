// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
// One of so many points shows where balls meet.
constexpr std::size_t kEverySeed = 2;
// Rounds in which gaps are closed by all balls, in so many steps until they have so much to spare,
// as a part of the error; then by those around them, with so many sweeps.
constexpr int kSpreadClosings = 10;
constexpr int kClosingSteps = 12;
constexpr double kClosed = 0.003;
constexpr int kClosings = 10;
// What is lacking by less than this part of the error is left to the reserve.
constexpr double kWorthABall = 0.002;
// Of radii, when what a proof left open is closed.
constexpr int kLooks = 3;
// Balls that a symmetry has to leave to be placed: fewer are as fast without it, and with so few
// one more for each motion counts.
constexpr std::size_t kLeastBalls = 120;
// Balls settle where motions of a symmetry leave them in place when these move them by less than
// this part of the radius.
constexpr double kSettled = 0.3;
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

CoverSearch::CoverSearch(BallField& field, const std::vector<SharpEdge>& edges,
                         const CoverSearchOptions& options)
    : field_(field), edges_(edges), options_(options) {}

bool CoverSearch::run() {
  Monitor* monitor = options_.monitor;
  if (balls_.empty()) {
    report_progress(monitor, "choosing spheres", 0.0);
    choose();
    if (!options_.is_rough) {
      for (int round = 0; round < kChoices && is_small_ && !is_cancelled(monitor); ++round) {
        if (note_gaps(options_.gap_depth) == 0) return !is_cancelled(monitor);
        choose_again(round);
      }
      if (!is_small_) {
        points_.clear();
        blocks_ = {};
      }
      note(make_cover_points(field_, edges_, options_.fine, symmetry_, options_.threads, monitor)
               .points);
      mend();
    }
    squeeze();
  }
  if (options_.is_rough) return !is_cancelled(monitor);
  if (symmetry_.order() > 1) settle();
  save_balls();
  if (symmetry_.order() > 1) unfold();
  const double enough = -kClosed * field_.error();
  std::size_t before = std::numeric_limits<std::size_t>::max();
  for (int round = 0; round < options_.closing_rounds && !is_cancelled(monitor); ++round) {
    report_progress(monitor, "closing gaps", double(round) / options_.closing_rounds);
    (void)learn();
    const std::size_t gaps = note_gaps(options_.gap_depth);
    if (gaps == 0) break;
    if (round < kSpreadClosings) {
      // Where moving is not enough, one ball more at a time.
      const SpreadGap gap = spread(kClosingSteps, enough);
      if (gap.depth > kWorthABall * field_.error() && round > 0) {
        add_balls(gap);
        (void)spread(kClosingSteps, enough);
      }
      // There is hardly more to spare than before, and little is lacking.
      if (gap.depth <= kWorthABall * field_.error() && 2 * gaps >= before) break;
      before = gaps;
      continue;
    }
    relax_balls(field_, blocks(), balls_, kClosings,
                {.threads = options_.threads, .monitor = monitor});
    mend();
  }
  return !is_cancelled(monitor);
}

void CoverSearch::note(std::span<const Vec3> points) {
  points_.insert(points_.end(), points.begin(), points.end());
  if (!seeds_.empty()) seeds_.insert(seeds_.end(), points.begin(), points.end());
}

bool CoverSearch::close(std::span<const Vec3> points) {
  note(points);
  // Balls that were moved may be where radii are not known well.
  (void)learn();
  for (int look = 0; look < kLooks; ++look) {
    (void)spread(kClosingSteps, -kClosed * field_.error());
    if (learn() == 0 || is_cancelled(options_.monitor)) break;
  }
  return !is_cancelled(options_.monitor);
}

const PointBlocks& CoverSearch::blocks() {
  if (blocks_.size() != points_.size()) blocks_ = PointBlocks(points_);
  return blocks_;
}

// A first cover of points that are far apart.
void CoverSearch::choose() {
  const auto begin = [&](const Symmetry& symmetry) {
    symmetry_ = symmetry;
    CoverPoints made = make_cover_points(field_, edges_, options_.spacing, symmetry_,
                                         options_.threads, options_.monitor);
    points_ = std::move(made.points);
    candidates_ = balls_about(made.centers);
    const double order = double(symmetry.order());
    is_small_ = order * double(candidates_.size()) * order * double(points_.size()) < kFewPairs;
  };
  // The largest symmetry that leaves enough balls. Twice as many motions leave half as many.
  std::optional<Symmetry> taken;
  std::vector<Sphere> chosen;
  for (const Symmetry& symmetry : options_.symmetries) {
    if (symmetry.order() == 1) continue;
    if (taken && (symmetry.order() == taken->order() ||
                  chosen.size() * taken->order() < kLeastBalls * symmetry.order()))
      continue;
    begin(symmetry);
    if (is_small_) break;
    choose_among(candidates_, 0);
    if (balls_.size() < kLeastBalls) break;
    taken = symmetry;
    chosen = std::move(balls_);
  }
  if (taken) {
    symmetry_ = *taken;
    balls_ = std::move(chosen);
    return;
  }
  begin(Symmetry());
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

void CoverSearch::squeeze() {
  if (is_cancelled(options_.monitor)) return;
  squeeze_balls(field_, blocks(), balls_,
                {.threads = options_.threads, .monitor = options_.monitor});
}

void CoverSearch::mend() {
  if (is_cancelled(options_.monitor)) return;
  mend_balls(field_, blocks(), balls_, {.monitor = options_.monitor});
}

SpreadGap CoverSearch::spread(int steps, std::optional<double> enough) {
  if (seeds_.empty())
    for (std::size_t p = 0; p < blocks().size(); p += kEverySeed)
      seeds_.push_back(blocks().point(p));
  if (seed_blocks_.size() != seeds_.size()) seed_blocks_ = PointBlocks(seeds_);
  if (!spread_) spread_.emplace(field_, edges_, symmetry_);
  return spread_->run(
      seed_blocks_, balls_,
      {.steps = steps, .enough = enough, .threads = options_.threads, .monitor = options_.monitor});
}

// Where a few images of a ball are nearly one, they become one.
void CoverSearch::settle() {
  for (Sphere& ball : balls_) {
    ball.center = symmetry_.settled(ball.center, kSettled * ball.radius);
    ball.radius = field_.radius(ball.center);
  }
}

// All images of balls and points instead of the symmetry.
void CoverSearch::unfold() {
  balls_ = symmetry_.images(balls_, std::numeric_limits<double>::infinity()).balls;
  for (Sphere& ball : balls_) ball.radius = field_.radius(ball.center);
  for (std::vector<Vec3>* points : {&points_, &seeds_}) {
    const std::vector<Vec3> home = std::exchange(*points, {});
    for (const Vec3& p : home)
      for (std::size_t i = 0; i < symmetry_.order(); ++i) points->push_back(symmetry_.image(p, i));
  }
  blocks_ = {};
  seed_blocks_ = {};
  symmetry_ = {};
  spread_.reset();
}

// Radii as they are where the balls are now. How many of them were believed too large.
std::size_t CoverSearch::learn() {
  std::vector<Vec3> centers;
  for (const Sphere& ball : balls_) centers.push_back(ball.center);
  const std::size_t news = field_.learn(centers, symmetry_, options_.threads);
  for (Sphere& ball : balls_) ball.radius = field_.radius(ball.center);
  return news;
}

// Gaps deeper than a part of the error become points to cover. How many there are.
std::size_t CoverSearch::note_gaps(double depth) {
  std::vector<Sphere> larger = symmetry_.images(balls_, field_.error()).balls;
  for (Sphere& ball : larger) ball.radius += depth * field_.error();
  const std::vector<Vec3> gaps = find_gaps(field_, larger,
                                           {.finest_inside = kFinestInside,
                                            .symmetry = &symmetry_,
                                            .threads = options_.threads,
                                            .monitor = options_.monitor});
  note(gaps);
  return gaps.size();
}

}  // namespace clearance::detail
