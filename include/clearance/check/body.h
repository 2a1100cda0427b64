// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A body of a work cell made ready for checking: a link of the robot, something mounted on a link
// (a tool), or something that stands in the cell (a table, a work-piece).
//
// The shapes of a body become at most two models: one of all that is closed, one of all that is
// open. Boxes and meshes are exact; cylinders and spheres become polyhedra that hold the whole of
// them (robot.h, surface_of), so that contact may be found a little early, never late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/robot/robot.h>

namespace clearance {

struct CheckBody {
  std::string name;
  /// The link it moves with, as a number of Robot::links(); kNoLink: it stands in the cell.
  std::uint32_t link = kNoLink;
  /// In the frame of the link, or of the cell [m]: the closed shapes, then the open ones.
  std::vector<Model> models;
  /// A box around all models, in the same frame [m].
  Box bounds;
  /// Spheres that hold the whole body, in the same frame [m]; empty: none were made.
  std::vector<Sphere> spheres{};

  [[nodiscard]] std::size_t triangle_count() const;
  [[nodiscard]] bool is_solid() const;  ///< every model has an inside
};

/// Puts shapes together. Shapes that are closed but face inward are turned round first. Errors: no
/// shape, and those of Model::build.
[[nodiscard]] Result<CheckBody> make_body(std::string name, std::uint32_t link,
                                          std::span<const RobotShape> shapes, Threads threads = {});

/// Every link of a robot that has shapes, by number of link. Errors: those of make_body(), with the
/// link; a robot without any shape of the kind asked for.
[[nodiscard]] Result<std::vector<CheckBody>> robot_bodies(const Robot& robot, bool visual = false,
                                                          Threads threads = {});

}  // namespace clearance
