// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Few spheres, capsules and boxes that hold a kept volume, from a sphere model of it.
#pragma once

#include <span>

#include <clearance/simplify/simplify.h>

namespace clearance::detail {

/// `spheres` cover the kept volume within the error, by proof; so does what comes back, with no
/// more primitives: the spheres themselves where capsules and boxes save nothing. The same for any
/// number of threads. Errors: cancelled.
[[nodiscard]] Result<PrimitiveSet> with_primitives(const KeptVolume& kept,
                                                   std::span<const Sphere> spheres, double error,
                                                   const SimplifyOptions& options);

}  // namespace clearance::detail
