// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The smallest convex body around a set of points, exact: every decision is the sign of a
// determinant of the given doubles (predicates.h), so there is no tolerance, no point is left
// outside and no face is turned inward. Method: Quickhull (Barber, Dobkin and Huhdanpaa, 1996).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance {

/// A convex hull as indices into the points it was made of.
struct ConvexHull {
  /// 3 for a solid. 2 when the points lie in one plane: the faces then cover the polygon twice,
  /// once from each side, so that they still form a closed surface, of volume 0. 1 when the points
  /// lie on one line and 0 when they are all one point: there are no faces, only the one or two
  /// vertices.
  ///
  /// This too is exact. Points that lay in a plane before they were rotated or read from decimals
  /// are off it by rounding, and their hull is a solid as thin as that.
  int dimension = 3;
  /// The corners of the hull, ascending: the points that are not between others. Of equal points
  /// the first is named; points within a face or an edge are not.
  std::vector<std::uint32_t> vertices;
  /// Triangles, counter-clockwise seen from outside, none without area; a closed surface. No point
  /// is beyond the plane of any of them, not even by rounding. A flat face with more than three
  /// corners is cut into triangles. Each starts at its smallest index, and they are sorted.
  std::vector<std::array<std::uint32_t, 3>> faces;
};

/// Coordinates beyond this are refused, and those below its inverse count as 0: within these limits
/// the signs are exact. 2^250, about 1e75.
inline constexpr double kLargestHullCoordinate = 0x1p250;

/// The convex hull of points in any position, duplicates included. The same points in the same
/// order give the same hull. Safe on any number of threads at once.
///
/// Refused as ErrorCode::Invalid: no points, and a coordinate that is not finite or is too large
/// (the error names the first such point).
///
/// Cost: usually O(n log n), at worst O(n^2). Measured for 100,000 points on one core of a busy
/// machine: 0.5 to 0.9 s when all of them are corners (on a sphere, or the two rims of a cylinder),
/// 0.3 to 0.5 s on the faces of a rotated cube, where rounding decides, 0.02 s inside a cube.
[[nodiscard]] Result<ConvexHull> convex_hull(std::span<const Vec3> points);

}  // namespace clearance
