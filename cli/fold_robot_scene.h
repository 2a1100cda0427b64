// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance fold of a robot works on: the robot, and what stands around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/chain_file.h>
#include <clearance/chain/chain_obstacles.h>
#include <clearance/chain/fold.h>
#include <clearance/mesh/mesh.h>

#include "fold_robot.h"

namespace clearance::cli {

struct RobotScene {
  std::string name;  ///< the file
  ChainFile robot;
  FoldModel model;
  std::size_t sliding = 0;  ///< joints; the others turn
  Pose world_from_link0;
  std::vector<std::string> obstacle_names;
  std::vector<Mesh> obstacle_meshes;
  std::vector<Pose> world_from_obstacle;
  std::size_t triangles = 0;
  std::optional<ChainObstacles> obstacles;

  [[nodiscard]] const std::string& link_name(std::uint32_t link) const {
    return robot.body_names[robot.body_of_link[link]];
  }
};

/// Reads robot and obstacles; warnings of the readers go to stderr. Errors name file and place.
[[nodiscard]] Result<RobotScene> read_robot_scene(const FoldRobotOptions& options);

/// What touches at the start: links of the robot, and links and obstacles.
struct RobotTouching {
  std::vector<LinkPair> links;
  std::vector<ObstacleContact> obstacles;
  [[nodiscard]] bool none() const { return links.empty() && obstacles.empty(); }
};
[[nodiscard]] Result<RobotTouching> touching_at_start(const RobotScene& scene);

}  // namespace clearance::cli
