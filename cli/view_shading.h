// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh as a graphics card wants it: vertices doubled along sharp edges, so that round faces look
// round and edges stay edges, with a normal each; and the sharp edges themselves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clearance/mesh/mesh.h>

namespace clearance::cli {

struct ShadedMesh {
  Vec3 center;                                      ///< middle of the bounding box [m]
  std::vector<std::array<float, 3>> positions;      ///< from the centre: float keeps its digits
  std::vector<std::array<std::int8_t, 4>> normals;  ///< times 127; the fourth is padding
  std::vector<Face> faces;
  std::vector<std::array<std::uint32_t, 2>> edges;  ///< sharp, or with a triangle on one side only
  std::vector<std::uint32_t> origin;                ///< the vertex of the mesh behind each
};

[[nodiscard]] ShadedMesh shaded(const Mesh& mesh);

}  // namespace clearance::cli
