// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/ball_squeeze.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "simplify/ball_place.h"
#include "simplify/cover_points.h"

namespace clearance::detail {
namespace {

// Trials that begin with the same balls and may run at the same time.
constexpr std::size_t kTogether = 8;
// Rounds of moves that make the deepest hole no less deep by kLess before a trial is given up.
constexpr int kMostIdle = 6;
constexpr double kLess = 0.98;
// Balls farther from a hole than so many times its size are left out of it.
constexpr double kNeighbourhood = 12.0;
// Relaxing: small steps, since the others move as well, and there are more sweeps.
constexpr PlaceOptions kSmallSteps{.first_step = 0.05, .last_step = 0.01};
// Balls in one piece of a parallel loop.
constexpr std::size_t kBallPiece = 8;
constexpr std::uint32_t kNone = 0xffffffffU;
constexpr Sphere kNoBall{Vec3{}, -1.0};

bool is_ball(const Sphere& ball) { return ball.radius >= 0.0; }

bool overlap(const Sphere& a, const Sphere& b) {
  const double touch = a.radius + b.radius;
  return is_ball(a) && is_ball(b) && squared_norm(a.center - b.center) <= touch * touch;
}

// Balls and how many of them hold each point.
class HeldPoints {
 public:
  HeldPoints(const PointBlocks& points, std::vector<Sphere> balls)
      : points_(&points), balls_(std::move(balls)), held_(points.size(), 0) {
    for (const Sphere& ball : balls_) points.in_ball(ball, [&](std::size_t p) { ++held_[p]; });
  }
  [[nodiscard]] const std::vector<Sphere>& balls() const { return balls_; }
  [[nodiscard]] bool is_held(std::size_t p) const { return held_[p] != 0; }

  // Calls each(p) for the points that the ball alone holds.
  template <class Each>
  void own(const Sphere& ball, const Each& each) const {
    points_->in_ball(ball, [&](std::size_t p) {
      if (held_[p] == 1) each(p);
    });
  }
  // Points that are left are appended to `open`.
  void replace(std::size_t k, const Sphere& ball, std::vector<std::uint32_t>& open) {
    points_->in_ball(ball, [&](std::size_t p) { ++held_[p]; });
    points_->in_ball(balls_[k], [&](std::size_t p) {
      if (--held_[p] == 0) open.push_back(static_cast<std::uint32_t>(p));
    });
    balls_[k] = ball;
  }
  void add(const Sphere& ball) {
    balls_.push_back(ball);
    points_->in_ball(ball, [&](std::size_t p) { ++held_[p]; });
  }
  // Nothing can hold it: not looked at again.
  void give_up(std::size_t p) { ++held_[p]; }

 private:
  const PointBlocks* points_;
  std::vector<Sphere> balls_;
  std::vector<std::uint16_t> held_;
};

struct Change {
  std::uint32_t ball = 0;
  Sphere before, after;
};

// Moves of balls into holes, which can be taken back.
class Moves {
 public:
  Moves(const BallField& field, const PointBlocks& points, HeldPoints& state)
      : field_(field), points_(points), state_(state), changed_(state.balls().size(), kNone) {}

  // Until the open points are held. False when it does not come to that.
  bool close(std::vector<std::uint32_t>& open, std::size_t most_moves) {
    filter(open);
    if (open.empty()) return true;
    gather(open);
    std::size_t moves = 0;
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;  // ball, point
    for (int idle = 0; idle <= kMostIdle;) {
      // Points go to the ball that is nearest to holding them.
      wanted.clear();
      double deepest = 0.0;
      for (const std::uint32_t p : open) {
        const auto [depth, k] = nearest(points_.point(p));
        if (k == kNone) return false;
        deepest = std::max(deepest, depth);
        wanted.emplace_back(k, p);
      }
      if (deepest < kLess * least) {
        least = deepest;
        idle = 0;
      } else {
        ++idle;
      }
      std::sort(wanted.begin(), wanted.end());
      for (std::size_t i = 0; i < wanted.size();) {
        const std::uint32_t k = wanted[i].first;
        own_.clear();
        for (; i < wanted.size() && wanted[i].first == k; ++i)
          if (!state_.is_held(wanted[i].second)) own_.push_back(points_.point(wanted[i].second));
        if (own_.empty()) continue;
        if (++moves > most_moves) return false;
        const Sphere& ball = state_.balls()[k];
        state_.own(ball, [&](std::size_t p) { own_.push_back(points_.point(p)); });
        change(k, best_place(field_, ball, own_, {}).ball, open);
      }
      filter(open);
      if (open.empty()) return true;
    }
    return false;
  }

