// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/parallel.h>
#include <clearance/base/random.h>
#include <clearance/geometry/convex_hull.h>
#include <clearance/geometry/predicates.h>

#include "support/random_shapes.h"

namespace clearance {
namespace {

using Points = std::vector<Vec3>;

/// The volume, summed relative to the first point.
double volume(const Points& points, const ConvexHull& hull) {
  double sum = 0.0;
  for (const auto& f : hull.faces) {
    const Vec3 o = points[0];
    sum += dot(points[f[0]] - o, cross(points[f[1]] - o, points[f[2]] - o));
  }
  return sum / 6.0;
}

/// Every directed edge once, and once the other way round.
bool is_closed(const ConvexHull& hull) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
  for (const auto& f : hull.faces) {
    for (std::size_t i = 0; i < 3; ++i) ++count[{f[i], f[(i + 1) % 3]}];
  }
  return std::all_of(count.begin(), count.end(), [&](const auto& edge) {
    const auto back = count.find({edge.first.second, edge.first.first});
    return back != count.end() && back->second == edge.second;
  });
}

/// No point beyond the plane of any face, no face without area: exactly.
bool holds_every_point(const Points& points, const ConvexHull& hull) {
  return std::all_of(hull.faces.begin(), hull.faces.end(), [&](const auto& f) {
    const Triangle t{points[f[0]], points[f[1]], points[f[2]]};
    return !has_zero_area(t) && std::all_of(points.begin(), points.end(), [&](const Vec3& p) {
      return orientation(t.a, t.b, t.c, p) >= 0;
    });
  });
}

/// For points of one plane z = constant: none is outside an edge of the upper polygon.
bool polygon_holds_every_point(const Points& points, const ConvexHull& hull) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto turn = [&](std::uint32_t a, std::uint32_t b, const Vec3& p) {
    return orientation_2d(points[a].x, points[a].y, points[b].x, points[b].y, p.x, p.y);
  };
  for (const auto& f : hull.faces) {
    const int up = turn(f[0], f[1], points[f[2]]);
    if (up == 0) return false;
    if (up < 0) continue;
    // What two triangles share is not an edge of the polygon.
    for (std::size_t i = 0; i < 3; ++i) {
      if (edges.erase({f[(i + 1) % 3], f[i]}) == 0) edges.insert({f[i], f[(i + 1) % 3]});
    }
  }
  return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return std::all_of(points.begin(), points.end(),
                       [&](const Vec3& p) { return turn(edge.first, edge.second, p) >= 0; });
  });
}

void shuffle(Points& points, Random& random) {
  for (std::size_t i = points.size(); i > 1; --i) {
    std::swap(points[i - 1], points[random.below(i)]);
  }
}

/// The corners as points, in an order of their own.
std::set<std::array<double, 3>> corners(const Points& points, const ConvexHull& hull) {
  std::set<std::array<double, 3>> result;
  for (const std::uint32_t i : hull.vertices) {
    // Adding 0 makes -0 and 0 the same.
    result.insert({points[i].x + 0.0, points[i].y + 0.0, points[i].z + 0.0});
  }
  return result;
}

Points cube() {
  Points points;
  for (unsigned i = 0; i < 8; ++i) {
    points.push_back({double(i & 1u), double(i >> 1 & 1u), double(i >> 2 & 1u)});
  }
  return points;
}

TEST(ConvexHull, CubeHasTwelveTrianglesFacingOutwardInAnyOrder) {
  Points points = cube();
  points.push_back({0.5, 0.5, 0.5});   // inside
  points.push_back({0.5, 0.5, 1.0});   // on a face
  points.push_back({0.5, 0.25, 1.0});  // on the same
  points.push_back({0.5, 0.0, 0.0});   // on an edge
  points.push_back({1, 1, 1});         // twice
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_TRUE(hull) << hull.error().message();
    EXPECT_EQ(hull->dimension, 3);
    EXPECT_EQ(hull->vertices.size(), 8u);
    EXPECT_EQ(hull->faces.size(), 12u);
    EXPECT_TRUE(is_closed(*hull));
    EXPECT_TRUE(holds_every_point(points, *hull));
    EXPECT_NEAR(volume(points, *hull), 1.0, 1e-15);
    shuffle(points, random);
  }
}

