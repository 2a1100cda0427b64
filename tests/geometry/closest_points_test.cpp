// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/geometry/closest_points.h>

#include "support/oracle.h"
#include "support/random_shapes.h"

namespace clearance {
namespace {

using test::RandomShapes;

constexpr double kUlp = 0x1p-52;

// --- Hand-made cases -------------------------------------------------------------------------

TEST(ClosestPoints, PointBesideSegmentProjectsOnIt) {
  const ClosestPoints c = closest_points(Vec3{1, 2, 0}, Segment{{0, 0, 0}, {4, 0, 0}});
  EXPECT_EQ(c.on_b, (Vec3{1, 0, 0}));
  EXPECT_EQ(c.distance, 2.0);
}

TEST(ClosestPoints, PointBeyondSegmentGoesToItsEnd) {
  EXPECT_EQ(closest_point({7, 4, 0}, Segment{{0, 0, 0}, {4, 0, 0}}), (Vec3{4, 0, 0}));
  EXPECT_EQ(squared_distance(Vec3{7, 4, 0}, Segment{{0, 0, 0}, {4, 0, 0}}), 25.0);
}

TEST(ClosestPoints, SegmentWithoutLengthIsAPoint) {
  EXPECT_EQ(closest_points(Vec3{3, 4, 0}, Segment{}).distance, 5.0);
  EXPECT_EQ(closest_points(Segment{}, Segment{{0, 3, 4}, {0, 3, 4}}).distance, 5.0);
}

TEST(ClosestPoints, PointOverTriangleProjectsInside) {
  const Triangle t{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  EXPECT_EQ(closest_points(Vec3{1, 1, 3}, t).on_b, (Vec3{1, 1, 0}));
  EXPECT_EQ(closest_points(Vec3{1, 1, 3}, t).distance, 3.0);
  // Beyond the slanted edge x + y = 4: (3, 3) projects on (2, 2).
  EXPECT_NEAR(distance(closest_point({3, 3, 0}, t), {2, 2, 0}), 0.0, 1e-15);
  // Beyond a corner.
  EXPECT_EQ(closest_point({-1, -1, 5}, t), (Vec3{0, 0, 0}));
}

TEST(ClosestPoints, TriangleOfOnePointOrOneLineIsHandled) {
  EXPECT_EQ(squared_distance(Vec3{3, 4, 0}, Triangle{}), 25.0);
  const Triangle flat{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(closest_point({1.5, 2, 0}, flat), (Vec3{1.5, 0, 0}));
  EXPECT_EQ(closest_points(Segment{{1, -1, 1}, {1, 1, 1}}, flat).distance, 1.0);
}

TEST(ClosestPoints, SegmentThroughTriangleTouchesAtTheCrossing) {
  const Triangle t{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const ClosestPoints c = closest_points(Segment{{1, 1, -1}, {1, 1, 3}}, t);
  EXPECT_EQ(c.distance, 0.0);
  EXPECT_EQ(c.on_a, (Vec3{1, 1, 0}));
  EXPECT_EQ(c.on_b, c.on_a);
}

TEST(ClosestPoints, SegmentInThePlaneOfATriangleTouchesIt) {
  const Triangle t{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  EXPECT_EQ(closest_points(Segment{{1, 1, 0}, {1.5, 1, 0}}, t).distance, 0.0);  // inside
  EXPECT_EQ(closest_points(Segment{{-1, 1, 0}, {9, 1, 0}}, t).distance, 0.0);   // across
  EXPECT_EQ(closest_points(Segment{{-1, -2, 0}, {9, -2, 0}}, t).distance, 2.0);
}

TEST(ClosestPoints, CrossedSegmentsAreNearestInTheirMiddle) {
  const ClosestPoints c =
      closest_points(Segment{{-1, 0, 0}, {1, 0, 0}}, Segment{{0, -1, 2}, {0, 1, 2}});
  EXPECT_EQ(c.on_a, (Vec3{0, 0, 0}));
  EXPECT_EQ(c.on_b, (Vec3{0, 0, 2}));
  EXPECT_EQ(c.distance, 2.0);
}

TEST(ClosestPoints, ParallelSegmentsSideBySideAndOneAfterTheOther) {
  const Segment a{{0, 0, 0}, {4, 0, 0}};
  EXPECT_EQ(closest_points(a, Segment{{1, 3, 0}, {9, 3, 0}}).distance, 3.0);
  EXPECT_EQ(closest_points(a, Segment{{9, 3, 0}, {1, 3, 0}}).distance, 3.0);
  EXPECT_EQ(closest_points(a, Segment{{7, 4, 0}, {9, 4, 0}}).distance, 5.0);
  EXPECT_EQ(closest_points(a, Segment{{1, 0, 0}, {2, 0, 0}}).distance, 0.0);
}

// Two lines crossing at an angle of 1e-7 with a gap of 1e-8 between them. The crossing is far from
// every end, so an error of 1e-2 along the segments, which the textbook formula makes, would show
// as 1e-9, a tenth of the gap.
TEST(ClosestPoints, NearlyParallelCrossingSegmentsKeepTheirGap) {
  Random random(7);
  double worst = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const double angle = std::pow(10.0, random.uniform(-15.0, -3.0));
    const double gap = std::pow(10.0, random.uniform(-15.0, -1.0));
    const Mat3 turn = rotation_about(
        normalized({random.normal(), random.normal(), random.normal()}), random.uniform(0.0, 3.0));
    const double cross_a = random.uniform(0.1, 0.9);
    const double cross_b = random.uniform(0.1, 0.9);
    const Vec3 d{std::cos(angle), std::sin(angle), 0.0};
    const Segment a{turn * Vec3{-cross_a, 0, 0}, turn * Vec3{1 - cross_a, 0, 0}};
    const Segment b{turn * (-cross_b * d + Vec3{0, 0, gap}),
                    turn * ((1 - cross_b) * d + Vec3{0, 0, gap})};
    worst = std::max(worst, std::abs(closest_points(a, b).distance - test::exact_distance(a, b)));
  }
  EXPECT_LT(worst, 1e-15);

  const Segment a{{-0.5, 0, 0}, {0.5, 0, 0}};
  const Segment b{{-0.5, -0.5e-7, 1e-8}, {0.5, 0.5e-7, 1e-8}};
  EXPECT_NEAR(closest_points(a, b).distance, 1e-8, 1e-17);
}

TEST(ClosestPoints, RectanglesInKnownPositions) {
  const Rectangle a{{0, 0, 0}, {Vec3{1, 0, 0}, Vec3{0, 1, 0}}, {4, 2}};
  const auto other = [](Vec3 corner, Vec3 u, Vec3 v, double l, double w) {
    return Rectangle{corner, {u, v}, {l, w}};
  };
  // Parallel above, overlapping in projection.
  EXPECT_EQ(closest_points(a, other({1, 1, 3}, {1, 0, 0}, {0, 1, 0}, 9, 9)).distance, 3.0);
  // In the same plane, beside: 3 along x, 4 along y.
  EXPECT_EQ(closest_points(a, other({7, 6, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1)).distance, 5.0);
  // Standing on the plane through the middle: an edge pierces.
  EXPECT_EQ(closest_points(a, other({1, 1, -1}, {0, 0, 1}, {1, 0, 0}, 5, 1)).distance, 0.0);
  // Through the middle, its edges all outside: edges of a pierce b.
  EXPECT_EQ(closest_points(a, other({2, -9, -9}, {0, 1, 0}, {0, 0, 1}, 18, 18)).distance, 0.0);
  // Inside the other in one plane.
  EXPECT_EQ(closest_points(a, other({1, 0.5, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1)).distance, 0.0);
  // Both a single point.
  EXPECT_EQ(closest_points(Rectangle{}, other({3, 4, 0}, {1, 0, 0}, {0, 1, 0}, 0, 0)).distance,
            5.0);
}

TEST(ClosestPoints, BoxesInKnownPositions) {
  const Box a{{0, 0, 0}, {1, 1, 1}};
  const Box b{{4, 5, 0.5}, {9, 9, 9}};
  const ClosestPoints c = closest_points(a, b);
  EXPECT_EQ(c.distance, 5.0);
  EXPECT_EQ(c.on_a, (Vec3{1, 1, 0.5}));
  EXPECT_EQ(c.on_b, (Vec3{4, 5, 0.5}));
  EXPECT_EQ(closest_points(a, a).distance, 0.0);
  EXPECT_EQ(closest_points(Vec3{0.5, 0.5, 0.5}, a).distance, 0.0);
  EXPECT_EQ(closest_points(Segment{{-1, 0.5, 0.5}, {3, 0.5, 0.5}}, a).distance, 0.0);

  // A cube turned by 45 degrees about z, its edge facing the face x = 1 of the unit cube.
  const double half = std::sqrt(0.5);
  const OrientedBox unit{Pose::identity(), {1, 1, 1}};
  const OrientedBox turned{{rotation_about({0, 0, 1}, std::atan(1.0)), {3, 0, 0}}, {half, half, 1}};
  EXPECT_NEAR(closest_points(unit, turned).distance, 1.0, 1e-15);
  // A long bar across: no corner of either is near, an edge of the bar lies over the face of the
  // box.
  const OrientedBox bar{{rotation_about({1, 0, 0}, std::atan(1.0)), {0, 0, 4}}, {50, half, half}};
  EXPECT_NEAR(closest_points(unit, bar).distance, 2.0, 1e-15);
  // Crossing bars that overlap without a corner of one in the other.
  const OrientedBox along_x{Pose::identity(), {5, 1, 1}};
  const OrientedBox along_y{Pose::identity(), {1, 5, 1}};
  EXPECT_EQ(closest_points(along_x, along_y).distance, 0.0);
}

TEST(ClosestPoints, RoundShapesSubtractTheirRadii) {
  const Sphere ball{{0, 0, 0}, 1};
  const ClosestPoints c = closest_points(ball, Sphere{{5, 0, 0}, 2});
  EXPECT_EQ(c.distance, 2.0);
  EXPECT_EQ(c.on_a, (Vec3{1, 0, 0}));
  EXPECT_EQ(c.on_b, (Vec3{3, 0, 0}));
  EXPECT_EQ(closest_points(ball, Sphere{{1, 0, 0}, 2}).distance, 0.0);
  EXPECT_EQ(closest_points(ball, Sphere{{3, 0, 0}, 2}).distance, 0.0);  // touching

  const Triangle t{{-9, -9, 3}, {9, -9, 3}, {0, 9, 3}};
  EXPECT_EQ(closest_points(ball, t).distance, 2.0);
  const Capsule capsule{{{-1, 0, 0}, {1, 0, 0}}, 0.5};
  EXPECT_EQ(closest_points(capsule, t).distance, 2.5);
  EXPECT_EQ(closest_points(capsule, Vec3{4, 0, 0}).distance, 2.5);
  EXPECT_EQ(closest_points(capsule, Capsule{{{0, -1, 3}, {0, 1, 3}}, 0.5}).distance, 2.0);
  EXPECT_EQ(closest_points(capsule, Sphere{{0, 5, 0}, 1}).on_b, (Vec3{0, 4, 0}));
  EXPECT_EQ(closest_points(capsule, OrientedBox{Pose::translate({0, 0, 5}), {1, 1, 1}}).distance,
            3.5);
}

TEST(ClosestPoints, SpheresOfNoRadiusFarFromTheOriginStayFinite) {
  // The gap is lost in the coordinates of the points; no direction must become NaN.
  const Vec3 p{1e9, 0, 0};
  const ClosestPoints c =
      closest_points(Sphere{p, 0.0}, Segment{p + Vec3{0, 1e-7, 0}, {1e9, 1, 0}});
  EXPECT_TRUE(is_finite(c.on_a));
  EXPECT_TRUE(is_finite(c.on_b));
}

// --- Against the oracle ----------------------------------------------------------------------

struct Tally {
  double worst = 0.0;  // error of the distance over the extent
  int apart = 0;
  int count = 0;
};

/// The distance against the oracle, the points on the shapes and as far apart as the distance says.
template <class A, class B>
void check_pair(const A& a, const B& b, Tally& tally, bool solid = false) {
  const ClosestPoints c = closest_points(a, b);
  double expected = test::exact_distance(a, b);
  // The oracle knows surfaces; a shape inside a solid one is at distance 0.
  if (solid && c.distance == 0.0) expected = 0.0;
  const double size = test::extent(a, b);
  const double rounding = 8 * kUlp * (test::largest_coordinate(a, b) + size);
  const double error = std::abs(c.distance - expected);
  RC_ASSERT(error <= kDistanceError * size);
  RC_ASSERT(std::abs(distance(c.on_a, c.on_b) - c.distance) <= rounding);
  if (!solid) {
    RC_ASSERT(test::exact_distance(c.on_a, a) <= rounding);
    RC_ASSERT(test::exact_distance(c.on_b, b) <= rounding);
  }
  if (size > 0.0) tally.worst = std::max(tally.worst, error / size);
  tally.apart += expected > kDistanceError * size ? 1 : 0;
  ++tally.count;
}

template <class Check>
Tally run(Check check, int pairs_per_seed) {
  Tally tally;
  EXPECT_TRUE(rc::check([&] {
    RandomShapes shapes(*rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < pairs_per_seed; ++i) check(shapes, tally);
  }));
  std::printf("  worst error %.2g of the extent (bound %.2g), %d of %d apart\n", tally.worst,
              kDistanceError, tally.apart, tally.count);
  return tally;
}

/// The sample is not one-sided: enough pairs apart and enough in contact.
void expect_both_answers(const Tally& tally) {
  EXPECT_GT(tally.apart, tally.count * 20 / 100);
  EXPECT_LT(tally.apart, tally.count * 97 / 100);
}

TEST(ClosestPointsOracle, PointToSegmentTriangleRectangle) {
  const Tally tally = run(
      [](RandomShapes& s, Tally& t) {
        check_pair(s.point(), s.segment(), t);
        check_pair(s.point(), s.triangle(), t);
        check_pair(s.point(), s.rectangle(), t);
      },
      20);
  // Points are seldom on flat shapes.
  EXPECT_GT(tally.apart, 0);
  EXPECT_LT(tally.apart, tally.count);
}

TEST(ClosestPointsOracle, SegmentToSegment) {
  const Tally tally =
      run([](RandomShapes& s, Tally& t) { check_pair(s.segment(), s.segment(), t); }, 100);
  // Segments seldom touch.
  EXPECT_GT(tally.apart, 0);
  EXPECT_LT(tally.apart, tally.count * 99 / 100);
}

TEST(ClosestPointsOracle, SegmentToTriangleAndRectangle) {
  const Tally tally = run(
      [](RandomShapes& s, Tally& t) {
        check_pair(s.segment(), s.triangle(), t);
        check_pair(s.segment(), s.rectangle(), t);
      },
      30);
  expect_both_answers(tally);
}

TEST(ClosestPointsOracle, RectangleToRectangle) {
  const Tally tally =
      run([](RandomShapes& s, Tally& t) { check_pair(s.rectangle(), s.rectangle(), t); }, 20);
  expect_both_answers(tally);
}

TEST(ClosestPointsOracle, PointAndSegmentToBoxes) {
  const Tally tally = run(
      [](RandomShapes& s, Tally& t) {
        check_pair(s.point(), s.box(), t, true);
        check_pair(s.point(), s.oriented_box(), t, true);
        check_pair(s.segment(), s.box(), t, true);
        check_pair(s.segment(), s.oriented_box(), t, true);
      },
      5);
  expect_both_answers(tally);
}

TEST(ClosestPointsOracle, OrientedBoxToOrientedBox) {
  const Tally tally = run(
      [](RandomShapes& s, Tally& t) { check_pair(s.oriented_box(), s.oriented_box(), t, true); },
      2);
  expect_both_answers(tally);
}

// --- Invariants ------------------------------------------------------------------------------

template <class A, class B>
void check_symmetry_and_motion(const A& a, const B& b, const Pose& motion) {
  const double size = test::extent(a, b);
  const double d = closest_points(a, b).distance;
  if constexpr (std::is_same_v<A, B>) {
    RC_ASSERT(std::abs(closest_points(b, a).distance - d) <= 2 * kDistanceError * size);
  }
  const A a2 = test::moved(motion, a);
  const B b2 = test::moved(motion, b);
  // Moving rounds the coordinates, and with them the shapes.
  const double rounding =
      16 * kUlp * (test::largest_coordinate(a, b) + test::largest_coordinate(a2, b2));
  RC_ASSERT(std::abs(closest_points(a2, b2).distance - d) <= 2 * kDistanceError * size + rounding);
}

TEST(ClosestPointsInvariant, OrderAndRigidMotionDoNotMatter) {
  EXPECT_TRUE(rc::check([] {
    RandomShapes s(*rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 20; ++i) {
      const Pose motion = s.motion();
      check_symmetry_and_motion(s.point(), s.segment(), motion);
      check_symmetry_and_motion(s.point(), s.triangle(), motion);
      check_symmetry_and_motion(s.segment(), s.segment(), motion);
      check_symmetry_and_motion(s.segment(), s.triangle(), motion);
      check_symmetry_and_motion(s.segment(), s.rectangle(), motion);
      check_symmetry_and_motion(s.rectangle(), s.rectangle(), motion);
      check_symmetry_and_motion(s.segment(), s.oriented_box(), motion);
      check_symmetry_and_motion(s.oriented_box(), s.oriented_box(), motion);
    }
  }));
}

TEST(ClosestPointsInvariant, SquaredDistancesAgreeWithClosestPoints) {
  EXPECT_TRUE(rc::check([] {
    RandomShapes s(*rc::gen::arbitrary<std::uint64_t>());
    const auto agree = [](double squared, double distance) {
      RC_ASSERT(std::abs(std::sqrt(squared) - distance) <= 4 * kUlp * distance);
    };
    for (int i = 0; i < 20; ++i) {
      const Vec3 p = s.point();
      const Segment segment = s.segment();
      const Triangle triangle = s.triangle();
      const Rectangle rectangle = s.rectangle();
      const Box box = s.box();
      const OrientedBox oriented = s.oriented_box();
      agree(squared_distance(p, segment), closest_points(p, segment).distance);
      agree(squared_distance(p, triangle), closest_points(p, triangle).distance);
      agree(squared_distance(p, rectangle), closest_points(p, rectangle).distance);
      agree(squared_distance(p, box), closest_points(p, box).distance);
      agree(squared_distance(p, oriented), closest_points(p, oriented).distance);
      const Segment other = s.segment();
      agree(squared_distance(segment, other), closest_points(segment, other).distance);
      const Box other_box = s.box();
      agree(squared_distance(box, other_box), closest_points(box, other_box).distance);
    }
  }));
}

}  // namespace
}  // namespace clearance
