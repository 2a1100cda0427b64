// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pick_depth.h"

#include <algorithm>
#include <utility>

#include <clearance/grasp/depth_view.h>
#include <clearance/picture/depth_picture.h>

namespace clearance::cli {

Result<SeenDepth> read_seen_depth(const std::string& view_path, UnseenSpace unseen,
                                  Threads threads) {
  Result<DepthView> view = read_depth_view(view_path);
  if (!view) return view.error();
  const Result<DepthPicture> image = read_depth_picture(view->image);
  if (!image) return image.error();
  view->camera.width = image->width;
  view->camera.height = image->height;
  Result<Model> model = model_of(*view, image->values, unseen, threads);
  if (!model) {
    Error error = model.error();
    error.file = view->image;
    return error;
  }
  const auto seen = std::count_if(image->values.begin(), image->values.end(), [&](auto value) {
    const double depth = view->depth_step * value;
    return depth >= view->nearest && depth <= view->range;
  });
  return SeenDepth{*std::move(model), image->values.size(), static_cast<std::size_t>(seen)};
}

}  // namespace clearance::cli
