// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance reproduce inertia-fit` found out, and the ways of telling it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "inertia_fit/inertia_fit.h"
#include "inertia_fit/planning.h"

namespace clearance::cli {

/// What the study found.
struct InertiaFit {
  std::vector<study::StudyRow> rows;         ///< Tables II and IV
  std::vector<study::PlanningRow> planning;  ///< Table III
};

/// For people: Tables II to IV beside the paper's figures, and what they say.
[[nodiscard]] std::string inertia_fit_text(const InertiaFit& found);
/// The result that follows schema/reproduce-inertia-fit.schema.json.
[[nodiscard]] nlohmann::ordered_json inertia_fit_json(const InertiaFit& found,
                                                      const study::StudyOptions& options);
/// One line for each mesh and tree.
[[nodiscard]] std::string inertia_fit_csv(const std::vector<study::StudyRow>& rows);

}  // namespace clearance::cli
