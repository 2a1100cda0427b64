// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance reproduce sphere-simplification` found out, and the ways of telling it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sphere_simplification/sphere_simplification.h"

namespace clearance::cli {

/// For people: the figures as tables, the models, Table I, and which claims hold.
[[nodiscard]] std::string sphere_simplification_text(const study::SphereStudy& study,
                                                     const study::SphereStudyOptions& options);
/// The result that follows schema/reproduce-sphere-simplification.schema.json.
[[nodiscard]] nlohmann::ordered_json sphere_simplification_json(
    const study::SphereStudy& study, const study::SphereStudyOptions& options);
/// One line for each model, then those of Figures 6 to 8 and Table I.
[[nodiscard]] std::string sphere_simplification_csv(const study::SphereStudy& study);

}  // namespace clearance::cli
