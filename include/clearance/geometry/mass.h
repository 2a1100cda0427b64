// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Area, centroid and inertia of triangles and triangle sets; volume, centre of mass and inertia of
// the solid a closed set of triangles bounds. Density is 1: per square metre for surfaces, per
// cubic metre for solids. Multiply by the real density.
//
// Accuracy: everything is computed relative to the middle of the bounding box and summed with
// compensation, so that a part keeps its digits far from the origin (as many as its coordinates
// have) and a million triangles lose none. The sums are cut into blocks of fixed size: the result
// is the same, bit for bit, for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// Area [m²]. Computed from the two shorter sides, so that needles keep their digits.
[[nodiscard]] double triangle_area(const Triangle& triangle);
/// Unit normal, right-handed about a, b, c; zero when the area is zero (or underflows).
[[nodiscard]] Vec3 triangle_normal(const Triangle& triangle);
[[nodiscard]] Vec3 triangle_centroid(const Triangle& triangle);
/// Longest side over the height on it, divided by its value for an equilateral triangle: 1 is
/// perfect, large is a needle or a cap, infinity is a triangle without area.
[[nodiscard]] double triangle_aspect_ratio(const Triangle& triangle);

/// A triangle set as a thin shell.
struct SurfaceProperties {
  double area = 0.0;  ///< [m²]
  /// Area-weighted; the middle of the bounding box when the area is zero.
  Vec3 centroid;
  /// Inertia about the centroid, along the coordinate axes [m⁴ for density 1].
  Mat3 inertia = Mat3::zero();
};

/// A closed triangle set as a solid body.
struct SolidProperties {
  /// [m³]; negative when the triangles face inward. Means something only for a closed, consistently
  /// oriented surface (health.h tells); for others it depends on where the bounding box is.
  double volume = 0.0;
  Vec3 center_of_mass;  ///< the middle of the bounding box when the volume is zero
  /// Inertia about the centre of mass, along the coordinate axes [m⁵ for density 1]; has the sign
  /// of the volume.
  Mat3 inertia = Mat3::zero();
};

/// Area, centroid and inertia of all triangles as a shell of even thickness. Every index must be
/// below vertices.size(). Vertices that no triangle uses do not matter. O(n).
[[nodiscard]] SurfaceProperties surface_properties(
    std::span<const Vec3> vertices, std::span<const std::array<std::uint32_t, 3>> faces,
    Threads threads = {1});

/// Volume, centre of mass and inertia of the solid bounded by the triangles, by signed tetrahedra
/// (divergence theorem). Cavities count as such when their triangles face into them. O(n).
[[nodiscard]] SolidProperties solid_properties(std::span<const Vec3> vertices,
                                               std::span<const std::array<std::uint32_t, 3>> faces,
                                               Threads threads = {1});

}  // namespace clearance
