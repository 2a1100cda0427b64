// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a depth camera saw of a pile: the image's file, the camera, where it stood
// (schema/depth-view.schema.json), and the image itself in the world. Files of images are read by
// picture/depth_picture.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

namespace clearance {

struct DepthView {
  std::string image;        ///< path of the image, as seen from here
  PinholeCamera camera;     ///< width and height: 0 where the file does not say
  Pose world_from_camera;   ///< x to the right, y down, z forward in the camera's frame
  double depth_step = 0.0;  ///< of a value of 1 [m]; 0: 1 mm for whole numbers, 1 m for others
  double nearest = 0.05;    ///< nearer depths are noise [m]
  double range = 10.0;      ///< farther depths count as none; unseen space ends here [m]
};

/// Errors name file, place and reason: no image, focal lengths that are not above 0, a pose that is
/// not rigid, numbers that are not finite, a range that ends before it begins.
[[nodiscard]] Result<DepthView> read_depth_view(const std::string& path);
[[nodiscard]] Result<DepthView> parse_depth_view(std::string_view text, const std::string& path);

/// A depth image in the world, and what to think of space that it does not show.
struct DepthMap {
  PinholeCamera camera;
  Pose world_from_camera;
  /// A value for each pixel, row after row [m]; 0, negative, infinite or NaN: none.
  std::vector<float> depth;
  DepthOptions options;
};

/// The values of an image of `width` x `height` pixels, as a view says. `is_whole`: they are whole
/// numbers, for DepthView::depth_step. Errors: an image of another size than the view's.
[[nodiscard]] Result<DepthMap> map_of(const DepthView& view, int width, int height,
                                      std::span<const float> values, bool is_whole,
                                      UnseenSpace unseen);

/// What was seen as a body in the world. UnseenSpace::Solid: everything behind what was seen, and
/// along pixels without depth, is an obstacle out to the range. UnseenSpace::Free: the seen surface
/// alone is; neighbouring pixels far apart in depth are not joined (mesh_of() of query/shapes.h).
/// What is outside the picture is free. Errors: as mesh_of().
[[nodiscard]] Result<Model> model_of(const DepthMap& map, Threads threads = {});

/// How wide a pixel is where it shows a point at this distance from the camera, from corner to
/// corner [m].
[[nodiscard]] double pixel_size(const PinholeCamera& camera, double distance);

/// The same without a part that is known to be there and was seen too: what touches it, or comes
/// closer, is not told apart from it by the camera.
/// - A pixel shows the part itself when its point is in the part or within `contact` and the size
///   of a pixel of it. Something that lies on the part and is thinner than that is not noticed.
/// - UnseenSpace::Free: these pixels are left out.
/// - UnseenSpace::Solid: unseen space begins behind the part there, where the ray first leaves it
///   for more than that distance, or where it does for a neighbouring pixel if that is farther.
/// Only pixels that show something of `region` are looked at: the body is right within it.
/// Nothing when no such pixel is left.
[[nodiscard]] Result<std::optional<Model>> model_without(const DepthMap& map, const Model& part,
                                                         const Pose& world_from_part,
                                                         double contact, const Sphere& region_world,
                                                         Threads threads = {});

/// The depths that a camera without noise would measure of a scene and the floor, z = 0, in the
/// world [m]; 0 where there is nothing up to options.range. The same bits for any number of
/// threads.
[[nodiscard]] std::vector<float> depths_of(const PinholeCamera& camera,
                                           const Pose& world_from_camera, const Bvh& scene_in_world,
                                           const DepthOptions& options, Threads threads = {});

}  // namespace clearance
