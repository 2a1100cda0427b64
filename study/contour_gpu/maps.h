// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Figures 8 and 9 of the paper: the mesh coloured by its distance from the robot, warm where it is
// close.
#pragma once

#include <string>

#include <clearance/base/result.h>

#include "contour_gpu/contour_gpu.h"

namespace clearance::study {

/// Writes scenario-b-1.png, scenario-b-2.png (the catheter twice, bent differently, in the half of
/// the atrium behind it), scenario-c.png and a .ply beside each into a folder that exists.
[[nodiscard]] Status write_maps(const std::string& folder, const ContourStudyOptions& options);

}  // namespace clearance::study
