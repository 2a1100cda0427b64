// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/contour/segment_distance.h>

#include "support/contour_oracle.h"

namespace clearance {
namespace {

using test::contour_oracle;
using test::describe;

ContourSegment segment_of(const ContourNode& start, const ContourNode& end) {
  return make_segment(start, end).value();
}

// Radius 1 about the z axis, from 0 to 2.
const ContourSegment kCylinder =
    segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 2}, {0, 0, 1}, 1.0});
// The unit circles about the z and the x axis, at the same place. In eta, the circle's x axis goes
// straight from (1, 0, 0) to (0, 0, -1): the discs fill two opposite quadrants of the x-z plane,
// x >= 0 >= z and x <= 0 <= z, between the two circles.
const ContourSegment kCrossed =
    segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 0}, {1, 0, 0}, 1.0});

TEST(SegmentDistance, PointBesideACylinder) {
  const SegmentDistance found = distance(kCylinder, Vec3{3, 0, 0.5});
  EXPECT_NEAR(found.distance, 2.0, 1e-11);
  EXPECT_NEAR(distance(found.on_segment, Vec3{1, 0, 0.5}), 0.0, 1e-10);
  EXPECT_EQ(found.on_shape, (Vec3{3, 0, 0.5}));
  EXPECT_NEAR(found.place.eta, 0.25, 1e-10);
  EXPECT_NEAR(found.place.rho, 1.0, 1e-10);
  EXPECT_GT(found.lower, 2.0 - 1e-10);
}

TEST(SegmentDistance, PointOverTheRimAndOverTheEndDisc) {
  // 3 up and 4 out from the rim at (0, 1, 2).
  EXPECT_NEAR(distance(kCylinder, Vec3{0, 5, 5}).distance, 5.0, 1e-10);
  const SegmentDistance under = distance(kCylinder, Vec3{0.5, 0, -3});
  EXPECT_NEAR(under.distance, 3.0, 1e-10);
  EXPECT_EQ(under.place.eta, 0.0);
  EXPECT_NEAR(under.place.rho, 0.5, 1e-5);
}

TEST(SegmentDistance, InsideIsContact) {
  for (const Vec3& p : {Vec3{0, 0, 1}, Vec3{0.5, 0.5, 0.1}, Vec3{0, -0.99, 1.99}}) {
    EXPECT_EQ(distance(kCylinder, p).distance, 0.0);
    EXPECT_EQ(distance(kCylinder, p).lower, 0.0);
  }
  // A whole edge and a whole triangle.
  EXPECT_EQ(distance(kCylinder, Segment{{0, 0, 0.5}, {0.1, 0, 1.5}}).distance, 0.0);
  EXPECT_EQ(distance(kCylinder, Triangle{{0, 0, 0.5}, {0.1, 0, 1}, {0, 0.1, 1}}).distance, 0.0);
}

TEST(SegmentDistance, TriangleThatPiercesWithoutAnEdgeTouching) {
  // The plane z = 1 within 2 of the axis at least.
  const Triangle across{{-2, -2, 1}, {-2, 14, 1}, {14, -2, 1}};
  EXPECT_EQ(distance(kCylinder, across).distance, 0.0);
  for (const Segment& edge :
       {Segment{across.a, across.b}, Segment{across.b, across.c}, Segment{across.c, across.a}})
    EXPECT_GT(distance(kCylinder, edge).distance, 0.99);
  // The same of a bent segment.
  const ContourSegment bent =
      segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{1, 0, 2}, {0.8, 0, 0.6}, 0.7});
  EXPECT_EQ(distance(bent, across).distance, 0.0);
}

TEST(SegmentDistance, FaceOfATriangleIsClosest) {
  // The plane x = 2 beside the cylinder; the foot (2, 0, z) is inside of the triangle.
  const SegmentDistance found = distance(kCylinder, Triangle{{2, -9, 1}, {2, 3, -8}, {2, 3, 10}});
  EXPECT_NEAR(found.distance, 1.0, 1e-10);
  EXPECT_NEAR(found.on_shape.y, 0.0, 1e-4);
}

