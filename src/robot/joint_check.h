// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every joint that moves must have, whatever file it comes from.
#pragma once

#include <string>

#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// The unit vector along an axis of any length from 1e-150 to 1e300; zero for one without length.
[[nodiscard]] Vec3 direction_of(const Vec3& axis);

/// What is wrong with the axis and the limits of a joint that moves, as a phrase; empty when
/// nothing is.
[[nodiscard]] std::string wrong_with_joint(const Vec3& axis, double lower, double upper);

}  // namespace clearance::detail
