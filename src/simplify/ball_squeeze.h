// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fewer balls for the same points: one ball after the other is taken away, its neighbours move into
// the hole, and theirs into what these leave, until all is held again or the ball is put back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"
#include "simplify/point_blocks.h"

namespace clearance::detail {

struct SqueezeOptions {
  std::size_t most_moves = 120;  ///< of balls, into one hole
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Balls that hold what `balls` held of the points, no more in number. Radii are those of the
/// field. The same for any number of threads.
void squeeze_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                   const SqueezeOptions& options);

/// Moves balls until all points are held, and adds one where moves are not enough.
void mend_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                const SqueezeOptions& options);

/// Moves the balls at points in no ball, and those that they meet, to where each holds those points
/// with the most to spare that it holds best of all balls, or lacks least: points are drawn in by
/// all around them. How far the point is that is farthest from all balls never grows. The same for
/// any number of threads.
void relax_balls(const BallField& field, const PointBlocks& points, std::vector<Sphere>& balls,
                 int sweeps, const SqueezeOptions& options);

}  // namespace clearance::detail
