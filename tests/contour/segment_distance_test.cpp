// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <clearance/contour/segment_distance.h>

#include "support/contour_oracle.h"

namespace clearance {
namespace {

using test::contour_oracle;
using test::describe;

// How many pairs are compared with the oracle; CLEARANCE_CONTOUR_PAIRS=1000000 for the full run.
std::size_t pair_count() {
  const char* text = std::getenv("CLEARANCE_CONTOUR_PAIRS");
  return text == nullptr ? 3000 : std::strtoull(text, nullptr, 10);
}

TEST(SegmentDistance, AgreesWithTheOracle) {
  Random random(1);
  double worst = 0.0;
  std::size_t touching = 0;
  const std::size_t count = pair_count();
  for (std::size_t i = 0; i < count; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const SegmentDistance found = distance(pair.segment, pair.triangle);
    const double exact = contour_oracle(pair.segment, pair.triangle);
    const double error = std::abs(found.distance - exact) / pair.extent;
    worst = std::max(worst, error);
    touching += exact <= 1e-15 * pair.extent ? 1 : 0;
    EXPECT_LE(error, 1e-9) << pair.kind << " " << found.distance << " " << exact << "\n"
                           << describe(pair.segment, pair.triangle);
    EXPECT_LE(found.lower, exact + 1e-15 * pair.extent) << pair.kind;
  }
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("touching", std::to_string(touching));
}

}  // namespace
}  // namespace clearance
