// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Slow, simple and independent distances in quadruple precision (113 bits), to hold the fast ones
// to. Shapes are given as simplices: points, segments, triangles by their corners; a rectangle is
// two triangles, a box its twelve (plus a test for one inside the other).
#pragma once

#include <array>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::test {

__extension__ using Quad = __float128;

struct QuadVec {
  Quad x = 0, y = 0, z = 0;
};

/// One to three corners: a point, a segment or a triangle.
using Simplex = std::vector<QuadVec>;
/// A shape as the union of simplices.
using Simplices = std::vector<Simplex>;

QuadVec exact(const Vec3& p);
Quad quad_sqrt(Quad x);

Simplices simplices(const Vec3& p);
Simplices simplices(const Segment& s);
Simplices simplices(const Triangle& t);
Simplices simplices(const Rectangle& r);
/// The surface.
Simplices simplices(const Box& b);
Simplices simplices(const OrientedBox& b);

/// The distance of two shapes: over every face of each (corner, edge, inside), the nearest points
/// of the two flats by the normal equations, kept when they lie inside both faces. Where the flats
/// are parallel the equations are singular, and the nearest points are also found on smaller faces.
Quad oracle_distance(const Simplices& a, const Simplices& b);

/// The distance of any two shapes named above, as surfaces.
template <class A, class B>
double exact_distance(const A& a, const B& b) {
  return static_cast<double>(oracle_distance(simplices(a), simplices(b)));
}

}  // namespace clearance::test
