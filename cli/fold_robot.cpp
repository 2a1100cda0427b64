// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_robot.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/chain/chain_file.h>
#include <clearance/chain/chain_obstacles.h>
#include <clearance/mesh/read.h>
#include <clearance/query/model.h>

#include "distance_poses.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Steps between two looks at the clock and at Ctrl-C.
constexpr std::uint64_t kStepsAtOnce = 64;

/// The robot and what stands around it.
struct RobotScene {
  ChainFile robot;
  FoldModel model;
  std::size_t sliding = 0;  ///< joints; the others turn
  Pose world_from_link0;
  std::vector<std::string> obstacle_names;
  std::size_t triangles = 0;
  std::optional<ChainObstacles> obstacles;

  [[nodiscard]] const std::string& link_name(std::uint32_t link) const {
    return robot.body_names[robot.body_of_link[link]];
  }
};

Error with_place(Error error, std::string place) {
  error.place = std::move(place);
  return error;
}

Result<RobotScene> read_scene(const FoldRobotOptions& options) {
  RobotScene scene;
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
    obstacles.push_back(std::move(obstacle));
  }
  Result<ChainObstacles> built = ChainObstacles::build(obstacles);
  if (!built) return built.error();
  scene.obstacles = std::move(*built);
  return scene;
}

/// What touches at the start: links of the robot, and links and obstacles.
struct Touching {
  std::vector<LinkPair> links;
  std::vector<ObstacleContact> obstacles;
  [[nodiscard]] bool none() const { return links.empty() && obstacles.empty(); }
};

Result<Touching> touching_at_start(const RobotScene& scene) {
  const Result<ChainTree> tree = ChainTree::build(scene.model.chain);
  if (!tree) return tree.error();
  return Touching{tree->contacts(),
                  contacts(*tree, scene.world_from_link0, *scene.obstacles).pairs};
}

struct RobotRow {
  std::uint64_t step = 0;
  double room = 0.0;       ///< to the obstacles [m]; infinity without
  double self_room = 0.0;  ///< of the robot to itself [m]
  double acceptance = 0.0;
  std::vector<double> values;  ///< of the joints [rad, m]
};

RobotRow row_of(const RobotScene& scene, const Fold& fold) {
  RobotRow row;
  const FoldCounts& counts = fold.counts();
  row.step = counts.steps;
  row.room = distance(fold.tree(), scene.world_from_link0, *scene.obstacles).distance;
  row.self_room = fold.tree().distance_self().distance;
  row.acceptance = counts.steps == 0
                       ? 0.0
                       : static_cast<double>(counts.accepted) / static_cast<double>(counts.steps);
  const FoldState state = fold.state();
  for (std::size_t k = 0; k < scene.robot.joints.size(); ++k)
    row.values.push_back(scene.robot.joints[k].value + state.angles[k]);
  return row;
}

std::string table_of(const RobotScene& scene, const std::vector<RobotRow>& rows) {
  std::string text = "step,acceptance,room_m,self_room_m";
  for (const MovableJoint& joint : scene.robot.joints) text += "," + joint.name;
  text += "\n";
  for (const RobotRow& row : rows) {
    text += std::to_string(row.step) + "," + format_number("%.4f", row.acceptance) + "," +
            format_number("%.9g", row.room) + "," + format_number("%.9g", row.self_room);
    for (const double value : row.values) text += "," + format_number("%.9g", value);
    text += "\n";
  }
  return text;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json result_json(const RobotScene& scene, const FoldRobotOptions& options, const Touching& touching,
                 const std::optional<Fold>& fold, const RobotRow& last, double seconds) {
  Json result{{"schema", "clearance.fold-robot"},
              {"version", 1},
              {"file", options.file},
              {"notes", scene.robot.notes},
              {"links", scene.model.chain.links.size()},
              {"turning_joints", scene.model.torsions.size() - scene.sliding},
              {"sliding_joints", scene.sliding},
              {"obstacles", scene.obstacle_names},
              {"obstacle_triangles", scene.triangles},
              {"seed", options.fold.seed},
              {"start_free", touching.none()},
              {"touching", Json::array()}};
  for (const LinkPair& pair : touching.links)
    result["touching"].push_back({scene.link_name(pair.a), scene.link_name(pair.b)});
  for (const ObstacleContact& pair : touching.obstacles) {
    result["touching"].push_back({scene.link_name(pair.link), scene.obstacle_names[pair.obstacle]});
  }
  if (!fold) return result;
  const FoldCounts& counts = fold->counts();
  result["steps"] = counts.steps;
  result["accepted"] = counts.accepted;
  result["clashed"] = counts.clashed;
  result["forbidden"] = counts.forbidden;
  result["room"] = number_or_null(last.room);
  result["self_room"] = number_or_null(last.self_room);
  result["seconds"] = seconds;
  return result;
}

std::string heading(const RobotScene& scene, const FoldRobotOptions& options) {
  std::string text =
      options.file + ": " + count_of(scene.model.chain.links.size(), "link", "links") + ", " +
      count_of(scene.model.torsions.size() - scene.sliding, "joint that turns", "joints that turn");
  if (scene.sliding > 0) text += ", " + count_of(scene.sliding, "that slides", "that slide");
  if (!scene.obstacle_names.empty()) {
    text += "; " + count_of(scene.obstacle_names.size(), "obstacle", "obstacles") + " of " +
            count_of(scene.triangles, "triangle", "triangles");
  }
  text += "\n";
  for (const std::string& note : scene.robot.notes) text += note + "\n";
  return text;
}

std::string room_text(double room, const char* what) {
  return std::isfinite(room) ? format_length(room) + " " + what : std::string();
}

std::string result_text(const Fold& fold, const RobotRow& last, double seconds) {
  const FoldCounts& counts = fold.counts();
  std::string text = group_digits(counts.steps) + " steps: " + group_digits(counts.accepted) +
                     " accepted, " + group_digits(counts.clashed) + " touched the robot itself, " +
                     group_digits(counts.forbidden) + " an obstacle or a limit\n";
  if (counts.steps > 0) {
    text += format_number("%.1f", 1e6 * seconds / static_cast<double>(counts.steps)) +
            " microseconds a step\n";
  }
  const std::string room = room_text(last.room, "to the obstacles");
  const std::string self = room_text(last.self_room, "between its links");
  if (!room.empty() || !self.empty())
    text += "room in the end: " + room + (!room.empty() && !self.empty() ? ", " : "") + self + "\n";
  return text;
}

}  // namespace

