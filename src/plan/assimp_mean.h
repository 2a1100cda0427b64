// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where OMPL.app puts the origin of a robot: at the mean of the vertices that the library assimp
// makes of its file. Those are not the corners of the shape. A vertex counts once for each
// different normal, texture coordinate and colour that the file gives it, once more for each list
// of triangles or lines that uses it, and once for each plane where the file gives no normals.
#pragma once

#include <string>
#include <string_view>

#include <clearance/base/result.h>
#include <clearance/mesh/read.h>

namespace clearance::detail {

struct AssimpMean {
  Vec3 mean;                 ///< in the coordinates of read_assembly() with a unit of 1 m
  std::size_t count = 0;     ///< vertices
  bool is_estimate = false;  ///< not COLLADA: normals in the file were not looked at
};
[[nodiscard]] Result<AssimpMean> assimp_mean(const std::string& path);
/// The same of a COLLADA file in memory.
[[nodiscard]] Result<AssimpMean> assimp_mean_of_dae(std::string_view bytes,
                                                    const std::string& path);

/// What assimp turns a file by, so that Y is up: the map from the coordinates of read_assembly() to
/// those that OMPL.app works with.
[[nodiscard]] Result<Mat3> assimp_turn(const std::string& path);

}  // namespace clearance::detail
