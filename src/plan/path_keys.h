// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A path as key frames for programs that interpolate on their own.
#pragma once

#include <vector>

#include <clearance/plan/path.h>

namespace clearance::detail {

/// Turns between keys stay below this [rad]: well below half a turn, where "the shorter way" is a
/// matter of rounding.
inline constexpr double kWidestTurn = 1.5;

struct PathKey {
  double at = 0.0;  ///< in [0, 1] by arc length, ascending
  Pose world_from_body;
  Quaternion turn;     ///< of the same pose, of the sign that continues that of the key before
  double angle = 0.0;  ///< from the key before [rad]
};

/// All poses of the path, and so many between them that no turn is wider than `widest`.
[[nodiscard]] std::vector<PathKey> path_keys(const PlanPath& path, double radius, double widest);

}  // namespace clearance::detail
