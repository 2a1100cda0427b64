// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Point clouds from files: what a camera saw of a pile.
//
// PLY (text or binary, either byte order; elements before and beside the points are passed over)
// with x, y and z of its vertices; or text, one point a line: three numbers apart by spaces, commas
// or both, more columns passed over, with # comments and a header line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// The points in metres. Errors name file, place (line or point) and reason: a number that is not
/// finite, no points, a file cut short.
[[nodiscard]] Result<std::vector<Vec3>> read_points(const std::string& path,
                                                    double metres_per_unit = 1.0);
[[nodiscard]] Result<std::vector<Vec3>> parse_points(std::string_view bytes,
                                                     const std::string& path,
                                                     double metres_per_unit = 1.0);

}  // namespace clearance