TEST(ConvexHull, PlanarPointsGiveADoubleSidedPolygon) {
  // In the plane x + y + z = 0, exactly.
  Points points;
  for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{2, 0, 0}, Vec3{2, 1, 0}, Vec3{0, 1, 0}, Vec3{1, 0.5, 0},
                        Vec3{2, 1, 0}, Vec3{1, 0, 0}}) {
    points.push_back({p.x, p.y, -p.x - p.y});
  }
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->dimension, 2);
  EXPECT_EQ(hull->vertices, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(hull->faces.size(), 4u);
  EXPECT_TRUE(is_closed(*hull));
  EXPECT_EQ(volume(points, *hull), 0.0);
}

TEST(ConvexHull, PlaneParallelToEachAxisIsSeenAsOne) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Points points = cube();
    for (Vec3& p : points) p[axis] = 0.1;
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull->dimension, 2);
    EXPECT_EQ(hull->vertices.size(), 4u);
    EXPECT_TRUE(is_closed(*hull));
  }
}

TEST(ConvexHull, PlaneOffByRoundingIsAThinSolid) {
  // The smallest step from 1 is enough.
  const Points points{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, std::nextafter(1.0, 2.0)}};
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->dimension, 3);
  EXPECT_EQ(hull->faces.size(), 4u);
  EXPECT_TRUE(holds_every_point(points, *hull));
}

TEST(ConvexHull, NamesTheFirstOfEqualPoints) {
  Points points = cube();
  const Points once = points;
  points.insert(points.end(), once.rbegin(), once.rend());
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->vertices, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ConvexHull, PointsOnALineGiveItsEnds) {
  const Points points{{1, 1, 1}, {3, 3, 3}, {0, 0, 0}, {2, 2, 2}};
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->dimension, 1);
  EXPECT_EQ(hull->vertices, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(hull->faces.empty());
}

TEST(ConvexHull, EqualPointsGiveOne) {
  for (const std::size_t count : {1u, 2u, 3u, 9u}) {
    const Result<ConvexHull> hull = convex_hull(Points(count, Vec3{1e6, 2, 3}));
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull->dimension, 0);
    EXPECT_EQ(hull->vertices, (std::vector<std::uint32_t>{0}));
  }
}

TEST(ConvexHull, ThreePointsAreATriangleSeenFromBothSides) {
  const Result<ConvexHull> hull = convex_hull(Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->dimension, 2);
  EXPECT_EQ(hull->faces.size(), 2u);
}

TEST(ConvexHull, RefusesNoPointsNotFiniteAndTooLarge) {
  const Result<ConvexHull> none = convex_hull({});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::Invalid);
  Points points = cube();
  points[5].y = std::numeric_limits<double>::quiet_NaN();
  const Result<ConvexHull> nan = convex_hull(points);
  ASSERT_FALSE(nan);
  EXPECT_EQ(nan.error().code, ErrorCode::Invalid);
  EXPECT_EQ(nan.error().place, "point 5");
  points[5].y = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(convex_hull(points));
  points[5].y = 1e76;
  EXPECT_FALSE(convex_hull(points));
}

TEST(ConvexHull, PointsOnASphereAreAllVertices) {
  Random random(3);
  Points points;
  for (int i = 0; i < 2000; ++i) {
    points.push_back(normalized({random.normal(), random.normal(), random.normal()}));
  }
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->vertices.size(), points.size());
  EXPECT_EQ(hull->faces.size(), 2 * points.size() - 4);  // Euler
  EXPECT_TRUE(is_closed(*hull));
}

TEST(ConvexHull, LatticeHasOnlyTheCornersOfTheCube) {
  Points points;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      for (int k = 0; k < 10; ++k) points.push_back({double(i), double(j), double(k)});
    }
  }
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    shuffle(points, random);
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull->vertices.size(), 8u);
    EXPECT_EQ(hull->faces.size(), 12u);
    EXPECT_EQ(volume(points, *hull), 729.0);
  }
}

