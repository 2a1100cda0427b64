// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/brute_force.h"

#include <cstdio>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/triangle_triangle.h>

namespace clearance::test {
namespace {

Triangle moved(const Pose& pose, const Triangle& t) { return {pose * t.a, pose * t.b, pose * t.c}; }

}  // namespace

Distance pair_distance(const TriangleSpan& a, std::uint32_t triangle_a, const TriangleSpan& b,
                       std::uint32_t triangle_b, const Pose& a_from_b) {
  const Triangle ta = a.triangle(triangle_a);
  const Triangle tb = b.triangle(triangle_b);
  const ClosestPoints points = closest_points(ta, moved(a_from_b, tb));
  Distance result;
  result.distance = touches(ta, tb, a_from_b) ? 0.0 : points.distance;
  result.lower = result.distance;
  result.upper = result.distance;
  result.on_a = points.on_a;
  result.on_b = points.on_b;
  result.normal =
      result.distance == 0.0 ? triangle_normal(ta) : normalized(points.on_b - points.on_a);
  result.triangle_a = triangle_a;
  result.triangle_b = triangle_b;
  result.work.triangle_tests = 1;
  return result;
}

Distance brute_distance(const TriangleSpan& a, const TriangleSpan& b, const Pose& a_from_b,
                        const DistanceOptions& options) {
  // In this order of the pairs, the first of several equal ones has the lowest numbers.
  double best = options.upper_bound;
  Contact pair;
  for (std::uint32_t i = 0; i < a.faces.size(); ++i) {
    for (std::uint32_t j = 0; j < b.faces.size(); ++j) {
      const Triangle ta = a.triangle(i);
      const Triangle tb = b.triangle(j);
      const double distance =
          touches(ta, tb, a_from_b) ? 0.0 : closest_points(ta, moved(a_from_b, tb)).distance;
      if (distance < best) best = distance, pair = {i, j};
    }
  }
  Distance result;
  if (pair.triangle_a == kNoTriangle) {
    result.beyond = true;
    result.lower = options.upper_bound;
  } else {
    result = pair_distance(a, pair.triangle_a, b, pair.triangle_b, a_from_b);
  }
  result.work.triangle_tests = a.faces.size() * b.faces.size();
  return result;
}

bool brute_collide(const TriangleSpan& a, const TriangleSpan& b, const Pose& a_from_b) {
  for (std::size_t i = 0; i < a.faces.size(); ++i) {
    for (std::size_t j = 0; j < b.faces.size(); ++j) {
      if (touches(a.triangle(i), b.triangle(j), a_from_b)) return true;
    }
  }
  return false;
}

std::vector<Contact> brute_contacts(const TriangleSpan& a, const TriangleSpan& b,
                                    const Pose& a_from_b) {
  std::vector<Contact> pairs;
  for (std::uint32_t i = 0; i < a.faces.size(); ++i) {
    for (std::uint32_t j = 0; j < b.faces.size(); ++j) {
      if (touches(a.triangle(i), b.triangle(j), a_from_b)) pairs.push_back({i, j});
    }
  }
  return pairs;
}

bool same_answer(const Distance& a, const Distance& b) {
  return a.distance == b.distance && a.lower == b.lower && a.upper == b.upper &&
         a.beyond == b.beyond && a.on_a == b.on_a && a.on_b == b.on_b && a.normal == b.normal &&
         a.triangle_a == b.triangle_a && a.triangle_b == b.triangle_b;
}

bool is_right(const Distance& found, const Distance& expected, const TriangleSpan& a,
              const TriangleSpan& b, const Pose& a_from_b) {
  if (expected.distance > 0.0) return same_answer(found, expected);
  if (found.beyond || found.triangle_a >= a.faces.size() || found.triangle_b >= b.faces.size())
    return false;
  return found.distance == 0.0 &&
         same_answer(found, pair_distance(a, found.triangle_a, b, found.triangle_b, a_from_b));
}

std::string describe(const Distance& d) {
  char text[512];
  std::snprintf(text, sizeof text,
                "distance %.17g in [%.17g, %.17g]%s, triangles %u and %u, on_a {%.17g, %.17g, "
                "%.17g}, on_b {%.17g, %.17g, %.17g}, normal {%.17g, %.17g, %.17g}",
                d.distance, d.lower, d.upper, d.beyond ? " beyond" : "", d.triangle_a, d.triangle_b,
                d.on_a.x, d.on_a.y, d.on_a.z, d.on_b.x, d.on_b.y, d.on_b.z, d.normal.x, d.normal.y,
                d.normal.z);
  return text;
}

}  // namespace clearance::test
