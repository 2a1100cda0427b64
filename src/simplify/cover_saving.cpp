// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How CoverSearch saves balls: which are taken away, and where some have to be added first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simplify/cover_search.h"

namespace clearance::detail {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
// Steps of all balls at once: at first, and for balls of which some are gone.
constexpr int kFirstSteps = 48;
constexpr int kSteps = 24;
// Lengths below are parts of the error.
// Gaps are noted before they are gaps, at first and later on.
constexpr double kNotedFirst = 0.02;
constexpr double kNoted = 0.01;
// Balls that are enough are moved until they have so much to spare: it helps the next to go.
constexpr double kSpare = 0.004;
// So many balls are saved by what all have to spare, as a part of the balls; that many at most.
constexpr double kSpared = 0.9;
constexpr std::size_t kMostSpared = 12;
// So many balls are added for what is lacking, likewise, where it lacks as much but for this part;
// in so many rounds at most.
constexpr double kAdded = 0.5;
constexpr double kAsDeep = 0.5;
constexpr int kAdditions = 16;
// Of a few balls at a time it is seen how well the others do without each. At first those alone
// move that are nearer than so many times as far as the ball reaches sideways; then, for those that
// are missed least, all do. More steps are spent where what is lacking may still be closed.
constexpr std::size_t kTogether = 16;
constexpr double kNeighbourhood = 8.0;
constexpr int kNearSteps = 8;
constexpr double kNearSpare = 0.01;
constexpr std::size_t kFinalists = 3;
constexpr int kTrialSteps = 10;
constexpr double kPromising = 0.02;
// Neighbourhoods that overlap by less than this part have nothing to do with each other.
constexpr double kApart = 0.7;
// So many times none of a few could be saved, and it ends.
constexpr std::size_t kMostFailures = 1;
// Rounds of looking closely at radii in the end, and what is to spare then.
constexpr int kLastLooks = 2;
constexpr double kLastSpare = 0.001;

// Marks a ball that is to be left out.
constexpr double kGone = -kFar;

void leave_out(std::vector<Sphere>& balls) {
  std::erase_if(balls, [](const Sphere& ball) { return ball.radius == kGone; });
}

// Balls without one of them, moved, and around which place.
struct Trial {
  std::uint32_t gone = 0;
  std::vector<Sphere> balls;
  Sphere around;
  double depth = 0.0;
};

// All that could be spared whose neighbourhoods have nothing to do with each other.
std::vector<Sphere> without_several(const std::vector<Sphere>& balls,
                                    const std::vector<Trial>& trials) {
  std::vector<Sphere> without = balls;
  std::vector<const Trial*> taken;
  for (const Trial& trial : trials) {
    const bool is_apart = std::all_of(taken.begin(), taken.end(), [&](const Trial* other) {
      return distance(trial.around.center, other->around.center) >
             kApart * (trial.around.radius + other->around.radius);
    });
    if (trial.depth > 0.0 || !is_apart) continue;
    taken.push_back(&trial);
    for (std::size_t k = 0; k < balls.size(); ++k) {
      if (k == trial.gone) continue;
      const Sphere& moved = trial.balls[k < trial.gone ? k : k - 1];
      if (moved.center != balls[k].center) without[k] = moved;
    }
  }
  for (const Trial* trial : taken) without[trial->gone].radius = kGone;
  leave_out(without);
  return without;
}

}  // namespace

