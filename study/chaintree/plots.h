// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The figures of the study as pictures.
#pragma once

#include <vector>

#include "chaintree/chaintree.h"
#include "plot_file.h"

namespace clearance::study {

/// Figures 7 and 8 (update, test and both), Table 1, growth and worst case, as far as measured.
[[nodiscard]] std::vector<PlotFile> plots_of(const ChainStudy& study);

}  // namespace clearance::study