TEST(SegmentDistance, Cone) {
  // From radius 1 to a point: the side is the line from (1, 0, 0) to (0, 0, 1).
  const ContourSegment cone = segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 1}, {0, 0, 1}, 0.0});
  const SegmentDistance found = distance(cone, Vec3{1, 0, 1});
  EXPECT_NEAR(found.distance, std::sqrt(0.5), 1e-11);
  EXPECT_NEAR(distance(found.on_segment, Vec3{0.5, 0, 0.5}), 0.0, 1e-6);
  EXPECT_NEAR(distance(cone, Vec3{0, 0, 4}).distance, 3.0, 1e-11);
  // The tangent of a point means nothing.
  const ContourSegment other = segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 1}, {1, 0, 0}, 0.0});
  EXPECT_NEAR(distance(other, Vec3{1, 0, 1}).distance, std::sqrt(0.5), 1e-11);
}

TEST(SegmentDistance, DiscNeedleAndPoint) {
  const ContourSegment disc = segment_of({{0, 0, 1}, {0, 0, 1}, 2.0}, {{0, 0, 1}, {0, 0, 1}, 2.0});
  EXPECT_NEAR(distance(disc, Vec3{5, 0, 5}).distance, 5.0, 1e-10);
  EXPECT_NEAR(distance(disc, Vec3{1, 0, 5}).distance, 4.0, 1e-10);
  EXPECT_EQ(distance(disc, Vec3{1, 0, 1}).distance, 0.0);
  const ContourSegment needle =
      segment_of({{0, 0, 0}, {0, 0, 1}, 0.0}, {{0, 0, 1}, {1, 0, 0}, 0.0});
  EXPECT_NEAR(distance(needle, Vec3{3, 0, 5}).distance, 5.0, 1e-10);
  EXPECT_NEAR(distance(needle, Segment{{1, -1, 0.5}, {1, 1, 0.5}}).distance, 1.0, 1e-11);
  const ContourSegment point = segment_of({{0, 0, 0}, {0, 0, 1}, 0.0}, {{0, 0, 0}, {0, 0, 1}, 0.0});
  EXPECT_NEAR(distance(point, Vec3{2, 3, 6}).distance, 7.0, 1e-10);
  EXPECT_EQ(distance(point, Vec3{0, 0, 0}).distance, 0.0);
}

TEST(SegmentDistance, OutsideOfABend) {
  // The second circle is tilted by 60 degrees in the x-z plane; the side of the segment towards x
  // is the line from (1, 0, 0) to (cos 60, 0, 2 - sin 60). A point 3 from its middle, across it:
  const double c = 0.5;
  const double s = std::sqrt(0.75);
  const ContourSegment bent = segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 2}, {s, 0, c}, 1.0});
  const Vec3 low{1, 0, 0};
  const Vec3 high{c, 0, 2 - s};
  const Vec3 out = normalized(cross(Vec3{0, 1, 0}, high - low));
  const SegmentDistance found = distance(bent, 0.5 * (low + high) + 3.0 * out);
  EXPECT_NEAR(found.distance, 3.0, 1e-10);
  EXPECT_NEAR(found.place.eta, 0.5, 1e-6);
}

TEST(SegmentDistance, DiscsThatCutThroughEachOther) {
  // In a free quadrant, inside of the hull: 0.3 from the discs at both ends.
  const SegmentDistance found = distance(kCrossed, Vec3{0.3, 0, 0.3});
  EXPECT_NEAR(found.distance, 0.3, 1e-11);
  EXPECT_NEAR(found.place.rho, 0.3, 1e-6);
  EXPECT_TRUE(found.place.eta == 0.0 || found.place.eta == 1.0) << found.place.eta;
  // In a full one.
  EXPECT_EQ(distance(kCrossed, Vec3{0.3, 0, -0.3}).distance, 0.0);
  // A triangle across the free quadrant, 0.2 from the edge of the wedge: at 45 degrees to it.
  const Triangle across{{0.2, -0.1, 0.2}, {0.4, -0.1, 0.4}, {0.3, 0.2, 0.3}};
  EXPECT_NEAR(distance(kCrossed, across).distance, 0.2, 1e-11);
}

