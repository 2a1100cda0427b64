// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A body cut into patches of neighbouring triangles. What is near one of them may be far from the
// others, and what turns a body moves some of them by little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/check/body.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// A box along the principal axes of some triangles that holds them, as a surface of its own: what
/// is farther from it is farther from them, and it has twelve triangles instead of hundreds.
struct CoverBox {
  OrientedBox box;  ///< in the frame of the body, rounded outward
  Bvh surface;
};

struct BodyPatch {
  std::size_t model = 0;  ///< of the body
  Bvh surface;            ///< of its triangles alone, in the frame of the body
  Sphere ball;            ///< around it, rounded outward
  /// Those of Model::component_points() that are corners of it: each is in one patch.
  std::vector<Vec3> points;
  CoverBox cover;
};

/// Around all models of a body.
CoverBox cover_of(const CheckBody& body);

/// A ball around the corners of all models of a body, in its frame, rounded outward.
Sphere ball_of(const CheckBody& body);

/// At most about `most` patches of about equal size: the largest is halved across its longest side
/// again and again. Every triangle is in one of them. Deterministic.
std::vector<BodyPatch> patches_of(const CheckBody& body, std::size_t most);

}  // namespace clearance::detail
