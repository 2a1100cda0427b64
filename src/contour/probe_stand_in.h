// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh with fewer triangles in place of a part of a mesh, and a proof of how far it is off: no
// point of the part is farther from the stand-in than `error`, hence nothing is closer to the part
// than its distance from the stand-in less `error`. mesh/level_of_detail.h makes the mesh, and
// gives an estimate only; the proof is made here.
//
// The proof. The distance from one triangle of the stand-in is convex, so on a triangle of the part
// it is largest at a corner: the largest of the three corners' distances from a common triangle of
// the stand-in bounds all points between them. So does the largest distance of a corner from any
// triangle plus the radius of the smallest sphere around the corners. The better of the bounds is
// taken; triangles for which both are poor are cut in four, a few times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <clearance/mesh/mesh.h>

#include "contour/probe_contest.h"

namespace clearance::detail {

struct StandIn {
  Mesh mesh;
  double error = 0.0;  // [m]
};

/// For these triangles of the mesh, at least one: about target_triangles, more where the shape
/// allows no fewer, at worst the part itself with error 0.
[[nodiscard]] StandIn stand_in_for(const ProbeMesh& mesh, std::span<const std::uint32_t> triangles,
                                   std::size_t target_triangles);

}  // namespace clearance::detail