// Balls are taken away as long as the others can be moved to where no gap is left.
void CoverSearch::save_balls() {
  const double error = field_.error();
  Monitor* monitor = options_.monitor;
  if (balls_.size() < 2 || is_cancelled(monitor)) return;
  report_progress(monitor, "moving spheres", -1.0);
  (void)spread(kFirstSteps, std::nullopt);
  (void)note_gaps(-kNotedFirst);
  SpreadGap gap = spread(kSteps / 2, std::nullopt);
  if (learn() > 0) gap = spread(kSteps / 2, std::nullopt);
  if (gap.depth > 0.0) gap = spread(kSteps, 0.0);
  // Squeezed too far, since points that are apart hide gaps: a few more, where they are deepest.
  for (int round = 0; gap.depth > 0.0 && round < kAdditions && !is_cancelled(monitor); ++round) {
    add_balls(gap);
    (void)note_gaps(-kNoted);
    gap = spread(kSteps, 0.0);
    if (gap.depth <= 0.0 && note_gaps(-kNoted) > 0) gap = spread(kSteps / 2, 0.0);
  }
  std::size_t most = balls_.size() / kMostSpared + 1;
  std::size_t skipped = 0;
  std::size_t failures = 0;
  while (!is_cancelled(monitor) && failures < kMostFailures && balls_.size() > 1) {
    const std::vector<std::uint32_t> order = least_missed();
    // What is to spare tells how many, at first.
    const double spare = kSpared * std::max(-gap.depth / error, 0.0) * double(balls_.size());
    const std::size_t several = std::min(most, static_cast<std::size_t>(spare));
    if (several > 1) {
      if (!is_enough(without_apart(order, several), gap)) most = several / 2;
      continue;
    }
    const std::span<const std::uint32_t> left =
        std::span(order).subspan(std::min(skipped, order.size()));
    const std::span<const std::uint32_t> some = left.first(std::min(kTogether, left.size()));
    if (some.empty()) break;
    const bool is_saved = save_some(some, gap);
    failures = is_saved ? 0 : failures + 1;
    skipped = is_saved ? 0 : skipped + some.size();
  }
  for (int look = 0; look < kLastLooks && learn() > 0 && !is_cancelled(monitor); ++look)
    (void)spread(kSteps / 2, -kLastSpare * error);
}

// The balls, those first that leave the shallowest holes.
std::vector<std::uint32_t> CoverSearch::least_missed() {
  const PointBlocks& points = blocks();
  const Symmetry::Images images = symmetry_.images(balls_, 0.0);
  // Of two balls, not of two images of one.
  struct Lacks {
    double least = kFar;  // of the ball that holds a place best
    double next = kFar;   // and of the best other
    std::uint32_t ball = 0;
    void add(double lack, std::uint32_t k) {
      if (lack < least) {
        if (k != ball) next = least;
        least = lack, ball = k;
      } else if (k != ball) {
        next = std::min(next, lack);
      }
    }
  };
  const auto lack = [&](const Vec3& at, std::size_t i) {
    return distance(images.balls[i].center, at) - images.balls[i].radius;
  };
  std::vector<std::vector<double>> deepest(points.group_count());
  parallel_for(options_.threads, points.group_count(), [&](std::size_t group) {
    const Sphere& around = points.around_group(group);
    Lacks there;
    for (std::size_t i = 0; i < images.balls.size(); ++i)
      there.add(lack(around.center, i), images.of[i]);
    std::vector<std::size_t> near;
    for (std::size_t i = 0; i < images.balls.size(); ++i)
      if (lack(around.center, i) <= there.next + 2.0 * around.radius) near.push_back(i);
    std::vector<double>& hole = deepest[group];
    hole.assign(balls_.size(), -kFar);
    for (std::size_t b = points.first_block(group); b < points.end_block(group); ++b) {
      for (std::size_t p = points.first_place(b); p < points.end_place(b); ++p) {
        Lacks here;
        for (const std::size_t i : near) here.add(lack(points.point(p), i), images.of[i]);
        hole[here.ball] = std::max(hole[here.ball], here.next);
      }
    }
  });
  std::vector<double> hole(balls_.size(), -kFar);
  for (const std::vector<double>& some : deepest)
    for (std::size_t k = 0; k < some.size(); ++k) hole[k] = std::max(hole[k], some[k]);
  std::vector<std::uint32_t> order(balls_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return hole[a] < hole[b]; });
  return order;
}