TEST(ConvexHull, SmallestAndLargestCoordinates) {
  for (const double scale : {1.0 / kLargestHullCoordinate, kLargestHullCoordinate}) {
    Points points = cube();
    for (Vec3& p : points) p *= scale;
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull->vertices.size(), 8u);
    EXPECT_TRUE(holds_every_point(points, *hull));
  }
  Points points = cube();
  for (Vec3& p : points) p *= 1e-76;  // counts as 0
  EXPECT_EQ(convex_hull(points)->dimension, 0);
}

TEST(ConvexHull, TestOfTheTestSeesAPointOutsideAndAnInvertedFace) {
  Points points = cube();
  ConvexHull hull = convex_hull(points).value();
  EXPECT_TRUE(holds_every_point(points, hull));
  points.push_back({0.5, 0.5, std::nextafter(1.0, 2.0)});
  EXPECT_FALSE(holds_every_point(points, hull));
  points.pop_back();
  std::swap(hull.faces[3][0], hull.faces[3][1]);
  EXPECT_FALSE(holds_every_point(points, hull));
  EXPECT_FALSE(is_closed(hull));
}

/// Hulls of random points in all sorts of position; every fourth set is exactly flat.
void check_hull_of_random_points(std::uint64_t seed, bool flat) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::RandomShapes shapes(seed);
  Points points;
  const std::uint64_t count = 1 + shapes.random().below(200);
  for (std::uint64_t i = 0; i < count; ++i) points.push_back(shapes.point());
  if (flat) {
    for (Vec3& p : points) p.z = points[0].z;
  }
  const Result<ConvexHull> hull = convex_hull(points);
  ASSERT_TRUE(hull.ok());
  EXPECT_TRUE(is_closed(*hull));
  EXPECT_TRUE(std::is_sorted(hull->vertices.begin(), hull->vertices.end()));
  if (hull->dimension == 3) {
    EXPECT_FALSE(flat);
    EXPECT_EQ(hull->faces.size() + 4, 2 * hull->vertices.size());
    EXPECT_TRUE(holds_every_point(points, *hull));
  } else if (hull->dimension == 2) {
    EXPECT_EQ(hull->faces.size() + 4, 2 * hull->vertices.size());
    EXPECT_TRUE(!flat || polygon_holds_every_point(points, *hull));
  } else {
    EXPECT_EQ(hull->vertices.size(), static_cast<std::size_t>(hull->dimension) + 1);
  }
  // The corners are what they are, whatever comes first.
  const auto expected = corners(points, *hull);
  EXPECT_EQ(expected.size(), hull->vertices.size());
  shuffle(points, shapes.random());
  const Result<ConvexHull> shuffled = convex_hull(points);
  ASSERT_TRUE(shuffled.ok());
  EXPECT_EQ(shuffled->dimension, hull->dimension);
  EXPECT_EQ(corners(points, *shuffled), expected);
}

TEST(ConvexHull, HoldsEveryPointAndIsClosedInAnyPosition) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) check_hull_of_random_points(seed, seed % 4 == 3);
}

TEST(ConvexHull, NearlyFlatFaceIsNotFoldedInward) {
  // Qhull's triangulation of merged faces turned one of this set around.
  check_hull_of_random_points(6376665975402u, false);
}

TEST(ConvexHull, SameHullOnManyThreadsAtOnce) {
  Random random(9);
  Points points;
  for (int i = 0; i < 500; ++i) {
    points.push_back({random.normal(), random.normal(), random.normal()});
  }
  const Result<ConvexHull> alone = convex_hull(points);
  ASSERT_TRUE(alone);
  std::vector<char> equal(16, 0);
  parallel_for({4}, equal.size(), [&](std::size_t i) {
    const Result<ConvexHull> hull = convex_hull(points);
    equal[i] = hull.ok() && hull->faces == alone->faces && hull->vertices == alone->vertices;
  });
  EXPECT_EQ(std::count(equal.begin(), equal.end(), 1), 16);
}

}  // namespace
}  // namespace clearance
