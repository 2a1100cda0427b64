// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robots from URDF files, with the meshes these name.
//
// `package://NAME/path` is looked for as NAME/path in each of RobotFileOptions::package_folders,
// then in the folder of the URDF and the folders above it, then in those of ROS_PACKAGE_PATH and
// AMENT_PREFIX_PATH (share/NAME/path). `file://` and plain paths are relative to the URDF. Meshes
// are read with mesh/read.h and scaled; a file named several times is read once.
//
// Links are numbered from the root outward, each branch to its end before the next, branches by the
// name of their joint: the order of the file does not matter.
//
// Floating and planar joints are refused with their names, unless one ties the root to a link
// "world", where it is left out with a note. What URDF has beside geometry and joints (inertia,
// materials, transmissions, plugins) is not looked at; macros of xacro are refused, since what they
// would have made is missing.
//
// Errors name the file, the link or joint and the reason: text that is not XML (with the byte), a
// shape that is not known, a mesh that is not there (with the places looked at), sizes that are not
// above zero, limits that are upside down, loops, names twice. No shape is ever lost without an
// error (docs/decisions/0008-own-urdf-reader.md). Nothing throws or prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/robot/robot.h>

namespace clearance {

struct RobotFileOptions {
  std::vector<std::string> package_folders{};
  bool visual = true;     ///< read visual shapes
  bool collision = true;  ///< read collision shapes
  Threads threads;        ///< for reading meshes
};

struct RobotFile {
  Robot robot;
  /// Whole sentences about what was left out or repaired, and what the readers of meshes warn of.
  std::vector<std::string> notes;
};

[[nodiscard]] Result<RobotFile> read_robot(const std::string& path,
                                           const RobotFileOptions& options = {});
/// The same from memory; `path` stands in errors, and files are looked for beside it.
[[nodiscard]] Result<RobotFile> parse_robot(std::string_view urdf, const std::string& path,
                                            const RobotFileOptions& options = {});

}  // namespace clearance
