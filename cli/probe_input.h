// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance probe` works on: a robot as contour segments, and the configurations it is asked
// about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/contour_fit.h>
#include <clearance/contour/contour_robot.h>
#include <clearance/contour/stream.h>

namespace clearance::cli {

struct ProbeRobotOptions {
  std::string file;                   ///< contours as JSON, or URDF
  std::vector<std::string> packages;  ///< folders of package://
  std::size_t segments = 0;           ///< URDF: most segments of all links together; 0: no limit
  double fit_margin = 0.0;            ///< URDF: added to all radii [m]
  bool visual = false;                ///< URDF: visual shapes instead of collision shapes
  bool ignore_limits = false;         ///< of joints
  std::string save_contours;          ///< where to write them; may be empty
  Threads threads;
};

/// A robot, and where it is when nobody says otherwise.
struct ProbeRobot {
  std::string file;
  ContourRobot contours;
  bool ignore_limits = false;
  std::vector<std::string> notes;  ///< whole sentences
  std::vector<LinkFit> fits;       ///< URDF: what was fitted
  FrameShape shape;                ///< joints and nodes
  Pose world_from_root;
  std::vector<double> joints;

  /// Of a segment, for people: the series' name, or that of its link.
  [[nodiscard]] std::string series_name(std::size_t segment) const;
  /// The link a segment is on; empty for a rigid body.
  [[nodiscard]] std::string link_name(std::size_t segment) const;
};

[[nodiscard]] Result<ProbeRobot> load_robot(const ProbeRobotOptions& options, Monitor& monitor);

/// --joints: "a=0.1, b=0.2" or a number for each joint in order. What is not named stays.
Status set_joints(ProbeRobot& robot, const std::string& text);

/// Where a robot is.
struct ProbeConfiguration {
  std::optional<double> time{};  ///< [s]
  Pose world_from_root;
  std::vector<double> joints{};
  std::vector<ContourNode> nodes{};  ///< the shape itself; or empty
};

/// Where the robot is without further words.
[[nodiscard]] ProbeConfiguration start_of(const ProbeRobot& robot);
/// What a line of a stream says, over the start. Errors: joints outside their limits.
Status apply(const ProbeFrame& frame, const ProbeRobot& robot, ProbeConfiguration& configuration);
/// The segments in the world; does not allocate after the first call. Errors: nodes that make no
/// segments (equal ones, opposite tangents).
Status place(const ProbeRobot& robot, const ProbeConfiguration& configuration,
             std::vector<ContourSegment>& segments, std::vector<Pose>& scratch);

/// A file of configurations. .csv: a header, then rows; columns named time, x, y, z, qx, qy, qz,
/// qw, or as joints; what has no column stays. Other files: lines as in a stream (stream.h), with #
/// comments. Errors name file and line.
[[nodiscard]] Result<std::vector<ProbeConfiguration>> read_path(const std::string& path,
                                                                const ProbeRobot& robot);

/// The configuration as a line of a stream.
[[nodiscard]] std::string frame_line(const ProbeConfiguration& configuration);

}  // namespace clearance::cli
