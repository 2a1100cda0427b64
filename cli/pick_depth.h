// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a depth camera saw, for clearance pick --depth, and what one would see, for --see.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/grasp/depth_view.h>
#include <clearance/grasp/pile.h>
#include <clearance/mesh/mesh.h>

namespace clearance::cli {

struct SeenDepth {
  DepthMap map;
  std::size_t seen = 0;  ///< pixels with a depth within the range
};
/// The view and the image it names. Errors name the one or the other.
[[nodiscard]] Result<SeenDepth> read_seen_depth(const std::string& view_path, UnseenSpace unseen);

/// What was seen, as a surface in the world, for pictures: moved back by two pixels, so that known
/// parts show before it. The empty mesh where nothing was.
[[nodiscard]] Mesh seen_surface(DepthMap map);

/// Writes the image that a view names, as its camera would take it of a pile, its bin, the floor
/// and obstacles that are meshes. Returns the path of the image. Errors: a view that does not say
/// the size of its image, an image that is not to be a .png, depths that 16 bits do not hold.
[[nodiscard]] Result<std::string> write_seen_depth(const std::string& view_path, const Mesh& part,
                                                   const Pile& pile, std::span<const Model> others,
                                                   Threads threads);

}  // namespace clearance::cli
