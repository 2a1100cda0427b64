// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far apart two shapes are, by a way that shares nothing with the library: every solid is a
// convex hull of points, grown by a radius; every mesh a heap of triangles; and the distance of two
// hulls is the shortest vector in the hull of all differences of their points, found by looking at
// all faces of a growing simplex in extended precision.
#pragma once

#include <vector>

#include <clearance/chain/chain.h>

namespace clearance::test {

/// The hull of some points, and all that is within `radius` of it.
struct RoundedHull {
  std::vector<Vec3> points;
  double radius = 0.0;
};

/// Right to about 1e-15 of the extent, but for hulls thinner than 1e-9 of it.
[[nodiscard]] double hull_distance(const RoundedHull& a, const RoundedHull& b);

/// What a link is made of, at a pose.
[[nodiscard]] std::vector<RoundedHull> hulls_of(const LinkShape& link, const Pose& pose);

/// The smallest distance of any two; infinity when there is none.
[[nodiscard]] double hull_distance(const std::vector<RoundedHull>& a,
                                   const std::vector<RoundedHull>& b);

}  // namespace clearance::test
