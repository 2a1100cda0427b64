// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres in groups of eight that are near each other, each group with a sphere around it, all in
// single precision, and grown so that nothing is lost by that.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

inline constexpr std::size_t kClusterSize = 8;

struct FloatSphere {
  float x = 0.0F;
  float y = 0.0F;
  float z = 0.0F;
  float radius = 0.0F;
};

struct SphereClusters {
  FloatSphere whole;  ///< around all
  std::vector<FloatSphere> clusters;
  /// kClusterSize for each cluster; places left over repeat the last sphere.
  std::vector<FloatSphere> spheres;
};

/// Spheres in groups of up to kClusterSize that are near each other, in double precision.
struct SphereGroups {
  Sphere whole;                       ///< around all
  std::vector<Sphere> around;         ///< one for each group
  std::vector<Sphere> spheres;        ///< those of the first group, of the second, ...
  std::vector<std::size_t> first{0};  ///< of each group among the spheres, and their number
};
/// Deterministic. No spheres, no groups.
SphereGroups groups_of(std::span<const Sphere> spheres);

/// `margin` [m] is added to every radius. Deterministic.
SphereClusters clusters_of(std::span<const Sphere> spheres, double margin);

}  // namespace clearance::detail
