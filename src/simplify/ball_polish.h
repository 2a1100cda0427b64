// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the balls of a cover, one after the other, to where they hold the points that are theirs
// alone with the most to spare.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"

namespace clearance::detail {

struct PolishOptions {
  int rounds = 2;
  std::uint64_t seed = 1;
  bool only_wanted = false;  ///< move only balls that are drawn by points in none
};

/// Radii are field.radius() of the centres. Points in no ball draw the one that is nearest to
/// holding them, which may then leave others to its neighbours; where all points are held before,
/// they are after. Balls that hold no point alone are taken away.
void polish_balls(const BallField& field, std::span<const Vec3> points, std::vector<Sphere>& balls,
                  const PolishOptions& options);

}  // namespace clearance::detail
