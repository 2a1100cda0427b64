// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>

#include <gtest/gtest.h>

#include <clearance/base/parallel.h>
#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/predicates.h>
#include <clearance/geometry/triangle_triangle.h>

#include "support/triangle_oracle.h"

namespace clearance {
namespace {

using test::describe;

constexpr Triangle kUnit{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

Triangle moved(const Triangle& t, const Vec3& by) { return {t.a + by, t.b + by, t.c + by}; }

// Height over length of a needle; 0 for a segment or a point.
double thinness(const Triangle& t) {
  const double length_sq =
      std::max({squared_norm(t.b - t.a), squared_norm(t.c - t.b), squared_norm(t.a - t.c)});
  return length_sq > 0 ? norm(cross(t.b - t.a, t.c - t.a)) / length_sq : 0;
}

// How many pairs the long comparison below makes; CLEARANCE_PAIRS=10000000 for the full run.
std::size_t pair_count() {
  const char* text = std::getenv("CLEARANCE_PAIRS");
  return text == nullptr ? 100000 : std::strtoull(text, nullptr, 10);
}

TEST(TriangleIntersects, SharedCornerEdgeAndFaceCount) {
  EXPECT_TRUE(intersects(kUnit, kUnit));
  EXPECT_TRUE(intersects(kUnit, {{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}));
  EXPECT_TRUE(intersects(kUnit, {{0, 0, 0}, {1, 0, 0}, {0, -1, 1}}));
  EXPECT_TRUE(intersects(kUnit, {{0.25, 0.25, 0}, {0, 0, 1}, {1, 0, 1}}));
}

TEST(TriangleIntersects, OneUnitInTheLastPlaceIsAGap) {
  const Triangle standing{{0.25, 0.25, 0}, {0, 0, 1}, {1, 0, 1}};
  EXPECT_TRUE(intersects(kUnit, standing));
  Triangle raised = standing;
  raised.a.z = 0x1p-200;
  EXPECT_FALSE(intersects(kUnit, raised));
  // Below the exact range the answer may only err towards contact.
  raised.a.z = -std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(intersects(kUnit, raised));
}

TEST(TriangleIntersects, CoplanarOverlapContainmentAndGap) {
  EXPECT_TRUE(intersects(kUnit, moved(kUnit, {0.25, 0.25, 0})));
  EXPECT_TRUE(intersects(kUnit, {{0.1, 0.1, 0}, {0.2, 0.1, 0}, {0.1, 0.2, 0}}));
  EXPECT_FALSE(intersects(kUnit, {{0.6, 0.6, 0}, {1, 0.6, 0}, {0.6, 1, 0}}));
  EXPECT_TRUE(intersects(kUnit, {{0.5, 0.5, 0}, {1, 1, 0}, {0.5, 1, 0}}));
}

TEST(TriangleIntersects, DegenerateTrianglesActAsSegmentsAndPoints) {
  const Vec3 inside{0.25, 0.25, 0};
  EXPECT_TRUE(intersects(kUnit, {inside, inside, inside}));
  EXPECT_FALSE(intersects(kUnit, {{0.25, 0.25, 1}, {0.25, 0.25, 1}, {0.25, 0.25, 1}}));
  EXPECT_TRUE(intersects(kUnit, {{0.25, 0.25, -1}, {0.25, 0.25, 1}, {0.25, 0.25, 0.5}}));
  EXPECT_FALSE(intersects(kUnit, {{2, 2, -1}, {2, 2, 1}, {2, 2, 0}}));
  const Triangle segment{{0, 0, 0}, {2, 2, 2}, {1, 1, 1}};
  EXPECT_TRUE(intersects(segment, {{0, 2, 1}, {2, 0, 1}, {1, 1, 1}}));
  EXPECT_TRUE(intersects(segment, {{1, 1, 1}, {3, 3, 3}, {3, 3, 3}}));
  EXPECT_FALSE(intersects(segment, {{2.5, 2.5, 2.5}, {3, 3, 3}, {3, 3, 3}}));
  EXPECT_FALSE(intersects({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}));
}

TEST(TriangleIntersects, HugeAndTinyCoordinatesStaySafe) {
  for (const double scale : {1e-300, 1e-200, 1e-90, 1e90, 1e200, 1e300}) {
    const auto by = [&](const Triangle& t) {
      return Triangle{scale * t.a, scale * t.b, scale * t.c};
    };
    EXPECT_TRUE(intersects(by(kUnit), by({{0.25, 0.25, -0.5}, {0, 0, 1}, {1, 0, 1}}))) << scale;
    EXPECT_FALSE(intersects(by(kUnit), by({{0.25, 0.25, 0.5}, {0, 0, 1}, {1, 0, 1}}))) << scale;
    EXPECT_NEAR(
        closest_points(by(kUnit), by({{0.25, 0.25, 0.5}, {0, 0, 1}, {1, 0, 1}})).distance / scale,
        0.5, 1e-12)
        << scale;
  }
}

TEST(TriangleDistance, HandMadeCases) {
  // Corner over face, edge against edge, corner against edge.
  EXPECT_EQ(closest_points(kUnit, {{0.25, 0.25, 2}, {0, 0, 3}, {1, 0, 3}}).distance, 2.0);
  EXPECT_DOUBLE_EQ(closest_points(kUnit, {{0.5, -1, -1}, {0.5, -1, 1}, {0.5, -3, 0}}).distance,
                   1.0);
  EXPECT_DOUBLE_EQ(closest_points(kUnit, {{4, 4, 0}, {5, 4, 0}, {4, 5, 0}}).distance,
                   std::sqrt(3.5 * 3.5 * 2));
  // Parallel faces: any of many pairs, the distance is one number.
  EXPECT_EQ(closest_points(kUnit, moved(kUnit, {0, 0, 0.125})).distance, 0.125);
}

TEST(TriangleDistance, ZeroExactlyWhenTheyIntersect) {
  const Triangle standing{{0.25, 0.25, 0}, {0, 0, 1}, {1, 0, 1}};
  const ClosestPoints touching = closest_points(kUnit, standing);
  EXPECT_EQ(touching.distance, 0.0);
  EXPECT_LT(distance(touching.on_a, Vec3{0.25, 0.25, 0}), 1e-15);
  for (const double gap : {1e-3, 1e-9, 1e-15, 1e-18, 1e-20}) {
    const double found = closest_points(kUnit, {{0.25, 0.25, gap}, {0, 0, 1}, {1, 0, 1}}).distance;
    EXPECT_NEAR(found / gap, 1.0, 1e-9) << gap;
  }
}

TEST(TriangleDistance, NearlyParallelEdgesKeepTheirDigits) {
  // Lines that cross at 1e-7 rad with a gap of 1e-8: the textbook formula loses the crossing.
  const Triangle a{{-1, 0, 0}, {1, 0, 0}, {0, -5, 0}};
  const Triangle b{{-1, -1e-7, 1e-8}, {1, 1e-7, 1e-8}, {0, 5, 1e-8}};
  const test::QuadDistance truth = test::quad_distance(a, b);
  EXPECT_NEAR(closest_points(a, b).distance / truth.distance, 1.0, 1e-9);
}

TEST(TriangleDistance, LongEdgesThatNearlyTouchKeepTheirDigits) {
  // Two edges that cross at a known distance, a thousandth to a few millionths of their length: the
  // direction between their closest points is off by so much more than rounding.
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const double gap = std::pow(10.0, random.uniform(-5.3, -3.0));
    const double angle = random.uniform(0.05, 3.0);
    const Vec3 along{std::cos(angle), std::sin(angle), 0.0};
    const Triangle a{{-random.uniform(0.1, 1.0), 0.0, 0.0},
                     {random.uniform(0.1, 1.0), 0.0, 0.0},
                     {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), -0.5}};
    const Vec3 up{0.0, 0.0, gap};
    const Triangle b{-random.uniform(0.1, 1.0) * along + up,
                     random.uniform(0.1, 1.0) * along + up,
                     {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.5 + gap}};
    const Mat3 turn = rotation_about(normalized(Vec3{random.uniform(-1.0, 1.0), 0.3, 0.7}),
                                     random.uniform(-3.0, 3.0));
    const Triangle turned_a{turn * a.a, turn * a.b, turn * a.c};
    const Triangle turned_b{turn * b.a, turn * b.b, turn * b.c};
    const ClosestPoints points = closest_points(turned_a, turned_b);
    EXPECT_NEAR(points.distance, gap, 1e-9 * gap) << describe(turned_a, turned_b);
    EXPECT_NEAR(distance(points.on_a, points.on_b), gap, 1e-9 * gap);
  }
}

TEST(TriangleDistance, KeepsItsDigitsAtAnyScale) {
  // Faces that are parallel but for a little, a few millionths to a thousandth of their size apart:
  // two edges cross, but a corner may be closer. Powers of two change no digit of the corners.
  Random random(5);
  const auto somewhere = [&](double height) {
    return Vec3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), height};
  };
  for (int i = 0; i < 20000; ++i) {
    const double gap = std::pow(10.0, random.uniform(-5.3, -3.0));
    const double tilt = std::pow(10.0, random.uniform(-2.0, 0.0)) * gap;
    const auto above = [&] { return somewhere(gap + random.uniform(0.0, tilt)); };
    const Triangle a{somewhere(0.0), somewhere(0.0), somewhere(0.0)};
    const Triangle b{above(), above(), above()};
    const double expected = closest_points(a, b).distance;
    const int exponent = -155 - static_cast<int>(random.below(45));
    const auto scaled = [exponent](const Triangle& t) {
      const double scale = std::scalbn(1.0, exponent);
      return Triangle{scale * t.a, scale * t.b, scale * t.c};
    };
    const double found = std::scalbn(closest_points(scaled(a), scaled(b)).distance, -exponent);
    EXPECT_NEAR(found, expected, 1e-9 * expected) << exponent << ' ' << describe(a, b);
  }
}

