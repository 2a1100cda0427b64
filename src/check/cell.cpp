// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/check/cell.h>

namespace clearance {

const char* name_of(CheckModels models) {
  switch (models) {
    case CheckModels::Meshes:
      return "meshes";
    case CheckModels::Spheres:
      return "spheres";
    case CheckModels::SpheresFirst:
      break;
  }
  return "spheres-first";
}

const CellBody* Cell::body(std::string_view name) const {
  const auto found = std::ranges::find(bodies, name, &CellBody::name);
  return found == bodies.end() ? nullptr : &*found;
}

Pose Cell::world_from_tool(std::span<const double> values) const {
  return robot.link_poses(values, world_from_base)[tool_link] * link_from_tool;
}

std::optional<std::uint32_t> ReadyCell::body(std::string_view name) const {
  const auto found = std::ranges::find(bodies, name, &CheckBody::name);
  if (found == bodies.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - bodies.begin());
}

std::vector<Pose> ReadyCell::body_poses(std::span<const double> values) const {
  const std::vector<Pose> links = cell.robot.link_poses(values, cell.world_from_base);
  std::vector<Pose> poses;
  poses.reserve(bodies.size());
  for (const CheckBody& body : bodies)
    poses.push_back(body.link == kNoLink ? Pose::identity() : links[body.link]);
  return poses;
}

Result<ReadyCell> prepare(const Cell& cell, Threads threads, Monitor* monitor) {
  report_progress(monitor, "building models", -1.0);
  ReadyCell ready{.cell = cell, .bodies = {}, .matrix = {}};
  Result<std::vector<CheckBody>> links = robot_bodies(cell.robot, cell.visual, threads);
  if (!links) return links.error();
  ready.bodies = std::move(*links);
  for (const CellBody& body : cell.bodies) {
    if (is_cancelled(monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
    Result<CheckBody> made = make_body(body.name, body.link, body.shapes, threads);
    if (!made) return made.error();
    ready.bodies.push_back(std::move(*made));
  }

  if (cell.models != CheckModels::Meshes) {
    return Error{ErrorCode::Unsupported, "", "models", "spheres cannot be made for bodies yet",
                 "check the meshes"};
  }

  CollisionMatrixOptions options;
  options.srdf = cell.srdf ? &*cell.srdf : nullptr;
  options.samples = cell.samples;
  options.seed = cell.seed;
  options.leave_out_never = cell.leave_out_never;
  options.threads = threads;
  options.monitor = monitor;
  for (const auto& [name_a, name_b] : cell.allowed) {
    const std::optional<std::uint32_t> a = ready.body(name_a);
    const std::optional<std::uint32_t> b = ready.body(name_b);
    if (!a || !b) {
      return Error{ErrorCode::NotFound, "", "allowed",
                   "'" + (a ? name_b : name_a) + "' is no body with shapes", ""};
    }
    options.allowed.emplace_back(std::min(*a, *b), std::max(*a, *b));
  }
  Result<CollisionMatrix> matrix = collision_matrix(cell.robot, ready.bodies, options);
  if (!matrix) return matrix.error();
  ready.matrix = std::move(*matrix);
  return ready;
}

}  // namespace clearance
