// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Charts over the steps of a run of clearance fold, as SVG.
#pragma once

#include <string>
#include <vector>

#include <clearance/picture/plot.h>

namespace clearance::cli {

/// One chart of the stack: numbers of each row over the steps.
[[nodiscard]] std::string step_chart(const std::string& title, const std::string& unit,
                                     std::vector<LineSeries> series, PlotAxis y = {});
/// Charts of step_chart() one below the other.
[[nodiscard]] std::string stacked_charts(std::vector<std::string> charts);

}  // namespace clearance::cli
