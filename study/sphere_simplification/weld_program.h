// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Table I of the paper: a robot with a welding torch moves around a section of three pipes, 15,178
// configurations, each checked against the section in one representation after another. The paper
// counts collisions and time; against the exact meshes we count what a representation misses (a
// robot crashes there) and what it invents as well. The cell is in weld_scene.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/simplify/simplify.h>
#include <clearance/simplify/sphere_robot.h>

#include "sphere_simplification/weld_scene.h"

namespace clearance::study {

/// One line of Table I.
struct RepresentationRow {
  std::string name;        ///< "decimated CAD", "packing, grown"
  std::string complexity;  ///< "996 triangles"
  bool covers = false;     ///< proven to hold the exact model
  std::uint64_t collisions = 0;
  std::uint64_t false_negatives = 0;  ///< hits of the exact meshes that it calls free
  std::uint64_t false_positives = 0;  ///< calls hit what the exact meshes are free at
  double seconds = 0.0;               ///< all checks, one thread
  std::string paper_complexity;       ///< empty: not in the paper
  std::uint64_t paper_collisions = 0;
  double paper_seconds = 0.0;
};

struct WeldProgramResult {
  std::string robot_name;
  std::size_t robot_triangles = 0;
  std::size_t torch_triangles = 0;
  std::size_t checks = 0;
  std::vector<RepresentationRow> rows;
};

/// The parts of the scene as spheres.
struct WeldModels {
  const Model& section;
  const Simplification& packed;  ///< the section by Packing,
  const Simplification& paper;   ///< by Paper,
  const Simplification& ours;    ///< and by Cover
  const Simplification& torch;   ///< in the frame of the link that holds it
  const SphereRobotResult& robot;
};

/// Spheres as they were before they were grown by the error that was left: what the paper draws
/// and counts.
[[nodiscard]] std::vector<Sphere> ungrown(const Simplification& model);

/// Errors: a cell or spheres that cannot be made ready; cancelled.
[[nodiscard]] Result<WeldProgramResult> measure_weld_program(const WeldScene& scene,
                                                             const WeldModels& models,
                                                             Monitor* monitor);

}  // namespace clearance::study
