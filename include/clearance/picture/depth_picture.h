// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Depth images from files, as depth cameras and the programs around them write them: grey PNG files
// of 16 bits, PGM files of 16 bits (P5), and NumPy arrays (.npy) of 16-bit whole numbers or of
// floating-point numbers of 32 or 64 bits. The first bytes of a file say which it is, its name does
// not matter. What a value means in metres, and where the camera stood, is said elsewhere
// (grasp/depth_view.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>

namespace clearance {

/// Rows from the top, as they are in the file.
struct DepthPicture {
  int width = 0;   ///< [pixels]
  int height = 0;  ///< [pixels]
  /// Whole numbers of 16 bits are exact; 0 mostly means that nothing was measured. Others may be
  /// NaN, infinite or negative, which mean the same (ROS REP-118).
  std::vector<float> values;
  /// Whole numbers, which mostly are millimetres; else mostly metres.
  bool is_whole = true;
};

/// Errors name file and reason: none of these formats, colours or fewer bits, a file that is cut
/// short or damaged, more than 16384 pixels a side, an array that has not two dimensions or is
/// stored column after column. Takes memory in proportion to the file (at most about two thousand
/// times its size, which is what PNG can pack).
[[nodiscard]] Result<DepthPicture> read_depth_picture(const std::string& path);
[[nodiscard]] Result<DepthPicture> parse_depth_picture(std::string_view bytes,
                                                       const std::string& path);

/// Writes a grey PNG file of 16 bits, whole or not at all. Errors: sizes that do not fit the number
/// of values, values that are no whole numbers from 0 to 65535.
Status write_depth_picture(const std::string& path, const DepthPicture& picture);

}  // namespace clearance