// The contract of the module, on every awkward kind of pair.
TEST(TrianglePairs, AgreeWithExactArithmetic) {
  const std::size_t count = pair_count();
  const std::size_t pieces = 64;
  std::atomic<std::size_t> hits{0};
  std::atomic<std::size_t> failures{0};
  std::mutex mutex;
  const auto fail = [&](const char* what, const test::TrianglePair& pair, double ours,
                        double truth) {
    if (failures.fetch_add(1) < 10) {
      const std::lock_guard<std::mutex> lock(mutex);
      ADD_FAILURE() << what << " (" << pair.kind << "): ours " << ours << ", truth " << truth
                    << "\n"
                    << describe(pair.a, pair.b);
    }
  };
  parallel_for(Threads{}, pieces, [&](std::size_t piece) {
    Random random = Random(20261115).split(piece);
    for (std::size_t i = piece; i < count; i += pieces) {
      const test::TrianglePair pair = test::awkward_pair(random);
      const Triangle& a = pair.a;
      const Triangle& b = pair.b;
      const test::QuadDistance quad = test::quad_distance(a, b);
      const double extent =
          std::max({norm(a.b - a.a), norm(a.c - a.a), norm(b.b - b.a), norm(b.c - b.a)});
      // Quadruple precision vouches for a clear piercing or a clear gap; the rest is decided
      // exactly.
      const bool clear_gap = !quad.unclear && !quad.pierces && quad.distance > 1e-22 * extent;
      const bool truth = quad.pierces || (!clear_gap && test::exactly_intersect(a, b));
      hits += truth ? 1 : 0;

      const bool ours = intersects(a, b);
      if (ours != truth) fail("intersects", pair, ours, truth);
      if (intersects(b, a) != ours) fail("intersects is not symmetric", pair, !ours, truth);

      const ClosestPoints closest = closest_points(a, b);
      if ((closest.distance == 0.0) != truth)
        fail("distance zero", pair, closest.distance, quad.distance);
      const double needle = std::min(thinness(a), thinness(b));
      const double tolerance = 1e-9 * quad.distance + (needle < 1e-8 ? 1e-15 : 1e-22) * extent;
      if (!truth && std::abs(closest.distance - quad.distance) > tolerance) {
        fail("distance", pair, closest.distance, quad.distance);
      }
      // Witness points lie on the triangles and are as far apart as they say, to rounding of the
      // coordinates.
      const double coordinates =
          std::max({norm(a.a), norm(a.b), norm(a.c), norm(b.a), norm(b.b), norm(b.c)});
      const double rounding = 1e-14 * coordinates + 1e-9 * closest.distance;
      if (std::abs(distance(closest.on_a, closest.on_b) - closest.distance) > rounding) {
        fail("witness gap", pair, distance(closest.on_a, closest.on_b), closest.distance);
      }
      const double off =
          std::max(test::quad_distance(closest.on_a, a), test::quad_distance(closest.on_b, b));
      if (off > rounding + 1e-12 * extent) fail("witness off its triangle", pair, off, 0.0);

      // What is proven must be true, and what is clearly true must be proven.
      if (!truth) {
        if (proven_farther(a, b, quad.distance * (1 + 1e-12)))
          fail("proved too much", pair, 1, quad.distance);
        if (quad.distance > 1e-15 * coordinates && !proven_farther(a, b, 0.5 * quad.distance)) {
          fail("proved too little", pair, 0, quad.distance);
        }
      } else if (proven_farther(a, b, 0.0)) {
        fail("proved a gap in contact", pair, 1, 0.0);
      }
    }
  });
  EXPECT_EQ(failures.load(), 0u) << "of " << count << " pairs";
  // The sample is not one-sided.
  EXPECT_GT(hits.load(), count * 3 / 10);
  EXPECT_LT(hits.load(), count * 7 / 10);
}

