// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pick_depth.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <clearance/picture/depth_picture.h>

namespace clearance::cli {

Result<SeenDepth> read_seen_depth(const std::string& view_path, UnseenSpace unseen) {
  const Result<DepthView> view = read_depth_view(view_path);
  if (!view) return view.error();
  const Result<DepthPicture> image = read_depth_picture(view->image);
  if (!image) return image.error();
  Result<DepthMap> map =
      map_of(*view, image->width, image->height, image->values, image->is_whole, unseen);
  if (!map) return map.error();
  const auto seen = std::count_if(map->depth.begin(), map->depth.end(), [&](float value) {
    const auto depth = static_cast<double>(value);
    return depth >= view->nearest && depth <= view->range;
  });
  // Whether there is anything to use: the same question for the whole image as later for parts.
  if (const Result<Mesh> mesh = mesh_of(map->camera, map->depth, map->options); !mesh) {
    Error error = mesh.error();
    error.file = view->image;
    return error;
  }
  return SeenDepth{*std::move(map), static_cast<std::size_t>(seen)};
}

Mesh seen_surface(DepthMap map) {
  constexpr double kPixels = 2.0;
  map.options.unseen = UnseenSpace::Free;
  for (float& depth : map.depth) {
    const auto z = static_cast<double>(depth);
    depth = static_cast<float>(z + kPixels * pixel_size(map.camera, z));
  }
  const Result<Mesh> mesh = mesh_of(map.camera, map.depth, map.options);
  return mesh ? transformed(*mesh, map.world_from_camera) : Mesh();
}

Result<std::string> write_seen_depth(const std::string& view_path, const Mesh& part,
                                     const Pile& pile, std::span<const Model> others,
                                     Threads threads) {
  const Result<DepthView> view = read_depth_view(view_path);
  if (!view) return view.error();
  const auto wrong = [&](const char* place, std::string reason, std::string advice) {
    return Error{ErrorCode::Invalid, view_path, place, std::move(reason), std::move(advice)};
  };
  if (view->camera.width == 0)
    return wrong("size", "is missing", "[640, 480]: an image that is written needs its size");
  if (!view->image.ends_with(".png"))
    return wrong("image", "'" + view->image + "' is no .png", "images are written as PNG files");
  std::vector<Mesh> meshes;
  for (const Pose& pose : pile.parts) meshes.push_back(transformed(part, pose));
  if (Mesh walls = mesh_of(walls_of(pile.bin)); !walls.empty()) meshes.push_back(std::move(walls));
  for (const Model& other : others) meshes.push_back(other.mesh());
  const std::vector<std::string> names(meshes.size(), "seen");
  const Result<Mesh> all = merged(meshes, names);
  if (!all) return all.error();
  const Result<Model> scene = Model::build(*all, {.threads = threads});
  if (!scene) return scene.error();
  DepthOptions options;
  options.nearest = view->nearest;
  options.range = view->range;
  const std::vector<float> depths =
      depths_of(view->camera, view->world_from_camera, scene->bvh(), options, threads);
  const double step = view->depth_step > 0.0 ? view->depth_step : 1e-3;
  DepthPicture picture{view->camera.width, view->camera.height, {}, true};
  for (const float depth : depths)
    picture.values.push_back(static_cast<float>(std::round(static_cast<double>(depth) / step)));
  if (Status status = write_depth_picture(view->image, picture); !status) return status.error();
  return view->image;
}

}  // namespace clearance::cli
