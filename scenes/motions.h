// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Seeded poses of one body around another, for tests and benchmarks of queries.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>

namespace clearance::scenes {

/// Where B stands, seen from A. D is the larger of the two diameters.
enum class Motion : std::uint8_t {
  Far,    ///< about D apart, any direction, any rotation
  Near,   ///< a gap of 1 % of D
  Mixed,  ///< pushed together from contact by up to a fifth of D or pulled apart: half collide
  Path,   ///< a smooth motion around A that keeps about 1 % of D off its surface
};
[[nodiscard]] const char* name_of(Motion motion);

/// `count` poses a_from_b. The same arguments give the same poses.
[[nodiscard]] std::vector<Pose> make_poses(const Bvh& a, const Bvh& b, Motion motion,
                                           std::size_t count, std::uint64_t seed);

}  // namespace clearance::scenes
