// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that lie in the piles of tests.
#pragma once

#include <vector>

#include <clearance/grasp/pile.h>
#include <clearance/query/model.h>

namespace clearance::test {

inline Model box(const Vec3& size) {
  const std::vector<Box> boxes{{-0.5 * size, 0.5 * size}};
  return Model::build(mesh_of(boxes)).value();
}

/// A corner piece of two boxes: not convex, so that parts hook into each other.
inline Model hook() {
  const std::vector<Box> boxes{{{0.0, 0.0, 0.0}, {0.06, 0.012, 0.012}},
                               {{0.0, 0.012, 0.0}, {0.012, 0.04, 0.012}}};
  return Model::build(mesh_of(boxes)).value();
}

}  // namespace clearance::test