TEST(SegmentDistance, EnvelopeOfDiscsIsClosest) {
  // Discs of radius 1, the second 0.2 above the first and tilted by 0.5 rad: their planes cross at
  // x = 0.2 / tan 0.5 = 0.366, inside of both discs. The disc half-way, tilted by 0.25 rad, is at
  // z = 0.1 - 0.366 tan 0.25 = 0.0065 there, above both ends: from above it is one between that is
  // closest, and a point inside of it.
  const ContourSegment bend = segment_of({{0, 0, 0}, {0, 0, 1}, 1.0},
                                         {{0, 0, 0.2}, {std::sin(0.5), 0, std::cos(0.5)}, 1.0});
  int inside = 0;
  for (int i = 0; i < 20; ++i) {
    const Vec3 p{0.37, 0.1, 0.01 + 0.01 * i};
    const SegmentDistance found = distance(bend, p);
    EXPECT_NEAR(found.distance, contour_oracle(bend, {p, p, p}), 1e-11);
    EXPECT_LE(found.distance - found.lower, 2e-11);
    const bool between = found.place.eta > 1e-6 && found.place.eta < 1.0 - 1e-6;
    if (between && found.place.rho < 0.999 && found.distance > 0.0) ++inside;
  }
  EXPECT_GT(inside, 10);
}

TEST(SegmentDistance, DegenerateTrianglesAreEdgesAndPoints) {
  const ContourSegment bent =
      segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{1, 0, 2}, {0.8, 0, 0.6}, 0.7});
  const Vec3 a{3, -1, 0};
  const Vec3 b{3, 2, 2};
  const double edge = distance(bent, Segment{a, b}).distance;
  const double point = distance(bent, a).distance;
  EXPECT_NEAR(distance(bent, Triangle{a, b, b}).distance, edge, 1e-10);
  EXPECT_NEAR(distance(bent, Triangle{a, 0.5 * (a + b), b}).distance, edge, 1e-10);
  EXPECT_NEAR(distance(bent, Triangle{a, a, a}).distance, point, 1e-10);
  EXPECT_NEAR(distance(bent, Segment{a, a}).distance, point, 1e-10);
}

TEST(SegmentDistance, FarFromTheOriginNothingIsLost) {
  // Coordinates with few digits, so that both places hold the same shapes.
  const Vec3 far{0x1p30, -0x1p31, 0x1p29};
  const auto at = [](const Vec3& by) {
    return segment_of({by, {0, 0, 1}, 1.0}, {by + Vec3{0.5, 0, 2}, {0.8, 0, 0.6}, 0.75});
  };
  const Triangle t{{2.5, 0.5, 1}, {3, 0.25, 1.5}, {2.75, -1, 0.5}};
  const Triangle moved{t.a + far, t.b + far, t.c + far};
  EXPECT_EQ(distance(at({}), t).distance, distance(at(far), moved).distance);
}

TEST(SegmentDistance, SameBitsWhereverItIsAsked) {
  Random random(7);
  std::vector<test::ContourPair> pairs;
  std::vector<SegmentDistance> first;
  for (int i = 0; i < 500; ++i) {
    pairs.push_back(test::awkward_contour_pair(random));
    first.push_back(distance(pairs.back().segment, pairs.back().triangle));
  }
  for (std::size_t i = pairs.size(); i-- > 0;) {
    const SegmentDistance again = distance(pairs[i].segment, pairs[i].triangle);
    EXPECT_EQ(again.distance, first[i].distance);
    EXPECT_EQ(again.lower, first[i].lower);
    EXPECT_EQ(again.on_segment, first[i].on_segment);
    EXPECT_EQ(again.on_shape, first[i].on_shape);
  }
}

