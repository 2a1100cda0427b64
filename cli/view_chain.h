// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the views of proteins and of robots share: the boxes of a chain's hierarchy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view_document.h"

namespace clearance::cli {

/// Adds boxes around 1, 2, 4, ... links, as the chain tree groups them, to the levels of the
/// document, from the root down; levels of more boxes than can be told apart are left out.
/// `points` are those of all links at each of the `times`; those of link i begin at first[i] and
/// end where the next begins (one more at the end). A box holds its points and `radius` around
/// each.
void append_boxes(std::span<const std::uint32_t> first, std::span<const std::vector<Vec3>> points,
                  std::span<const double> times, double radius, ViewDocument& document);

}  // namespace clearance::cli
