// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/set_cover.h"

#include <algorithm>
#include <queue>
#include <utility>

#include <clearance/base/random.h>

#include "simplify/point_blocks.h"

namespace clearance::detail {
namespace {

// Balls in one piece of a parallel loop.
constexpr std::size_t kBallPiece = 64;

}  // namespace

BallIncidence::BallIncidence(std::span<const Sphere> balls, std::span<const Vec3> points,
                             Threads threads) {
  const PointBlocks blocks(points);
  std::vector<std::vector<std::uint32_t>> held(balls.size());
  parallel_for(threads, (balls.size() + kBallPiece - 1) / kBallPiece, [&](std::size_t piece) {
    for (std::size_t k = piece * kBallPiece; k < std::min(balls.size(), (piece + 1) * kBallPiece);
         ++k)
      blocks.in_ball(balls[k], [&](std::size_t p) { held[k].push_back(blocks.given(p)); });
  });

  fill(held, points.size());
}

BallIncidence::BallIncidence(std::span<const std::vector<std::uint32_t>> held,
                             std::size_t point_count) {
  fill(held, point_count);
}

void BallIncidence::fill(std::span<const std::vector<std::uint32_t>> held,
                         std::size_t point_count) {
  point_begin_.assign(held.size() + 1, 0);
  for (std::size_t k = 0; k < held.size(); ++k)
    point_begin_[k + 1] = point_begin_[k] + held[k].size();
  points_.resize(point_begin_.back());
  ball_begin_.assign(point_count + 1, 0);
  for (std::size_t k = 0; k < held.size(); ++k) {
    std::copy(held[k].begin(), held[k].end(),
              points_.begin() + static_cast<std::ptrdiff_t>(point_begin_[k]));
  }
  for (const std::uint32_t p : points_) ++ball_begin_[p + 1];
  for (std::size_t p = 0; p < point_count; ++p) ball_begin_[p + 1] += ball_begin_[p];
  balls_.resize(points_.size());
  std::vector<std::size_t> next(ball_begin_.begin(), ball_begin_.end() - 1);
  for (std::size_t k = 0; k < held.size(); ++k)
    for (const std::uint32_t p : points_of(k)) balls_[next[p]++] = static_cast<std::uint32_t>(k);
}

namespace {

class Search {
 public:
  explicit Search(const BallIncidence& incidence)
      : incidence_(incidence),
        held_by_(incidence.point_count(), 0),
        sum_of_holders_(incidence.point_count(), 0),
        weight_(incidence.point_count(), 1),
        place_(incidence.point_count(), 0),
        score_(incidence.ball_count(), 0),
        changed_(incidence.ball_count(), 0),
        chosen_(incidence.ball_count(), 0),
        may_return_(incidence.ball_count(), 1) {
    for (std::uint32_t p = 0; p < incidence.point_count(); ++p)
      if (!incidence.balls_of(p).empty()) uncover(p);
    for (std::uint32_t k = 0; k < incidence.ball_count(); ++k)
      score_[k] = static_cast<std::int64_t>(incidence.points_of(k).size());
  }

  [[nodiscard]] bool complete() const { return uncovered_.empty(); }
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return list_; }
  [[nodiscard]] const std::vector<std::uint32_t>& uncovered() const { return uncovered_; }

  void add(std::uint32_t ball) {
    chosen_[ball] = 1;
    list_.push_back(ball);
    score_[ball] = -score_[ball];
    changed_[ball] = ++time_;
    for (const std::uint32_t p : incidence_.points_of(ball)) {
      sum_of_holders_[p] += ball;
      if (++held_by_[p] == 1) {
        cover(p);
        for (const std::uint32_t other : incidence_.balls_of(p)) {
          score_[other] -= weight_[p];
          may_return_[other] = 1;
        }
        score_[ball] += weight_[p];
      } else if (held_by_[p] == 2) {
        score_[sum_of_holders_[p] - ball] += weight_[p];
      }
    }
  }

  void remove(std::uint32_t ball) {
    chosen_[ball] = 0;
    list_.erase(std::find(list_.begin(), list_.end(), ball));
    score_[ball] = -score_[ball];
    changed_[ball] = ++time_;
    for (const std::uint32_t p : incidence_.points_of(ball)) {
      sum_of_holders_[p] -= ball;
      if (--held_by_[p] == 0) {
        uncover(p);
        for (const std::uint32_t other : incidence_.balls_of(p)) {
          score_[other] += weight_[p];
          may_return_[other] = 1;
        }
        score_[ball] -= weight_[p];
      } else if (held_by_[p] == 1) {
        score_[sum_of_holders_[p]] -= weight_[p];
      }
    }
    may_return_[ball] = 0;
  }