// What a million random pairs found on the way.
struct FoundCase {
  ContourSegment segment;
  Triangle triangle;
};
const std::vector<FoundCase> kFound{
    // Contact that a thin simplex of GJK hid.
    {{{{0, 0, 0}, {0, 0, -0.0090789209912347478}, {-0.0090789209912347478, 0, 0}},
      {{0.0090789209912347478, -0.018157841982469496, 0.0090789209912347478}, {}, {}}},
     {{0.0090789209912347478, 0, 0.018157841982469496},
      {0.0090789209912347478, 0.018157841982469496, -0.0090789209912347478},
      {0.0090789209912347478, 0, 0}}},
    // A tiny triangle over the inside of an end disc.
    {{{{0, 0, 0},
       {0.45012452768877587, 0, 0.25250442801334666},
       {-0.061210008397950315, -0.50071722268902896, 0.10911541764525834}},
      {{0.1459025717508228, -0.074514554677508046, -0.26009178022987184},
       {0.33839941209329877, 0, 0.18983046853592256},
       {-0.046017112114392265, -0.37643452724734044, 0.082031950960469543}}},
     {{0.65604308351907958, -0.60460245232581356, -0.80103653120279139},
      {0.65604307964076214, -0.60460245171008409, -0.80103653047326939},
      {0.65604306428922432, -0.60460245864018369, -0.80103649926470233}}},
    // Over discs that cut through each other, where the hull of a part is thicker by its length.
    {{{{0, 0, 0}, {0, 0.0025286857025785666, 0}, {-0.0025286857025785666, 0, 0}},
      {{0.0050573714051571333, 0, 0.0025286857025785666},
       {0, 0.0075860571077356999, 0},
       {0, 0, -0.0075860571077356999}}},
     {{0, 0, 0.0025286857025785666},
      {-0.0050573714051571333, 0.0025286857025785666, 0.0050573714051571333},
      {-0.0050573714051571333, 0, 0.0025286857025785666}}},
    // A flat cone beside a plane: the distance is level where the normal is not.
    {{{{0, 0, 0}, {}, {}},
      {{0, 0.00058731072676491752, -0.001174621453529835},
       {0, 0, 0.00058731072676491752},
       {0, -0.00058731072676491752, 0}}},
     {{0.001174621453529835, -0.00058731072676491752, 0},
      {0, -0.00058731072676491752, -0.00058731072676491752},
      {0.00058731072676491752, -0.00058731072676491752, -0.001174621453529835}}},
};

TEST(SegmentDistance, CasesThatWereWrongOnce) {
  for (const FoundCase& c : kFound) {
    const SegmentDistance found = distance(c.segment, c.triangle);
    Box box = bounds_of(c.segment);
    for (const Vec3& p : {c.triangle.a, c.triangle.b, c.triangle.c}) box.include(p);
    const double tolerance = kSegmentDistanceError * box.diagonal();
    EXPECT_NEAR(found.distance, contour_oracle(c.segment, c.triangle), tolerance);
    EXPECT_LE(found.distance - found.lower, tolerance) << describe(c.segment, c.triangle);
  }
}

// How many pairs are compared with the oracle; CLEARANCE_CONTOUR_PAIRS=1000000 for the full run of
// some minutes.
std::size_t pair_count() {
  const char* text = std::getenv("CLEARANCE_CONTOUR_PAIRS");
  return text == nullptr ? 10000 : std::strtoull(text, nullptr, 10);
}

