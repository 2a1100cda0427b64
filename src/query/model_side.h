// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// On which side of a closed surface a point is, by counting the crossings of a ray on the tree.
#pragma once

#include <clearance/bvh/bvh.h>
#include <clearance/mesh/inside.h>

namespace clearance::detail {

/// Boundary when a triangle is at `tolerance` [m] or closer to the point; Inside when the surface
/// wraps around it a number of times that is not 0. The triangles must form a closed, consistently
/// wound surface.
Side side_of_surface(const Bvh& bvh, const Vec3& point, double tolerance);

}  // namespace clearance::detail
