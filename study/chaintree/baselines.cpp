// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/baselines.h"

#include "chaintree/grid_methods.h"
#include "chaintree/obb_methods.h"

namespace clearance::study {

std::unique_ptr<StepMethod> make_baseline(Baseline baseline, const Chain& chain,
                                          const BaselineOptions& options) {
  switch (baseline) {
    case Baseline::Grid:
      return std::make_unique<Grid>(chain);
    case Baseline::StrongGrid:
      return std::make_unique<StrongGrid>(chain);
    case Baseline::LazyGrid:
      return std::make_unique<LazyGrid>(chain);
    case Baseline::OneObbTree:
      return std::make_unique<OneObbTree>(chain, options.leaf_size);
    case Baseline::KObbTrees:
      return std::make_unique<KObbTrees>(chain, options.leaf_size);
  }
  return nullptr;
}

}  // namespace clearance::study
