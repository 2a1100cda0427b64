// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "study_output.h"

#include <filesystem>
#include <system_error>

#include <clearance/base/file.h>

namespace clearance::cli {

Status check_data_folder(const ReproduceOptions& options) {
  std::error_code error;
  if (options.data.empty() || std::filesystem::is_directory(options.data, error)) return {};
  return Error{ErrorCode::NotFound, options.data, {}, "there is no such folder", {}};
}

Status write_charts(const std::string& folder, std::span<const study::PlotFile> charts) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{ErrorCode::Unreadable, folder, {}, "cannot be made: " + error.message(), {}};
  for (const study::PlotFile& chart : charts) {
    const std::string path = (std::filesystem::path(folder) / chart.name).string();
    if (Status written = write_file(path, chart.svg); !written) return written;
  }
  return {};
}

Status write_study(const ReproduceOptions& options, TerminalMonitor& monitor,
                   const std::string& table,
                   const std::function<Status(const std::string&)>& write_figures) {
  Status written;
  if (!options.out.empty()) {
    monitor.progress("pictures", -1.0);
    written = write_figures(options.out);
  }
  monitor.clear();
  if (written && !options.csv.empty()) written = write_file(options.csv, table);
  return written;
}

}  // namespace clearance::cli
