// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The other ways to make a part cheaper to check that the paper on bounding spheres compares itself
// with (Visser, Pan, van Duin, Section III): the convex hull, convex pieces, voxels, a sphere tree;
// and how far one body reaches from another, which tells how far they are off. Decimation is in
// mesh/level_of_detail.h, sphere packing in simplify.h; comparison.h holds all against each other.
//
// The body is the solid for a closed, consistently wound mesh, else its surface (model.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/query/model.h>
#include <clearance/simplify/cover.h>

namespace clearance {

struct FarthestOptions {
  double tolerance = 0.0;            ///< gap of the bounds to stop at [m]; 0: 0.2 % of the diagonal
  std::size_t most_cells = 200'000;  ///< cells looked at, at most
};
/// The largest distance of a point of one body from another [m]: 0 when it lies wholly inside.
/// Enclosed by cells of an octree, with bounds rounded outward; the same bits every time.
[[nodiscard]] Enclosure farthest_from(const Model& from, const Model& to,
                                      const FarthestOptions& options = {});

/// The smallest convex body around a mesh, exact (convex_hull.h). Errors: a mesh whose vertices all
/// lie on one line.
[[nodiscard]] Result<Mesh> hull_of(const Mesh& mesh);

struct ConvexPiecesOptions {
  /// Pieces are cut until none is found to stick out of the body by more [m]...
  double error = 0.0;
  /// ...or until there are so many. At least 1.
  std::size_t most_pieces = 64;
  Threads threads;
  Monitor* monitor = nullptr;
};
struct ConvexPieces {
  Mesh mesh;          ///< closed; a part for each piece
  Enclosure outward;  ///< farthest that a point of a piece is from the body [m], proven
};
/// Approximate convex decomposition: the piece that sticks out most is cut in two by the plane,
/// across one of the axes, that leaves the least volume in the two hulls (the idea of Lien and
/// Amato, 2004, with planes instead of features). The pieces hold the whole body: each is the hull
/// of all of the body in a box, the boxes fill the bounds, and hulls are enlarged by 1e-9 of
/// themselves, far more than rounding takes. Errors: an error that is negative or not finite, no
/// pieces allowed; cancelled.
[[nodiscard]] Result<ConvexPieces> convex_pieces(const Model& body,
                                                 const ConvexPiecesOptions& options);

enum class VoxelSpheres : std::uint8_t {
  Inscribed,  ///< as the paper: the diameter is the size of the grid; the corners stay uncovered
  Around,     ///< each holds its cell: what they leave out is no part of the body
};
/// Spheres at the cells of a grid [m] that the body touches; the inside of solids only where
/// `inside` says so. Errors: a size that is not above 0; more than two million spheres.
[[nodiscard]] Result<std::vector<Sphere>> voxel_spheres(const Model& body, double size,
                                                        VoxelSpheres kind, bool inside);

/// The leaves of a tree of boxes, each with a sphere around it: the first is the box of the body,
/// and one whose sphere sticks out of the body by more than `error` [m] is halved along its longest
/// side. They hold the whole body. Errors: an error that is not above 0; more than two million
/// spheres.
[[nodiscard]] Result<std::vector<Sphere>> octree_spheres(const Model& body, double error);

}  // namespace clearance
