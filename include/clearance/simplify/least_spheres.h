// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many spheres a model of an error needs at least, whoever makes it: what a wish for fewer can
// be held against.
//
// Two points that no ball within the error of the kept volume holds together need two spheres. So a
// set of points of which this is true for each pair needs as many spheres as it has points. Such a
// set is gathered greedily, where balls are smallest first, which is at edges and corners; then
// every pair is proven (least_spheres.cpp says how). The bound is about half of what a good model
// has: balls that cover overlap, and points between three of them count for none.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>
#include <clearance/simplify/kept_volume.h>

namespace clearance {

struct LeastSpheresOptions {
  Threads threads;  ///< the result does not depend on it
  Monitor* monitor = nullptr;
};

struct LeastSpheres {
  /// Points of the body, within rounding, no two of which a sphere within the error holds: proven.
  /// Models of that error have at least as many spheres. In the order in which they were found.
  std::vector<Vec3> points;
  std::size_t pairs_proven = 0;  ///< the others are farther apart than the largest ball is wide
};

/// Errors: an error that is not above 0 or not finite; a kept volume of a tool; cancelled.
/// Cost: up to a minute of processor time for a few hundred points.
[[nodiscard]] Result<LeastSpheres> least_spheres(const KeptVolume& kept, double error,
                                                 const LeastSpheresOptions& options = {});

}  // namespace clearance
