// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance reproduce bin-picking` found out, and the ways of telling it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bin_picking/bin_picking.h"

namespace clearance::cli {

/// For people: Tables II, III and IV beside the paper's, what is buried, and which claims hold.
[[nodiscard]] std::string bin_picking_text(const study::BinPickingStudy& study,
                                           const study::BinPickingOptions& options);
/// The result that follows schema/reproduce-bin-picking.schema.json.
[[nodiscard]] nlohmann::ordered_json bin_picking_json(const study::BinPickingStudy& study,
                                                      const study::BinPickingOptions& options);
/// One line for each pile.
[[nodiscard]] std::string bin_picking_csv(const study::BinPickingStudy& study);
/// Valid picks of each pile, both sets, as an SVG chart.
[[nodiscard]] std::string bin_picking_chart(const study::BinPickingStudy& study);

}  // namespace clearance::cli
