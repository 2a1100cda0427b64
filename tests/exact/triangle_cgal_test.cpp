// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Triangle pairs against CGAL's exact kernel: a second opinion from code that shares nothing with
// ours. CGAL is GPL: it is used in this test only.
#include <cmath>

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/predicates.h>
#include <clearance/geometry/triangle_triangle.h>

#include "support/triangle_oracle.h"

namespace clearance {
namespace {

using Quick = CGAL::Exact_predicates_inexact_constructions_kernel;
using Exact = CGAL::Exact_predicates_exact_constructions_kernel;

template <class Kernel>
typename Kernel::Triangle_3 cgal(const Triangle& t) {
  using Point = typename Kernel::Point_3;
  return {Point(t.a.x, t.a.y, t.a.z), Point(t.b.x, t.b.y, t.b.z), Point(t.c.x, t.c.y, t.c.z)};
}

TEST(TriangleAgainstCgal, IntersectionAgrees) {
  Random random(11);
  int hits = 0;
  int compared = 0;
  for (int i = 0; i < 100000; ++i) {
    const test::TrianglePair pair = test::awkward_pair(random);
    // CGAL's precondition. Degenerate triangles have their own oracle in tests/geometry.
    if (has_zero_area(pair.a) || has_zero_area(pair.b)) continue;
    const bool truth = CGAL::do_intersect(cgal<Quick>(pair.a), cgal<Quick>(pair.b));
    ASSERT_EQ(intersects(pair.a, pair.b), truth)
        << pair.kind << ": " << test::describe(pair.a, pair.b);
    hits += truth ? 1 : 0;
    ++compared;
  }
  EXPECT_GT(compared, 80000);
  EXPECT_GT(hits, compared * 3 / 10);
  EXPECT_LT(hits, compared * 7 / 10);
}

TEST(TriangleAgainstCgal, DistanceAgrees) {
  Random random(12);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const test::TrianglePair pair = test::awkward_pair(random);
    if (has_zero_area(pair.a) || has_zero_area(pair.b)) continue;
    if (intersects(pair.a, pair.b)) continue;
    // exact(): the lazy number alone is only good to five digits.
    const auto squared = CGAL::squared_distance(cgal<Exact>(pair.a), cgal<Exact>(pair.b));
    const double truth = std::sqrt(CGAL::to_double(CGAL::exact(squared)));
    const double size = norm(pair.a.b - pair.a.a) + norm(pair.b.b - pair.b.a);
    EXPECT_NEAR(closest_points(pair.a, pair.b).distance, truth, 1e-9 * truth + 1e-15 * size)
        << pair.kind << ": " << test::describe(pair.a, pair.b);
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace clearance
