// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// On which side of a closed surface a point is, by counting the crossings of a ray on the tree.
#pragma once

#include <array>
#include <cstdint>

#include <clearance/bvh/bvh.h>
#include <clearance/mesh/inside.h>
#include <clearance/query/query.h>

namespace clearance::detail {

/// A triangle of three points as a surface that queries take. Equal points make it a segment or a
/// point: points and rays need no descent of their own.
class SmallSurface {
 public:
  /// `like`: a tree of the kind that it will meet in queries.
  SmallSurface(const std::array<Vec3, 3>& corners, const Bvh& like);
  /// False for corners that no tree takes: not finite, or beyond its range. It has no bvh() then.
  [[nodiscard]] bool ok() const { return bvh_.ok(); }
  SmallSurface(const SmallSurface&) = delete;
  SmallSurface& operator=(const SmallSurface&) = delete;
  [[nodiscard]] const Bvh& bvh() const { return *bvh_; }

 private:
  std::array<Vec3, 3> corners_;
  Result<Bvh> bvh_;
};

/// Boundary when a triangle is at `tolerance` [m] or closer to the point; Inside when the surface
/// wraps around it a number of times that is not 0; Boundary as well when nothing can be proven:
/// for a point that is not finite, or a surface at the very end of the range of trees. The
/// triangles must form a closed, consistently wound surface. Adds to `work`.
Side side_of_surface(const Bvh& bvh, const Vec3& point, double tolerance, Work& work);

}  // namespace clearance::detail
