// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// At a point of a seam, which angles of the torch can be reached without touching anything? The
// search for them is the first use of collision checks in offline programming of welding.
//
// At all angles zero the tool centre point is at the point, its z axis against the surface's
// direction (the torch stands straight on it) and its x axis along the seam. The work angle leans
// the torch across the seam: a turn about the seam. The travel angle leans it along the seam: a
// turn about the direction across. The rotation turns it about its own z axis.
//
// For each angle several configurations are tried, by inverse_kinematics() from seeded guesses; an
// angle not found reachable is not proven to be out of reach. Free means free at that
// configuration, on the exact shapes (cell_checker.h), not on the way to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/check/cell.h>
#include <clearance/geometry/pose.h>

namespace clearance {

/// A point to be worked on, in the cell.
struct ProcessPoint {
  Vec3 point;      ///< [m]
  Vec3 direction;  ///< out of the surface: where the torch stands; any length but 0
  Vec3 along;      ///< the seam; what of it is along `direction` is left out
};

struct ToolAngleOptions {
  std::vector<double> work{0.0};      ///< [rad]
  std::vector<double> travel{0.0};    ///< [rad]
  std::vector<double> rotation{0.0};  ///< [rad]
  /// Guesses for each angle, beside the rest of the robot and the last solution found.
  std::size_t guesses = 8;
  std::uint64_t seed = 1;
  Threads threads;
  Monitor* monitor = nullptr;
};

enum class ToolAngleStatus : std::uint8_t { Free, Blocked, NotReached };
[[nodiscard]] const char* name_of(ToolAngleStatus status);  ///< "free", "blocked", "not_reached"

struct ToolAngle {
  double work = 0.0;      ///< [rad]
  double travel = 0.0;    ///< [rad]
  double rotation = 0.0;  ///< [rad]
  ToolAngleStatus status = ToolAngleStatus::NotReached;
  std::vector<double> values{};       ///< a configuration, when reached: a free one if there is one
  std::optional<BodyPair> contact{};  ///< when blocked, what touches then
};

/// Where the tool centre point is at these angles, in the cell.
[[nodiscard]] Pose tool_at(const ProcessPoint& point, double work, double travel, double rotation);

/// All combinations: work slowest, then travel, then rotation. The same for any number of threads.
/// Errors: a direction or seam without length, or the seam along the direction; no angle in a
/// list; numbers that are not finite; cancelled.
[[nodiscard]] Result<std::vector<ToolAngle>> tool_angles(const ReadyCell& cell,
                                                         const ProcessPoint& point,
                                                         const ToolAngleOptions& options);

}  // namespace clearance
