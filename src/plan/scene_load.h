// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clearance/plan/scene_file.h>

namespace clearance::detail {

/// load_scene() with the body relieved by exactly this [m], whatever the description allows.
[[nodiscard]] Result<PlanScene> load_scene_relieved(const SceneDescription& description,
                                                    double relief, const SceneLoadOptions& options);

}  // namespace clearance::detail
