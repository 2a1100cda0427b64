// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closest points of two simple shapes: where they are nearest to each other, and how far apart.
//
// Accuracy. The distance is within kDistanceError times the extent of the pair (the size of both
// shapes plus the gap between them) of the exact one. Where the shapes stand does not matter: a
// pair a thousand kilometres from the origin is as accurate as one at it. The two points lie on
// their shapes within the rounding of their own coordinates. This holds for every shape, degenerate
// ones included: segments of no length, flat and needle-like triangles, rectangles and boxes
// without width, parallel and nearly parallel edges. Lengths between 1e-60 and 1e60 metres do not
// overflow.
//
// Order of the arguments: on_a lies on the first, on_b on the second. Shapes that overlap have
// distance 0 and on_a == on_b, a point they share; how deep they overlap is not computed.
//
// Preconditions: finite numbers, radii and sides >= 0, boxes not empty, axes and rotations
// orthonormal within rounding (nearest_rotation() of pose.h makes them so).
//
// Triangle against triangle: triangle_triangle.h. Yes-or-no answers that are proven: intersect.h.
// Queries do not allocate and are safe on any thread. Cost: tens of nanoseconds for points and
// segments, about 0.1-0.2 microseconds for flat shapes, up to 2 microseconds for a pair of boxes.
#pragma once

#include <clearance/geometry/shapes.h>

namespace clearance {

/// Largest error of a distance, as a fraction of the extent of the pair. About 45 units in the last
/// place; the tests see less than a third of it.
inline constexpr double kDistanceError = 1e-14;

// Points. A point is its own closest point; the other comes back alone.

/// The point of the shape nearest to p.
[[nodiscard]] Vec3 closest_point(const Vec3& p, const Segment& segment);
[[nodiscard]] Vec3 closest_point(const Vec3& p, const Triangle& triangle);
[[nodiscard]] Vec3 closest_point(const Vec3& p, const Rectangle& rectangle);
/// p itself when it is inside.
[[nodiscard]] Vec3 closest_point(const Vec3& p, const Box& box);
/// p itself when it is inside.
[[nodiscard]] Vec3 closest_point(const Vec3& p, const OrientedBox& box);

/// The square of the distance from p [m²]: no root, no witness points.
[[nodiscard]] double squared_distance(const Vec3& p, const Segment& segment);
[[nodiscard]] double squared_distance(const Vec3& p, const Triangle& triangle);
[[nodiscard]] double squared_distance(const Vec3& p, const Rectangle& rectangle);
[[nodiscard]] double squared_distance(const Vec3& p, const Box& box);
[[nodiscard]] double squared_distance(const Vec3& p, const OrientedBox& box);
/// The square of the distance of two segments, and of two boxes [m²].
[[nodiscard]] double squared_distance(const Segment& a, const Segment& b);
[[nodiscard]] double squared_distance(const Box& a, const Box& b);

[[nodiscard]] ClosestPoints closest_points(const Vec3& p, const Segment& segment);
[[nodiscard]] ClosestPoints closest_points(const Vec3& p, const Triangle& triangle);
[[nodiscard]] ClosestPoints closest_points(const Vec3& p, const Rectangle& rectangle);
[[nodiscard]] ClosestPoints closest_points(const Vec3& p, const Box& box);
[[nodiscard]] ClosestPoints closest_points(const Vec3& p, const OrientedBox& box);

// Segments.

/// Parallel segments that overlap have many closest pairs; any one of them may come back.
[[nodiscard]] ClosestPoints closest_points(const Segment& a, const Segment& b);
[[nodiscard]] ClosestPoints closest_points(const Segment& segment, const Triangle& triangle);
[[nodiscard]] ClosestPoints closest_points(const Segment& segment, const Rectangle& rectangle);
[[nodiscard]] ClosestPoints closest_points(const Segment& segment, const Box& box);
[[nodiscard]] ClosestPoints closest_points(const Segment& segment, const OrientedBox& box);

// Flat and solid shapes.

/// The core of a test of two rectangle swept spheres: their distance is this one less both radii.
[[nodiscard]] ClosestPoints closest_points(const Rectangle& a, const Rectangle& b);
[[nodiscard]] ClosestPoints closest_points(const Box& a, const Box& b);
[[nodiscard]] ClosestPoints closest_points(const OrientedBox& a, const OrientedBox& b);

// Round shapes: solid balls and capsules.

[[nodiscard]] ClosestPoints closest_points(const Sphere& a, const Sphere& b);
[[nodiscard]] ClosestPoints closest_points(const Sphere& sphere, const Segment& segment);
[[nodiscard]] ClosestPoints closest_points(const Sphere& sphere, const Triangle& triangle);
[[nodiscard]] ClosestPoints closest_points(const Sphere& sphere, const Rectangle& rectangle);
[[nodiscard]] ClosestPoints closest_points(const Sphere& sphere, const Box& box);
[[nodiscard]] ClosestPoints closest_points(const Sphere& sphere, const OrientedBox& box);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Vec3& p);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Sphere& sphere);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Segment& segment);
[[nodiscard]] ClosestPoints closest_points(const Capsule& a, const Capsule& b);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Triangle& triangle);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Rectangle& rectangle);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const Box& box);
[[nodiscard]] ClosestPoints closest_points(const Capsule& capsule, const OrientedBox& box);

}  // namespace clearance
