// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_scene() promises for any bytes: a scene that keeps its rules, or an error with a
// reason.
#include <cstddef>
#include <cstdint>

#include <clearance/plan/scene_file.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<SceneDescription> scene = parse_scene(text, "scene.json");
  if (!scene) {
    fuzz::require(scene.error().file == "scene.json" && !scene.error().reason.empty());
    return 0;
  }
  fuzz::require(!scene->body.empty() && !scene->obstacles.empty());
  fuzz::require(checked_pose(scene->start).ok() && scene->clearance >= 0.0);
  fuzz::require(!scene->goal || checked_pose(*scene->goal).ok());
  fuzz::require(!scene->bounds || !scene->bounds->empty());
  for (const auto* files : {&scene->body, &scene->obstacles})
    for (const SceneFile& file : *files)
      fuzz::require(checked_pose(file.pose).ok() && file.scale > 0.0);
  return 0;
}
