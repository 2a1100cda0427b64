// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance plan takes on its command line, and the scene it makes of it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/plan/plan.h>
#include <clearance/plan/scene_file.h>

namespace clearance::cli {

struct PlanArguments {
  std::string scene;
  std::vector<std::string> body, obstacles;
  std::string assembly;
  std::vector<std::string> parts;
  double metres_per_unit = 0.0;  ///< of --body, --obstacles and --assembly; 0: as the files say
  std::string start, goal;
  double clearance = -1.0;  ///< below 0: not given
  std::string touching;
  std::string tree = "default";
  std::uint64_t operations = PlanOptions{}.operations;
  double seconds = std::numeric_limits<double>::infinity();
  double resolution = 0.0;
  bool no_improve = false;
  std::string planner = "clearance";  ///< or one of OMPL's
  std::uint32_t seed = 1;             ///< for those
  std::string out, csv, glb, picture, plot;
  int threads = 0;
  bool json = false;
};

/// The scene file, or the meshes that were named, with what the options change about it.
[[nodiscard]] Result<SceneDescription> described_scene(const PlanArguments& arguments);
/// Ours, then those of OMPL.
[[nodiscard]] std::vector<std::string> planner_names();
/// "default", "pqp", "rapid2" or "inertia": the fitters are those of trees of rectangle swept
/// spheres, as in the paper.
[[nodiscard]] BvhOptions tree_options(const std::string& name);
[[nodiscard]] std::vector<std::string> tree_names();

}  // namespace clearance::cli