  void add_greedily() {
    // Scores only fall while balls are added: an entry that is still true is the best.
    std::priority_queue<std::pair<std::int64_t, std::int64_t>> queue;
    for (std::uint32_t k = 0; k < incidence_.ball_count(); ++k)
      if (chosen_[k] == 0) queue.emplace(score_[k], -static_cast<std::int64_t>(k));
    while (!complete()) {
      const auto [score, negative] = queue.top();
      queue.pop();
      const auto ball = static_cast<std::uint32_t>(-negative);
      if (score_[ball] == score) {
        add(ball);
      } else {
        queue.emplace(score_[ball], negative);
      }
    }
  }

  // The chosen ball whose loss hurts least; of equals the one longest unchanged.
  [[nodiscard]] std::uint32_t least_needed(std::uint32_t except) const {
    std::uint32_t best = list_.front();
    bool found = false;
    for (const std::uint32_t k : list_) {
      if (k == except) continue;
      if (!found || score_[k] > score_[best] ||
          (score_[k] == score_[best] && changed_[k] < changed_[best]))
        best = k, found = true;
    }
    return best;
  }

  // The best ball that holds a point; none may be free to return.
  [[nodiscard]] std::uint32_t best_for(std::uint32_t point) const {
    const auto balls = incidence_.balls_of(point);
    std::uint32_t best = balls.front();
    bool found = false;
    for (const std::uint32_t k : balls) {
      if (may_return_[k] == 0) continue;
      if (!found || score_[k] > score_[best] ||
          (score_[k] == score_[best] && changed_[k] < changed_[best]))
        best = k, found = true;
    }
    return best;
  }

  void weigh_uncovered() {
    for (const std::uint32_t p : uncovered_) {
      ++weight_[p];
      for (const std::uint32_t k : incidence_.balls_of(p)) ++score_[k];
    }
  }

  [[nodiscard]] std::size_t loss(std::uint32_t ball) const {
    return static_cast<std::size_t>(-score_[ball]);
  }

 private:
  void uncover(std::uint32_t p) {
    place_[p] = static_cast<std::uint32_t>(uncovered_.size());
    uncovered_.push_back(p);
  }
  void cover(std::uint32_t p) {
    const std::uint32_t last = uncovered_.back();
    uncovered_[place_[p]] = last;
    place_[last] = place_[p];
    uncovered_.pop_back();
  }

  const BallIncidence& incidence_;
  std::vector<std::uint32_t> held_by_;         // how many chosen balls hold a point
  std::vector<std::uint32_t> sum_of_holders_;  // of their numbers: the holder itself, if only one
  std::vector<std::int32_t> weight_;
  std::vector<std::uint32_t> place_;  // in uncovered_
  std::vector<std::uint32_t> uncovered_;
  // Weight of the points that adding the ball covers, or minus that of those its removal uncovers.
  std::vector<std::int64_t> score_;
  std::vector<std::uint64_t> changed_;
  std::vector<std::uint8_t> chosen_, may_return_;
  std::vector<std::uint32_t> list_;
  std::uint64_t time_ = 0;
};

// An exchange goes through the points of two balls and, of those that change, all their balls.
std::size_t steps_for(const BallIncidence& incidence, std::size_t balls,
                      const SetCoverOptions& options) {
  double pairs = 0.0;
  for (std::size_t k = 0; k < incidence.ball_count(); ++k)
    pairs += double(incidence.points_of(k).size());
  const double work = 2.0 * pairs * pairs /
                      (double(incidence.ball_count()) * double(incidence.point_count()) + 1.0);
  const double affordable = options.most_work / (work * double(balls) + 1.0);
  const double per_ball =
      std::clamp(affordable, double(options.steps_per_ball),
                 double(std::max(options.steps_per_ball, options.most_steps_per_ball)));
  return static_cast<std::size_t>(per_ball * double(balls));
}

}  // namespace

std::vector<std::uint32_t> cover_with_few(const BallIncidence& incidence,
                                          std::span<const std::uint32_t> first,
                                          const SetCoverOptions& options) {
  Search search(incidence);
  for (const std::uint32_t ball : first) search.add(ball);
  search.add_greedily();
  Random random(options.seed);
  std::vector<std::uint32_t> best = search.chosen();
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t just_added = kNone;
  const std::size_t steps = steps_for(incidence, best.size(), options);
  for (std::size_t step = 0; step < steps; ++step) {
    if (step % 256 == 0 && is_cancelled(options.monitor)) break;
    while (search.complete() && search.chosen().size() > 1) {
      if (search.chosen().size() < best.size() || step == 0) best = search.chosen();
      search.remove(search.least_needed(kNone));
    }
    if (search.complete()) break;
    if (search.chosen().size() > 1) search.remove(search.least_needed(just_added));
    const auto& uncovered = search.uncovered();
    just_added = search.best_for(uncovered[random.below(uncovered.size())]);
    search.add(just_added);
    search.weigh_uncovered();
  }
  if (search.complete() && search.chosen().size() < best.size()) best = search.chosen();
  std::sort(best.begin(), best.end());
  return best;
}

}  // namespace clearance::detail
