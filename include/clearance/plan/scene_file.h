// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning problems out of files. A SceneDescription says which files make up the body and the
// obstacles, where they stand, and what is asked; load_scene() reads the meshes and makes the
// PlanProblem of it. Descriptions come from JSON (schema/scene.schema.json, docs/formats.md), from
// the .cfg files of OMPL.app (rigid bodies in space), from a command line, or out of a plan file,
// which holds all that is needed to prove its path again (plan_file.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/plan/problem.h>

namespace clearance {

/// A mesh file, or parts of it, as a piece of the body or of the obstacles.
struct SceneFile {
  std::string path;
  /// Names of the parts that are meant, as `clearance clash` lists them; "body/*" means all that
  /// begin with "body/". Empty: all...
  std::vector<std::string> parts{};
  /// ...but these.
  std::vector<std::string> without{};
  std::optional<double> metres_per_unit{};  ///< of the file; absent: as it declares
  double scale = 1.0;                       ///< the shape, about the origin of the file
  /// Where the file's frame is: in the body's own frame, or in the world.
  Pose pose{};
};

/// What is allowed where parts touch when assembled (relieve_start in problem.h).
struct Touching {
  enum class Kind : std::uint8_t {
    Refused,  ///< a start in contact is an error
    Auto,     ///< the least relief that frees the start, up to kMostAutomaticRelief of the body
    Depth,    ///< the body is relieved by `depth`
  };
  Kind kind = Kind::Refused;
  double depth = 0.0;  ///< [m], for Depth
  bool operator==(const Touching&) const = default;
};
/// Of the diagonal of the body: contact of real assemblies is far below, an overlap that needs more
/// is a mistake in the scene.
inline constexpr double kMostAutomaticRelief = 0.01;

struct SceneDescription {
  std::string name;  ///< of the file it came from; empty: none
  std::vector<SceneFile> body;
  std::vector<SceneFile> obstacles;
  Pose start;                 ///< world_from_body
  std::optional<Pose> goal;   ///< absent: out
  std::optional<Box> bounds;  ///< of the pivot, world [m]
  double clearance = 0.0;     ///< [m]
  Touching touching;
  /// A closed mesh has an inside, and what is in there touches it. Otherwise meshes are surfaces,
  /// and a body may start inside a closed one: rooms drawn as shells.
  bool solid = true;
  std::vector<std::string> notes;  ///< whole sentences about how the file was understood
};

/// A scene from JSON. Paths of meshes are taken from the folder of `path`. Errors name the place in
/// the document. No mesh is read.
[[nodiscard]] Result<SceneDescription> parse_scene(std::string_view text, const std::string& path);

/// A scene from an OMPL.app .cfg file: [problem] with robot, world, start, goal and volume. As in
/// OMPL.app, the robot's frame has its origin at the mean of the vertices that assimp makes of its
/// file, COLLADA that is not Y up is turned to Y up, and lengths are the numbers of the mesh files,
/// whatever unit these declare; meshes are surfaces. Reads the robot's file for that mean. Refused:
/// problems in the plane, and those with controls (cars, blimps, quadrotors).
[[nodiscard]] Result<SceneDescription> parse_ompl_cfg(std::string_view text,
                                                      const std::string& path);

/// Either, by the extension (.json, .cfg).
[[nodiscard]] Result<SceneDescription> read_scene(const std::string& path);

/// Bytes and content of a file that was read.
struct FileSeen {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of the content: tells damage and change, not forgery
};

/// A run of triangles of the body or of the obstacles, and where it came from.
struct SceneRange {
  std::size_t file = 0;  ///< of SceneDescription::body or ::obstacles
  std::string part;      ///< as the file names it
  std::uint32_t first_triangle = 0;
  std::uint32_t triangle_count = 0;
};

/// One side of a scene, as read.
struct SceneSide {
  std::vector<FileSeen> files;     ///< as in the description
  std::vector<SceneRange> ranges;  ///< all triangles, ascending
  std::uint64_t checksum = 0;      ///< of all vertices and triangles, placed, in metres

  /// The range of a triangle; it must be one of this side's.
  [[nodiscard]] const SceneRange& range_of(std::uint32_t triangle) const;
  /// "part 'bolt' of housing.step, triangle 12".
  [[nodiscard]] std::string name_of(std::uint32_t triangle) const;
};

struct PlanScene {
  SceneDescription description;
  PlanProblem problem;  ///< the body as relieved
  SceneSide body;
  SceneSide obstacles;
  Mesh body_mesh;  ///< as given, before relief
  double relief =
      0.0;  ///< [m]: how far the surface of problem.body may be inside that of body_mesh
  /// When touching was allowed: how the start stood with the body as given.
  std::optional<PoseReport> start_as_given;
  std::vector<std::string> notes;
};

struct SceneLoadOptions {
  BvhOptions tree{};  ///< of both models
  Threads threads{};  ///< never changes the result
  Monitor* monitor = nullptr;
};

/// Reads the meshes, puts them together, and relieves the body where touching is allowed. Errors:
/// those of the files, part names that are not there, the same part as body and obstacle at one
/// place, contact that no relief frees. Start and goal are looked at by check_problem().
[[nodiscard]] Result<PlanScene> load_scene(const SceneDescription& description,
                                           const SceneLoadOptions& options = {});

}  // namespace clearance
