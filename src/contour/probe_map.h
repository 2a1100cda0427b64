// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Distances of all triangles, or all vertices, of a mesh from the nearest of many segments: bounds
// of eight at a time against every segment, then exact distances from the segments that are left,
// the nearest first.
#pragma once

#include <span>

#include <clearance/base/parallel.h>

#include "contour/probe_contest.h"
#include "contour/probe_spheres.h"

namespace clearance::detail {

/// `distances` has an entry for each triangle, filled with infinity: what is beyond the range stays
/// so. The spheres are around the triangles.
void map_triangles(const ProbeQuery& query, const PackedSpheres& spheres, Threads threads,
                   std::span<double> distances, ProbeWork& work);
/// The same for vertices and spheres around them.
void map_vertices(const ProbeQuery& query, const PackedSpheres& spheres, Threads threads,
                  std::span<double> distances, ProbeWork& work);

}  // namespace clearance::detail
