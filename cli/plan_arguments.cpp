// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan_arguments.h"

#include <clearance/plan/yardstick.h>

#include "distance_poses.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

Error wrong(const std::string& option, const std::string& reason, const std::string& advice = "") {
  return {ErrorCode::Invalid, "", option, reason, advice};
}

/// Scene file, meshes, or an assembly and the parts that move: one of the three.
Status check_ways(const PlanArguments& arguments) {
  const bool meshes = !arguments.body.empty() || !arguments.obstacles.empty();
  const int ways =
      (arguments.scene.empty() ? 0 : 1) + (meshes ? 1 : 0) + (arguments.assembly.empty() ? 0 : 1);
  if (ways == 0)
    return wrong("", "what is to be planned?",
                 "name a scene, or --body and --obstacles, or --assembly and --parts");
  if (ways > 1)
    return wrong("", "a scene file, --body with --obstacles, and --assembly exclude each other");
  if (meshes && (arguments.body.empty() || arguments.obstacles.empty()))
    return wrong(arguments.body.empty() ? "--body" : "--obstacles", "is missing");
  if (!arguments.assembly.empty() && arguments.parts.empty())
    return wrong("--parts", "is missing", "which parts of the assembly move?");
  if (arguments.assembly.empty() && !arguments.parts.empty())
    return wrong("--parts", "goes with --assembly");
  if (!arguments.scene.empty() && arguments.metres_per_unit > 0.0)
    return wrong("--unit", "is for meshes named on the command line",
                 "scenes say \"unit\" for each file");
  return {};
}

Result<Touching> parse_touching(const std::string& text) {
  if (text == "auto") return Touching{Touching::Kind::Auto, 0.0};
  const std::optional<double> depth = length_of(text);
  if (!depth || !(*depth > 0.0))
    return wrong("--touching", "'" + text + "' is neither 'auto' nor a length above 0");
  return Touching{Touching::Kind::Depth, *depth};
}

Result<Pose> parse_named_pose(const std::string& text, const char* option) {
  Result<Pose> pose = parse_pose(text, 1.0);
  if (pose) return pose;
  Error error = pose.error();
  error.place = option;
  return error;
}

}  // namespace

Result<SceneDescription> described_scene(const PlanArguments& arguments) {
  if (Status ways = check_ways(arguments); !ways) return ways.error();
  SceneDescription scene;
  if (!arguments.scene.empty()) {
    Result<SceneDescription> read = read_scene(arguments.scene);
    if (!read) return read;
    scene = std::move(*read);
  }
  const auto file = [&](const std::string& path) {
    SceneFile one;
    one.path = path;
    if (arguments.metres_per_unit > 0.0) one.metres_per_unit = arguments.metres_per_unit;
    return one;
  };
  for (const std::string& path : arguments.body) scene.body.push_back(file(path));
  for (const std::string& path : arguments.obstacles) scene.obstacles.push_back(file(path));
  if (!arguments.assembly.empty()) {
    scene.body = {file(arguments.assembly)};
    scene.body.front().parts = arguments.parts;
    scene.obstacles = {file(arguments.assembly)};
    scene.obstacles.front().without = arguments.parts;
  }
  if (!arguments.start.empty()) {
    const Result<Pose> start = parse_named_pose(arguments.start, "--start");
    if (!start) return start.error();
    scene.start = *start;
  }
  if (arguments.goal == "out") {
    scene.goal.reset();
  } else if (!arguments.goal.empty()) {
    const Result<Pose> goal = parse_named_pose(arguments.goal, "--goal");
    if (!goal) return goal.error();
    scene.goal = *goal;
  }
  if (arguments.clearance >= 0.0) scene.clearance = arguments.clearance;
  if (!arguments.touching.empty()) {
    const Result<Touching> touching = parse_touching(arguments.touching);
    if (!touching) return touching.error();
    scene.touching = *touching;
  }
  return scene;
}

std::vector<std::string> planner_names() {
  std::vector<std::string> names{"clearance"};
  names.insert(names.end(), ompl_planners().begin(), ompl_planners().end());
  return names;
}

std::vector<std::string> tree_names() { return {"default", "pqp", "rapid2", "inertia"}; }

BvhOptions tree_options(const std::string& name) {
  BvhOptions options;
  for (const Fitter fitter : {Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia}) {
    if (name != name_of(fitter)) continue;
    options.volume = Volume::Rss;
    options.fitter = fitter;
  }
  return options;
}

}  // namespace clearance::cli
