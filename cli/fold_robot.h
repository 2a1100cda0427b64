// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance fold of a robot: a chain from JSON or URDF that writhes among obstacles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clearance/chain/fold.h>

namespace clearance::cli {

struct FoldRobotOptions {
  std::string file;                         ///< .json or .urdf
  std::string tip;                          ///< of a URDF; empty: the longest way
  std::uint32_t neighbours = 1;             ///< of a URDF: bodies this near may touch
  std::string pose;                         ///< of link 0 in the world, as text; empty: identity
  std::vector<std::string> obstacles;       ///< mesh files
  std::vector<std::string> obstacle_poses;  ///< none, or one for each obstacle
  double metres_per_unit = 0.0;             ///< of the obstacle files; 0: as they say
  FoldOptions fold;                         ///< energy, native and forbidden are not used
  std::uint64_t steps = 0;
  std::uint64_t every = 1;  ///< steps between rows
  double time_limit = 0.0;  ///< [s]; 0: none
  std::string csv;
  bool json = false;
};

/// Is the file a robot, by its extension?
[[nodiscard]] bool is_robot_file(const std::string& path);

/// Runs the walk and prints what came out; returns the exit status.
int fold_robot(const FoldRobotOptions& options);

}  // namespace clearance::cli
