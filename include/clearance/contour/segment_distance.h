// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far is one contour segment (contour.h) from a point, an edge, a triangle? All solid: 0 when
// they touch, when one is inside the other, and when a triangle pierces the segment without an edge
// touching it.
//
// How. The segment lies in the convex hull of its two circles, and so does each of its parts
// between eta_0 and eta_1 in the hull of their ellipses; what the hull adds shrinks with the square
// of eta_1 - eta_0. The distance to a hull is a convex problem that is solved between proven
// bounds; parts that cannot hold the answer are dropped, the others are halved until the bounds
// meet. Parallel circles take one step. docs/contour.md tells it with a picture, and where the
// paper's own iteration (paper_distance.h) goes wrong.
//
// Guarantee: lower <= exact distance <= distance, the witness points are `distance` apart and lie
// on the two shapes, and distance - lower is at most kSegmentDistanceError of the extent (the
// sizes of both shapes and their distance; with coordinates far from the origin, these). Where
// rounding cannot tell a gap from a contact it is contact.
// The result is the same bit for bit wherever it is asked. Nothing throws, allocates or prints.
// Numbers must be finite: asserted.
#pragma once

#include <clearance/contour/contour.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

/// As a fraction of the extent.
inline constexpr double kSegmentDistanceError = 1e-11;

/// Where a point of a segment is: S(eta, rho (cos theta, sin theta)) of contour.h.
struct SegmentPlace {
  double eta = 0.0;    ///< 0 on the first circle, 1 on the second
  double theta = 0.0;  ///< in [0, 2 pi)
  double rho = 0.0;    ///< 1 on the ruled surface, less inside (on an end disc, or touching)
};

struct SegmentDistance {
  double distance = 0.0;  ///< [m]; 0 when they touch
  double lower = 0.0;     ///< proven: the exact distance is not smaller [m]
  Vec3 on_shape;          ///< on the point, edge or triangle
  Vec3 on_segment;        ///< about the same point as on_shape when they touch
  SegmentPlace place;     ///< of on_segment
  /// of on_shape: along an edge a + alpha (b - a); in a triangle a + alpha (b - a) + beta (c - a)
  double alpha = 0.0;
  double beta = 0.0;
};

[[nodiscard]] SegmentDistance distance(const ContourSegment& segment, const Vec3& point);
[[nodiscard]] SegmentDistance distance(const ContourSegment& segment, const Segment& edge);
[[nodiscard]] SegmentDistance distance(const ContourSegment& segment, const Triangle& triangle);

/// A proven lower bound of the distance to a triangle in at most a few steps: cheap, and above
/// `limit` whenever the hull of the segment is clearly farther than that. For dropping triangles.
[[nodiscard]] double lower_bound(const ContourSegment& segment, const Triangle& triangle,
                                 double limit);

}  // namespace clearance
