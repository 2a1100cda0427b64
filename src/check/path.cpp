// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs laid out over time.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <clearance/base/assert.h>
#include <clearance/check/inverse_kinematics.h>
#include <clearance/check/program.h>

#include "check/joint_chain.h"

namespace clearance {
namespace {

/// A line is cut into steps no longer than this at first [m], [rad], and halved from there.
constexpr double kLongestStep = 0.05;
constexpr double kLargestTurn = 0.2;
/// Steps shorter than this part of their line are not tried: the arm jumps, it does not move.
constexpr double kShortestStep = 1e-6;
/// Programs that take longer are a mistake of units [s]: a hundred days.
constexpr double kLongestProgram = 1e7;

/// The straight way between two poses of the tool.
class Line {
 public:
  Line(const Pose& from, const Pose& to) : from_(from), way_(to.translation - from.translation) {
    const Quaternion q = quaternion_from(nearest_rotation(to.rotation * transpose(from.rotation)));
    const Vec3 v{q.x, q.y, q.z};
    const double sine = norm(v);
    if (sine > 0.0) {
      axis_ = v / sine;
      angle_ = 2.0 * std::atan2(sine, q.w);
    }
  }
  [[nodiscard]] double length() const { return norm(way_); }
  [[nodiscard]] double angle() const { return angle_; }
  [[nodiscard]] Pose at(double s) const {
    return {rotation_about(axis_, s * angle_) * from_.rotation, from_.translation + s * way_};
  }

 private:
  Pose from_;
  Vec3 way_;
  Vec3 axis_{0.0, 0.0, 1.0};
  double angle_ = 0.0;
};

class Planner {
 public:
  Planner(const Cell& cell, const RobotProgram& program, const PathOptions& options)
      : cell_(cell),
        program_(program),
        options_(options),
        chain_(detail::joints_between(cell.robot, cell.tool_link, 0)) {}

  Result<JointPath> plan() {
    here_ = program_.start;
    for (number_ = 0; number_ < program_.moves.size(); ++number_) {
      const ProgramMove& move = program_.moves[number_];
      path_.deviations.push_back(0.0);
      std::optional<Error> error;
      switch (move.kind) {
        case MoveKind::Joint:
          error = joint_move(move);
          break;
        case MoveKind::Line:
          error = line_move(move);
          break;
        case MoveKind::Wait:
          add_piece(time_ + move.seconds, here_);
          break;
      }
      if (error) return *error;
      if (!(time_ <= kLongestProgram))
        return wrong(move, "takes more than a hundred days", "look at the units of its speed");
      path_.ends.push_back(time_);
    }
    if (path_.pieces.empty()) path_.pieces.push_back({0.0, 0.0, here_, here_, 0});
    return std::move(path_);
  }

 private:
  [[nodiscard]] Error wrong(const ProgramMove& move, std::string reason,
                            std::string advice = "") const {
    std::string place = move.place;
    if (!move.name.empty()) place += " '" + move.name + "'";
    return {ErrorCode::Invalid, program_.file, std::move(place), std::move(reason),
            std::move(advice)};
  }

  void add_piece(double until, std::vector<double> values) {
    path_.pieces.push_back({time_, until, here_, values, static_cast<std::uint32_t>(number_)});
    time_ = until;
    here_ = std::move(values);
  }

  std::optional<Error> joint_move(const ProgramMove& move) {
    double seconds = 0.0;
    for (std::size_t k = 0; k < here_.size(); ++k) {
      const RobotJoint& joint = cell_.robot.joints()[cell_.robot.free_joints()[k]];
      const double change = std::abs(move.values[k] - here_[k]);
      if (change == 0.0) continue;
      double slowest = 0.0;
      if (move.speed > 0.0) slowest = change / (move.speed * joint.velocity);
      if (move.rate > 0.0 && joint.kind != JointKind::Prismatic)
        slowest = std::max(slowest, change / move.rate);
      if (!(slowest > 0.0)) {
        if (move.speed > 0.0) {
          return wrong(move,
                       "joint '" + joint.name +
                           "' has no velocity in the URDF, of which the speed is a fraction",
                       "give a \"rate\"");
        }
        return wrong(move, "joint '" + joint.name + "' slides: a rate does not say how fast",
                     "give a \"speed\"");
      }
      seconds = std::max(seconds, slowest);
    }
    add_piece(time_ + seconds, move.values);
    return std::nullopt;
  }

