// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The harness against itself: the same work on both sides, so the ratio says how far to trust the
// other rows of this run.
#include <memory>
#include <numeric>
#include <vector>

#include <clearance/base/random.h>

#include "harness.h"

namespace {
using namespace clearance;

const bench::RowEntry kSame{"self/same-work", [] {
                              auto numbers = std::make_shared<std::vector<double>>(4096);
                              Random random(bench::seed());
                              for (double& number : *numbers) number = random.uniform();
                              const auto sum = [numbers] {
                                return std::accumulate(numbers->begin(), numbers->end(), 0.0);
                              };
                              return bench::Row{.rival = "itself",
                                                .ours = [sum] { bench::keep(sum()); },
                                                .theirs = [sum] { bench::keep(sum()); },
                                                .equal = [sum] { return sum() == sum(); }};
                            }};

}  // namespace
