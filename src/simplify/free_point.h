// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Free places of a tool beside a body (tool_probe.h), found by walking. What is found is proven;
// that nothing is found proves nothing.
#pragma once

#include <clearance/geometry/vector.h>

#include "simplify/tool_probe.h"

namespace clearance::detail {

/// A place with free space around it.
struct FreePoint {
  bool found = false;
  Vec3 point;
  /// Proven: the tool may go that far from here in any direction [m].
  double spare = 0.0;
  ToolContact contact;  // as seen from the place
};

/// Looks for a free place near `start` by moving away from the surface: up to `steps` contacts.
/// `start_is_outside`: no middle of a sphere is inside the solid there.
[[nodiscard]] FreePoint push_out(const ToolProbe& tool, int steps, const Vec3& start,
                                 bool start_is_outside);

/// From a free place to one nearer to c, in the end to the nearest thereabouts, where the tool
/// touches the body in up to three places. Up to `steps` contacts; stops as soon as it is within
/// `enough` of c.
[[nodiscard]] FreePoint draw_near(const ToolProbe& tool, int steps, const FreePoint& start,
                                  const Vec3& c, double enough);

}  // namespace clearance::detail
