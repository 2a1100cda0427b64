// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Poses as people and programs write them down.
//
// A pose in a line: "x y z qx qy qz qw", a translation and a quaternion in the order of ROS, or
// "x y z" alone; numbers apart by spaces, commas or both. With angles: "x y z roll pitch yaw", in
// degrees about the fixed axes (Rz(yaw) Ry(pitch) Rx(roll), as in URDF).
//
// A file of poses: one a line, with # comments and empty lines; or, when it ends in .json, an array
// of poses, each an array of 3 or 7 numbers as above or a 4 x 4 matrix (an array of four rows). A
// single matrix is a file of one pose.
#pragma once

#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>

namespace clearance::cli {

/// Largest difference of a quaternion's length from 1. Four digits in a text file pass; a mistake
/// in the order of the numbers or a forgotten one does not.
inline constexpr double kQuaternionTolerance = 1e-3;

/// A pose in a line; lengths are multiplied by metres_per_unit. Refused, here and below, when
/// queries would not answer it (query.h).
[[nodiscard]] Result<Pose> parse_pose(const std::string& text, double metres_per_unit);
/// The same with roll, pitch and yaw [deg].
[[nodiscard]] Result<Pose> parse_pose_rpy_deg(const std::string& text, double metres_per_unit);
/// All poses of a file; at least one. Errors name file and line (of JSON: the pose).
[[nodiscard]] Result<std::vector<Pose>> read_poses(const std::string& path, double metres_per_unit);

}  // namespace clearance::cli
