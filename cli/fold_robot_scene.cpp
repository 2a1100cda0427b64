// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_robot_scene.h"

#include <utility>

#include <clearance/chain/chain_tree.h>
#include <clearance/mesh/read.h>
#include <clearance/query/model.h>

#include "distance_poses.h"
#include "session.h"

namespace clearance::cli {
namespace {

Error with_place(Error error, std::string place) {
  error.place = std::move(place);
  return error;
}

}  // namespace

Result<RobotScene> read_robot_scene(const FoldRobotOptions& options) {
  RobotScene scene;
  scene.name = options.file;
  Result<ChainFile> robot =
      read_chain(options.file, {.tip = options.tip, .neighbours = options.neighbours});
  if (!robot) return robot.error();
  scene.robot = std::move(*robot);
  scene.model.chain = scene.robot.chain;
  for (const MovableJoint& joint : scene.robot.joints) {
    const bool slides = joint.motion == JointMotion::Slide;
    if (slides) ++scene.sliding;
    // Angles of a fold begin at 0, where the file has the joint.
    scene.model.torsions.push_back({joint.joint, joint.point, joint.unit_axis,
                                    joint.lower - joint.value, joint.upper - joint.value, slides});
  }
  if (!options.pose.empty()) {
    const Result<Pose> pose = parse_pose(options.pose, 1.0);
    if (!pose) return with_place(pose.error(), "--pose");
    scene.world_from_link0 = *pose;
  }
  std::vector<Obstacle> obstacles;
  for (std::size_t i = 0; i < options.obstacles.size(); ++i) {
    ReadOptions read_options;
    if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
    const Result<LoadedMesh> mesh = read_mesh(options.obstacles[i], read_options);
    if (!mesh) return mesh.error();
    for (const std::string& warning : mesh->info.warnings) say(warning);
    const Result<Model> model = Model::build(mesh->mesh);
    if (!model) return model.error();
    Obstacle obstacle{*model, Pose::identity()};
    if (!options.obstacle_poses.empty()) {
      const Result<Pose> pose = parse_pose(options.obstacle_poses[i], 1.0);
      if (!pose) return with_place(pose.error(), "--obstacle-pose " + std::to_string(i + 1));
      obstacle.world_from_obstacle = *pose;
    }
    scene.triangles += mesh->mesh.faces().size();
    scene.obstacle_names.push_back(options.obstacles[i]);
    scene.obstacle_meshes.push_back(mesh->mesh);
    scene.world_from_obstacle.push_back(obstacle.world_from_obstacle);
    obstacles.push_back(std::move(obstacle));
  }
  Result<ChainObstacles> built = ChainObstacles::build(obstacles);
  if (!built) return built.error();
  scene.obstacles = std::move(*built);
  return scene;
}

Result<RobotTouching> touching_at_start(const RobotScene& scene) {
  const Result<ChainTree> tree = ChainTree::build(scene.model.chain);
  if (!tree) return tree.error();
  return RobotTouching{tree->contacts(),
                       contacts(*tree, scene.world_from_link0, *scene.obstacles).pairs};
}

}  // namespace clearance::cli