  std::optional<Error> line_move(const ProgramMove& move) {
    const Line line(cell_.world_from_tool(here_), move.world_from_tool);
    double seconds = 0.0;
    if (move.speed > 0.0) seconds = line.length() / move.speed;
    if (move.rate > 0.0) seconds = std::max(seconds, line.angle() / move.rate);
    // A turn on the spot takes no time by speed alone.
    if (!(seconds > 0.0) && line.angle() > 1e-9)
      return wrong(move, "turns the tool on the spot: a speed does not say how fast",
                   "give a \"rate\"");
    const double start = time_;
    const double first_step = 1.0 / std::max(1.0, std::ceil(std::max(line.length() / kLongestStep,
                                                                     line.angle() / kLargestTurn)));
    double deviation = 0.0;
    double s = 0.0;
    double step = first_step;
    while (s < 1.0) {
      const double next = s + step >= 1.0 - kShortestStep ? 1.0 : s + step;
      InverseResult found = inverse_kinematics(cell_.robot, target(line.at(next)), here_);
      const double off = found.reached ? deviation_between(here_, found.values) : 0.0;
      const double error = off + found.position_error;
      if (!found.reached || error > options_.line_error) {
        step *= 0.5;
        if (step < kShortestStep) return not_followed(move, line, s, found);
        continue;
      }
      deviation = std::max(deviation, error);
      s = next;
      add_piece(next == 1.0 ? start + seconds : start + s * seconds, std::move(found.values));
      step = std::min(first_step, 2.0 * step);
    }
    path_.deviations.back() = deviation;
    return std::nullopt;
  }

  [[nodiscard]] InverseTarget target(const Pose& world_from_tool) const {
    return {cell_.tool_link, cell_.link_from_tool,
            inverse(cell_.world_from_base) * world_from_tool};
  }

  [[nodiscard]] Error not_followed(const ProgramMove& move, const Line& line, double s,
                                   const InverseResult& found) const {
    char words[96];
    std::snprintf(words, sizeof words, "the line of %.4g m can be followed for %.3g m only",
                  line.length(), s * line.length());
    std::string reason = words;
    const char* before = "; at a limit there: ";
    for (const std::uint32_t joint : found.at_limit) {
      reason += before + ("'" + cell_.robot.joints()[joint].name + "'");
      before = ", ";
    }
    return wrong(move, std::move(reason),
                 "out of reach, or through a configuration where the arm would have to jump");
  }

  /// How far the tool centre point can be from the straight line between its two ends, while the
  /// joints go straight from one configuration to the other [m]: an eighth of the largest second
  /// derivative over the unit interval. Joint j and one k before it contribute twice, and j with
  /// itself once, the product of their changes times the distance of the tool from axis j.
  [[nodiscard]] double deviation_between(const std::vector<double>& from,
                                         const std::vector<double>& to) const {
    std::vector<double> middle(from.size());
    std::vector<double> change(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) {
      middle[k] = 0.5 * (from[k] + to[k]);
      change[k] = 0.5 * std::abs(to[k] - from[k]);
    }
    const std::vector<Pose> poses = cell_.robot.link_poses(middle);
    const Vec3 tool = (poses[cell_.tool_link] * cell_.link_from_tool).translation;
    double before = 0.0;  // the sum of the turns of all joints nearer to the root
    for (const detail::ChainJoint& joint : chain_)
      if (joint.turns) before += 2.0 * std::abs(joint.multiplier) * change[joint.value];
    double way = 0.0;  // as farthest_way(), for one point
    double second = 0.0;
    for (const detail::ChainJoint& joint : chain_) {
      const double half = std::abs(joint.multiplier) * change[joint.value];
      const Pose& pose = poses[joint.child];
      if (joint.turns) {
        const Vec3 axis = pose.rotation * joint.unit_axis;
        const double reach = norm(cross(axis, tool - pose.translation)) + way;
        before -= 2.0 * half;
        second += 2.0 * half * (2.0 * before + 2.0 * half) * reach;
        way += half * reach;
      } else {
        second += 2.0 * half * 2.0 * before;
        way += half;
      }
    }
    return 0.125 * second * (1.0 + 1e-9);
  }

  const Cell& cell_;
  const RobotProgram& program_;
  const PathOptions& options_;
  std::vector<detail::ChainJoint> chain_;  // of the tool, from it to the root
  JointPath path_;
  std::size_t number_ = 0;
  double time_ = 0.0;
  std::vector<double> here_;
};

}  // namespace

const char* name_of(MoveKind kind) {
  switch (kind) {
    case MoveKind::Joint:
      return "joint";
    case MoveKind::Line:
      return "line";
    case MoveKind::Wait:
      break;
  }
  return "wait";
}

std::size_t JointPath::piece_at(double time) const {
  const auto after = std::ranges::upper_bound(pieces, time, {}, &PathPiece::from);
  return after == pieces.begin() ? 0 : static_cast<std::size_t>(after - pieces.begin()) - 1;
}

std::vector<double> JointPath::at(double time) const {
  const PathPiece& piece = pieces[piece_at(time)];
  if (time >= piece.to) return piece.end;
  const double s = time > piece.from ? (time - piece.from) / (piece.to - piece.from) : 0.0;
  std::vector<double> values(piece.start.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = piece.start[k] + s * (piece.end[k] - piece.start[k]);
  return values;
}

Result<JointPath> plan_path(const Cell& cell, const RobotProgram& program,
                            const PathOptions& options) {
  CLEARANCE_ASSERT(program.start.size() == cell.robot.degrees_of_freedom());
  CLEARANCE_ASSERT(options.line_error > 0.0);
  return Planner(cell, program, options).plan();
}

}  // namespace clearance
