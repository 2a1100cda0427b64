// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gaps between flat faces that a ball does not fit into by a hair, as a pocket that was drawn as
// wide as the ball and rounded when it was written. Points of the two faces show that a place is
// taken only for places within the root of what is missing; the faces as a whole show it at once.
#pragma once

#include <clearance/geometry/vector.h>

#include "simplify/body_probe.h"

namespace clearance::detail {

/// Is it proven that no point within `around` of a place is `radius` or more away from the surface,
/// since two flat faces are nearer to each other than twice the radius there? `touched`: the point
/// of the surface that is nearest to the place. False where it is not known. Cost: some ten
/// distances at most, one where there is no second face.
[[nodiscard]] bool is_between_flat_faces(const BodyProbe& body, const Vec3& place, double around,
                                         double radius, const Vec3& touched);

}  // namespace clearance::detail
