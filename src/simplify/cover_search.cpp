// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simplify/ball_polish.h"
#include "simplify/cover_gaps.h"
#include "simplify/set_cover.h"

namespace clearance::detail {
namespace {

// Places tried beside each candidate, and beside each chosen ball in the rounds that follow: half
// of them where they fall, half moved to where the ball is largest nearby. Without them the search
// ends with half as many balls again; twice as many bring one ball in fifty for twice the time.
constexpr int kBesideCandidates = 2;
constexpr int kBesideChosen = 20;
// How far beside, as a part of the radius.
constexpr double kFarBesideCandidates = 0.3;
// Two gaps nearer to each other than this part of how far balls reach there are one.
constexpr double kSameGap = 0.2;
// While gaps are closed, one ball is added for so many of them.
constexpr std::size_t kGapsOfOneBall = 16;
// Centres in one piece of a parallel loop.
constexpr std::size_t kPiece = 64;

// Along the direction inward, not far, to where the ball is largest.
Vec3 ridge_point(const BallField& field, const Vec3& c) {
  constexpr double kFirstStep = 0.16;  // of the radius
  constexpr int kSteps = 5;
  const double radius = field.radius(c);
  const Vec3 inward = field.inward(c, 0.02 * field.error());
  double best = radius;
  double way = 0.0;
  double step = kFirstStep * radius;
  for (int i = 0; i < kSteps; ++i, step *= 0.5) {
    const double there = field.radius(c + (way + step) * inward);
    if (there > best) best = there, way += step;
  }
  return c + way * inward;
}

}  // namespace

CoverSearch::CoverSearch(const BallField& field, const std::vector<SharpEdge>& edges,
                         const CoverSearchOptions& options)
    : field_(field), edges_(edges), options_(options), random_(options.seed) {}

bool CoverSearch::run() {
  if (candidates_.empty()) make_candidates();
  explore();
  close_gaps();
  return !is_cancelled(options_.monitor);
}

void CoverSearch::explore() {
  for (int round = 0; round < options_.rounds && !is_cancelled(options_.monitor); ++round) {
    report_progress(options_.monitor, "choosing spheres", double(round) / options_.rounds);
    choose(options_.steps_per_ball, kFarBesideCandidates / (1.0 + round));
    if (round + 1 < options_.rounds) add_gaps(gaps(false));
  }
}

// Balls for the deepest gaps, and moves that share out what they bring; in the last rounds by balls
// alone, which comes to an end.
void CoverSearch::close_gaps() {
  std::vector<Vec3> left = add_gaps(gaps(true));
  for (int round = 0; round < options_.closing_rounds && !left.empty(); ++round) {
    if (is_cancelled(options_.monitor)) return;
    report_progress(options_.monitor, "closing gaps", double(round) / options_.closing_rounds);
    if (4 * round < 3 * options_.closing_rounds) {
      left.resize((left.size() + kGapsOfOneBall - 1) / kGapsOfOneBall);
      add_balls(left);
      polish_balls(field_, points_, balls_,
                   {.rounds = 4, .seed = options_.seed + searches_++, .only_wanted = true});
    } else {
      choose(0, 0.0);
    }
    left = add_gaps(gaps(true));
  }
}

void CoverSearch::make_candidates() {
  CoverPoints made =
      make_cover_points(field_, edges_, options_.spacing, options_.threads, options_.monitor);
  points_ = std::move(made.points);
  candidates_ = balls_about(std::move(made.centers), false);
  std::vector<Vec3> beside;
  for (const Sphere& ball : candidates_)
    append_beside(ball, kBesideCandidates, kFarBesideCandidates, beside);
  const std::vector<Sphere> more = balls_about(std::move(beside), true);
  candidates_.insert(candidates_.end(), more.begin(), more.end());
}

// Places at random around a ball, up to `far` radii away.
void CoverSearch::append_beside(const Sphere& ball, int count, double far,
                                std::vector<Vec3>& centers) {
  for (int i = 0; i < count; ++i) {
    const Vec3 direction = normalized(Vec3{random_.normal(), random_.normal(), random_.normal()});
    centers.push_back(ball.center + random_.uniform(0.1, 1.0) * far * ball.radius * direction);
  }
}

// `to_ridges`: every second one is moved to where its ball is largest.
std::vector<Sphere> CoverSearch::balls_about(std::vector<Vec3> centers, bool to_ridges) const {
  std::vector<Sphere> balls(centers.size());
  parallel_for(options_.threads, (centers.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    for (std::size_t i = piece * kPiece; i < std::min(centers.size(), (piece + 1) * kPiece); ++i) {
      const Vec3 c = to_ridges && i % 2 == 0 ? ridge_point(field_, centers[i]) : centers[i];
      balls[i] = {c, field_.radius(c)};
    }
  });
  return balls;
}

// A cover of all points by candidates, the balls of before and places around them.
void CoverSearch::choose(std::size_t steps_per_ball, double far) {
  std::vector<Sphere> all = candidates_;
  std::vector<std::uint32_t> first;
  std::vector<Vec3> around;
  for (const Sphere& ball : balls_) {
    first.push_back(static_cast<std::uint32_t>(all.size()));
    all.push_back(ball);
    if (far > 0.0) append_beside(ball, kBesideChosen, far, around);
  }
  const std::vector<Sphere> moved = balls_about(std::move(around), true);
  all.insert(all.end(), moved.begin(), moved.end());
  const BallIncidence incidence(all, points_, options_.threads);
  const std::vector<std::uint32_t> numbers = cover_with_few(incidence, first,
                                                            {.steps_per_ball = steps_per_ball,
                                                             .seed = options_.seed + searches_,
                                                             .monitor = options_.monitor});
  ++searches_;
  balls_.clear();
  for (const std::uint32_t k : numbers) balls_.push_back(all[k]);
  if (steps_per_ball > 0)
    polish_balls(field_, points_, balls_, {.rounds = 1, .seed = options_.seed + searches_});
}

std::vector<Vec3> CoverSearch::gaps(bool fine) const {
  GapOptions options;
  options.finest_face = fine ? 0.03 : 0.1;
  options.finest_inside = fine ? 0.15 : 0.4;
  options.threads = options_.threads;
  options.monitor = options_.monitor;
  return find_gaps(field_, balls_, options);
}

// A ball for each point that no other holds.
void CoverSearch::add_balls(std::span<const Vec3> points) {
  for (const Vec3& p : points) {
    const bool held = std::any_of(balls_.begin(), balls_.end(), [&](const Sphere& ball) {
      return squared_norm(ball.center - p) <= ball.radius * ball.radius;
    });
    if (held) continue;
    std::vector<Vec3> centers;
    append_centers(field_, p, centers);
    balls_.push_back({centers.front(), field_.radius(centers.front())});
  }
}

// The deepest gaps, none near another, become points to cover, and balls that would close them
// candidates. Those points, the deepest first.
std::vector<Vec3> CoverSearch::add_gaps(std::span<const Vec3> gaps) {
  std::vector<std::pair<double, std::uint32_t>> by_depth(gaps.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    double depth = std::numeric_limits<double>::infinity();
    for (const Sphere& ball : balls_)
      depth = std::min(depth, distance(ball.center, gaps[i]) - ball.radius);
    by_depth[i] = {-depth, static_cast<std::uint32_t>(i)};
  }
  std::sort(by_depth.begin(), by_depth.end());
  std::vector<Vec3> centers;
  std::vector<std::pair<Vec3, double>> kept;  // with the square of the room around
  for (const auto& [depth, i] : by_depth) {
    const Vec3& p = gaps[i];
    const bool near = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
      return squared_norm(other.first - p) < other.second;
    });
    if (near) continue;
    const double room = kSameGap * append_centers(field_, p, centers);
    kept.emplace_back(p, room * room);
    points_.push_back(p);
  }
  const std::vector<Sphere> more = balls_about(std::move(centers), false);
  candidates_.insert(candidates_.end(), more.begin(), more.end());
  std::vector<Vec3> points;
  points.reserve(kept.size());
  for (const auto& [p, room_sq] : kept) points.push_back(p);
  return points;
}

}  // namespace clearance::detail
