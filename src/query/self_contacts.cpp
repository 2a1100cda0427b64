// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <clearance/geometry/predicates.h>
#include <clearance/geometry/triangle_triangle.h>
#include <clearance/query/self_contacts.h>

namespace clearance {
namespace {

using Corners = std::array<Vec3, 3>;

/// Corners in common first, in the same order in both; returns how many there are.
std::size_t match(Corners& a, Corners& b) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = common; j < 3; ++j) {
      if (!(a[i] == b[j])) continue;
      std::swap(a[common], a[i]);
      std::swap(b[common], b[j]);
      ++common;
      break;
    }
  }
  return common;
}

Triangle segment(const Vec3& p, const Vec3& q) { return {p, q, q}; }

/// Strictly on one side of the plane of a triangle, both.
bool on_one_side(const Triangle& t, const Vec3& p, const Vec3& q) {
  const int side = orientation(t.a, t.b, t.c, p);
  return side != 0 && side == orientation(t.a, t.b, t.c, q);
}

/// Do the triangles touch beside what they have in common?
bool touch_elsewhere(Corners a, Corners b) {
  const std::size_t common = match(a, b);
  const Triangle whole_a{a[0], a[1], a[2]};
  const Triangle whole_b{b[0], b[1], b[2]};
  switch (common) {
    case 0:
      return intersects(whole_a, whole_b);
    case 1:
      if (on_one_side(whole_a, b[1], b[2]) || on_one_side(whole_b, a[1], a[2])) return false;
      // What both have is star-shaped about the common corner: a way from there through both ends
      // on the opposite side of one of them.
      return intersects(segment(a[1], a[2]), whole_b) || intersects(segment(b[1], b[2]), whole_a);
    case 2:
      if (orientation(a[0], a[1], a[2], b[2]) != 0) return false;
      // Folded onto each other: one of the third corners is on the other triangle, or sides of the
      // two cross.
      return intersects(segment(a[2], a[2]), whole_b) || intersects(segment(b[2], b[2]), whole_a) ||
             intersects(segment(a[0], a[2]), segment(b[1], b[2])) ||
             intersects(segment(a[1], a[2]), segment(b[0], b[2]));
    default:
      return false;
  }
}

Corners corners_of(const Triangle& t) { return {t.a, t.b, t.c}; }

}  // namespace

SelfContacts self_contacts(const Bvh& tree) {
  // A sweep along x: boxes around triangles, in the order of where they begin.
  const std::size_t count = tree.triangle_count();
  std::vector<Box> boxes(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const Vec3& corner : corners_of(tree.triangle(i))) boxes[i].include(corner);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return boxes[a].low.x != boxes[b].low.x ? boxes[a].low.x < boxes[b].low.x : a < b;
  });
  SelfContacts result;
  for (std::size_t i = 0; i < count; ++i) {
    const Box& box = boxes[order[i]];
    for (std::size_t j = i + 1; j < count && boxes[order[j]].low.x <= box.high.x; ++j) {
      const Box& other = boxes[order[j]];
      ++result.work.volume_tests;
      if (other.low.y > box.high.y || box.low.y > other.high.y || other.low.z > box.high.z ||
          box.low.z > other.high.z)
        continue;
      const Contact pair{std::min(order[i], order[j]), std::max(order[i], order[j])};
      ++result.work.triangle_tests;
      if (touch_elsewhere(corners_of(tree.triangle(pair.triangle_a)),
                          corners_of(tree.triangle(pair.triangle_b))))
        result.pairs.push_back(pair);
    }
  }
  std::ranges::sort(result.pairs, {},
                    [](const Contact& c) { return std::pair(c.triangle_a, c.triangle_b); });
  return result;
}

}  // namespace clearance
