// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The figures of the study as charts.
#pragma once

#include <vector>

#include "contour_gpu/contour_gpu.h"
#include "plot_file.h"

namespace clearance::study {

/// Figures 5 and 6, Table 1, the scenarios and the paper's errors, as far as measured.
[[nodiscard]] std::vector<PlotFile> plots_of(const ContourStudy& study);

}  // namespace clearance::study
