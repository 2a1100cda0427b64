// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance reproduce chaintree` found out, and the ways of telling it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "chaintree/chaintree.h"

namespace clearance::cli {

/// For people: Figures 7 and 8 as tables, Table 1, growth, worst case, and which claims hold.
[[nodiscard]] std::string chaintree_text(const study::ChainStudy& study,
                                         const study::ChainStudyOptions& options);
/// The result that follows schema/reproduce-chaintree.schema.json.
[[nodiscard]] nlohmann::ordered_json chaintree_json(const study::ChainStudy& study,
                                                    const study::ChainStudyOptions& options);
/// One line for each chain and method.
[[nodiscard]] std::string chaintree_csv(const study::ChainStudy& study);

}  // namespace clearance::cli
