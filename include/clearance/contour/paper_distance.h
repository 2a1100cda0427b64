// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's own distances (Lee et al. 2015, section III), for comparison: approximate, without a
// bound of the error, and sometimes wrong (docs/contour.md). Everything else in Clearance uses
// segment_distance.h.
//
// Point to segment ([18] of the paper): the half-plane through the centre line that holds the point
// cuts the circles in v_2 and v_3; the closest point of the quadrilateral P_0, v_2, v_3, P_1.
// Edge to segment: steps 1 to 5. Triangle: the smallest of the edges, and where the closest point
// of the segment is in the Voronoi region of the face, the centroid of the three closest points.
#pragma once

#include <array>

#include <clearance/contour/contour.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

struct PaperOptions {
  /// Rounds of steps 3 to 5, at most. The GPU variant does all of them; here none that would
  /// repeat the one before bit for bit.
  int rounds = 10;
  /// Stop when both products of eq. (5), divided by the lengths of their vectors, are below; 0
  /// never stops early (the GPU variant).
  double epsilon = 0.0;
};

struct PaperDistance {
  double distance = 0.0;  ///< [m], 0 when a point of the iteration is inside
  Vec3 on_shape;
  Vec3 on_segment;
  int rounds = 0;  ///< taken
};

[[nodiscard]] PaperDistance paper_distance(const ContourSegment& segment, const Vec3& point);
[[nodiscard]] PaperDistance paper_distance(const ContourSegment& segment, const Segment& edge,
                                           const PaperOptions& options = {});
[[nodiscard]] PaperDistance paper_distance(const ContourSegment& segment, const Triangle& triangle,
                                           const PaperOptions& options = {});

/// For many distances of one segment: what each of them needs of it, worked out once.
struct PaperTube {
  Vec3 start;
  Vec3 along;  ///< unit vector of the centre line; the tangent where that has no length
  double length = 0.0;
  std::array<ContourCircle, 2> circle;
  std::array<double, 2> u_along{};  ///< how far u and v of each circle reach along the centre line
  std::array<double, 2> v_along{};
  Vec3 aside;  ///< some unit vector perpendicular to the centre line
};
[[nodiscard]] PaperTube paper_tube(const ContourSegment& segment);
[[nodiscard]] PaperDistance paper_distance(const PaperTube& tube, const Segment& edge,
                                           const PaperOptions& options = {});
/// Of a triangle whose edges ab, bc and ca were measured: neighbours share them.
[[nodiscard]] PaperDistance paper_distance(const PaperTube& tube, const Triangle& triangle,
                                           const std::array<PaperDistance, 3>& edges);

}  // namespace clearance
