// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files `clearance simplify` writes: models for planners, tables, meshes to look at, pictures.
#pragma once

#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/simplify/sphere_robot.h>

#include "simplify_report.h"

namespace clearance::cli {

/// What the files are made of: the report, the robot (or none), and the meshes that were covered,
/// in place: those of a robot at rest.
struct SimplifyScene {
  const SimplifyReport* report = nullptr;
  const SphereRobotResult* robot = nullptr;  ///< null for a part
  std::vector<Mesh> meshes;                  ///< by body, world
  std::vector<Pose> poses;                   ///< world_from_body, by body
};

/// Extensions that write_model() takes, without the dot. `shapes`: not of spheres alone.
[[nodiscard]] std::vector<std::string> model_extensions(bool shapes);
/// Empty when a file of this name can be written, else what is wrong with it.
[[nodiscard]] std::string wrong_with_name(const std::string& path, bool shapes);

/// .urdf, .json (foam, VAMP), .yaml and .yml (cuRobo), .csv, and .stl, .obj, .ply, .glb of the
/// shapes as meshes. A part becomes a .urdf of one link.
Status write_model(const std::string& path, const SimplifyScene& scene);

/// The meshes, and beside them the spheres, or other shapes, coloured by radius.
Status draw_model(const std::string& path, const SimplifyScene& scene, const Vec3& towards_eye,
                  Threads threads);

}  // namespace clearance::cli
