// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/check/inverse_kinematics.h>
#include <clearance/grasp/pick.h>

namespace clearance {
namespace {

/// First guesses: the rest position, then random ones. An arm of six joints has up to eight ways to
/// reach a pose; most guesses lead to one of them.
constexpr int kGuesses = 8;
constexpr std::uint64_t kSeed = 1;
/// A tenth of what robots repeat to: closer is of no use, and costs iterations.
constexpr InverseOptions kCloseEnough{
    .position_error = 1e-5, .angle_error = 1e-4, .iterations = 60};

}  // namespace

bool is_reached(const PickRobot& robot, std::span<const Pose> world_from_gripper) {
  if (world_from_gripper.empty()) return true;
  const Pose base_from_world = inverse(robot.world_from_base);
  const auto solve = [&](const Pose& pose, std::span<const double> guess) {
    return inverse_kinematics(robot.robot,
                              {robot.link, robot.link_from_gripper, base_from_world * pose}, guess,
                              kCloseEnough);
  };
  Random random(kSeed);
  std::vector<double> guess = robot.robot.rest();
  for (int i = 0; i < kGuesses; ++i) {
    const InverseResult first = solve(world_from_gripper.front(), guess);
    const auto is_near = [&](const Pose& pose) { return solve(pose, first.values).reached; };
    if (first.reached &&
        std::all_of(world_from_gripper.begin() + 1, world_from_gripper.end(), is_near))
      return true;
    guess = robot.robot.random(random);
  }
  return false;
}

}  // namespace clearance
