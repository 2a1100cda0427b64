// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of poses in and distances out, a thousand a second: the lines, and the force of a virtual
// fixture. docs/probe.md shows them in use (clearance probe --stream); stream_clock.h keeps the
// time.
//
// A line in is a JSON object (schema/probe-frame.schema.json), metres and radians:
//
//   {"pose": [x, y, z, qx, qy, qz, qw]}          or [x, y, z], or 16 numbers: a matrix by rows
//   {"joints": [0.1, ...]}                       one for each joint, or {"joints": {"elbow": 0.1}}
//   {"nodes": [[x, y, z, tx, ty, tz, r], ...]}   the whole shape: circles of all series, in order
//
// and "id": an integer that comes back with the answer; "time": seconds, for files of such lines. A
// pose may stand beside joints or nodes. A line is complete by itself: what it does not name is as
// at the start, not as in the line before.
//
// Reading and writing lines does not allocate once the objects have been used, unless a line is
// refused. Nothing throws or prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/prober.h>
#include <clearance/geometry/pose.h>

namespace clearance {

/// Largest difference of a quaternion's length from 1: four digits in a text pass; a mistake in the
/// order of the numbers or a forgotten one does not.
inline constexpr double kFrameQuaternionTolerance = 1e-3;
/// Longer lines are refused [bytes].
inline constexpr std::size_t kLongestFrame = std::size_t{1} << 20U;

/// What lines may hold: it follows from the robot.
struct FrameShape {
  std::vector<std::string> joints;  ///< names of the free joints, in order; empty: a rigid body
  std::size_t nodes = 0;            ///< circles of all series together; 0: "nodes" is refused
};

/// What a line said.
struct ProbeFrame {
  std::optional<std::int64_t> id{};
  std::optional<double> time{};  ///< [s]
  std::optional<Pose> world_from_root{};
  /// By joint [rad], [m]; NaN for those not named. Empty when the line has no "joints".
  std::vector<double> joints{};
  std::vector<ContourNode> nodes{};  ///< checked one by one; empty when the line has none
};

/// Reads a line into `frame`, whose memory is used again; after an error its content has no
/// meaning. Errors (the place says where, "pose", "joints/elbow", "nodes/3"): text that is not a
/// JSON object of this form, a number that is not finite, another count of numbers than the robot
/// has, a quaternion or matrix that is not a rotation, a translation beyond kLargestTranslation
/// (query.h), a negative radius, a tangent that is not of unit length, a name that is not known or
/// comes twice. Limits of joints are not looked at.
Status parse_frame(std::string_view line, const FrameShape& shape, ProbeFrame& frame);

/// A spring that pushes the robot away from the mesh within a margin.
struct FixtureOptions {
  double stiffness = 0.0;  ///< [N/m], 0 or more
  double margin = 0.0;     ///< [m], 0 or more: the spring is at rest at this distance
};

struct FixtureForce {
  /// Of unit length, from the mesh to the robot; zero when it is not known.
  Vec3 direction;
  /// stiffness * (margin - distance) along the direction, where that is above zero [N].
  Vec3 force;
  double magnitude =
      0.0;  ///< [N]; in contact without a known direction the force is zero, this not
};

/// The force on the robot. The closest points of a contact are the same point and have no
/// direction: `before` stands in, the direction of the last answer that had one (zero: none).
[[nodiscard]] FixtureForce fixture_force(const ProbeHit& hit, const FixtureOptions& options,
                                         const Vec3& before = {});

/// A line out.
struct ProbeAnswer {
  std::uint64_t sequence = 0;  ///< counts answers from 0
  std::optional<std::int64_t> id{};
  ProbeHit hit{};
  FixtureForce fixture{};
  double latency = 0.0;  ///< [s], from the tick (or the arrival of the line) to the answer
  bool missed = false;   ///< the deadline had passed
};

/// Writes the answer as a line of JSON with its line end (schema/probe-answer.schema.json) over
/// what `line` held. Numbers are the shortest that read back as the same double; what is not
/// known is null.
void write_answer(const ProbeAnswer& answer, std::string& line);
/// {"error": ..., "line": N} with its line end: why line N (from 1) was refused.
void write_refusal(const Error& error, std::uint64_t number, std::string& line);

}  // namespace clearance
