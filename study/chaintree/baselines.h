// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The structures a chain tree is compared with, by name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <clearance/chain/chain.h>

#include "chaintree/step_method.h"

namespace clearance::study {

enum class Baseline : std::uint8_t {
  Grid,        ///< the paper's: all links moved, hashed and tested at each step
  StrongGrid,  ///< only the smaller side is moved, tested and hashed again
  LazyGrid,    ///< as StrongGrid, but looks next to the changed joint before it moves anything
  OneObbTree,  ///< the paper's 1-OBBTree
  KObbTrees,   ///< the paper's K-OBBTree
};
inline constexpr std::array kBaselines{Baseline::Grid, Baseline::StrongGrid, Baseline::LazyGrid,
                                       Baseline::OneObbTree, Baseline::KObbTrees};

struct BaselineOptions {
  /// Spheres in a leaf of an OBB tree. With 16 a step takes a third of the time it takes with 1, as
  /// most of it goes into boxes near the leaves; 1 is what the paper counts box tests with.
  std::uint32_t leaf_size = 16;
};

/// The chain must be in order (check()), of groups of spheres only, and free.
[[nodiscard]] std::unique_ptr<StepMethod> make_baseline(Baseline baseline, const Chain& chain,
                                                        const BaselineOptions& options = {});

}  // namespace clearance::study
