// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Voxels that form curves as branches between ends and junctions, and those as straight pieces.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

#include "grasp/voxel_thinning.h"

namespace clearance::detail {

struct CurveBranch {
  std::vector<Vec3> points;                  ///< from end to end, at least two [m]
  std::vector<std::size_t> voxels;           ///< those that belong to no junction
  double radius = 0.0;                       ///< mean depth along it [m]
  bool has_loose_end = false;                ///< an end that is no junction
  std::array<std::uint32_t, 2> junctions{};  ///< where it begins and ends, by number
  [[nodiscard]] double length() const;
};

/// The branches of thin voxels. A ring without junctions is one branch from a voxel to itself.
std::vector<CurveBranch> branches_of(const VoxelGrid& thin,
                                     const std::vector<std::uint16_t>& depths);

/// As few straight pieces as stay within `tolerance` of the points [m].
std::vector<Segment> straightened(std::span<const Vec3> points, double tolerance);

}  // namespace clearance::detail
