// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the views of grasps and picks share: the gripper.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include <clearance/geometry/pose.h>
#include <clearance/grasp/gripper.h>

#include "view_source.h"

namespace clearance::cli {

/// The gripper of a result: of its file, or of boxes. Where the file is not found, says so in the
/// document.
[[nodiscard]] std::optional<Gripper> gripper_of(const ViewSource& source,
                                                const nlohmann::json& hand, ViewDocument& document);

/// A gripper closed to a width at a pose; not visible at first.
[[nodiscard]] ViewItem gripper_item(const Gripper& gripper, double width,
                                    const Pose& world_from_gripper);

}  // namespace clearance::cli
