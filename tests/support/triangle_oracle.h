// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What two triangles really do, found by other means than the product's: in quadruple precision by
// looking at every pair of features, and exactly by Carathéodory's theorem on the differences of
// their corners. Slow; for tests.
#pragma once

#include <string>

#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance::test {

/// Least distance over all pairs of features in quadruple precision, 0 when an edge of one clearly
/// passes through the other. `unclear` when it cannot tell contact from a gap.
struct QuadDistance {
  double distance = 0.0;
  bool pierces = false;
  bool unclear = false;
};
QuadDistance quad_distance(const Triangle& a, const Triangle& b);

/// Distance of a point from a triangle, in quadruple precision.
double quad_distance(const Vec3& p, const Triangle& t);

/// Whether the exact triangles have a common point: the origin lies in the convex hull of the nine
/// differences of corners, hence in a tetrahedron, triangle, segment or point of them. Integers of
/// any length (GMP); right for degenerate triangles.
bool exactly_intersect(const Triangle& a, const Triangle& b);
/// The same with b moved by exactly this pose.
bool exactly_intersect(const Triangle& a, const Triangle& b, const Pose& a_from_b);

/// Pairs of triangles of every awkward kind: magnitudes 1e-6 to 1e6, needles, points, touching
/// corners, edges and faces, gaps down to the last bit, coplanar, nearly parallel, far away.
struct TrianglePair {
  Triangle a, b;
  std::string kind;
};
TrianglePair awkward_pair(Random& random);

/// "Triangle a{{..}, {..}, {..}}, b{...};" with every bit, ready to paste into a test.
std::string describe(const Triangle& a, const Triangle& b);

}  // namespace clearance::test
