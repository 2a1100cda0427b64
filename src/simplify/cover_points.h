// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points of a kept volume that stand for all of it in the search for few balls, and centres of
// balls that hold them. The points lie the closer the smaller the balls are that can hold them, on
// the boundary and its sharp edges above all: there the balls are small, and there they cost.
#pragma once

#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/vector.h>

#include "simplify/ball_field.h"
#include "simplify/symmetry.h"

namespace clearance::detail {

/// Spacings, as fractions of how far balls reach sideways from a point.
struct PointSpacing {
  double face = 0.6;
  double edge = 0.12;
  double inside = 0.7;
};

/// A part of the boundary whose neighbours meet at an angle: a segment of it.
struct SharpEdge {
  Vec3 a, b;
};
/// Edges of the mesh where faces meet at more than 25 degrees, and borders of open ones.
[[nodiscard]] std::vector<SharpEdge> sharp_edges(const Mesh& mesh);

struct CoverPoints {
  std::vector<Vec3> points;   ///< of the kept volume, to be covered [m]
  std::vector<Vec3> centers;  ///< where good balls may be [m]
};

/// Of the home of a symmetry and a little around it. The same for any number of threads. Empty when
/// cancelled.
[[nodiscard]] CoverPoints make_cover_points(const BallField& field,
                                            const std::vector<SharpEdge>& edges,
                                            const PointSpacing& spacing, const Symmetry& symmetry,
                                            Threads threads, Monitor* monitor);

/// Centres of good balls that hold a point at the boundary, appended. How far the best reaches
/// sideways [m].
double append_centers(const BallField& field, const Vec3& point, std::vector<Vec3>& centers);

/// Leaves one of all points in the same cell of a grid: the first.
void thin(std::vector<Vec3>& points, double cell);

}  // namespace clearance::detail
