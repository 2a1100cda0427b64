// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bounding volumes of a tree, level by level: to be looked at and to be studied. Queries have
// their own way to them.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>

namespace clearance {

/// A bounding volume: all points within `radius` of a box. A rectangle swept sphere is one whose
/// box has no thickness, a sphere one whose box is a point; the radius of boxes is rounding.
struct BvhVolume {
  Pose tree_from_box;   ///< the middle of the box and its axes, in the frame of the vertices
  Vec3 half_size;       ///< [m]
  double radius = 0.0;  ///< [m]
  bool is_leaf = false;
};

/// The volumes that hold all triangles when one stops at a depth: those of that depth (the root is
/// at 0) and the leaves above it, in the order of the tree. The volume of a child in a wide tree is
/// its box along the axes of its parent, which is what queries look at first. Empty when there are
/// more than `most`. Cost: in proportion to the nodes passed. In a wide tree the boxes are good to
/// its single precision (1e-6 of the size), not proven as they are in a query.
[[nodiscard]] std::vector<BvhVolume> volumes_at(const Bvh& tree, std::size_t depth,
                                                std::size_t most);

}  // namespace clearance
