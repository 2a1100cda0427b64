// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Do two simple shapes touch? Yes or no, never wrong in the dangerous direction: the answer "no"
// (for rectangles_farther_than, "yes, farther") is given only when it is proven for the exact
// shapes, that is, for the real numbers the given doubles stand for, with every rounding error
// accounted for. Touching counts as contact. A gap below kContactError times the extent of the pair
// (the size of both shapes plus their coordinates relative to each other) may be called contact.
//
// Rotations and axes need not be exactly orthonormal for this: an oriented box is taken to be what
// its matrix makes of it. Preconditions otherwise as in closest_points.h. No allocation; any
// thread. Triangle against triangle: triangle_triangle.h.
#pragma once

#include <clearance/geometry/shapes.h>

namespace clearance {

/// Largest gap that may be called contact, as a fraction of the extent of the pair.
inline constexpr double kContactError = 2e-14;

/// Exact: compares coordinates only. An empty box touches nothing.
[[nodiscard]] bool intersects(const Box& a, const Box& b);
/// Separating axes: the three of each box and the nine products. About 50 ns.
[[nodiscard]] bool intersects(const OrientedBox& a, const OrientedBox& b);
[[nodiscard]] bool intersects(const Sphere& a, const Sphere& b);
/// The solid box.
[[nodiscard]] bool intersects(const Sphere& sphere, const Box& box);
[[nodiscard]] bool intersects(const Sphere& sphere, const OrientedBox& box);
[[nodiscard]] bool intersects(const Sphere& sphere, const Triangle& triangle);
[[nodiscard]] bool intersects(const Segment& segment, const Triangle& triangle);
/// The solid box: a triangle inside it touches it.
[[nodiscard]] bool intersects(const Triangle& triangle, const Box& box);

/// True only when the rectangles are certainly more than `distance` (>= 0) apart [m]. Cheaper than
/// their closest points, because most answers need no more than a guess and its proof. Two
/// rectangle swept spheres are free of each other when this is true for the sum of their radii
/// (rounded up).
[[nodiscard]] bool rectangles_farther_than(const Rectangle& a, const Rectangle& b, double distance);

}  // namespace clearance
