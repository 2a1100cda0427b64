// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours as JSON (schema/contour.schema.json, docs/contour.md):
//
//   {"clearance": "contour", "version": 1, "units": "mm",
//    "robot": "arm.urdf",                          // optional, relative to the file
//    "series": [{"name": "finger", "link": "f1",   // link: with a robot only
//                "nodes": [{"position": [0, 0, 0], "tangent": [0, 0, 1], "radius": 4}, ...]}]}
//
// A series may have "line": [[x, y, z], ...] and "radii": [...] (or one "radius") instead of nodes:
// Contour::along(). Units: "m" (default), "mm", "cm", "um", "in", "ft".
#pragma once

#include <string>
#include <string_view>

#include <clearance/base/result.h>
#include <clearance/contour/contour_robot.h>
#include <clearance/robot/robot_file.h>

namespace clearance {

/// Errors name the file, the place (series 2 "finger", node 3) and the reason.
[[nodiscard]] Result<ContourRobot> read_contours(const std::string& path,
                                                 const RobotFileOptions& robot = {});
[[nodiscard]] Result<ContourRobot> parse_contours(std::string_view text, const std::string& path,
                                                  const RobotFileOptions& robot = {});

/// The same text for the same contours; metres. `robot_path` is written as "robot" where the
/// contours are on the links of one, and must then not be empty: asserted here, an error below. It
/// is written as it is given; one that is not absolute is looked for beside the file.
[[nodiscard]] std::string contours_to_json(const ContourRobot& contours,
                                           const std::string& robot_path = {});
Status write_contours(const std::string& path, const ContourRobot& contours,
                      const std::string& robot_path = {});

}  // namespace clearance
