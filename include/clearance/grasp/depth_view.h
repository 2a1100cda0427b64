// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a depth camera saw of a pile: the image's file, the camera, where it stood
// (schema/depth-view.schema.json). The image itself is read by picture/depth_picture.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

namespace clearance {

struct DepthView {
  std::string image;         ///< path of the image, as seen from here
  PinholeCamera camera;      ///< width and height are those of the image: 0 until it is read
  Pose world_from_camera;    ///< x to the right, y down, z forward in the camera's frame
  double depth_step = 1e-3;  ///< the depth of a value of 1 [m]
  double nearest = 0.05;     ///< nearer depths are noise [m]
  double range = 10.0;       ///< farther depths count as none; unseen space ends here [m]
};

/// Errors name file, place and reason: no image, focal lengths that are not above 0, a pose that is
/// not rigid, numbers that are not finite, a range that ends before it begins.
[[nodiscard]] Result<DepthView> read_depth_view(const std::string& path);
[[nodiscard]] Result<DepthView> parse_depth_view(std::string_view text, const std::string& path);

/// What was seen as a body in the world, for PickObstacles::seen. `values` has a value for each
/// pixel of view.camera, row after row; 0: none. UnseenSpace::Solid: everything behind what was
/// seen, and along pixels without depth, is an obstacle out to the range. UnseenSpace::Free: the
/// seen surface alone is; neighbouring pixels far apart in depth are not joined (mesh_of() of
/// query/shapes.h). What is outside the picture is free. Errors: as mesh_of().
[[nodiscard]] Result<Model> model_of(const DepthView& view, std::span<const std::uint16_t> values,
                                     UnseenSpace unseen, Threads threads = {});

}  // namespace clearance
