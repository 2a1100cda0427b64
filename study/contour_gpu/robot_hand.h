// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hand of the paper's Figure 1, fitted: the Sandia hand of a URDF file, with a series of three
// segments on the palm and on each of the twelve links of its four fingers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/contour/contour_robot.h>

#include "contour_gpu/scenes.h"

namespace clearance::study {

class RobotHand {
 public:
  /// Reads the robot and fits its hand. Errors: a file that cannot be read, or without such a hand.
  static Result<RobotHand> fit(const std::string& urdf);

  /// The hand with its palm somewhere and its fingers bent by `curl` at each joint [rad].
  [[nodiscard]] ContourFrame at(const Pose& world_from_hand, double curl) const;
  [[nodiscard]] std::size_t segment_count() const { return contours_.segment_count(); }

 private:
  RobotHand(ContourRobot contours, std::uint32_t palm, std::vector<std::size_t> curled)
      : contours_(std::move(contours)), palm_(palm), curled_(std::move(curled)) {}
  ContourRobot contours_;
  std::uint32_t palm_;               ///< link
  std::vector<std::size_t> curled_;  ///< of the free joints, those that bend fingers
};

}  // namespace clearance::study
