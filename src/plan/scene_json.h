// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What scenes and plan files share: goals and bounds out of JSON, and the limits of numbers.
#pragma once

#include <optional>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

#include "mesh/json_reader.h"

namespace clearance::detail {

/// Coordinates and lengths of scenes are refused above this [m]: beyond, doubles are too coarse for
/// clearances of micrometres, and a mistake in the unit is likelier.
inline constexpr double kLargestSceneLength = 1e7;
/// Scales below this, and above its inverse, are a slip.
inline constexpr double kLeastSceneScale = 1e-9;

/// A pose, or "out": nothing.
[[nodiscard]] std::optional<Pose> read_goal(JsonReader& in, const JsonNode& at);
/// {"low": [...], "high": [...]}
[[nodiscard]] Box read_bounds(JsonReader& in, const JsonNode& at);

}  // namespace clearance::detail
