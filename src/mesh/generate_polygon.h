// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Triangulation of a flat polygon with holes, without new vertices: what CAD tessellators leave on
// flat faces, with fans and slivers from hole to hole.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace clearance::parts {

struct Vec2 {
  double x = 0.0;
  double y = 0.0;
};
constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
/// Positive when b is to the left of a.
constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
inline double norm(Vec2 a) { return std::sqrt(dot(a, a)); }

/// Cuts the region inside the first loop and outside the others into triangles. All loops run
/// counter-clockwise, touch neither themselves nor each other, and every hole lies inside the
/// outer loop. The indices count through all loops, one after another. Gives always
/// (points + 2 * holes - 2) triangles, counter-clockwise.
std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const std::vector<Vec2>> loops);

}  // namespace clearance::parts