  void change(std::uint32_t k, const Sphere& ball, std::vector<std::uint32_t>& open) {
    if (changed_[k] == kNone) {
      changed_[k] = static_cast<std::uint32_t>(changes_.size());
      changes_.push_back({k, state_.balls()[k], ball});
    }
    changes_[changed_[k]].after = ball;
    state_.replace(k, ball, open);
  }
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  void take_back() {
    std::vector<std::uint32_t> open;
    for (const Change& one : changes_) state_.replace(one.ball, one.before, open);
    forget();
  }
  void forget() {
    for (const Change& one : changes_) changed_[one.ball] = kNone;
    changes_.clear();
  }

  // A ball for the open point that is farthest from all balls.
  void add_ball(std::vector<std::uint32_t>& open) {
    filter(open);
    if (open.empty()) return;
    gather(open);
    std::pair<double, std::uint32_t> deepest{-1.0, open.front()};
    for (const std::uint32_t p : open)
      deepest = std::max(deepest, {nearest(points_.point(p)).first, p});
    std::vector<Vec3> centers;
    append_centers(field_, points_.point(deepest.second), centers);
    const Sphere ball{centers.front(), field_.radius(centers.front())};
    if (is_ball(ball)) {
      state_.add(ball);
      changed_.push_back(kNone);
    }
    if (!state_.is_held(deepest.second)) state_.give_up(deepest.second);
  }

 private:
  void filter(std::vector<std::uint32_t>& open) const {
    std::sort(open.begin(), open.end());
    open.erase(std::unique(open.begin(), open.end()), open.end());
    std::erase_if(open, [&](std::uint32_t p) { return state_.is_held(p); });
  }
  // The balls around the open points.
  void gather(const std::vector<std::uint32_t>& open) {
    Box box;
    for (const std::uint32_t p : open) box.include(points_.point(p));
    const double reach = kNeighbourhood * (0.5 * box.diagonal() + field_.error());
    near_.clear();
    for (std::uint32_t k = 0; k < state_.balls().size(); ++k)
      if (overlap(state_.balls()[k], {box.center(), reach})) near_.push_back(k);
  }
  [[nodiscard]] std::pair<double, std::uint32_t> nearest(const Vec3& p) const {
    std::pair<double, std::uint32_t> best{std::numeric_limits<double>::infinity(), kNone};
    for (const std::uint32_t k : near_) {
      const Sphere& ball = state_.balls()[k];
      if (is_ball(ball)) best = std::min(best, {distance(p, ball.center) - ball.radius, k});
    }
    return best;
  }

  const BallField& field_;
  const PointBlocks& points_;
  HeldPoints& state_;
  std::vector<std::uint32_t> changed_;  // by ball, its place in changes_
  std::vector<Change> changes_;
  std::vector<std::uint32_t> near_;
  std::vector<Vec3> own_;
};

// What came of taking a ball away.
struct Trial {
  std::uint32_t ball = 0;
  bool is_good = false;
  std::vector<Change> changes;
};

bool overlap(const std::vector<Change>& a, const std::vector<Change>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Change& one) {
    return std::any_of(b.begin(), b.end(), [&](const Change& other) {
      return overlap(one.before, other.before) || overlap(one.before, other.after) ||
             overlap(one.after, other.before) || overlap(one.after, other.after);
    });
  });
}

}  // namespace

