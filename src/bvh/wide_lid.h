// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lids: where the corners below a node follow a smooth surface, they lie between two curved sheets
// much closer to each other than the sides of the box. A box of size s stands off a surface by s²,
// sheets by s³.
#pragma once

#include <span>

#include "bvh/wide_fit.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

/// Nodes with more leaves below them have no lid: few surfaces are smooth over that many.
inline constexpr std::size_t kLidLeaves = 640;

/// Writes the lid of a node whose frame and boxes are made, from the corners of all below it.
void fit_lid(WideNode& node, std::span<const LeafCorners> leaves, double model_radius);

}  // namespace clearance::detail
