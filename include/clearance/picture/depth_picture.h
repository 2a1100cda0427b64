// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Depth images from files: grey PNG files of 16 bits a pixel, as depth cameras write them. What a
// value means in metres, and where the camera stood, is said elsewhere (grasp/depth_view.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>

namespace clearance {

/// Rows from the top, as they are in the file; 0 mostly means that nothing was measured.
struct DepthPicture {
  int width = 0;   ///< [pixels]
  int height = 0;  ///< [pixels]
  std::vector<std::uint16_t> values;
};

/// Errors name file and reason: not a PNG file, colours or fewer bits, a file that is cut short or
/// damaged, more than 16384 pixels a side. Takes memory in proportion to the file (at most about a
/// thousand times its size, which is what PNG can pack).
[[nodiscard]] Result<DepthPicture> read_depth_picture(const std::string& path);
[[nodiscard]] Result<DepthPicture> parse_depth_picture(std::string_view bytes,
                                                       const std::string& path);

/// Writes such a file, whole or not at all. Errors: sizes that do not fit the number of values.
Status write_depth_picture(const std::string& path, const DepthPicture& picture);

}  // namespace clearance
