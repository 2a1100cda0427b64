// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where balls leave a kept volume uncovered: many points at once, for a search to mend. Not a proof
// (verify_cover gives that): where the kept volume is filled, its boundary is an estimate and gaps
// finer than the resolution stay unseen.
#pragma once

#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"
#include "simplify/symmetry.h"

namespace clearance::detail {

struct GapOptions {
  double finest_inside = 0.06;  ///< cells are cut down to this part of the error
  /// Gaps are looked for in its home and a little around it alone; null: everywhere.
  const Symmetry* symmetry = nullptr;
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Points of the kept volume in no ball, those where gaps are deepest among them. The same for any
/// number of threads.
[[nodiscard]] std::vector<Vec3> find_gaps(const BallField& field, std::span<const Sphere> balls,
                                          const GapOptions& options);

}  // namespace clearance::detail