TEST(SegmentDistance, AgreesWithTheOracle) {
  Random random(1);
  double worst = 0.0;
  for (std::size_t i = 0; i < pair_count(); ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const SegmentDistance found = distance(pair.segment, pair.triangle);
    const double exact = contour_oracle(pair.segment, pair.triangle);
    const double error = std::abs(found.distance - exact) / pair.extent;
    worst = std::max(worst, error);
    // The oracle itself is right to 1e-12.
    ASSERT_LE(error, 2.0 * kSegmentDistanceError)
        << pair.kind << ": " << found.distance << " instead of " << exact << "\n"
        << describe(pair.segment, pair.triangle);
    ASSERT_LE(found.lower, exact + 1e-15 * pair.extent) << pair.kind << "\n"
                                                        << describe(pair.segment, pair.triangle);
  }
  std::ostringstream text;
  text << worst;
  RecordProperty("worst", text.str());
}

TEST(SegmentDistance, BoundsMeetAndPointsAreWhereTheyAreSaidToBe) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const Triangle& t = pair.triangle;
    const SegmentDistance found = distance(pair.segment, t);
    ASSERT_LE(found.lower, found.distance);
    ASSERT_LE(found.distance - found.lower, kSegmentDistanceError * pair.extent)
        << pair.kind << "\n"
        << describe(pair.segment, t);
    // What is not proven apart is contact.
    ASSERT_EQ(found.distance > 0.0, found.lower > 0.0);

    double largest = pair.extent;
    for (const Vec3& p : {t.a, t.b, t.c, pair.segment.start.center})
      largest = std::max(largest, norm(p));
    const double rounding = 1e-14 * largest + kSegmentDistanceError * pair.extent;
    const SegmentPlace& place = found.place;
    ASSERT_TRUE(place.eta >= 0.0 && place.eta <= 1.0 && place.rho >= 0.0 && place.rho <= 1.0 &&
                place.theta >= 0.0 && place.theta < 6.2831853071795865);
    const Vec3 on_segment = pair.segment.at(place.eta, place.rho * std::cos(place.theta),
                                            place.rho * std::sin(place.theta));
    ASSERT_LE(distance(found.on_segment, on_segment), rounding);
    ASSERT_TRUE(found.alpha >= 0.0 && found.beta >= 0.0 && found.alpha + found.beta <= 1.0 + 1e-15);
    const Vec3 on_shape = t.a + found.alpha * (t.b - t.a) + found.beta * (t.c - t.a);
    ASSERT_LE(distance(found.on_shape, on_shape), rounding);
    ASSERT_NEAR(distance(found.on_shape, found.on_segment), found.distance, rounding)
        << pair.kind << "\n"
        << describe(pair.segment, t);
  }
}

TEST(SegmentDistance, RigidMotionChangesNothing) {
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const Vec3 axis = normalized({random.normal(), random.normal(), random.normal()});
    const Pose pose{rotation_about(axis, random.uniform(-3.0, 3.0)),
                    pair.extent * Vec3{random.normal(), random.normal(), random.normal()}};
    const Triangle& t = pair.triangle;
    const Triangle moved{pose * t.a, pose * t.b, pose * t.c};
    // Moving rounds the coordinates themselves.
    double largest = pair.extent;
    for (const Vec3& p : {t.a, t.b, t.c, pair.segment.start.center})
      largest = std::max(largest, norm(p));
    ASSERT_NEAR(distance(pair.segment, t).distance, distance(pose * pair.segment, moved).distance,
                kSegmentDistanceError * pair.extent + 1e-14 * largest)
        << pair.kind << "\n"
        << describe(pair.segment, t);
  }
}

