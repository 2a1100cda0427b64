// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All representations of a part beside each other: what each costs, how far it is off in either
// direction, and whether it can miss a collision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/query/model.h>
#include <clearance/simplify/cover.h>

namespace clearance {

enum class RepresentationKind : std::uint8_t {
  Original,      ///< the mesh itself
  Decimated,     ///< fewer triangles (level_of_detail.h)
  ConvexHull,    ///< hull_of()
  ConvexPieces,  ///< convex_pieces()
  Voxels,        ///< voxel_spheres(), Inscribed, surface only
  VoxelCover,    ///< voxel_spheres(), Around, inside too
  SphereTree,    ///< octree_spheres()
  Packing,       ///< SimplifyMethod::Packing, not grown
  Paper,         ///< SimplifyMethod::Paper
  Cover,         ///< SimplifyMethod::Cover
};
[[nodiscard]] const char* name_of(RepresentationKind kind);  ///< "original", "convex hull", ...

struct Representation {
  RepresentationKind kind = RepresentationKind::Original;
  Mesh mesh;                    ///< of triangles; empty where there are spheres
  std::vector<Sphere> spheres;  ///< or empty
  std::size_t complexity = 0;   ///< triangles, faces of hulls, or spheres
  Enclosure outward;            ///< farthest that a point of it is from the body [m], proven
  Enclosure inward;             ///< farthest that a point of the body is from it [m], proven
  /// Proven to hold the whole body: it never says "free" where the body is hit.
  bool covers = false;
  double seconds = 0.0;  ///< to make it, without the bounds
};

struct CompareOptions {
  double error = 0.0;              ///< of what takes one [m]; above 0
  double external_diameter = 0.0;  ///< of Paper and Cover (simplify.h) [m]
  bool fill_cavities = true;       ///< likewise
  double voxel_size = 0.0;         ///< [m]; 0: five times the error, as in the paper
  std::size_t most_pieces = 32;    ///< of ConvexPieces
  std::uint64_t seed = 1;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct Comparison {
  std::vector<Representation> list;  ///< in the order of RepresentationKind
  std::vector<std::string> notes;    ///< whole sentences about what could not be made, and why
};
/// All representations of a body, at one error where they take one. Decimation goes to half the
/// triangles, as in the paper. Errors: options; cancelled.
[[nodiscard]] Result<Comparison> compare(const Model& body, const CompareOptions& options);

}  // namespace clearance
