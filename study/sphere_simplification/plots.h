// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The figures of the paper, drawn again.
#pragma once

#include <vector>

#include "plot_file.h"
#include "sphere_simplification/sphere_simplification.h"

namespace clearance::study {

[[nodiscard]] std::vector<PlotFile> plots_of(const SphereStudy& study);

}  // namespace clearance::study