TEST(SegmentDistance, SizeChangesNothing) {
  // Powers of two, so that it is the same pair.
  Random random(6);
  for (int i = 0; i < 3000; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const double scale = random.below(2) == 0 ? 0x1p190 : 0x1p-190;
    const auto scaled = [&](const ContourCircle& c) {
      return ContourCircle{scale * c.center, scale * c.u, scale * c.v};
    };
    const ContourSegment segment{scaled(pair.segment.start), scaled(pair.segment.end)};
    const Triangle& t = pair.triangle;
    const Triangle triangle{scale * t.a, scale * t.b, scale * t.c};
    ASSERT_NEAR(distance(segment, triangle).distance / scale, distance(pair.segment, t).distance,
                kSegmentDistanceError * pair.extent)
        << pair.kind << "\n"
        << describe(pair.segment, t);
  }
}

TEST(SegmentDistance, PointsInsideVeryFlatSegmentsTouch) {
  // A plate of a hundred-thousandth of its radius and less, turned: its hull has no volume to speak
  // of, and points inside came back as up to 1.5e-6 away.
  const Pose turned{rotation_from_rpy(0.3, 1.0, 2.0), {0.5, -0.2, 0.1}};
  Random random(1);
  for (const double height : {1e-5, 1e-6, 1e-8}) {
    for (const double end_radius : {1.0, 0.7}) {
      const ContourSegment plate = turned * *make_segment({{0, 0, 0}, {0, 0, 1}, 1.0},
                                                          {{0, 0, height}, {0, 0, 1}, end_radius});
      for (int i = 0; i < 1000; ++i) {
        const double angle = random.uniform(0.0, 6.28);
        const double rho = random.uniform(0.9, 1.0);
        const Vec3 inside =
            plate.at(random.uniform(), rho * std::cos(angle), rho * std::sin(angle));
        ASSERT_EQ(distance(plate, inside).distance, 0.0) << height << " " << end_radius;
      }
    }
  }
}

TEST(SegmentDistance, TellsContactFromAGap) {
  // Each triangle is moved until it just touches, and then a little farther or not as far.
  Random random(4);
  int touching = 0;
  int sampled = 0;
  for (int i = 0; i < 1500; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const SegmentDistance apart = distance(pair.segment, pair.triangle);
    if (apart.distance < 1e-3 * pair.extent) continue;
    const double little = std::pow(10.0, random.uniform(-9.0, -2.0));
    const double share = random.below(2) == 0 ? 1.0 + little : 1.0 - little;
    const Vec3 by = share * (apart.on_segment - apart.on_shape);
    const Triangle t{pair.triangle.a + by, pair.triangle.b + by, pair.triangle.c + by};
    const SegmentDistance found = distance(pair.segment, t);
    const double exact = contour_oracle(pair.segment, t);
    ASSERT_NEAR(found.distance, exact, 2.0 * kSegmentDistanceError * pair.extent)
        << pair.kind << "\n"
        << describe(pair.segment, t);
    ASSERT_LE(found.lower, exact + 1e-15 * pair.extent);
    if (exact > 1e-12 * pair.extent) {
      ASSERT_GT(found.distance, 0.0) << pair.kind << "\n" << describe(pair.segment, t);
    }
    touching += found.distance == 0.0 ? 1 : 0;
    ++sampled;
  }
  EXPECT_GT(touching, 0.3 * sampled);
  EXPECT_LT(touching, 0.7 * sampled);
}

TEST(SegmentLowerBound, IsBelowTheDistanceAndAboveTheLimitWhenClearlyFarther) {
  Random random(5);
  int above = 0;
  int far = 0;
  for (int i = 0; i < 20000; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    const SegmentDistance found = distance(pair.segment, pair.triangle);
    const double limit = random.uniform(0.0, 1.5) * found.distance;
    const double bound = lower_bound(pair.segment, pair.triangle, limit);
    ASSERT_GE(bound, 0.0);
    ASSERT_LE(bound, found.distance) << describe(pair.segment, pair.triangle);
    if (!is_convex(pair.segment) || !(limit < 0.9 * found.distance)) continue;
    ++far;
    above += bound > limit ? 1 : 0;
  }
  EXPECT_GT(above, 0.95 * far);
}

}  // namespace
}  // namespace clearance
