// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two triangles: do they touch, and how far apart are they? Right for every triangle of finite
// coordinates, degenerate ones (segments, points) included. Triangles are closed: a shared edge or
// corner, or one corner on the other's face, is contact.
//
// Which to call. `intersects` for triangles given in one frame: exact. `touches` when one of them
// is moved by a pose: the corners then have no exact double coordinates, so the answer is
// conservative. `closest_points` for the distance. Nothing here allocates or throws; all is safe to
// call from any thread. How the answers are made: docs/geometry.md.
#pragma once

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

/// True exactly when the triangles have a point in common. No tolerance: a gap of one unit in the
/// last place is a gap. Exact while every non-zero coordinate lies within [1e-75, 1e75]; outside
/// that range a gap below 1e-15 of the largest coordinate may be called contact, never the reverse.
[[nodiscard]] bool intersects(const Triangle& a, const Triangle& b);

/// True whenever `a` and the exactly transformed `b` have a point in common. A gap below
/// 1.6e-15 * (largest |a_from_b * b| term: rotation times coordinate, or translation) may also be
/// called contact; a contact is never called a gap. The pose is taken as it stands: its rotation
/// need not be exactly orthogonal.
[[nodiscard]] bool touches(const Triangle& a, const Triangle& b, const Pose& a_from_b);

/// True only when it is proven that every point of `a` is farther than `gap` from every point of
/// `b`. False when they are closer, or within rounding of `gap` (about 1e-16 of their extent).
[[nodiscard]] bool proven_farther(const Triangle& a, const Triangle& b, double gap);

/// Closest points and distance. The distance is 0 exactly when intersects(a, b); the two points are
/// then one common point to rounding. Otherwise the distance is right to 1e-9 of itself (typically
/// 1e-15) plus 1e-22 of the triangles' extent: a gap of 1e-13 of the extent still has nine digits.
/// The exception: next to a needle thinner than 1e-8 of its length, a gap below 1e-6 of the extent
/// is right to 1e-15 of the extent only.
[[nodiscard]] ClosestPoints closest_points(const Triangle& a, const Triangle& b);

}  // namespace clearance
