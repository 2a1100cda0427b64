// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A work cell: a robot on its base, the tool it holds, and what stands around it. Read from JSON
// (schema/cell.schema.json, docs/check.md); made ready for checking by prepare().
//
// Frames: the cell is the world. Bodies that stand in the cell have their shapes in the world;
// bodies mounted on a link have them in the frame of that link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/check/body.h>
#include <clearance/check/collision_matrix.h>
#include <clearance/geometry/pose.h>
#include <clearance/robot/robot.h>
#include <clearance/robot/srdf.h>
#include <clearance/simplify/sphere_robot_file.h>

namespace clearance {

/// What a check looks at.
enum class CheckModels : std::uint8_t {
  Meshes,        ///< the shapes themselves
  Spheres,       ///< spheres that hold them: quick, and a hit may be a false alarm
  SpheresFirst,  ///< spheres, and the shapes where these do not decide: the answer of the shapes
};
[[nodiscard]] const char* name_of(CheckModels models);  ///< "meshes", "spheres", "spheres-first"

/// Where spheres come from where they are asked for.
struct CellSpheres {
  double error = 0.005;  ///< how far those that are made may stick out [m]
  /// Read from a file, by name of link or body (foam's JSON, sphere_robot_file.h); made where a
  /// body is not named.
  std::vector<NamedSpheres> given{};
};

/// Something mounted on a link, or standing in the cell.
struct CellBody {
  std::string name;
  std::uint32_t link = kNoLink;    ///< kNoLink: stands in the cell
  Pose frame_from_body;            ///< where its own frame is, in that of the link or the cell
  std::vector<RobotShape> shapes;  ///< in the frame of the link or of the cell
};

struct Cell {
  Robot robot;
  Pose world_from_base;
  bool visual = false;  ///< the robot's visual shapes stand for it, not its collision shapes
  std::vector<CellBody> bodies;
  std::uint32_t tool_link = 0;  ///< the tool centre point moves with this link...
  Pose link_from_tool;          ///< ...and is here
  /// Names of links or bodies that may touch.
  std::vector<std::pair<std::string, std::string>> allowed;
  std::optional<Srdf> srdf;
  std::size_t samples = 0;  ///< of the collision matrix
  std::uint64_t seed = 1;
  bool leave_out_never = false;
  CheckModels models = CheckModels::Meshes;
  CellSpheres spheres;
  std::vector<std::string> notes;  ///< of the files read

  /// The body of that name, or null.
  [[nodiscard]] const CellBody* body(std::string_view name) const;
  /// Where the tool centre point is, for a configuration.
  [[nodiscard]] Pose world_from_tool(std::span<const double> values) const;
};

/// Errors name the file, the place in it ("bodies/2/shapes/0/box") and the reason: no JSON, unknown
/// keys, missing or wrong values, names twice, meshes and robots that cannot be read, links that
/// are not there. A relative file is beside the cell. Nothing throws or prints; no depth of nesting
/// does harm.
[[nodiscard]] Result<Cell> read_cell(const std::string& path, Threads threads = {});
/// The same from memory; `path` stands in errors, and files are looked for beside it.
[[nodiscard]] Result<Cell> parse_cell(std::string_view text, const std::string& path,
                                      Threads threads = {});

/// A cell made ready: models, and the pairs to test.
struct ReadyCell {
  Cell cell;
  std::vector<CheckBody> bodies;  ///< the links with shapes, then the bodies of the cell
  CollisionMatrix matrix;
  bool has_spheres = false;  ///< every body has spheres that hold it

  /// The number of the body of that name; absent when there is none.
  [[nodiscard]] std::optional<std::uint32_t> body(std::string_view name) const;
  /// Where each body is, for a configuration: by body.
  [[nodiscard]] std::vector<Pose> body_poses(std::span<const double> values) const;
};

/// Builds the models and sorts the pairs; makes spheres where `models` needs them, each body proven
/// to be inside its own. Errors: those of make_body(); spheres that do not hold their body, or are
/// for none; names in `allowed` that are no bodies; cancelled. The same for any number of threads.
[[nodiscard]] Result<ReadyCell> prepare(const Cell& cell, Threads threads = {},
                                        Monitor* monitor = nullptr);

}  // namespace clearance
