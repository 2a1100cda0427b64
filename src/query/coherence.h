// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a Coherence holds.
#pragma once

#include <vector>

#include <clearance/query/query.h>

#include "query/wide_descent.h"
#include "query/wide_front.h"

namespace clearance {

struct Coherence::State {
  std::vector<detail::NodePair> stack;
  // The pair that answered the last query; of which trees it was is checked by the counts only, for
  // any pair of triangles is a valid first guess.
  Contact last;
  detail::WideFront front;
};

}  // namespace clearance
