// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that leave by unscrewing: directions.h says what is looked for.
#include <algorithm>
#include <cmath>

#include <clearance/plan/directions.h>

#include "plan/screw.h"
#include "plan/way_out.h"

namespace clearance {
namespace {

constexpr double kTurn = 6.283185307179586;
// Steps of a turn in which a thread is felt for: at 15 degrees a thread rises by less than its
// flanks have play, as a rule.
constexpr int kStepsPerTurn = 24;
// Turns felt for before the pitch is taken from them.
constexpr int kTurnsFelt = 1;
// Halvings of the interval in which the middle of the play is sought.
constexpr int kMiddleSteps = 12;
// First step along the axis when looking for room, as a part of the body's extent along it.
constexpr double kFirstStep = 0.002;
// Pieces of the path: quarter turns, so that "the shorter way" is never in doubt.
constexpr double kPiece = 0.25 * kTurn;
// Turns of a screw at most.
constexpr int kMostTurns = 200;
// A pitch below this part of the body's size is no thread but a bearing.
constexpr double kLeastPitch = 1e-3;
// Axes tried, of the suggested directions.
constexpr std::size_t kAxes = 8;

/// The body turned about a line and moved along it.
class Line {
 public:
  Line(const PlanProblem& problem, const Vec3& axis, double hand)
      : problem_(problem), axis_(axis), hand_(hand), pivot_(pivot_of(problem.body)) {
    point_ = problem.start * pivot_;
  }

  [[nodiscard]] Pose pose(double angle, double advance) const {
    const Mat3 turn = rotation_about(axis_, hand_ * angle);
    const Pose& start = problem_.start;
    return {turn * start.rotation, point_ + turn * (start.translation - point_) + advance * axis_};
  }

  /// Distance there; 0 when the bodies touch.
  double room(double angle, double advance, Work& work) {
    const Distance d = distance(problem_.obstacles.bvh(), problem_.body.bvh(), pose(angle, advance),
                                {}, &coherence_);
    work += d.work;
    return d.distance;
  }

  /// The advance with the most room near a first guess, within the play around it. Nothing when
  /// there is no room at the guess nor a step beside it.
  std::optional<double> most_room(double angle, double guess, double step, Work& work) {
    double at = guess;
    double best = room(angle, at, work);
    for (const double beside :
         {guess + step, guess - step, guess + 2.0 * step, guess - 2.0 * step}) {
      if (best > 0.0) break;
      at = beside;
      best = room(angle, at, work);
    }
    if (!(best > problem_.clearance)) return std::nullopt;
    // Uphill: to and fro in steps that shrink when neither side is better.
    double reach = step;
    for (int i = 0; i < kMiddleSteps; ++i) {
      const double up = room(angle, at + reach, work);
      const double down = room(angle, at - reach, work);
      if (up > best && up >= down) {
        at += reach;
        best = up;
      } else if (down > best) {
        at -= reach;
        best = down;
      } else {
        reach *= 0.5;
      }
    }
    return at;
  }

  [[nodiscard]] const Vec3& axis() const { return axis_; }
  [[nodiscard]] const Vec3& point() const { return point_; }
  [[nodiscard]] const Vec3& pivot() const { return pivot_; }

 private:
  const PlanProblem& problem_;
  Vec3 axis_;
  double hand_;
  Vec3 pivot_;
  Vec3 point_;
  Coherence coherence_;
};

/// Feels for a thread along one line; the removal, when it leads out.
ScrewRemoval along_line(const PlanProblem& problem, const DirectionOptions& options,
                        const Vec3& axis, double hand) {
  ScrewRemoval result;
  const double size = problem.body.bvh().bounds().diagonal();
  Line line(problem, axis, hand);
  const double step = kFirstStep * size;
  const std::optional<double> first = line.most_room(0.0, 0.0, step, result.work);
  if (!first) return result;
  double at = *first;
  double slope = 0.0;  // per step of the turn
  for (int i = 1; i <= kTurnsFelt * kStepsPerTurn; ++i) {
    if (is_cancelled(options.monitor)) return result;
    const std::optional<double> next =
        line.most_room(kTurn * i / kStepsPerTurn, at + slope, step, result.work);
    if (!next) return result;
    at = *next;
    slope = (at - *first) / i;
  }
  const double pitch = (at - *first) / kTurnsFelt;
  // Only outward: the other way round is the same thread on the opposite axis.
  if (!(pitch > kLeastPitch * size)) return result;

  // Quarter by quarter until a straight way is free.
  PlanPath path{line.pivot(), {problem.start, line.pose(0.0, *first)}};
  for (int quarter = 1; quarter <= 4 * kMostTurns; ++quarter) {
    const double angle = kPiece * quarter;
    path.poses.push_back(line.pose(angle, *first + pitch * angle / kTurn));
    if (quarter % 4 != 0) continue;
    PlanProblem from_here = problem;
    from_here.start = path.poses.back();
    const Way way = try_direction(from_here, axis, options);
    result.work += way.work;
    if (way.status != WayStatus::Free) continue;
    path.poses.push_back(detail::moved(from_here.start, way.length * way.direction));
    ProofOptions proof_options;
    proof_options.threads = options.threads;
    proof_options.monitor = options.monitor;
    result.proof = prove_path(problem, path, proof_options);
    result.work += result.proof.work;
    result.found = result.proof.status == ProofStatus::Free;
    result.point = line.point();
    result.axis = axis;
    result.pitch = hand * pitch;
    result.turns = 0.25 * quarter;
    result.path = std::move(path);
    return result;
  }
  return result;
}

/// The thread that the surfaces near the obstacles show, followed and proven.
ScrewRemoval along_shown(const PlanProblem& problem, const DirectionOptions& options) {
  ScrewRemoval result;
  const detail::ScrewWay way = detail::way_by_screw(problem, {.monitor = options.monitor});
  result.work = way.work;
  if (way.poses.empty()) return result;
  result.path = {pivot_of(problem.body), way.poses};
  ProofOptions proof_options;
  proof_options.threads = options.threads;
  proof_options.monitor = options.monitor;
  result.proof = prove_path(problem, result.path, proof_options);
  result.work += result.proof.work;
  result.found = result.proof.status == ProofStatus::Free;
  result.point = way.point;
  result.axis = way.axis;
  result.pitch = way.pitch;
  result.turns = way.turns;
  return result;
}

}  // namespace

ScrewRemoval remove_by_screw(const PlanProblem& problem, const DirectionOptions& options) {
  ScrewRemoval shown = along_shown(problem, options);
  if (shown.found) return shown;
  DirectionOptions suggested = options;
  suggested.spread = 0;
  const std::vector<Vec3> axes = removal_directions(problem, suggested);
  // Both ways along each of the first axes, and both hands; the first that leads out wins.
  const std::size_t count = 2 * std::min(2 * kAxes, axes.size());
  std::vector<ScrewRemoval> found(count);
  DirectionOptions alone = options;
  alone.threads = {1};
  parallel_for(options.threads, count, [&](std::size_t i) {
    found[i] = along_line(problem, alone, axes[i / 2], i % 2 == 0 ? 1.0 : -1.0);
  });
  ScrewRemoval result;
  Work work = shown.work;
  for (ScrewRemoval& one : found) {
    work += one.work;
    if (one.found && !result.found) result = std::move(one);
  }
  result.work = work;
  return result;
}

}  // namespace clearance
