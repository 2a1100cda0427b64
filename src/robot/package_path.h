// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the files are that a URDF names.
#pragma once

#include <span>
#include <string>

#include <clearance/base/result.h>

namespace clearance::detail {

/// The path of a mesh, as robot_file.h says: `name` is what stands in the URDF at `urdf_path`. A
/// folder that is itself called as the package is one of the places, too.
/// Errors: NotFound, with the places looked at; file and place are those given.
[[nodiscard]] Result<std::string> find_mesh(const std::string& name, const std::string& urdf_path,
                                            const std::string& place,
                                            std::span<const std::string> package_folders);

}  // namespace clearance::detail
