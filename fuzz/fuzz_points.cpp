// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_points() promises for any bytes: finite points, or an error with a reason.
#include <cstddef>
#include <cstdint>

#include <clearance/grasp/points_file.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<Vec3>> points = parse_points(bytes, "points");
  if (!points) {
    fuzz::require(points.error().file == "points" && !points.error().reason.empty());
    return 0;
  }
  fuzz::require(!points->empty());
  for (const Vec3& point : *points) fuzz::require(is_finite(point));
  return 0;
}
