// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the studies of `clearance reproduce` have in common around their measurements: the folder
// of real data they read, and the files they write.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <clearance/base/result.h>

#include "plot_file.h"
#include "reproduce.h"
#include "session.h"

namespace clearance::cli {

/// An error when --data names a folder that is not there.
[[nodiscard]] Status check_data_folder(const ReproduceOptions& options);

/// Makes the folder where it is missing, and writes the charts into it.
[[nodiscard]] Status write_charts(const std::string& folder,
                                  std::span<const study::PlotFile> charts);

/// What was asked for: figures into the folder --out by `write_figures`, and the table to --csv.
/// The line of progress is cleared in the end.
[[nodiscard]] Status write_study(const ReproduceOptions& options, TerminalMonitor& monitor,
                                 const std::string& table,
                                 const std::function<Status(const std::string&)>& write_figures);

}  // namespace clearance::cli
