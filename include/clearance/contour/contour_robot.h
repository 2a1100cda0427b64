// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours that move: each series belongs to a link of a robot (robot/robot.h), or to one rigid
// body, and is placed by the kinematics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/robot/robot.h>

namespace clearance {

/// A series in the frame of a link.
struct LinkContour {
  std::uint32_t link = 0;
  Contour contour;
};

/// Series of segments and what moves them. Immutable.
class ContourRobot {
 public:
  /// One rigid body: all series move together.
  static Result<ContourRobot> rigid(std::vector<Contour> series);
  /// Series on the links of a robot. Errors: no series, a link that is not there.
  static Result<ContourRobot> on_links(Robot robot, std::vector<LinkContour> series);

  [[nodiscard]] const std::optional<Robot>& robot() const { return robot_; }
  [[nodiscard]] std::span<const LinkContour> series() const { return series_; }
  [[nodiscard]] std::size_t segment_count() const { return owner_.size(); }
  /// The series a segment of place() belongs to.
  [[nodiscard]] std::uint32_t series_of(std::size_t segment) const { return owner_[segment]; }

  /// All segments in the world, series after series. `values` as Robot::link_poses(), empty for a
  /// rigid body: asserted. `segments` has segment_count() entries. Does not allocate but for the
  /// first call with `scratch`.
  void place(std::span<const double> values, const Pose& world_from_root,
             std::span<ContourSegment> segments, std::vector<Pose>& scratch) const;
  [[nodiscard]] std::vector<ContourSegment> place(
      std::span<const double> values, const Pose& world_from_root = Pose::identity()) const;

 private:
  ContourRobot(std::optional<Robot> robot, std::vector<LinkContour> series);
  std::optional<Robot> robot_;
  std::vector<LinkContour> series_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace clearance
