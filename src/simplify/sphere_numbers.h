// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in files of spheres.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <clearance/robot/robot.h>

namespace clearance::detail {

/// The shortest text that reads back as the same double.
inline std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const std::to_chars_result end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

/// Three of them with something between.
inline std::string shortest(const Vec3& v, const char* between) {
  return shortest(v.x) + between + shortest(v.y) + between + shortest(v.z);
}

/// A coordinate or radius that queries take.
inline bool is_length(double value) { return std::abs(value) <= kLargestRobotLength; }

}  // namespace clearance::detail
