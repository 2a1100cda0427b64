// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce contour-gpu: contours against meshes, by brute force, culled, and by a tree.
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "contour_gpu/claims.h"
#include "contour_gpu/maps.h"
#include "contour_gpu/plots.h"
#include "contour_gpu_report.h"
#include "reproduce.h"
#include "session.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

Status write_pictures(const std::string& folder, const study::ContourStudy& study,
                      const study::ContourStudyOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{ErrorCode::Unreadable, folder, {}, "cannot be made: " + error.message(), {}};
  for (const study::PlotFile& plot : study::plots_of(study)) {
    const std::string path = (std::filesystem::path(folder) / plot.name).string();
    if (Status written = write_file(path, plot.svg); !written) return written;
  }
  const std::string path = (std::filesystem::path(folder) / "figures.csv").string();
  if (Status written = write_file(path, contour_gpu_csv(study)); !written) return written;
  return study::write_maps(folder, options);
}

}  // namespace

int reproduce_contour_gpu(const ReproduceOptions& options) {
  if (std::error_code error;
      !options.data.empty() && !std::filesystem::is_directory(options.data, error)) {
    return fail(Error{ErrorCode::NotFound, options.data, {}, "there is no such folder", {}});
  }
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
  if (!options.out.empty()) {
    monitor.progress("pictures", -1.0);
    if (const Status written = write_pictures(options.out, *study, study_options); !written) {
      monitor.clear();
      return fail(written.error());
    }
  }
  monitor.clear();
  if (!options.csv.empty()) {
    const Status written = write_file(options.csv, contour_gpu_csv(*study));
    if (!written) return fail(written.error());
  }
  if (options.json) {
    std::cout << json_text(contour_gpu_json(*study, study_options));
  } else {
    std::cout << contour_gpu_text(*study, study_options);
  }
  return study::answers_agree(*study) ? kGood : kBad;
}

}  // namespace clearance::cli
