// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_depth_picture() promises for any bytes: a value for each pixel, or an error with a
// reason.
#include <cstddef>
#include <cstdint>

#include <clearance/picture/depth_picture.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<DepthPicture> picture = parse_depth_picture(bytes, "picture");
  if (!picture) {
    fuzz::require(picture.error().file == "picture" && !picture.error().reason.empty());
    return 0;
  }
  fuzz::require(picture->width > 0 && picture->height > 0);
  fuzz::require(picture->values.size() == static_cast<std::size_t>(picture->width) *
                                              static_cast<std::size_t>(picture->height));
  return 0;
}
