// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance fold of a robot says and draws: words, JSON, the table, a chart and a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>

#include "fold_robot_scene.h"

namespace clearance::cli {

/// One row of the table.
struct RobotRow {
  std::uint64_t step = 0;
  double acceptance = 0.0;     ///< of all steps so far
  double room = 0.0;           ///< to the obstacles [m]; infinity without
  double self_room = 0.0;      ///< of the robot to itself [m]
  std::vector<double> values;  ///< of the joints [rad, m]
};
[[nodiscard]] RobotRow row_of(const RobotScene& scene, const Fold& fold);

/// "step,acceptance,room_m,self_room_m" and the names of the joints.
[[nodiscard]] std::string table_head(const RobotScene& scene);
[[nodiscard]] std::string line_of(const RobotRow& row);
/// The rows of a table that a run wrote. Errors: not such a table, other joints.
[[nodiscard]] Result<std::vector<RobotRow>> read_robot_rows(const std::string& path,
                                                            const ChainFile& robot);

/// What came out of a walk.
struct RobotReport {
  FoldCounts counts;  ///< of all steps, those before a resumed checkpoint included
  bool interrupted = false;
  bool out_of_time = false;
  std::uint64_t every = 1;
  std::uint64_t steps_here = 0;  ///< by this process
  double seconds = 0.0;          ///< for them
  std::uint64_t audits = 0;
  RobotRow last;
  std::vector<std::string> written;
};

/// What is moved among what, before the walk.
[[nodiscard]] std::string robot_heading(const RobotScene& scene, const FoldRobotOptions& options);
[[nodiscard]] std::string robot_text(const RobotReport& report);
/// The result; without a report, that of a start that touches.
[[nodiscard]] nlohmann::ordered_json robot_json(const RobotScene& scene,
                                                const FoldRobotOptions& options,
                                                const RobotTouching& touching,
                                                const RobotReport* report);

/// Room and acceptance over the steps, one chart below the other, as SVG.
[[nodiscard]] std::string robot_charts(const std::vector<RobotRow>& rows, const RobotScene& scene);
/// The robot where the walk ended and, as a line, where it began; what stands before it is cut
/// away.
Status draw_robot(const std::string& path, const RobotScene& scene, const Fold& fold);

}  // namespace clearance::cli
