// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points on the surface of a mesh: independent and uniform by area, or evenly spread. The same
// mesh, count and seed give the same points on every machine and for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// A point on the surface of a mesh.
struct SurfaceSample {
  Vec3 point;                  ///< frame of the mesh [m]; on the triangle within rounding
  Vec3 normal;                 ///< unit normal of the triangle, outward by its winding
  std::uint32_t triangle = 0;  ///< index into Mesh::faces()
  /// Weights of the triangle's corners: each in [0, 1], their sum 1 within rounding.
  std::array<double, 3> barycentric{1.0, 0.0, 0.0};
};

/// `count` independent points, each equally likely anywhere on the surface: a triangle gets points
/// in proportion to its area, one without area none. Empty for a mesh without area.
/// O(n + count log n).
[[nodiscard]] std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count,
                                                        std::uint64_t seed, Threads threads = {});

/// `count` points spread evenly: no two close together, no large gaps. By elimination: of
/// five times as many independent points, the most crowded goes until `count` are left (weighted
/// sample elimination, Yuksel 2015). Crowding is measured straight through space, so the two faces
/// of a sheet thinner than the spacing share their points. Memory and time grow with `count`: 20
/// microseconds a point for ten thousand points, 100 for some hundred thousand. Empty for a mesh
/// without area.
[[nodiscard]] std::vector<SurfaceSample> sample_surface_evenly(const Mesh& mesh, std::size_t count,
                                                               std::uint64_t seed,
                                                               Threads threads = {});

}  // namespace clearance
