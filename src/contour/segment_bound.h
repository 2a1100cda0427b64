// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Branch and bound over eta, for segments that are not convex: the segment is cut at discs, and
// each part is proven to be farther (segment_proof.h) or cut again. The first cut is at the least
// distance that a descent finds.
#pragma once

#include "contour/segment_problem.h"

namespace clearance::detail {

/// A proven lower bound of the distance, at most allowed_gap() below that of `best`, which becomes
/// another candidate where a part holds a closer one.
[[nodiscard]] double bounded(const SegmentProblem& problem, SegmentCandidate& best);

}  // namespace clearance::detail
