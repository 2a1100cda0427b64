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
  std::uint64_t steps = 0;                  ///< in all, those before a resumed checkpoint included
  std::uint64_t every = 0;  ///< steps between rows; 0: as the checkpoint, or a hundredth of `steps`
  std::uint64_t audit = 0;  ///< steps between audits; 0: only at the end
  double time_limit = 0.0;  ///< [s]; 0: none
  double checkpoint_interval = 20.0;  ///< [s]
  std::string folder;                 ///< of all files that are not named themselves; may be empty
  std::string csv, plot, picture, checkpoint;  ///< files; empty: not wanted
  std::string resume;                          ///< a checkpoint to go on from; may be empty
  bool json = false;
};

/// Is the file a robot, by its extension?
[[nodiscard]] bool is_robot_file(const std::string& path);

/// Runs the walk and prints what came out; returns the exit status.
int fold_robot(FoldRobotOptions options);

}  // namespace clearance::cli
