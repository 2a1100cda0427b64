// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A first guess at the closest pair of two wide trees: from a point of B to the nearest triangle of
// A, from there to the nearest of B, and so on while that helps. Cheap (a few microseconds) and
// usually near the answer, so that the descent drops most pairs at once. A guess: it bounds the
// distance from above and proves nothing else.
#pragma once

#include <clearance/query/query.h>

#include "query/triangle_pair.h"

namespace clearance::detail {

struct WideGuess {
  Contact pair;
  ClosestPoints points;
};

[[nodiscard]] WideGuess guess_closest(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                      const TrianglePairs& pairs, Work& work);
/// The same from a pair to start with; `coarse` when that is hardly more than any pair.
[[nodiscard]] WideGuess improve_guess(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                      const TrianglePairs& pairs, const Contact& start, Work& work,
                                      bool coarse = false);

}  // namespace clearance::detail
