// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_depth_view() promises for any bytes: a usable camera at a rigid pose, or an error with
// a reason.
#include <cstddef>
#include <cstdint>

#include <clearance/grasp/depth_view.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<DepthView> view = parse_depth_view(text, "view");
  if (!view) {
    fuzz::require(view.error().file == "view" && !view.error().reason.empty());
    return 0;
  }
  fuzz::require(view->camera.focal_u > 0.0 && view->camera.focal_v > 0.0);
  fuzz::require(view->depth_step > 0.0 && view->nearest > 0.0 && view->range > view->nearest);
  fuzz::require(checked_pose(view->world_from_camera).ok());
  return 0;
}