void squeeze_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                   const SqueezeOptions& options) {
  HeldPoints state(points, balls);
  std::vector<std::size_t> own(balls.size(), 0);
  const auto count_own = [&](std::size_t k) {
    own[k] = 0;
    state.own(state.balls()[k], [&](std::size_t) { ++own[k]; });
  };
  for (std::size_t k = 0; k < balls.size(); ++k) count_own(k);
  std::vector<std::uint8_t> tried(balls.size(), 0);
  while (!is_cancelled(options.monitor)) {
    // Those with the fewest points of their own, none near another.
    std::vector<std::pair<std::size_t, std::uint32_t>> order;
    for (std::uint32_t k = 0; k < state.balls().size(); ++k)
      if (tried[k] == 0 && is_ball(state.balls()[k])) order.emplace_back(own[k], k);
    std::sort(order.begin(), order.end());
    std::vector<Trial> trials;
    for (const auto& fewest : order) {
      if (trials.size() == kTogether) break;
      const std::uint32_t k = fewest.second;
      const bool apart = std::none_of(trials.begin(), trials.end(), [&](const Trial& other) {
        return overlap(state.balls()[k], state.balls()[other.ball]);
      });
      if (apart) trials.push_back({k, false, {}});
    }
    if (trials.empty()) break;
    parallel_for(options.threads, trials.size(), [&](std::size_t i) {
      HeldPoints own_state = state;
      Moves moves(field, points, own_state);
      std::vector<std::uint32_t> open;
      moves.change(trials[i].ball, kNoBall, open);
      trials[i].is_good = moves.close(open, options.most_moves);
      if (trials[i].is_good) trials[i].changes = moves.changes();
    });
    std::vector<Change> done;
    std::vector<std::uint32_t> open;
    for (const Trial& trial : trials) {
      if (!trial.is_good) {
        tried[trial.ball] = 1;
        continue;
      }
      // What another has changed around it since makes it worth nothing: tried again later.
      if (overlap(done, trial.changes)) continue;
      for (const Change& one : trial.changes) state.replace(one.ball, one.after, open);
      done.insert(done.end(), trial.changes.begin(), trial.changes.end());
    }
    for (std::size_t k = 0; k < state.balls().size(); ++k) {
      const Change here{static_cast<std::uint32_t>(k), state.balls()[k], state.balls()[k]};
      if (overlap({here}, done)) count_own(k);
    }
  }
  balls = state.balls();
  std::erase_if(balls, [](const Sphere& ball) { return !is_ball(ball); });
}

void mend_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                const SqueezeOptions& options) {
  HeldPoints state(points, balls);
  Moves moves(field, points, state);
  std::vector<std::uint32_t> holes;
  for (std::uint32_t p = 0; p < points.size(); ++p)
    if (!state.is_held(p)) holes.push_back(p);
  // Hole after hole: the open points that one ball would hold.
  for (const std::uint32_t first : holes) {
    if (is_cancelled(options.monitor)) break;
    if (state.is_held(first)) continue;
    std::vector<Vec3> centers;
    append_centers(field, points.point(first), centers);
    std::vector<std::uint32_t> open{first};
    const double reach = std::max(field.radius(centers.front()), field.error());
    points.in_ball({points.point(first), reach}, [&](std::size_t p) {
      if (!state.is_held(p)) open.push_back(static_cast<std::uint32_t>(p));
    });
    while (!moves.close(open, options.most_moves)) {
      moves.take_back();
      points.in_ball({points.point(first), reach}, [&](std::size_t p) {
        if (!state.is_held(p)) open.push_back(static_cast<std::uint32_t>(p));
      });
      moves.add_ball(open);
    }
    moves.forget();
  }
  balls = state.balls();
}

void relax_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                 int sweeps, const SqueezeOptions& options) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> depth(points.size());
  std::vector<std::uint32_t> holder(points.size());
  std::vector<std::vector<Vec3>> held(balls.size());
  std::vector<std::uint8_t> moves(balls.size(), 1);
  for (int sweep = 0; sweep < sweeps && !is_cancelled(options.monitor); ++sweep) {
    std::fill(depth.begin(), depth.end(), kFar);
    std::fill(holder.begin(), holder.end(), kNone);
    parallel_for(options.threads, points.group_count(),
                 [&](std::size_t group) { points.nearest_of(group, balls, holder, depth); });
    std::fill(moves.begin(), moves.end(), 0);
    for (std::vector<Vec3>& list : held) list.clear();
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (holder[p] == kNone) {
        for (std::uint32_t k = 0; k < balls.size(); ++k) {
          const double d = distance(points.point(p), balls[k].center) - balls[k].radius;
          if (d < depth[p]) depth[p] = d, holder[p] = k;
        }
      }
      if (depth[p] > 0.0) moves[holder[p]] = 1;
      held[holder[p]].push_back(points.point(p));
    }
    const std::vector<std::uint8_t> at_open = moves;
    for (std::size_t k = 0; k < balls.size(); ++k) {
      for (std::size_t other = 0; other < balls.size() && moves[k] == 0; ++other)
        if (at_open[other] != 0 && overlap(balls[k], balls[other])) moves[k] = 1;
    }
    parallel_for(options.threads, (balls.size() + kBallPiece - 1) / kBallPiece,
                 [&](std::size_t piece) {
                   const std::size_t end = std::min(balls.size(), (piece + 1) * kBallPiece);
                   for (std::size_t k = piece * kBallPiece; k < end; ++k) {
                     if (moves[k] != 0 && !held[k].empty())
                       balls[k] = best_place(field, balls[k], held[k], kSmallSteps).ball;
                   }
                 });
  }
}

}  // namespace clearance::detail
