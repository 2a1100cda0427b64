// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a search ends in a proof: radii that are proven, and balls for the places that the proof
// leaves open, until there are none.
#pragma once

#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/ball_field.h"

namespace clearance::detail {

/// Searches are for an error smaller by this part than the one allowed: what proven radii may be
/// too small by where the search has looked closely, and room for the proof to end in.
inline constexpr double kReserve = 0.004;
/// Pieces of a proof are not divided below this part of the error; places that stay open are held
/// by balls that reach farther around them by as much again.
inline constexpr double kSmallestPiece = 2e-3;
/// Rounds of proof and balls for what it leaves open, at most.
inline constexpr int kMostMendings = 40;

/// The largest ball about a point that is proven to stay within the error.
[[nodiscard]] Sphere proven_ball(const KeptVolume& kept, const Vec3& center, double error);

struct ClosingOptions {
  Threads threads;
  Monitor* monitor = nullptr;
};
/// Appends balls, proven for the error, that hold the points and a little around them, the farthest
/// from the balls there are first. `field` is that of the search. The same for any number of
/// threads.
void append_closing_balls(const BallField& field, std::span<const Vec3> points, double error,
                          const ClosingOptions& options, std::vector<Sphere>& spheres);

}  // namespace clearance::detail
