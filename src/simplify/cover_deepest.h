// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The point of a body that is farthest from all balls: pieces of its surface and of its inside, the
// most promising first. A piece is at most as far from the balls as its farthest corner is from the
// ball that is nearest to its middle.
#pragma once

#include <cstddef>

#include <clearance/simplify/kept_volume.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/piece_work.h"

namespace clearance::detail {

struct DeepestGap {
  Vec3 point;
  double depth = 0.0;  // of the point [m]
  double upper = 0.0;  // of every point of the body [m]
  std::size_t pieces = 0;
};

/// `kept` null: the body itself. From a point known to be of the body and in no ball; until the
/// bounds are within `tolerance` [m] or a hundredth of the depth of each other.
[[nodiscard]] DeepestGap deepest_gap(const BodyProbe& body, const KeptVolume* kept,
                                     const BallSet& balls, const Vec3& start, double tolerance,
                                     const PieceLimits& limits);

}  // namespace clearance::detail
