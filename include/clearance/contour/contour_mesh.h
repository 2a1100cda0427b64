// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contour segments as triangles, to be looked at: in pictures and in files for other programs. For
// measuring there is prober.h, which knows the segments themselves.
#pragma once

#include <span>

#include <clearance/contour/contour.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// Points around a circle.
inline constexpr int kContourMeshSides = 32;
/// Circles along a segment between tilted circles, whose surface is not straight all around.
inline constexpr int kContourMeshRings = 5;

/// The surfaces of all segments, one after the other: the points lie on them, the ends are closed
/// by their discs. Triangles face outward where the discs do not cut through each other. A part for
/// each segment, "segment 0", "segment 1", ... At least one segment, finite: asserted.
[[nodiscard]] Mesh contour_mesh(std::span<const ContourSegment> segments);

}  // namespace clearance
