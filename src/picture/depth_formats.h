// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of depth images, one reader each. `bytes` begins as the format does; `path` is for
// errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <clearance/base/result.h>
#include <clearance/picture/depth_picture.h>

namespace clearance::detail {

inline constexpr std::uint32_t kMostDepthPixelsASide = 16384;

[[nodiscard]] Result<DepthPicture> parse_depth_png(std::string_view bytes, const std::string& path);
[[nodiscard]] Result<DepthPicture> parse_depth_pgm(std::string_view bytes, const std::string& path);
[[nodiscard]] Result<DepthPicture> parse_depth_npy(std::string_view bytes, const std::string& path);

}  // namespace clearance::detail
