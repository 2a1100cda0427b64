// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the paper claims, held against what was measured.
#pragma once

#include <vector>

#include "claim.h"
#include "contour_gpu/contour_gpu.h"

namespace clearance::study {

/// Those that the rows measured can decide.
[[nodiscard]] std::vector<Claim> claims_of(const ContourStudy& study);

/// Whether all ways but the paper's gave the same answers.
[[nodiscard]] bool answers_agree(const ContourStudy& study);

/// The row of Table 1: a million triangles, or the most there are. Null when there is none.
[[nodiscard]] const ContourSizeRow* table_1_row(const ContourStudy& study);

}  // namespace clearance::study
