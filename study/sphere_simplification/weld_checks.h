// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A robot with a torch against a work-piece, configuration by configuration: what Table I of the
// paper times. Meshes against meshes are CellChecker's, spheres against spheres SphereChecker's;
// here is the cell for them, and meshes against a work-piece of spheres.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/check/cell.h>
#include <clearance/check/sphere_checker.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/simplify/sphere_robot.h>
#include <clearance/simplify/sphere_tree.h>

#include "sphere_simplification/weld_scene.h"

namespace clearance::study {

/// The robot, its torch and a work-piece (that of the scene, or one in its place), made ready. Only
/// pairs with the work-piece, the last body, are tested.
[[nodiscard]] Result<ReadyCell> weld_cell(const WeldScene& scene, const Mesh& piece);

/// A ball around the corners of all models of a body, in its frame.
[[nodiscard]] Sphere ball_around(const CheckBody& body);

/// Everything as spheres, for the pairs of the cell. The torch in the frame of the link that holds
/// it, the piece in that of the cell.
[[nodiscard]] Result<SphereChecker> weld_spheres(const WeldScene& scene, const ReadyCell& cell,
                                                 const SphereRobot& robot,
                                                 std::span<const Sphere> torch,
                                                 std::span<const Sphere> piece);

/// Meshes of robot and torch against a work-piece of spheres, in the frame of the cell. One thread.
class SphereCheck {
 public:
  /// The cell must outlive it; its own work-piece is not looked at. No sphere of the piece may fit
  /// into a link whole, but the first.
  SphereCheck(const ReadyCell& cell, SphereTree piece);
  [[nodiscard]] bool collides(std::span<const double> values);

 private:
  struct Moving {
    const CheckBody* body;
    Sphere ball;
  };
  const ReadyCell& cell_;
  std::vector<Moving> moving_;
  SphereTree piece_;
  std::vector<Pose> poses_;  // by link
};

}  // namespace clearance::study
