// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/robot_hand.h"

#include <utility>

#include <clearance/contour/contour_fit.h>
#include <clearance/robot/robot.h>
#include <clearance/robot/robot_file.h>

namespace clearance::study {
namespace {

constexpr const char* kPalm = "right_palm";
constexpr const char* kFinger = "right_f";

/// From the wrist, the origin of the palm, to the middle of the hand; fingers point along x [m].
constexpr Vec3 kMiddle{0.09, 0.02, 0.0};

bool belongs_to_hand(const RobotLink& link) {
  return link.name == kPalm || link.name.starts_with(kFinger);
}

/// Joints 1 and 2 of a finger bend it; joint 0 spreads it.
bool bends(const RobotJoint& joint) {
  return joint.name.starts_with(kFinger) &&
         (joint.name.ends_with("_j1") || joint.name.ends_with("_j2"));
}

/// The robot with shapes on its hand only: the arm need not be fitted.
Result<Robot> hand_only(const Robot& robot) {
  std::vector<RobotLink> links(robot.links().begin(), robot.links().end());
  for (RobotLink& link : links) {
    link.visual.clear();
    if (!belongs_to_hand(link)) link.collision.clear();
  }
  return Robot::make(robot.name(), std::move(links),
                     {robot.joints().begin(), robot.joints().end()});
}

}  // namespace

Result<RobotHand> RobotHand::fit(const std::string& urdf) {
  const Result<RobotFile> file = read_robot(urdf, {.visual = false});
  if (!file) return file.error();
  const Result<Robot> robot = hand_only(file->robot);
  if (!robot) return robot.error();
  const std::optional<std::uint32_t> palm = robot->link(kPalm);
  if (!palm) {
    return Error{ErrorCode::NotFound, urdf, {}, std::string("has no link '") + kPalm + "'", {}};
  }
  // 13 links with shapes and three segments on each: the paper's 39.
  RobotFitOptions options;
  options.link.most_segments = 3;
  options.link.least_gain = 0.0;
  Result<RobotFit> fitted = fit_contours(*robot, options);
  if (!fitted) return fitted.error();
  std::vector<std::size_t> curled;
  for (std::size_t i = 0; i < robot->degrees_of_freedom(); ++i) {
    if (bends(robot->joints()[robot->free_joints()[i]])) curled.push_back(i);
  }
  return RobotHand(std::move(fitted->contours), *palm, std::move(curled));
}

ContourFrame RobotHand::at(const Pose& world_from_hand, double curl) const {
  const Robot& robot = *contours_.robot();
  std::vector<double> values = robot.rest();
  for (const std::size_t joint : curled_) values[joint] = curl;
  const Pose root_from_palm = robot.link_poses(values)[palm_];
  const Pose hand_from_palm = Pose::translate(-kMiddle);
  return contours_.place(values, world_from_hand * hand_from_palm * inverse(root_from_palm));
}

}  // namespace clearance::study
