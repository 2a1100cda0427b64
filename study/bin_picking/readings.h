// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the paper leaves open, read in other ways: where its six nominal grasps are, the sizes of
// its gripper, the friction, the part. Each reading is tried on the same piles.
#pragma once

#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/grasp/choose.h>

#include "bin_picking/bin_picking.h"

namespace clearance::study {

/// The sizes of the study's gripper: docs/bin_picking_study.md says how they were chosen.
[[nodiscard]] GripperSizes study_gripper();

/// So many of the robust grasps, spread.
[[nodiscard]] SpreadGrasps spread_choice(const GraspSet& set, const Gripper& gripper,
                                         std::size_t count);

/// All readings on these piles, the study's own first. `pick` has the candidates.
[[nodiscard]] Result<std::vector<BinPickingReading>> read_otherwise(
    const ConRod& rod, std::span<const Pile> piles, const PickOptions& pick,
    const BinPickingOptions& options);

}  // namespace clearance::study
