// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_search.h"

#include <algorithm>
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
// Steps of all balls at once.
constexpr int kSteps = 24;
// One of so many points shows where balls meet.
constexpr std::size_t kEverySeed = 2;
// Balls that could not be saved in a row, and it ends.
constexpr std::size_t kMostFailures = 3;
// So many balls are saved by what all have to spare, as parts of the balls and of the error.
constexpr double kSpared = 0.9;
// So many balls are added for what is lacking, likewise; in so many rounds at most.
constexpr double kAdded = 0.5;
constexpr int kAdditions = 16;
// Gaps are noted before they are gaps, by this part of the error, and by half of it later on.
constexpr double kNoted = 0.02;
// Rounds in which gaps are closed by all balls; then by those around them, with so many sweeps.
constexpr int kSpreadClosings = 10;
constexpr double kClosed = 0.002;
constexpr int kClosings = 10;
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
    : field_(field), edges_(edges), options_(options), spread_(field, edges) {}

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
      note(make_cover_points(field_, edges_, options_.fine, options_.threads, monitor).points);
      mend();
    }
    squeeze();
  }
  if (!options_.is_rough) save_balls();
  for (int round = 0; !options_.is_rough && round < options_.closing_rounds; ++round) {
    if (is_cancelled(monitor)) break;
    report_progress(monitor, "closing gaps", double(round) / options_.closing_rounds);
    if (note_gaps(options_.gap_depth) == 0) break;
    if (round < kSpreadClosings) {
      // Where moving is not enough, one ball more at a time.
      const double enough = -kClosed * field_.error();
      const SpreadGap gap = spread(kSteps / 2, enough);
      if (gap.depth > 0.0 && round > 0) {
        add_balls(gap);
        (void)spread(kSteps / 2, enough);
      }
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
  return spread_.run(
      seed_blocks_, balls_,
      {.steps = steps, .enough = enough, .threads = options_.threads, .monitor = options_.monitor});
}

// Balls with the fewest points of their own, none near another, ascending. The first `skipped` of
// them are left out.
std::vector<std::uint32_t> CoverSearch::least_useful(std::size_t skipped, std::size_t most) {
  const PointBlocks& points = blocks();
  std::vector<std::uint16_t> held(points.size(), 0);
  for (const Sphere& ball : balls_) points.in_ball(ball, [&](std::size_t p) { ++held[p]; });
  std::vector<std::pair<std::size_t, std::uint32_t>> order(balls_.size());
  parallel_for(options_.threads, balls_.size(), [&](std::size_t k) {
    std::size_t own = 0;
    points.in_ball(balls_[k], [&](std::size_t p) { own += held[p] == 1 ? 1U : 0U; });
    order[k] = {own, static_cast<std::uint32_t>(k)};
  });
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> found;
  for (std::size_t i = skipped; i < order.size() && found.size() < most; ++i) {
    const Sphere& ball = balls_[order[i].second];
    const bool is_apart = std::none_of(found.begin(), found.end(), [&](std::uint32_t k) {
      return distance(balls_[k].center, ball.center) < balls_[k].radius + ball.radius;
    });
    if (is_apart) found.push_back(order[i].second);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Balls are taken away as long as the others can be moved to where no gap is left.
void CoverSearch::save_balls() {
  const double error = field_.error();
  Monitor* monitor = options_.monitor;
  if (balls_.size() < 2 || is_cancelled(monitor)) return;
  report_progress(monitor, "moving spheres", -1.0);
  (void)spread(2 * kSteps, std::nullopt);
  (void)note_gaps(-kNoted);
  SpreadGap gap = spread(kSteps / 2, std::nullopt);
  // Squeezed too far, since points that are apart hide gaps: a few more, where they are deepest.
  for (int round = 0; gap.depth > 0.0 && round < kAdditions && !is_cancelled(monitor); ++round) {
    add_balls(gap);
    (void)note_gaps(-0.5 * kNoted);
    gap = spread(kSteps, 0.0);
    if (gap.depth <= 0.0 && note_gaps(-0.5 * kNoted) > 0) gap = spread(kSteps / 2, 0.0);
  }
  std::size_t most = balls_.size() / 12 + 1;
  std::size_t failures = 0;
  while (!is_cancelled(monitor) && failures < kMostFailures && balls_.size() > 1) {
    // What is to spare tells how many, at first.
    const double spare = kSpared * std::max(-gap.depth / error, 0.0) * double(balls_.size());
    const std::vector<std::uint32_t> away = least_useful(
        failures, std::min(most, std::max<std::size_t>(1, static_cast<std::size_t>(spare))));
    if (away.empty()) break;
    const std::vector<Sphere> before = balls_;
    const SpreadGap gap_before = gap;
    for (std::size_t i = away.size(); i-- > 0;)
      balls_.erase(balls_.begin() + static_cast<std::ptrdiff_t>(away[i]));
    gap = spread(kSteps, 0.0);
    if (gap.depth <= 0.0 && note_gaps(-0.5 * kNoted) > 0) gap = spread(kSteps / 2, 0.0);
    if (gap.depth <= 0.0) {
      failures = 0;
      continue;
    }
    balls_ = before;
    gap = gap_before;
    most = (away.size() + 1) / 2;
    if (away.size() == 1) ++failures;
  }
}

// One ball for the deepest gap, and more at open points, as many as its depth tells.
void CoverSearch::add_balls(const SpreadGap& gap) {
  struct Open {
    double depth = 0.0;
    Vec3 at;
  };
  const double more = kAdded * gap.depth / field_.error() * double(balls_.size());
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(more));
  std::vector<Open> order{{std::numeric_limits<double>::infinity(), gap.at}};
  if (most > 1) {
    const PointBlocks& points = blocks();
    std::vector<std::uint8_t> held(points.size(), 0);
    for (const Sphere& ball : balls_) points.in_ball(ball, [&](std::size_t p) { held[p] = 1; });
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (held[p] != 0) continue;
      Open open{std::numeric_limits<double>::infinity(), points.point(p)};
      for (const Sphere& ball : balls_)
        open.depth = std::min(open.depth, distance(open.at, ball.center) - ball.radius);
      order.push_back(open);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Open& a, const Open& b) { return a.depth > b.depth; });
  }
  // None near another.
  std::vector<Sphere> added;
  for (const Open& open : order) {
    if (added.size() == most) break;
    std::vector<Vec3> centers;
    const double reach = append_centers(field_, open.at, centers);
    const bool is_apart = std::none_of(added.begin(), added.end(), [&](const Sphere& other) {
      return distance(other.center, open.at) < other.radius + reach;
    });
    if (!is_apart) continue;
    added.push_back({open.at, reach});
    balls_.push_back({centers.front(), field_.radius(centers.front())});
  }
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
