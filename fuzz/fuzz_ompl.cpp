// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_ompl_cfg() promises for any bytes, and what the mean of COLLADA vertices does: a
// value, or an error with a reason. The files that a .cfg names are not there.
#include <cstddef>
#include <cstdint>

#include <clearance/plan/scene_file.h>

#include "check_reader.h"
#include "plan/assimp_mean.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<SceneDescription> scene = parse_ompl_cfg(text, "nowhere/problem.cfg");
  fuzz::require(scene.ok() || !scene.error().reason.empty());
  const Result<detail::AssimpMean> mean = detail::assimp_mean_of_dae(text, "robot.dae");
  fuzz::require(mean.ok() ? mean->count > 0 : !mean.error().reason.empty());
  return 0;
}
