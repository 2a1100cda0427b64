// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain tree as one of the methods compared.
#pragma once

#include <memory>

#include <clearance/chain/chain.h>
#include <clearance/chain/chain_tree.h>

#include "chaintree/step_method.h"

namespace clearance::study {

struct ChainTreeMethodOptions {
  ChainVolume volume = ChainVolume::Wide;
  bool memory = true;  ///< pairs that collided last are tested first
};

/// The chain must be in order (check()), of groups of spheres only, and free. Null when it is not
/// in order.
[[nodiscard]] std::unique_ptr<StepMethod> make_chain_tree_method(
    const Chain& chain, const ChainTreeMethodOptions& options = {});

}  // namespace clearance::study
