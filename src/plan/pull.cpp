// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/pull.h"

#include <algorithm>

namespace clearance::detail {
namespace {

// How much farther than its step the body is pulled: without end, so that what is left after giving
// way is a whole step. A nut rises a twenty-fifth of its turning, and pulling finds that.
constexpr double kPull = 2000.0;
// The last steps go on a little: within the play of a thread there is more than one way to give
// way.
constexpr double kMomentum = 0.1;
constexpr double kMemory = 0.8;
// A pull that brings the body forward by less than this part of its way is stuck...
constexpr double kLeastForward = 0.005;
// ...after this many steps: within the play of a thread it goes to and fro first.
constexpr double kPatience = 20.0;
// Jammed, it goes on in steps that are so much shorter, down to so much, for so many of them.
constexpr double kShorten = 4.0;
constexpr double kShortest = 64.0;
constexpr int kCareful = 40;
// Steps of one pull before the next has its turn, and in all.
constexpr int kTurn = 40;
constexpr std::size_t kMostSteps = 20'000;
// In the open: as for a search.
constexpr double kBall = 0.95;
constexpr double kFarthestLook = 0.5;

}  // namespace

Pulls::Pulls(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
             const std::vector<Vec3>& directions, const PullOptions& options)
    : space_(problem, measures), bounds_(bounds), options_(options) {
  const Place start = place_of(problem.start, space_.pivot());
  const Near near = space_.look(start, kFarthestLook * space_.size());
  for (const Vec3& direction : directions) {
    pulls_.push_back({direction,
                      Slider(space_, {.step = options.step,
                                      .margin = options.margin,
                                      .comfort = options.comfort,
                                      .pull = kPull}),
                      {start},
                      near});
  }
}

bool Pulls::step(Pull& pull) {
  const Place place = pull.way.back();
  Place next;
  if (pull.near.room >= 2.0 * options_.step) {
    const double length = kBall * (pull.near.room - options_.margin);
    next = {place.position + length * pull.direction, place.turn};
    pull.near = space_.look(next, kFarthestLook * space_.size());
  } else {
    const Step6 wanted =
        Step6{2.0 * options_.step * pull.direction, {}} + kMomentum * pull.momentum;
    const Slider::Outcome outcome = pull.slider.step(place, pull.near, wanted);
    if (!outcome.moved) {
      // Shorter steps wriggle on where long ones overshoot the play.
      pull.stuck = pull.shorter >= kShortest;
      pull.shorter *= kShorten;
      pull.careful = kCareful;
      pull.slider.restart();
      pull.slider.set_step(options_.step / pull.shorter);
      pull.momentum = {};
      return false;
    }
    if (pull.shorter > 1.0 && --pull.careful == 0) {
      pull.shorter = 1.0;
      pull.slider.set_step(options_.step);
    }
    next = outcome.place;
    pull.near = outcome.near;
    pull.momentum = kMemory * pull.momentum + (1.0 - kMemory) * outcome.step;
    const double forward = dot(next.position - pull.way.front().position, pull.direction);
    pull.forward = std::max(pull.forward, forward);
    pull.since += norm(outcome.step);
    if (pull.forward > pull.mark + kLeastForward * pull.since) {
      pull.mark = pull.forward;
      pull.since = 0.0;
    }
    if (pull.since > kPatience * options_.step) pull.stuck = true;
  }
  if (!inside(bounds_, next.position) || pull.way.size() > kMostSteps) pull.stuck = true;
  pull.way.push_back(next);
  return is_out(space_.problem(), pose_of(next, space_.pivot()));
}

bool Pulls::run(std::uint64_t operations, const Monitor* monitor) {
  const std::uint64_t until = space_.operations() + operations;
  while (space_.operations() < until && !all_stuck()) {
    Pull& pull = pulls_[current_];
    for (int count = 0; count < kTurn && !pull.stuck; ++count) {
      if (is_cancelled(monitor)) return false;
      if (step(pull)) return true;
    }
    current_ = (current_ + 1) % pulls_.size();
  }
  return false;
}

bool Pulls::all_stuck() const {
  return std::all_of(pulls_.begin(), pulls_.end(), [](const Pull& pull) { return pull.stuck; });
}

std::size_t Pulls::places() const {
  std::size_t sum = 0;
  for (const Pull& pull : pulls_) sum += pull.way.size();
  return sum;
}

std::vector<Vec3> pull_directions(const PlanProblem& problem) {
  std::vector<Vec3> directions;
  const auto add = [&directions](const Vec3& direction) {
    const Vec3 one = normalized(direction);
    const bool known = std::any_of(directions.begin(), directions.end(),
                                   [&one](const Vec3& other) { return dot(other, one) > 0.999; });
    if (!known) directions.push_back(one);
  };
  const auto add_axes = [&add](const Mat3& frame) {
    for (const std::size_t axis : {2U, 1U, 0U}) {
      add(frame.column(axis));
      add(-frame.column(axis));
    }
  };
  add_axes(Mat3::identity());
  add_axes(problem.start.rotation);
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) {
      for (const double z : {-1.0, 0.0, 1.0}) {
        if (x * x + y * y + z * z > 1.5) add({x, y, z});
      }
    }
  }
  return directions;
}

}  // namespace clearance::detail
