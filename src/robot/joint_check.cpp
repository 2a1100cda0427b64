// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "robot/joint_check.h"

#include <cmath>

namespace clearance::detail {

Vec3 direction_of(const Vec3& axis) {
  // Divided first: the square of a large axis would be infinite, and its direction lost.
  const double largest = largest_component(abs(axis));
  if (!(largest > 0.0) || !is_finite(axis)) return {};
  return normalized(axis / largest);
}

std::string wrong_with_joint(const Vec3& axis, double lower, double upper) {
  if (!is_finite(axis)) return "the axis is not finite";
  if (direction_of(axis) == Vec3{}) return "the axis has no length";
  if (std::isnan(lower) || std::isnan(upper)) return "a limit is not a number";
  if (lower > upper) {
    return "the lower limit (" + std::to_string(lower) + ") is above the upper one (" +
           std::to_string(upper) + ")";
  }
  return "";
}

}  // namespace clearance::detail
