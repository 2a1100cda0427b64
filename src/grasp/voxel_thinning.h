// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A solid as voxels, and those thinned to curves without changing how they hang together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/query/model.h>

namespace clearance::detail {

/// Cubes of one size; those at the border are empty.
struct VoxelGrid {
  std::array<int, 3> counts{};
  Vec3 low;           ///< middle of the first voxel [m]
  double side = 0.0;  ///< [m]
  std::vector<std::uint8_t> filled;

  [[nodiscard]] std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(counts[0]) +
           static_cast<std::size_t>(x);
  }
  [[nodiscard]] std::array<int, 3> place(std::size_t index) const;
  [[nodiscard]] Vec3 middle(std::size_t index) const;
  /// What to add to an index for the 26 around it; only for voxels that are not at the border.
  [[nodiscard]] std::array<std::ptrdiff_t, 26> around() const;
};

/// The voxels whose middle is inside the part, so many along its longest side.
VoxelGrid voxels_of(const Model& part, int along_longest, Threads threads, Monitor* monitor);

/// Fills voxels whose middle is within half a side of the surface: thin walls have no gaps then.
void add_walls(const Model& part, VoxelGrid& grid, Threads threads);
/// Fills empty voxels that the part surrounds in a plane, on both sides along each of four lines:
/// bores, cups up to their rims, rings.
void fill_hollows(VoxelGrid& grid);
/// About how far each filled voxel is from an empty one, in thirds of a voxel (chamfer distance);
/// 0 for empty ones.
std::vector<std::uint16_t> depths_of(const VoxelGrid& grid);

/// Empties voxels, the shallowest first, as long as neither pieces nor tunnels nor hollows come or
/// go and ends of curves stay, but for those that lead out to corners. What is left is one voxel
/// thin.
void thin(VoxelGrid& grid, const std::vector<std::uint16_t>& depths);

/// A filled voxel without which everything hangs together as before: one piece among the 26 around
/// it, and one piece of empty ones that touch its faces.
bool is_simple(const VoxelGrid& grid, std::size_t voxel);

}  // namespace clearance::detail
