// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Capsules and boxes that may hold much of a kept volume within an error: found by estimates
// (BallField), to be proven when they are chosen.
#pragma once

#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"

namespace clearance::detail {

struct CandidateOptions {
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Capsules about lines through the seeds, along the edges of the mesh, as long as the radius
/// allows; and between neighbouring seeds. The same for any number of threads.
[[nodiscard]] std::vector<Capsule> capsule_candidates(const BallField& field,
                                                      std::span<const Vec3> seeds,
                                                      const CandidateOptions& options);

/// Boxes along the faces of the mesh, grown from the seeds as far as the error allows. The same for
/// any number of threads.
[[nodiscard]] std::vector<OrientedBox> box_candidates(const BallField& field,
                                                      std::span<const Vec3> seeds,
                                                      const CandidateOptions& options);

}  // namespace clearance::detail
