// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce contour-gpu: contours against meshes, by brute force, culled, and by a tree.
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/contour/prober.h>

#include "contour_gpu/claims.h"
#include "contour_gpu/plots.h"
#include "contour_gpu_report.h"
#include "probe_map.h"
#include "reproduce.h"
#include "session.h"
#include "study_output.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// A frame of a scenario as a coloured map.
struct Map {
  const char* name;
  const study::ContourScene& scene;
  double place;  ///< along the frames, in [0, 1]
  double range;  ///< grey beyond [m]
  Vec3 towards_eye;
  bool cut_away;
};

Status write_map(const std::filesystem::path& folder, const Map& map) {
  const std::vector<study::ContourFrame>& frames = map.scene.frames;
  const study::ContourFrame& frame =
      frames[static_cast<std::size_t>(map.place * static_cast<double>(frames.size() - 1))];
  Result<std::unique_ptr<Prober>> tree = make_prober(map.scene.mesh);
  if (!tree) return tree.error();
  const Result<ProbeHit> closest = (*tree)->closest(frame);
  if (!closest) return closest.error();
  ProbeMapOptions options;
  options.map = (folder / map.name).string() + ".ply";
  options.picture = (folder / map.name).string() + ".png";
  options.range = map.range;
  options.towards_eye = map.towards_eye;
  options.cut_away = map.cut_away;
  const Result<std::vector<std::string>> written =
      write_maps(options, map.scene.mesh, **tree, {}, frame, *closest);
  return written ? Status() : written.error();
}

/// Figures 8 and 9: the catheter twice, bent differently, in the half of the atrium behind it, and
/// the hand in the hole.
Status write_figures_8_and_9(const std::filesystem::path& folder,
                             const study::ContourStudyOptions& options) {
  const Result<std::array<study::ContourScene, 2>> scenes = study::contour_scenarios(options);
  if (!scenes) return scenes.error();
  constexpr double kAtriumRange = 0.04;
  constexpr double kWallRange = 0.6;
  constexpr Vec3 kBeside{0.6, -1.4, 0.7};
  constexpr Vec3 kBefore{-1.2, -1.0, 0.5};
  const std::array<Map, 3> maps{{{"scenario-b-1", (*scenes)[0], 0.25, kAtriumRange, kBeside, true},
                                 {"scenario-b-2", (*scenes)[0], 0.67, kAtriumRange, kBeside, true},
                                 {"scenario-c", (*scenes)[1], 0.75, kWallRange, kBefore, false}}};
  for (const Map& map : maps) {
    if (Status written = write_map(folder, map); !written) return written;
  }
  return {};
}

Status write_pictures(const std::string& name, const study::ContourStudy& study,
                      const study::ContourStudyOptions& options) {
  const std::filesystem::path folder(name);
  if (Status written = write_charts(name, study::plots_of(study)); !written) return written;
  if (Status written = write_file((folder / "figures.csv").string(), contour_gpu_csv(study));
      !written)
    return written;
  return write_figures_8_and_9(folder, options);
}

}  // namespace

int reproduce_contour_gpu(const ReproduceOptions& options) {
  if (const Status there = check_data_folder(options); !there) return fail(there.error());
  if (!options.paths.empty())
    return fail_usage("reproduce", "contour-gpu has no use for files; --data names a folder");
  TerminalMonitor monitor;
  study::ContourStudyOptions study_options;
  study_options.data = options.data;
  study_options.seed = options.seed;
  study_options.quick = options.quick;
  study_options.monitor = &monitor;
  const Result<study::ContourStudy> study = study::measure_contours(study_options);
  if (!study) {
    monitor.clear();
    return fail(study.error());
  }
  const Status written = write_study(
      options, monitor, contour_gpu_csv(*study),
      [&](const std::string& folder) { return write_pictures(folder, *study, study_options); });
  if (!written) return fail(written.error());
  if (options.json) {
    std::cout << json_text(contour_gpu_json(*study, study_options));
  } else {
    std::cout << contour_gpu_text(*study, study_options);
  }
  return study::answers_agree(*study) ? kGood : kBad;
}

}  // namespace clearance::cli
