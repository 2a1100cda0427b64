// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// URDF: whatever the bytes, a robot whose links can be placed and a chain that keeps its rules, or
// errors.
#include <cstddef>
#include <cstdint>

#include <clearance/chain/chain_file.h>
#include <clearance/robot/robot_file.h>

#include "check_reader.h"

namespace {

using namespace clearance;
using clearance::fuzz::require;

/// The number of times links are placed at random.
constexpr int kPlacements = 3;

void check_robot(const Robot& robot) {
  require(!robot.links().empty() && robot.joints().size() + 1 == robot.links().size());
  const auto check_placement = [&](const std::vector<double>& values) {
    require(robot.check(values).ok());
    for (const Pose& pose : robot.link_poses(values)) {
      require(is_finite(pose.translation));
      require(rigidity_error(pose.rotation) < kRigidTolerance);
    }
  };
  check_placement(robot.rest());
  Random random(1);
  for (int i = 0; i < kPlacements; ++i) check_placement(robot.random(random));
  for (const RobotLink& link : robot.links()) {
    for (const auto* shapes : {&link.visual, &link.collision})
      for (const RobotShape& shape : *shapes) require(!surface_of(shape).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string path = "fuzz/input.urdf";
  const Result<RobotFile> robot = parse_robot(text, path);
  if (robot) {
    check_robot(robot->robot);
  } else {
    require(robot.error().file == path && !robot.error().reason.empty());
  }
  const Result<ChainFile> chain = parse_chain_urdf(text, path);
  if (chain) {
    require(check(chain->chain).ok());
  } else {
    require(chain.error().file == path && !chain.error().reason.empty());
  }
  return 0;
}
