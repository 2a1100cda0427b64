// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the paper claims, held against what was measured.
#pragma once

#include <vector>

#include "chaintree/chaintree.h"
#include "claim.h"

namespace clearance::study {

/// Those that the rows measured can decide.
[[nodiscard]] std::vector<Claim> claims_of(const ChainStudy& study);

/// Whether all methods gave the same answer at every step.
[[nodiscard]] bool answers_agree(const ChainStudy& study);

/// How the cost of a step, an update and the number of box tests grow: exponents of N.
struct GrowthFits {
  PowerFit step;
  PowerFit update;
  PowerFit box_tests;
  PowerFit held;  ///< of chains kept compact
  PowerFit held_box_tests;
};
/// At least two rows.
[[nodiscard]] GrowthFits fit(const std::vector<GrowthRow>& rows);

/// How the box tests of the worst case grow. At least two rows.
struct WorstCaseFits {
  PowerFit chain_tree;
  PowerFit loose_obb;
};
[[nodiscard]] WorstCaseFits fit(const std::vector<WorstCaseRow>& rows);

}  // namespace clearance::study
