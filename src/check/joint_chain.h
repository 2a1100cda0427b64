// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The joints that move a link against one nearer to the root, and how far they can move its points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/robot/robot.h>

namespace clearance::detail {

/// A joint that moves, and what drives it.
struct ChainJoint {
  std::uint32_t child = 0;  ///< the link behind it
  std::uint32_t value = 0;  ///< number in a configuration
  double multiplier = 1.0;  ///< of that number; not 1 for mimics
  bool turns = true;        ///< slides otherwise
  Vec3 unit_axis;           ///< in the frame of the child
};

/// The joints between a link and an ancestor of it (or itself), from the link towards the root.
std::vector<ChainJoint> joints_between(const Robot& robot, std::uint32_t link,
                                       std::uint32_t ancestor);
/// The last link that is on the way from both to the root.
std::uint32_t common_ancestor(const Robot& robot, std::uint32_t a, std::uint32_t b);

/// Points of a body moved into the world: the corners of a box around it.
using Corners = std::array<Vec3, 8>;
Corners placed_corners(const Box& box, const Pose& world_from_body);

/// How far a point of a body can get from where it is, in the frame of the ancestor, when each
/// number of the configuration changes by at most `change` [m]: the sum over the joints of the
/// change times the farthest that a point can then be from the axis. `corners` are of a box around
/// the body, in the world, and `poses` those of the links there. Rounded outward.
double farthest_way(std::span<const ChainJoint> chain, const Corners& corners,
                    std::span<const Pose> poses, std::span<const double> change);

}  // namespace clearance::detail
