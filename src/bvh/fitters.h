// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The three fitters of "Construction of Bounding Volume Hierarchies for Triangle Meshes with Mixed
// Face Sizes" (Li, Shellshear, Bohlin, Carlson): where a set of triangles may be split, and along
// which axes its volume is fitted. Equation numbers are the paper's. Each takes two passes, O(n).
#pragma once

#include <span>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// The plane through `position` across one of the axes splits the set.
struct SplitFrame {
  Vec3 position;
  /// The columns: the candidates for the split axis, by falling eigenvalue. A rotation.
  Mat3 axes;
};

/// Total area below which a set counts as degenerate and is treated by its vertices, as the paper
/// does below its epsilon; a fraction of the square of the set's extent, so that it means the same
/// at every scale. Rounding of a sliver's area is about 1e-16 of that square.
inline constexpr double kDegenerateArea = 1e-12;

/// Mean and covariance of the vertices: eqs. (1), (2). In the paper PQP_FIT.
[[nodiscard]] SplitFrame pqp_frame(std::span<const Triangle> triangles);
/// Centroid and covariance of the surface, by area: eqs. (7) to (9), without the convex hull. In
/// the paper RAPID2_FIT. A degenerate set gets its pqp_frame(). `areas` is scratch.
[[nodiscard]] SplitFrame rapid2_frame(std::span<const Triangle> triangles,
                                      std::vector<double>& areas);
/// Centre of mass (Algorithm 1) and inertia by A_i / A_min: eq. (10). In the paper INERTIA_FIT. A
/// degenerate set gets its pqp_frame(). `areas` is scratch.
[[nodiscard]] SplitFrame inertia_frame(std::span<const Triangle> triangles,
                                       std::vector<double>& areas);

/// The frame of any fitter; Binned, which splits along the coordinate axes, fits along the axes of
/// inertia.
[[nodiscard]] SplitFrame split_frame(Fitter fitter, std::span<const Triangle> triangles,
                                     std::vector<double>& areas);

}  // namespace clearance::detail
