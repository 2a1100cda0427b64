// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh seen along an axis and cut into slabs across it. Circles of a fit stand at the stations
// between the slabs. The solid between two parallel circles is convex; so, within a slab that no
// circle divides, it holds the mesh if it holds the vertices there and the corners of the slices
// above and below. These points are all a fit has to look at, and nothing is lost by it.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/mesh/mesh.h>

namespace clearance::detail {

struct FitSlabs {
  /// Lengths below are in units of this [m]: half the diagonal of the mesh. Numbers about 1 suit
  /// the solver.
  double unit = 1.0;
  /// The axis is z of the frame, its origin the middle of the mesh [m].
  Pose mesh_from_frame;
  /// Heights a circle may stand at, ascending; the first is below the mesh, the last above.
  std::vector<double> stations;
  /// points[i] bound what is between stations i and i + 1 (to rounding).
  std::vector<std::vector<Vec3>> points;
  /// The first outer[i] of them are the outermost in some direction: nearly all that matter.
  std::vector<std::size_t> outer;
};

/// Stations at even distances, and three close to each other where flat faces across the axis show
/// a step. With a margin [m], the points bound the mesh moved up and down by it.
[[nodiscard]] FitSlabs cut_into_slabs(const Mesh& mesh, const Vec3& unit_axis, double margin);

}  // namespace clearance::detail
