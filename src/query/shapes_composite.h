// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queries of shapes.h for shapes that have a tree of their own: convex bodies and point clouds.
#pragma once

#include <clearance/query/shapes.h>

namespace clearance::detail {

[[nodiscard]] ShapeCollision collide_composite(const Bvh& mesh, const ConvexBody& body,
                                               const Pose& mesh_from_body);
[[nodiscard]] ShapeDistance distance_composite(const Bvh& mesh, const ConvexBody& body,
                                               const Pose& mesh_from_body, double upper_bound);
[[nodiscard]] ShapeWithin within_composite(const Bvh& mesh, const ConvexBody& body, double limit,
                                           const Pose& mesh_from_body);

[[nodiscard]] ShapeCollision collide_composite(const Bvh& mesh, const PointCloud& cloud,
                                               const Pose& mesh_from_cloud);
[[nodiscard]] ShapeDistance distance_composite(const Bvh& mesh, const PointCloud& cloud,
                                               const Pose& mesh_from_cloud, double upper_bound);
[[nodiscard]] ShapeWithin within_composite(const Bvh& mesh, const PointCloud& cloud, double limit,
                                           const Pose& mesh_from_cloud);

}  // namespace clearance::detail
