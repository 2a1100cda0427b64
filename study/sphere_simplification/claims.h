// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the paper says about its spheres, and whether it holds here.
#pragma once

#include <vector>

#include "claim.h"
#include "sphere_simplification/sphere_simplification.h"

namespace clearance::study {

[[nodiscard]] std::vector<Claim> claims_of(const SphereStudy& study);

/// No representation that is proven to cover missed a collision.
[[nodiscard]] bool covers_miss_nothing(const SphereStudy& study);

/// The last row of a method in Figures 6 to 8; null when there is none.
[[nodiscard]] const SphereCountRow* last_of(const SphereStudy& study, SimplifyMethod method);

}  // namespace clearance::study
