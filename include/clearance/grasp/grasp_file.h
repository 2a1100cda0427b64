// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grasp databases: a binary file for each part and gripper, versioned and checksummed, that loads
// in milliseconds; and exports for others, as JSON and CSV.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <clearance/base/result.h>
#include <clearance/grasp/grasp.h>

namespace clearance {

/// Written whole or not at all.
[[nodiscard]] Status write_grasps(const std::string& path, const GraspSet& grasps);
/// Errors: no such file, another version, cut off, changed (the checksum), numbers that make no
/// sense.
[[nodiscard]] Result<GraspSet> read_grasps(const std::string& path);
[[nodiscard]] Result<GraspSet> parse_grasps(std::span<const std::byte> bytes,
                                            const std::string& path);

/// schema/grasps.schema.json: pose of the gripper in the part's frame, width, q, r, Q, contacts.
[[nodiscard]] std::string grasps_as_json(const GraspSet& grasps);
/// One grasp a line, with a header; contacts left out.
[[nodiscard]] std::string grasps_as_csv(const GraspSet& grasps);

}  // namespace clearance
