// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance check --tool-angles: which angles of the torch are free at a point of a seam?
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/check/tool_angles.h>

namespace clearance::cli {

/// "x y z" of the point, of the direction out of the surface and of the seam: nine numbers, metres.
[[nodiscard]] Result<ProcessPoint> parse_process_point(const std::string& text);
/// "-40:40:10", "15", "0,30,60": angles in degrees, as radians.
[[nodiscard]] Result<std::vector<double>> parse_angles(const std::string& text,
                                                       const std::string& option);

/// A table by work and travel angle: how many rotations are free, or why none is.
[[nodiscard]] std::string angles_text(const std::vector<ToolAngle>& angles,
                                      const ToolAngleOptions& options);
[[nodiscard]] nlohmann::ordered_json angles_json(const std::vector<ToolAngle>& angles,
                                                 const ProcessPoint& point, const ReadyCell& cell,
                                                 const std::string& cell_file);
/// One line an angle, degrees.
[[nodiscard]] std::string angles_csv(const std::vector<ToolAngle>& angles, const ReadyCell& cell);
/// The table as an SVG picture.
[[nodiscard]] std::string angles_map(const std::vector<ToolAngle>& angles,
                                     const ToolAngleOptions& options);

}  // namespace clearance::cli
