// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <clearance/base/assert.h>
#include <clearance/check/inverse_kinematics.h>

#include "check/joint_chain.h"

namespace clearance {
namespace {

using Six = std::array<double, 6>;

/// Damping at the start and at least, and beyond which the search gives up: squares of a length of
/// the motion per radian [m²], small against an arm of about a metre.
constexpr double kFirstDamping = 1e-4;
constexpr double kLeastDamping = 1e-14;
constexpr double kMostDamping = 1e3;
/// A joint this near to a limit is at it [rad, m].
constexpr double kAtLimit = 1e-9;

/// What is left to go: a way [m] and a turn [rad], both in the frame of the root.
struct Gap {
  Six both{};
  double position = 0.0;
  double angle = 0.0;
  [[nodiscard]] double squared() const { return position * position + angle * angle; }
};

Gap gap_between(const Pose& from, const Pose& to) {
  const Vec3 way = to.translation - from.translation;
  const Quaternion q = quaternion_from(nearest_rotation(to.rotation * transpose(from.rotation)));
  const Vec3 v{q.x, q.y, q.z};
  const double sine = norm(v);
  const Vec3 turn = sine > 0.0 ? (2.0 * std::atan2(sine, q.w) / sine) * v : Vec3{};
  return {{way.x, way.y, way.z, turn.x, turn.y, turn.z}, norm(way), norm(turn)};
}

/// Solves the symmetric system (A + damping I) x = b; nothing when it is not positive definite.
std::optional<Six> solved(std::array<Six, 6> a, double damping, Six b) {
  for (std::size_t i = 0; i < 6; ++i) a[i][i] += damping;
  // Cholesky: A = L Lᵀ, in the lower half.
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j) {
        if (!(sum > 0.0)) return std::nullopt;
        a[i][i] = std::sqrt(sum);
      } else {
        a[i][j] = sum / a[j][j];
      }
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t k = i + 1; k < 6; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

class Solver {
 public:
  Solver(const Robot& robot, const InverseTarget& target)
      : robot_(robot),
        target_(target),
        chain_(detail::joints_between(robot, target.link, 0)),
        poses_(robot.links().size()),
        columns_(robot.degrees_of_freedom()),
        used_(robot.degrees_of_freedom(), false) {
    for (const detail::ChainJoint& joint : chain_) used_[joint.value] = true;
  }

  InverseResult solve(std::span<const double> guess, const InverseOptions& options) {
    std::vector<double> values(guess.begin(), guess.end());
    clamp(values);
    Gap gap = look(values);
    double damping = kFirstDamping;
    const auto reached = [&] {
      return gap.position <= options.position_error && gap.angle <= options.angle_error;
    };
    for (int i = 0; i < options.iterations && !reached() && damping < kMostDamping; ++i) {
      fill_columns();
      std::vector<double> next = step(values, gap, damping);
      const Gap next_gap = look(next);
      if (next_gap.squared() < gap.squared()) {
        values = std::move(next);
        gap = next_gap;
        damping = std::max(kLeastDamping, 0.1 * damping);
      } else {
        look(values);  // the columns are those of the values again
        damping *= 10.0;
      }
    }
    InverseResult result;
    result.reached = reached();
    result.position_error = gap.position;
    result.angle_error = gap.angle;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::uint32_t number = robot_.free_joints()[k];
      const RobotJoint& joint = robot_.joints()[number];
      if (used_[k] && (values[k] <= joint.lower + kAtLimit || values[k] >= joint.upper - kAtLimit))
        result.at_limit.push_back(number);
    }
    result.values = std::move(values);
    return result;
  }

 private:
  void clamp(std::vector<double>& values) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const RobotJoint& joint = robot_.joints()[robot_.free_joints()[k]];
      values[k] = std::max(joint.lower, std::min(joint.upper, values[k]));
    }
  }

  /// Leaves the poses of the links behind.
  Gap look(std::span<const double> values) {
    robot_.link_poses(values, Pose::identity(), poses_);
    tool_ = poses_[target_.link] * target_.link_from_tool;
    return gap_between(tool_, target_.root_from_target);
  }

  /// How the tool moves with each value.
  void fill_columns() {
    for (Six& column : columns_) column.fill(0.0);
    for (const detail::ChainJoint& joint : chain_) {
      const Pose& pose = poses_[joint.child];
      const Vec3 axis = pose.rotation * joint.unit_axis;
      const Vec3 way = joint.turns ? cross(axis, tool_.translation - pose.translation) : axis;
      const Vec3 turn = joint.turns ? axis : Vec3{};
      Six& column = columns_[joint.value];
      for (std::size_t i = 0; i < 3; ++i) {
        column[i] += joint.multiplier * way[i];
        column[i + 3] += joint.multiplier * turn[i];
      }
    }
  }

  /// One step of damped least squares; joints that would leave their limits are held there.
  [[nodiscard]] std::vector<double> step(const std::vector<double>& values, const Gap& gap,
                                         double damping) const {
    std::vector<bool> held(values.size(), false);
    std::vector<double> next = values;
    for (std::size_t round = 0; round <= values.size(); ++round) {
      std::array<Six, 6> normal{};
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (held[k]) continue;
        for (std::size_t i = 0; i < 6; ++i)
          for (std::size_t j = 0; j < 6; ++j) normal[i][j] += columns_[k][i] * columns_[k][j];
      }
      const std::optional<Six> y = solved(normal, damping, gap.both);
      if (!y) return values;
      bool more = false;
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        next[k] = values[k];
        if (held[k]) continue;
        for (std::size_t i = 0; i < 6; ++i) next[k] += columns_[k][i] * (*y)[i];
        const RobotJoint& joint = robot_.joints()[robot_.free_joints()[k]];
        const bool at_limit = (values[k] <= joint.lower && next[k] < values[k]) ||
                              (values[k] >= joint.upper && next[k] > values[k]);
        if (at_limit) held[k] = more = true;
      }
      if (!more) break;
    }
    clamp(next);
    return next;
  }

  const Robot& robot_;
  const InverseTarget& target_;
  std::vector<detail::ChainJoint> chain_;
  std::vector<Pose> poses_;
  Pose tool_;
  std::vector<Six> columns_;  // by value
  std::vector<bool> used_;    // by value: it moves the tool
};

}  // namespace

InverseResult inverse_kinematics(const Robot& robot, const InverseTarget& target,
                                 std::span<const double> guess, const InverseOptions& options) {
  CLEARANCE_ASSERT(guess.size() == robot.degrees_of_freedom());
  CLEARANCE_ASSERT(target.link < robot.links().size());
  return Solver(robot, target).solve(guess, options);
}

}  // namespace clearance
