// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far is one contour segment (contour.h) from a point, an edge, a triangle? All solid: 0 when
// they touch, when one is inside the other, and when a triangle pierces the segment without an edge
// touching it.
//
// How. The segment lies in the convex hull of its circles: with parallel circles it is the hull,
// and a search between proven bounds ends there. Else a descent finds points that are close, and
// the segment is cut into parts until each is proven to be no closer. The proof takes a direction
// that turns from one end of the part to the other; along it, all discs of the part keep away from
// the shape if a polynomial of degree 4 has no root between 0 and 1. docs/contour.md tells it, and
// where the paper's own iteration (paper_distance.h) goes wrong.
//
// Guarantee: lower <= exact distance <= distance, the witness points are `distance` apart and lie
// on the two shapes, and distance - lower is at most kSegmentDistanceError of the extent (the
// sizes of both shapes and the gap between them; how far both are from the origin does not matter).
// What is not proven to be apart is contact: distance and lower are 0 then, also for a gap below
// 2e-14 of the extent.
// The result is the same bit for bit wherever it is asked. Nothing throws, allocates or prints.
// Numbers must be finite: asserted. Lengths between 1e-60 and 1e60 m do not overflow. Cost: about 1
// us with parallel circles, 2-4 us with others.
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
