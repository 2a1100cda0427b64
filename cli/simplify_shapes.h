// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Models of spheres, capsules and boxes, and the links they stand for, to look at and to talk
// about.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/mesh/mesh.h>
#include <clearance/robot/robot.h>
#include <clearance/simplify/primitives.h>

namespace clearance::cli {

/// All shapes of a link of a robot in one mesh, in its frame.
[[nodiscard]] Result<Mesh> link_mesh(const RobotLink& link, bool visual);

/// Moved into another frame.
[[nodiscard]] PrimitiveSet placed(const PrimitiveSet& set, const Pose& pose);
/// A rotation that turns z to a direction, which is not 0.
[[nodiscard]] Mat3 upright(const Vec3& direction);
/// All of `more` behind what is there.
void append(const PrimitiveSet& more, PrimitiveSet& out);

/// Shapes as triangles. Corners of round ones lie on them and the faces inside: to look at, not to
/// check collisions with.
struct ShapeMesh {
  Mesh mesh;                  ///< empty when there is no shape
  std::vector<double> sizes;  ///< by vertex: the radius, or half the least side of a box [m]
};
/// `times`: how often the triangles of a ball are cut into four (ball_mesh.h).
[[nodiscard]] ShapeMesh shape_mesh(const PrimitiveSet& set, int times);
/// The largest and the least of the sizes [m].
struct SizeRange {
  double least = 0.0;
  double most = 0.0;
};
[[nodiscard]] SizeRange sizes_of(const PrimitiveSet& set);

/// "2 boxes, 1 capsule, 12 spheres": kinds that are there; "nothing" without any.
[[nodiscard]] std::string words_of(std::size_t spheres, std::size_t capsules, std::size_t boxes);

}  // namespace clearance::cli