// The balls without the first of them, none of which is near another.
std::vector<Sphere> CoverSearch::without_apart(std::span<const std::uint32_t> order,
                                               std::size_t most) const {
  std::vector<std::uint32_t> away;
  for (const std::uint32_t i : order) {
    if (away.size() == most) break;
    const bool is_apart = std::none_of(away.begin(), away.end(), [&](std::uint32_t k) {
      return distance(balls_[k].center, balls_[i].center) < balls_[k].radius + balls_[i].radius;
    });
    if (is_apart) away.push_back(i);
  }
  std::vector<Sphere> fewer = balls_;
  for (const std::uint32_t k : away) fewer[k].radius = kGone;
  leave_out(fewer);
  return fewer;
}

// Are those balls enough? They are taken when they can be moved to where no gap is left.
bool CoverSearch::is_enough(std::vector<Sphere> balls, SpreadGap& gap) {
  const double enough = -kSpare * field_.error();
  std::vector<Sphere> before = std::exchange(balls_, std::move(balls));
  SpreadGap now = spread(kSteps, enough);
  if (now.depth <= 0.0 && note_gaps(-kNoted) > 0) now = spread(kSteps / 2, enough);
  if (now.depth <= 0.0 && learn() > 0) now = spread(kSteps / 2, enough);
  if (now.depth > 0.0) {
    balls_ = std::move(before);
    return false;
  }
  gap = now;
  return true;
}

// Takes one of some balls away, or several that are apart. False: none could be.
bool CoverSearch::save_some(std::span<const std::uint32_t> some, SpreadGap& gap) {
  const double error = field_.error();
  std::vector<Trial> trials(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    const Sphere& gone = balls_[some[i]];
    const double sideways = std::sqrt(std::max(gone.radius, error) * error);
    trials[i].gone = some[i];
    trials[i].around = {gone.center, kNeighbourhood * sideways};
    trials[i].balls = balls_;
    trials[i].balls.erase(trials[i].balls.begin() + some[i]);
  }
  // The best first. Each trial on one thread, by a copy of what is known about the points.
  const auto run = [&](int steps, double spare, bool is_near) {
    parallel_for(options_.threads, trials.size(), [&](std::size_t i) {
      SpreadOptions options{.steps = steps, .enough = -spare * error, .threads = {1}};
      options.monitor = options_.monitor;
      if (is_near) options.around = trials[i].around;
      BallSpread alone = *spread_;
      trials[i].depth = alone.run(seed_blocks_, trials[i].balls, options).depth;
    });
    std::stable_sort(trials.begin(), trials.end(),
                     [](const Trial& a, const Trial& b) { return a.depth < b.depth; });
  };
  run(kNearSteps, kNearSpare, true);
  if (trials.front().depth <= 0.0) {
    std::vector<Sphere> several = without_several(balls_, trials);
    if (several.size() + 1 < balls_.size() && is_enough(std::move(several), gap)) return true;
    if (is_enough(trials.front().balls, gap)) return true;
  }
  if (trials.size() > kFinalists) trials.resize(kFinalists);
  run(kTrialSteps, kSpare, false);
  return trials.front().depth <= kPromising * error && is_enough(trials.front().balls, gap);
}

// One ball for the deepest gap, and more at open points, as many as its depth tells.
void CoverSearch::add_balls(const SpreadGap& gap) {
  struct Open {
    double depth = 0.0;
    Vec3 at;
  };
  const double more = kAdded * gap.depth / field_.error() * double(balls_.size());
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(more));
  std::vector<Open> order{{kFar, gap.at}};
  if (most > 1) {
    const PointBlocks& points = blocks();
    std::vector<std::uint8_t> held(points.size(), 0);
    const Symmetry::Images images = symmetry_.images(balls_, field_.error());
    for (const Sphere& ball : images.balls)
      points.in_ball(ball, [&](std::size_t p) { held[p] = 1; });
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (held[p] != 0) continue;
      Open open{kFar, points.point(p)};
      for (const Sphere& ball : images.balls)
        open.depth = std::min(open.depth, distance(open.at, ball.center) - ball.radius);
      order.push_back(open);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Open& a, const Open& b) { return a.depth > b.depth; });
    std::erase_if(order, [&](const Open& open) { return open.depth < kAsDeep * gap.depth; });
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

}  // namespace clearance::detail
