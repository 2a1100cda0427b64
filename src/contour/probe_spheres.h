// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres around the triangles (or the vertices) of a mesh, packed for bounding eight at a time in
// single precision, in coordinates about the middle of the mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "bvh/float8.h"
#include "contour/probe_shell.h"

namespace clearance::detail {

struct ProbeMesh;

/// The smallest sphere around a triangle, about; all of the triangle is in it.
[[nodiscard]] Sphere sphere_of(const Triangle& triangle);

/// Eight spheres, one array a coordinate. Each holds what it is around, the rounding of its own
/// centre included.
struct alignas(32) Sphere8 {
  float center[3][8];
  float radius[8];
};

/// All spheres in the order of triangles or vertices; the last eight are filled up by repeating.
struct PackedSpheres {
  Vec3 center;          // origin of the coordinates
  double extent = 0.0;  // no centre is farther from it, no radius larger
  std::size_t count = 0;
  std::vector<Sphere8> groups;

  /// In the order of the mesh, or that of `order` where it is not empty.
  void pack_triangles(const ProbeMesh& mesh, Threads threads,
                      std::span<const std::uint32_t> order = {});
  void pack_vertices(const ProbeMesh& mesh, Threads threads);
};

/// Errors of Shell8::lower() are below this fraction of the lengths involved: of inputs rounded to
/// single precision (each 2^-24), a difference, a product with the axis and its removal, a norm and
/// the last few operations, twenty roundings in all, 1.2e-6. The rest is reserve.
inline constexpr double kShellError = 2e-6;

/// A SegmentShell in the coordinates of packed spheres.
struct Shell8 {
  float center[3];
  float axis[3];
  float half_length;
  float radius;
  float cone_radius;
  float cone_slope;
  float cone_cosine;
  float margin;  // what lower() may be above the proven bound [m]

  Shell8() = default;
  Shell8(const SegmentShell& shell, const PackedSpheres& spheres);

  /// Lower bounds of the distances of what is in the spheres, but for the margin.
  [[nodiscard]] Float8 lower(const Sphere8& spheres) const {
    const Float8 x = load8(spheres.center[0]) - broadcast8(center[0]);
    const Float8 y = load8(spheres.center[1]) - broadcast8(center[1]);
    const Float8 z = load8(spheres.center[2]) - broadcast8(center[2]);
    const Float8 ax = broadcast8(axis[0]);
    const Float8 ay = broadcast8(axis[1]);
    const Float8 az = broadcast8(axis[2]);
    const Float8 height = fused(x, ax, fused(y, ay, z * az));
    // The part across the axis, as a difference of vectors: of squares it would lose all digits.
    const Float8 px = fused(-height, ax, x);
    const Float8 py = fused(-height, ay, y);
    const Float8 pz = fused(-height, az, z);
    const Float8 r = sqrt(fused(px, px, fused(py, py, pz * pz)));
    const Float8 zero = broadcast8(0.0F);
    const Float8 along = max(abs(height) - broadcast8(half_length), zero);
    const Float8 aside = max(r - broadcast8(radius), zero);
    const Float8 corner = sqrt(fused(along, along, aside * aside));
    const Float8 cone = broadcast8(cone_cosine) *
                        (r - fused(broadcast8(cone_slope), height, broadcast8(cone_radius)));
    return max(corner, cone) - load8(spheres.radius);
  }
};

}  // namespace clearance::detail
