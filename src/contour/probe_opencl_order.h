// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Triangles in an order in which neighbours are near each other, so that blocks of them are small.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/base/parallel.h>

#include "contour/probe_contest.h"

namespace clearance::detail {

/// The numbers of the triangles along a Morton curve through the bounds of the mesh, by the sums of
/// their corners; equal places in the order of the mesh.
void order_along_curve(const ProbeMesh& mesh, Threads threads, std::vector<std::uint32_t>& order);

}  // namespace clearance::detail
