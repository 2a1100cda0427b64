// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the paper of the study inertia-fit claims, whether it holds here, and charts of it.
#pragma once

#include <vector>

#include "claim.h"
#include "inertia_fit_report.h"
#include "plot_file.h"

namespace clearance::cli {

/// One for each claim of the paper that was measured; none without the paper's meshes. What is
/// claimed of several meshes holds when it does on as many as in the paper.
[[nodiscard]] std::vector<study::Claim> inertia_fit_claims(const InertiaFit& found);

/// Area, volume, build time and planning of the trees, beside the paper's where it has them.
[[nodiscard]] std::vector<study::PlotFile> inertia_fit_charts(const InertiaFit& found);

}  // namespace clearance::cli
