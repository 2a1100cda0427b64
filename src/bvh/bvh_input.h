// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every tree asks of the triangles it is built over, refitted to or mapped with.
#pragma once

#include <span>

#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>

#include "bvh/binary_tree.h"

namespace clearance::detail {

/// Bounds of what the triangles use, or what is wrong with them: none or 2³¹ and more, an index out
/// of range, a coordinate that is not finite or beyond 1e15 m.
Result<Box> checked_bounds(std::span<const Vec3> vertices, Faces faces);

}  // namespace clearance::detail
