// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The surface that bounds everything a body passes on a straight way. One distance from it is the
// least distance over the whole way: exact, and of the same cost however narrow the gap, where
// advancing from pose to pose takes a number of looks that grows as (length) / (gap).
//
// Why: a triangle moved along v passes a prism, whose surface is the triangle at both ends and the
// parallelograms its edges pass. What is outside all prisms is nearest to one of their surfaces.
// Between two neighbouring triangles that face the same way along v the parallelogram is inside
// both prisms together and can be left out.
#pragma once

#include <clearance/mesh/mesh.h>

namespace clearance::detail {

/// The body at both ends of the way `by` (its own frame [m]), and the parallelograms of the edges
/// where it turns from facing forward to backward, of borders and of faces along the way. What
/// touches no triangle of it can still be wholly within the swept space: an obstacle's piece so
/// small that the body passes over it. A ray from it against `by` tells.
[[nodiscard]] Mesh swept_surface(const Mesh& body, const Vec3& by);

}  // namespace clearance::detail
