// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the triangles of a mesh hang together, by position: the counting part of the health report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/mesh/mesh.h>

namespace clearance::detail {

/// The counts of MeshHealth with the same names, and what they are made from.
struct Topology {
  std::size_t distinct_positions = 0;
  std::size_t unused_vertices = 0;
  std::size_t collapsed_triangles = 0;
  std::size_t topological_vertices = 0;  ///< positions used by triangles with three corners
  std::size_t components = 0;
  std::size_t open_edges = 0;
  std::size_t non_manifold_edges = 0;
  std::size_t inconsistent_edges = 0;
  std::size_t odd_edges = 0;  ///< used by an odd number of triangles
  std::size_t duplicate_triangles = 0;
  std::size_t opposite_triangles = 0;
  std::vector<double> edge_lengths;  ///< one for each different edge [m]
};

Topology analyse_topology(const Mesh& mesh, Threads threads);

}  // namespace clearance::detail