// A moved triangle has no exact double coordinates: contact must be found all the same.
TEST(TrianglePairs, MovedByAPoseNeverMissContact) {
  Random random(7);
  const std::size_t count = std::max<std::size_t>(pair_count() / 50, 1000);
  std::size_t contacts = 0;
  std::size_t called_free = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const test::TrianglePair pair = test::awkward_pair(random);
    const Vec3 axis =
        normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1.1)});
    const double size = norm(pair.b.a) + norm(pair.b.b);
    const Pose pose{
        rotation_about(axis, random.uniform(-3, 3)),
        {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)}};
    // Bring b to where it came from, by rounded coordinates, so that it lands a rounding away.
    const Pose back = inverse(pose);
    const Triangle local{back * pair.b.a, back * pair.b.b, back * pair.b.c};
    const bool truth = test::exactly_intersect(pair.a, local, pose);
    const bool ours = touches(pair.a, local, pose);
    contacts += truth ? 1 : 0;
    called_free += ours ? 0 : 1;
    if (truth) {
      ASSERT_TRUE(ours) << pair.kind << " missed: " << describe(pair.a, local);
    }
    // And a gap clearly above the stated bound is recognised.
    const Triangle there{pose * local.a, pose * local.b, pose * local.c};
    const double scene = norm(pose.translation) + norm(local.a) + norm(local.b) + norm(local.c) +
                         norm(pair.a.a) + norm(pair.a.b);
    const test::QuadDistance quad = test::quad_distance(pair.a, there);
    if (!quad.pierces && !quad.unclear && quad.distance > 2e-14 * scene) {
      ASSERT_FALSE(ours) << pair.kind << " gap " << quad.distance << ": "
                         << describe(pair.a, local);
    }
  }
  EXPECT_GT(contacts, count / 10);
  EXPECT_GT(called_free, count / 10);
}

TEST(Orientation, SignsAndCollinearity) {
  EXPECT_EQ(orientation({1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}), 1);
  EXPECT_EQ(orientation({0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}), -1);
  // Coplanar in a plane no filter decides.
  const Vec3 u{0.1, 0.2, 0.3};
  const Vec3 v{0.7, -0.1, 0.4};
  EXPECT_EQ(orientation(u, v, u, v), 0);
  EXPECT_EQ(orientation_2d(0.5, 0.5, 12, 12, 24, 24), 0);
  EXPECT_EQ(orientation_2d(0.5, 0.5 + 0x1p-53, 12, 12, 24, 24),
            -orientation_2d(0.5, 0.5 - 0x1p-54, 12, 12, 24, 24));
  EXPECT_TRUE(has_zero_area({{1, 2, 3}, {2, 4, 6}, {4, 8, 12}}));
  EXPECT_FALSE(has_zero_area({{1, 2, 3}, {2, 4, 6}, {4, 8, 12 + 0x1p-40}}));
}

}  // namespace
}  // namespace clearance
