// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lies between the fingertips: the cut of a part with the flat region there, and where the
// fingers meet it.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>
#include <clearance/grasp/grasp_quality.h>

namespace clearance::detail {

/// The rectangle |x| <= half_opening, |y| <= half_width, z = 0 of the gripper's frame [m].
struct FingerRegion {
  double half_opening = 0.0;
  double half_width = 0.0;
};

/// A piece of the cut, in the region.
struct CutSegment {
  double x[2];
  double y[2];
  Vec3 outward;         // normal of the triangle, in the part's frame
  double facing = 0.0;  // its part along x
  std::uint32_t triangle = 0;
};

/// Fills `segments` with the cut of the mesh with the region. The order is that of the tree.
void cut_region(const Bvh& part, const Pose& part_from_gripper, const FingerRegion& region,
                std::vector<CutSegment>& segments);

/// The contacts of one finger, at most three: at both ends of the stretch along y where the part is
/// within `softness` of its extreme along x, and at the extreme itself. A soft fingertip is flat:
/// of several surfaces behind each other it meets the first. None when no surface faces it.
/// `turn`: 1, or -1 for a mesh that faces inward. `clipped` is scratch.
struct FingerTouch {
  double extreme = 0.0;  // x of the first contact [m]
  std::size_t count = 0;
};
FingerTouch touch_of(std::uint32_t finger, const std::vector<CutSegment>& segments,
                     const Pose& part_from_gripper, double softness, double turn,
                     std::vector<CutSegment>& clipped, std::vector<GraspContact>& contacts);

}  // namespace clearance::detail
