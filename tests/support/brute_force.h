// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every query over all pairs of triangles, without a tree: what every tree is held to.
//
// The distance of one pair is 0 when touches() says so, else that of closest_points() with B's
// triangle moved into A's frame. The smallest wins; among equal ones the lowest triangle numbers.
// Trees follow the same rule, so their answers are the same to the last bit, but for which of
// several contacts they find.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/query/query.h>

namespace clearance::test {

/// The arrays of a mesh, not owned.
struct TriangleSpan {
  std::span<const Vec3> vertices;
  std::span<const std::array<std::uint32_t, 3>> faces;

  [[nodiscard]] Triangle triangle(std::size_t i) const {
    const auto& f = faces[i];
    return {vertices[f[0]], vertices[f[1]], vertices[f[2]]};
  }
};

inline TriangleSpan triangles_of(const Bvh& bvh) { return {bvh.vertices(), bvh.faces()}; }

/// Exact distance, with options.upper_bound heeded as query.h says (a distance at or above it is
/// `beyond`) and the errors allowed not made use of. work counts the pairs of triangles.
Distance brute_distance(const TriangleSpan& a, const TriangleSpan& b, const Pose& a_from_b,
                        const DistanceOptions& options = {});
bool brute_collide(const TriangleSpan& a, const TriangleSpan& b, const Pose& a_from_b);
/// All pairs that touch, sorted by triangle of A, then of B.
std::vector<Contact> brute_contacts(const TriangleSpan& a, const TriangleSpan& b,
                                    const Pose& a_from_b);

/// The distance of one pair by the common rule, with points, normal and triangle numbers.
Distance pair_distance(const TriangleSpan& a, std::uint32_t triangle_a, const TriangleSpan& b,
                       std::uint32_t triangle_b, const Pose& a_from_b);

/// Equal in everything but the work, bit for bit.
bool same_answer(const Distance& a, const Distance& b);
/// Whether a tree's answer is that of brute force: the same_answer(), or, when the surfaces touch,
/// any one pair that touches. (A descent stops at the first: to look for the lowest numbers it
/// would have to find every contact.)
bool is_right(const Distance& found, const Distance& expected, const TriangleSpan& a,
              const TriangleSpan& b, const Pose& a_from_b);
/// Every number of an answer with all its digits, for failure messages.
std::string describe(const Distance& d);

}  // namespace clearance::test