bool is_robot_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".json" || extension == ".urdf";
}

int fold_robot(const FoldRobotOptions& options) {
  if (!options.obstacle_poses.empty() && options.obstacle_poses.size() != options.obstacles.size())
    return fail_usage("fold", "--obstacle-pose is given for each --obstacle or for none");
  TerminalMonitor monitor;
  const Result<RobotScene> read = read_scene(options);
  if (!read) return fail(read.error());
  const RobotScene& scene = *read;
  const Result<Touching> touching = touching_at_start(scene);
  if (!touching) return fail(touching.error());
  if (!options.json) std::cout << heading(scene, options) << std::flush;
  if (!touching->none()) {
    if (options.json) {
      std::cout << json_text(result_json(scene, options, *touching, {}, {}, 0.0));
    } else {
      for (const LinkPair& pair : touching->links)
        std::cout << scene.link_name(pair.a) << " touches " << scene.link_name(pair.b) << '\n';
      for (const ObstacleContact& pair : touching->obstacles) {
        std::cout << scene.link_name(pair.link) << " touches "
                  << scene.obstacle_names[pair.obstacle] << '\n';
      }
    }
    say("the start is not free: nothing was moved");
    return kBad;
  }

  FoldOptions fold_options = options.fold;
  fold_options.energy = FoldEnergy::None;
  // Asked in the proposed state, whose accepted one was free: only what moved can touch.
  fold_options.forbidden = [&scene, memory = ObstacleMemory{}](const ChainTree& tree) mutable {
    return collide(tree, scene.world_from_link0, *scene.obstacles, ObstacleLinks::Moved, &memory)
        .hit;
  };
  Result<Fold> started = Fold::start(scene.model, fold_options);
  if (!started) {
    Error error = started.error();
    if (error.file.empty()) error.file = options.file;
    return fail(error);
  }
  std::optional<Fold> fold(std::move(*started));

  monitor.set_subject(options.file);
  std::vector<RobotRow> rows{row_of(scene, *fold)};
  double seconds = 0.0;
  const auto begin = Clock::now();
  bool stopped = false;
  while (fold->counts().steps < options.steps && !stopped) {
    const auto first = Clock::now();
    const std::uint64_t next_row = (fold->counts().steps / options.every + 1) * options.every;
    const std::uint64_t end =
        std::min({options.steps, next_row, fold->counts().steps + kStepsAtOnce});
    while (fold->counts().steps < end) fold->step();
    seconds += std::chrono::duration<double>(Clock::now() - first).count();
    if (end == next_row || end == options.steps) rows.push_back(row_of(scene, *fold));
    monitor.progress("steps", static_cast<double>(end) / static_cast<double>(options.steps));
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    stopped = monitor.cancelled() || (options.time_limit > 0.0 && elapsed > options.time_limit);
  }
  monitor.clear();
  // Never a state that touches: everything again, by a tree built afresh.
  const bool still_free =
      fold->audit().good() && !collide(fold->tree(), scene.world_from_link0, *scene.obstacles).hit;
  if (!still_free) {
    return fail({ErrorCode::Invalid, options.file, "",
                 "the audit failed at step " + std::to_string(fold->counts().steps), ""});
  }
  const RobotRow last = row_of(scene, *fold);
  if (!options.csv.empty()) {
    if (const Status status = write_file(options.csv, table_of(scene, rows)); !status)
      return fail(status.error());
  }
  if (options.json) {
    std::cout << json_text(result_json(scene, options, *touching, fold, last, seconds));
  } else {
    std::cout << result_text(*fold, last, seconds);
  }
  return monitor.cancelled() ? kInterrupted : kGood;
}

}  // namespace clearance::cli
