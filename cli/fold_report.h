// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance fold says and draws: words, JSON, charts and a picture.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>

#include "fold_input.h"
#include "fold_run.h"

namespace clearance::cli {

/// "go", "soft", "lj", "none", in the order of FoldEnergy's names on the command line.
[[nodiscard]] std::string name_of(FoldEnergy energy);

/// What is folded and how, before the run.
[[nodiscard]] std::string fold_heading(const FoldInput& input, const Fold& fold);
/// What came out.
[[nodiscard]] std::string fold_text(const FoldReport& report, const Fold& fold);
[[nodiscard]] nlohmann::ordered_json fold_json(const FoldReport& report, const FoldInput& input,
                                               const Fold& fold, const FoldPlan& plan);
/// A start that cannot be folded: its overlaps.
[[nodiscard]] std::string clashes_text(const FoldInput& input,
                                       const std::vector<FoldClash>& clashes);
[[nodiscard]] nlohmann::ordered_json clashes_json(const FoldInput& input,
                                                  const std::vector<FoldClash>& clashes);

/// Energy, radius of gyration and rates over the steps, one chart below the other, as SVG.
[[nodiscard]] std::string fold_charts(const std::vector<FoldRow>& rows, const FoldInput& input,
                                      const Fold& fold);

/// The first and the last conformation side by side, atoms as balls, blue to red along the chain.
Status draw_fold(const std::string& path, const FoldInput& input, const Fold& fold);

}  // namespace clearance::cli
