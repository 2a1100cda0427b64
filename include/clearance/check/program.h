// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A robot program: moves from way-point to way-point, with speeds. Read from JSON
// (schema/program.schema.json, docs/check.md); laid out over time by plan_path().
//
// - A joint move changes every joint at constant rate; all arrive together.
// - A line move brings the tool centre point along a straight line, while it turns at constant rate
//   about one axis. It is followed by short joint moves between points on the line; how far these
//   leave it is bounded and stated.
// - A wait stays.
// Between moves the robot stops; accelerations are not modelled. What is swept does not depend on
// the speeds, only the times do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/check/cell.h>
#include <clearance/geometry/pose.h>

namespace clearance {

enum class MoveKind : std::uint8_t { Joint, Line, Wait };
[[nodiscard]] const char* name_of(MoveKind kind);  ///< "joint", "line", "wait"

struct ProgramMove {
  MoveKind kind = MoveKind::Joint;
  std::string name;            ///< may be empty
  std::string place;           ///< in the file, for errors: "moves/3"
  std::vector<double> values;  ///< joint: where to [rad, m]
  Pose world_from_tool;        ///< line: where to
  /// Joint: fraction of the robot's own velocities; 0: by rate. Line: [m/s]; 0: by rate.
  double speed = 0.0;
  /// Joint: of the joint that turns most; line: of the tool's turning [rad/s]. 0: by speed. With
  /// both given, the slower one.
  double rate = 0.0;
  double seconds = 0.0;  ///< wait
};

struct RobotProgram {
  std::string file;           ///< for errors
  std::vector<double> start;  ///< the configuration at time 0
  std::vector<ProgramMove> moves;
};

/// Errors name the file, the place and the reason: no JSON, unknown keys, way-points or bodies that
/// are not there, joints that are unknown or missing, values outside their limits, speeds that are
/// not above 0. Nothing throws or prints; no depth of
/// nesting does harm.
[[nodiscard]] Result<RobotProgram> read_program(const std::string& path, const Cell& cell);
/// The same from memory; `path` stands in errors.
[[nodiscard]] Result<RobotProgram> parse_program(std::string_view text, const std::string& path,
                                                 const Cell& cell);

/// A straight piece in joint space, at constant rate.
struct PathPiece {
  double from = 0.0;          ///< [s]
  double to = 0.0;            ///< [s]
  std::vector<double> start;  ///< configuration at `from`
  std::vector<double> end;    ///< configuration at `to`
  std::uint32_t move = 0;     ///< of the program
};

/// A program laid out over time.
struct JointPath {
  std::vector<PathPiece> pieces;  ///< one after the other in time; never empty
  /// Lines: no point of the path is farther from the line than this [m], proven; by move, 0 for
  /// other moves.
  std::vector<double> deviations;
  std::vector<double> ends;  ///< when each move is over [s]

  [[nodiscard]] double duration() const { return pieces.back().to; }
  /// The configuration at a time; before the start and after the end those there.
  [[nodiscard]] std::vector<double> at(double time) const;
  /// The piece a time is in.
  [[nodiscard]] std::size_t piece_at(double time) const;
};

struct PathOptions {
  /// Lines are followed this closely [m].
  double line_error = 1e-4;
};

/// Errors (Invalid, with file, move and reason): a line that cannot be reached or followed (how far
/// it got, and the joints at a limit there); a speed that is a fraction of a velocity the robot
/// does not have; a line without length and without a rate. A program without moves stays where it
/// starts.
[[nodiscard]] Result<JointPath> plan_path(const Cell& cell, const RobotProgram& program,
                                          const PathOptions& options = {});

}  // namespace clearance
