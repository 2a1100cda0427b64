// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance reproduce contour-gpu` found out, and the ways of telling it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "contour_gpu/contour_gpu.h"

namespace clearance::cli {

/// For people: Figures 5 and 6 and Table 1 as tables, the scenarios, the paper's errors, and which
/// claims hold.
[[nodiscard]] std::string contour_gpu_text(const study::ContourStudy& study,
                                           const study::ContourStudyOptions& options);
/// The result that follows schema/reproduce-contour-gpu.schema.json.
[[nodiscard]] nlohmann::ordered_json contour_gpu_json(const study::ContourStudy& study,
                                                      const study::ContourStudyOptions& options);
/// One line for each size and method, then the scenarios.
[[nodiscard]] std::string contour_gpu_csv(const study::ContourStudy& study);

}  // namespace clearance::cli
