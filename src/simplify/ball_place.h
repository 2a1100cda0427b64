// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The best place for one ball: where it holds given points with the most to spare.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"

namespace clearance::detail {

struct PlaceOptions {
  double first_step = 0.2;      ///< as a part of the radius
  double last_step = 0.004;     ///< likewise
  std::size_t most_looks = 40;  ///< radii asked for, at most
  /// Where there is as much to spare, no better place is looked for [m].
  double enough = 0.0;
};

struct PlacedBall {
  Sphere ball;
  double spare = 0.0;  ///< how far the farthest of the points is from its surface [m]; negative
                       ///< when it is outside
};

/// Near to where the ball is. The radius that the ball comes with is that of the field.
[[nodiscard]] PlacedBall best_place(const BallField& field, const Sphere& ball,
                                    std::span<const Vec3> points, const PlaceOptions& options);

}  // namespace clearance::detail
