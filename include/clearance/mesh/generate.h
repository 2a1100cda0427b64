// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts and scenes made by formula: for examples, tests and benchmarks. They stand in for the
// private models of the papers at the same triangle counts, with the mix of sizes of real CAD (huge
// thin triangles beside finely tessellated fillets, bores and pleats). docs/generate.md shows each.
//
// The same name, count and seed give the same bits. Metres. Every solid is closed, its triangles
// face outward, and none is degenerate. The requested number of triangles is met exactly: the
// tessellation is chosen just below it, then edges are split at their middle, which changes no
// shape. Cost: about a second for a million triangles.
//
// What they are not: exact copies of real parts, and not free of overlap between the parts of one
// assembly that are welded or pressed together. Body and obstacles never touch at the start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/mesh/assembly.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct GenerateOptions {
  /// Triangles in all; 0 takes the generator's default. A scene with a body shares them between
  /// body and obstacles in the proportion of its defaults, as far as the minimum of each allows.
  std::size_t triangles = 0;
  /// Triangles of the movable body and of the obstacles, for scenes that have both. 0: by
  /// `triangles`. Set both, or one together with `triangles` left 0 (the other is then as default).
  std::size_t body_triangles = 0;
  std::size_t obstacle_triangles = 0;
  /// Varies what is irregular (the bumps of the atrium, the edge of the hole in the wall).
  std::uint64_t seed = 1;
  /// Can stop the work between its steps, the longest of which is building one shape.
  const Monitor* monitor = nullptr;
};

/// What a generator makes.
struct GeneratorInfo {
  std::string_view name;
  std::string_view description;       ///< one line
  std::string_view stands_for;        ///< paper, model and count; empty when there is none
  std::size_t default_triangles = 0;  ///< body and obstacles together
  std::size_t minimum_triangles = 0;  ///< smallest count that can be asked for
  /// One closed solid: its count is always even, and an odd request is refused. The others hold an
  /// open sheet (a label) that takes up the odd triangle.
  bool even_only = false;
  /// Defaults and minima of body and obstacles; zero for generators without that division. The
  /// names of their parts begin with "body/" and "obstacle/".
  std::size_t body_triangles = 0;
  std::size_t obstacle_triangles = 0;
  std::size_t minimum_body_triangles = 0;
  std::size_t minimum_obstacle_triangles = 0;
};

/// All generators, in the order of docs/generate.md. The names are stable.
[[nodiscard]] std::span<const GeneratorInfo> generators();

/// Makes the part or scene of that name. Errors: NotFound for a name that is not in generators();
/// Invalid for a count below the minimum, or an odd one where only even ones exist; Cancelled.
[[nodiscard]] Result<Assembly> generate(std::string_view name, const GenerateOptions& options = {});

/// A straight hollow pipe along z, centred at the origin, its ends square. The rim points lie on
/// the circles, the facets inside the outer one. triangles: even, at least 48.
struct PipeOptions {
  double outer_diameter = 0.052;  ///< [m]
  double bore = 0.040;            ///< inner diameter [m]
  double length = 0.200;          ///< [m]
  std::size_t triangles = 1942;
};
[[nodiscard]] Result<Mesh> make_pipe(const PipeOptions& options = {});

/// Three equal hollow pipes whose axes meet at the origin, in the plane z = 0 at 120 degrees from
/// each other, the first along +x; bores and skins run into each other. triangles: even.
struct PipeJointOptions {
  double outer_diameter = 0.052;  ///< [m]
  double bore = 0.040;            ///< inner diameter [m]
  double length = 0.150;          ///< of each pipe, from the middle to its square end [m]
  std::size_t triangles = 1942;
};
[[nodiscard]] Result<Mesh> make_pipe_joint(const PipeJointOptions& options = {});

/// An upright wall in the plane x = 0 with a round hole whose middle is the origin. The edge of the
/// hole is rounded, and uneven as if cut by hand. triangles: even.
struct WallOptions {
  double width = 1.6;          ///< along y [m]
  double height = 1.6;         ///< along z [m]
  double thickness = 0.03;     ///< along x [m]
  double hole_diameter = 0.3;  ///< mean diameter [m]
  double unevenness = 0.04;    ///< largest deviation of the hole's radius, as a fraction; 0: round
  std::size_t triangles = 4308;
  std::uint64_t seed = 1;
};
[[nodiscard]] Result<Mesh> make_wall(const WallOptions& options = {});

/// A bin open at the top (+z), standing on z = 0 with its middle at the origin. The walls lean
/// outward by the draft; the rim has a flange; all corners are rounded. triangles: even.
struct BinOptions {
  double length = 0.60;  ///< inside, along x at the floor [m]
  double width = 0.40;   ///< inside, along y at the floor [m]
  double height = 0.25;  ///< outside [m]
  double wall = 0.004;   ///< thickness of walls and floor [m]
  double draft = 0.07;   ///< angle of the walls from upright [rad]
  std::size_t triangles = 2000;
};
[[nodiscard]] Result<Mesh> make_bin(const BinOptions& options = {});

/// A parallel-jaw gripper. Frame: z is the direction of approach, away from the palm; the fingers
/// close along x; the origin is midway between the tips of the fingers, `grip` back from their
/// ends. Parts: palm, finger-left (x < 0), finger-right, pads, screws, label. triangles: any.
struct GripperOptions {
  double opening = 0.08;            ///< between the faces of the pads [m]
  double finger_length = 0.09;      ///< from palm to tip [m]
  double finger_width = 0.022;      ///< along y [m]
  double finger_thickness = 0.012;  ///< along x, without the pad [m]
  double grip = 0.012;              ///< origin to the end of the fingers [m]
  std::size_t triangles = 12000;
};
[[nodiscard]] Result<Assembly> make_gripper(const GripperOptions& options = {});

/// A welding torch. Frame: the origin is the middle of the mounting flange, z away from it; the
/// neck bends towards +x. Parts: body, neck, nozzle with contact tip and wire, label; neighbours
/// run into each other. triangles: any.
struct TorchOptions {
  double bend = 0.7853981633974483;  ///< of the neck [rad], 0 to a quarter turn
  double wire_diameter = 0.0012;     ///< [m]
  double stick_out = 0.012;          ///< of the wire beyond the gas nozzle [m]
  std::size_t triangles = 4318;
};
[[nodiscard]] Result<Assembly> make_torch(const TorchOptions& options = {});
/// flange_from_tip: the end of the wire, z along it and away from the torch, y as the flange's.
[[nodiscard]] Pose torch_tip(const TorchOptions& options = {});

}  // namespace clearance
