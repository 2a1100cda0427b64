// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small cells put together by hand.
#pragma once

#include <string>
#include <vector>

#include <clearance/check/cell.h>
#include <clearance/check/program.h>

#include "robot/robot_parts.h"

namespace clearance::test {

inline RobotShape box_shape(const Vec3& size, const Vec3& at = {}) {
  return {"", Pose::translate(at), BoxShape{0.5 * size}};
}
inline CellBody standing(const std::string& name, const Vec3& size, const Vec3& at) {
  return {name, kNoLink, Pose::translate(at), {box_shape(size, at)}};
}
inline Cell cell_of(const Robot& robot, std::vector<CellBody> bodies = {}) {
  return Cell{.robot = robot,
              .world_from_base = {},
              .bodies = std::move(bodies),
              .tool_link = static_cast<std::uint32_t>(robot.links().size() - 1),
              .link_from_tool = {}};
}
inline ReadyCell ready(const Cell& cell) { return std::move(prepare(cell, {1}).value()); }

/// A cube of 0.1 m that slides along x, from -10 to 10, at up to 1 m/s.
inline Robot slider() {
  RobotParts parts("rail");
  RobotJoint& joint = parts.add("cube", 0, JointKind::Prismatic, {}, {1.0, 0.0, 0.0});
  joint.lower = -10.0;
  joint.upper = 10.0;
  joint.velocity = 1.0;
  parts.links[1].collision.push_back(box_shape({0.1, 0.1, 0.1}));
  return parts.made();
}

/// Six joints that turn, axes as those of industrial arms; each link a box along its length.
inline Robot six_axes() {
  RobotParts parts("base");
  parts.links[0].collision.push_back(box_shape({0.3, 0.3, 0.2}, {0, 0, 0.1}));
  const Vec3 origins[] = {{0, 0, 0.3}, {0.1, 0, 0.2}, {0, 0, 0.6},
                          {0.1, 0, 0}, {0.5, 0, 0.0}, {0.1, 0, 0}};
  const Vec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const Vec3 sizes[] = {{0.2, 0.2, 0.2},    {0.1, 0.1, 0.5},    {0.15, 0.1, 0.1},
                        {0.35, 0.08, 0.08}, {0.06, 0.06, 0.06}, {0.1, 0.04, 0.04}};
  const Vec3 middles[] = {{0, 0, 0.05}, {0, 0, 0.3}, {0, 0, 0},
                          {0.25, 0, 0}, {0, 0, 0},   {0.1, 0, 0}};
  for (std::uint32_t i = 0; i < 6; ++i) {
    RobotJoint& joint = parts.add("link_" + std::to_string(i + 1), i, JointKind::Revolute,
                                  Pose::translate(origins[i]), axes[i]);
    joint.lower = -3.0;
    joint.upper = 3.0;
    joint.velocity = 2.0;
    parts.links[i + 1].collision.push_back(box_shape(sizes[i], middles[i]));
  }
  return parts.made();
}

/// A program of joint moves at full speed.
inline RobotProgram joint_moves(const std::vector<std::vector<double>>& way_points) {
  RobotProgram program;
  program.file = "test";
  program.start = way_points.front();
  for (std::size_t i = 1; i < way_points.size(); ++i) {
    ProgramMove move;
    move.place = "moves/" + std::to_string(i - 1);
    move.values = way_points[i];
    move.speed = 1.0;
    program.moves.push_back(move);
  }
  return program;
}

}  // namespace clearance::test
