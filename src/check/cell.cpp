// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>

#include <clearance/check/cell.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/representations.h>

namespace clearance {
namespace {

/// Spheres around cells just meet at their corners. A little larger, they hold these beyond doubt.
constexpr double kMadeLarger = 1.0 + 1e-5;

/// Spheres that hold the body: those given for it, once they are proven to, or made.
Status add_spheres(CheckBody& body, const CellSpheres& spheres, Threads threads) {
  const auto given = std::ranges::find(spheres.given, body.name, &NamedSpheres::name);
  if (given != spheres.given.end()) {
    for (const Model& model : body.models) {
      const Cover cover = verify_cover(model, given->spheres, {.threads = threads});
      if (cover.status == CoverStatus::Covered) continue;
      return Error{ErrorCode::Invalid, "", "spheres of '" + body.name + "'",
                   cover.status == CoverStatus::Uncovered
                       ? "do not hold the whole body: a point of it is " +
                             std::to_string(1e3 * cover.depth) + " mm outside"
                       : "could not be proven to hold the whole body",
                   "a check on them could miss a collision"};
    }
    body.spheres = given->spheres;
    return {};
  }
  for (const Model& model : body.models) {
    Result<std::vector<Sphere>> made = octree_spheres(model, spheres.error);
    if (!made) {
      Error error = made.error();
      error.place = "body '" + body.name + "'";
      return error;
    }
    for (const Sphere& sphere : *made)
      body.spheres.push_back({sphere.center, sphere.radius * kMadeLarger});
  }
  return {};
}

/// Rounding is a fraction of the coordinates, and what it may be off is called contact: beyond
/// this, of tenths of a millimetre [m].
constexpr double kFarthest = 1e7;

Status check_reach(const std::string& place, double reach) {
  if (reach <= kFarthest) return {};
  char words[96];
  std::snprintf(words, sizeof words, "reaches %.3g m from the origin of its frame, beyond %.0e m",
                reach, kFarthest);
  return Error{ErrorCode::Invalid, "", place, words, "look at its units"};
}

/// Everything in reach of the digits that coordinates have?
Status check_size(const ReadyCell& ready) {
  if (Status base = check_reach("base", norm(ready.cell.world_from_base.translation)); !base)
    return base;
  for (const RobotJoint& joint : ready.cell.robot.joints()) {
    if (Status near =
            check_reach("joint '" + joint.name + "'", norm(joint.parent_from_joint.translation));
        !near)
      return near;
  }
  for (const CheckBody& body : ready.bodies) {
    if (Status near = check_reach("body '" + body.name + "'",
                                  norm(max(abs(body.bounds.low), abs(body.bounds.high))));
        !near)
      return near;
  }
  return {};
}

}  // namespace

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

  if (const Status near = check_size(ready); !near) return near.error();

  if (cell.models != CheckModels::Meshes) {
    for (std::size_t i = 0; i < ready.bodies.size(); ++i) {
      report_progress(monitor, "spheres around bodies",
                      static_cast<double>(i) / static_cast<double>(ready.bodies.size()));
      if (is_cancelled(monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
      if (Status status = add_spheres(ready.bodies[i], cell.spheres, threads); !status)
        return status.error();
    }
    ready.has_spheres = true;
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
