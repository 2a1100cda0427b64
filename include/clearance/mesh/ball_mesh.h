// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Balls as triangles, to look at: the corners lie on the spheres and the faces inside, so that it
// is no model to check collisions with.
#pragma once

#include <cstddef>
#include <span>

#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// Most times that the triangles of an octahedron are cut into four.
inline constexpr int kFinestBall = 6;
/// Corners of each ball of ball_mesh().
[[nodiscard]] std::size_t ball_vertex_count(int times);

/// All balls in one mesh, ball after ball: octahedra whose triangles are cut into four `times` over
/// (0 to kFinestBall): 8 * 4^times triangles each. Balls without a radius above 0 are left out; the
/// empty mesh when none is left. Asserts that centres and radii are finite.
[[nodiscard]] Mesh ball_mesh(std::span<const Sphere> balls, int times);

}  // namespace clearance
