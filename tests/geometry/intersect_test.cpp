// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

#include "support/oracle.h"
#include "support/random_shapes.h"

namespace clearance {
namespace {

using test::RandomShapes;

// --- Hand-made cases -------------------------------------------------------------------------

TEST(Intersects, BoxesTouchWhenTheyShareAFaceOrACorner) {
  const Box a{{0, 0, 0}, {1, 1, 1}};
  EXPECT_TRUE(intersects(a, Box{{1, 0, 0}, {2, 1, 1}}));
  EXPECT_TRUE(intersects(a, Box{{1, 1, 1}, {2, 2, 2}}));
  EXPECT_TRUE(intersects(a, Box{{0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}}));
  EXPECT_FALSE(intersects(a, Box{{std::nextafter(1.0, 2.0), 0, 0}, {2, 1, 1}}));
}

TEST(Intersects, EmptyBoxTouchesNothing) {
  EXPECT_FALSE(intersects(Box{}, Box{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_FALSE(intersects(Box{}, Box{}));
}

TEST(Intersects, OrientedBoxesThatTouchExactly) {
  const OrientedBox unit{Pose::identity(), {1, 1, 1}};
  EXPECT_TRUE(intersects(unit, OrientedBox{Pose::translate({2, 0, 0}), {1, 1, 1}}));
  EXPECT_TRUE(intersects(unit, OrientedBox{Pose::translate({2, 2, 2}), {1, 1, 1}}));
  EXPECT_FALSE(intersects(unit, OrientedBox{Pose::translate({2.0000000001, 0, 0}), {1, 1, 1}}));
  // Separated only along a product of edges: two bars turned so that an edge of each faces the
  // other.
  const double eighth = std::atan(1.0);
  const OrientedBox bar_x{{rotation_about({1, 0, 0}, eighth), {0, 0, 0}}, {9, 1, 1}};
  const auto bar_y = [&](double height) {
    return OrientedBox{{rotation_about({0, 1, 0}, eighth), {0, 0, height}}, {1, 9, 1}};
  };
  EXPECT_TRUE(intersects(bar_x, bar_y(2 * std::sqrt(2.0) - 1e-12)));
  EXPECT_FALSE(intersects(bar_x, bar_y(2 * std::sqrt(2.0) + 1e-12)));
}

TEST(Intersects, OrientedBoxesWithoutWidth) {
  const OrientedBox plate{Pose::identity(), {1, 1, 0}};
  const OrientedBox needle{{rotation_about({0, 1, 0}, 0.5), {0.5, 0, 0}}, {0, 0, 1}};
  const OrientedBox beside{{rotation_about({0, 1, 0}, 0.5), {1.5, 0, 0}}, {0, 0, 0.5}};
  EXPECT_TRUE(intersects(plate, needle));
  EXPECT_FALSE(intersects(plate, beside));
  EXPECT_TRUE(intersects(OrientedBox{}, OrientedBox{}));
}

TEST(Intersects, SpheresTouchAtTheSumOfTheirRadii) {
  EXPECT_TRUE(intersects(Sphere{{0, 0, 0}, 1}, Sphere{{3, 0, 0}, 2}));
  EXPECT_FALSE(intersects(Sphere{{0, 0, 0}, 1}, Sphere{{3.00000001, 0, 0}, 2}));
  EXPECT_TRUE(intersects(Sphere{{2, 0, 0}, 1}, Box{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_TRUE(intersects(Sphere{{0.5, 0.5, 0.5}, 0}, Box{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_FALSE(intersects(Sphere{{2, 2, 2}, 1.7}, Box{{0, 0, 0}, {1, 1, 1}}));
}

TEST(Intersects, SegmentTouchesTriangleAtEdgeCornerAndInside) {
  const Triangle t{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  EXPECT_TRUE(intersects(Segment{{1, 1, -1}, {1, 1, 1}}, t));
  EXPECT_TRUE(intersects(Segment{{1, 1, 0}, {1, 1, 1}}, t));   // ends on it
  EXPECT_TRUE(intersects(Segment{{2, 2, -1}, {2, 2, 1}}, t));  // through the slanted edge
  EXPECT_TRUE(intersects(Segment{{4, 0, -1}, {4, 0, 1}}, t));  // through a corner
  EXPECT_TRUE(intersects(Segment{{-1, 1, 0}, {9, 1, 0}}, t));  // in its plane
  EXPECT_FALSE(intersects(Segment{{1, 1, 1e-13}, {1, 1, 1}}, t));
  EXPECT_FALSE(intersects(Segment{{3, 3, -1}, {3, 3, 1}}, t));
}

TEST(Intersects, TriangleInsideBoxTouchesIt) {
  const Box box{{0, 0, 0}, {4, 4, 4}};
  EXPECT_TRUE(intersects(Triangle{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}, box));
  EXPECT_TRUE(intersects(Triangle{{-9, 2, 2}, {9, 2, 2}, {0, 2, 9}}, box));  // no corner inside
  EXPECT_TRUE(intersects(Triangle{{4, 4, 4}, {5, 5, 5}, {6, 5, 5}}, box));   // corner on corner
  // Cuts off nothing: the plane x + y + z = 13 passes the corner (4, 4, 4) at a distance.
  EXPECT_FALSE(intersects(Triangle{{13, 0, 0}, {0, 13, 0}, {0, 0, 13}}, box));
  EXPECT_TRUE(intersects(Triangle{{12, 0, 0}, {0, 12, 0}, {0, 0, 12}}, box));
}

TEST(Intersects, BoxesAtAHairsBreadthAreToldApart) {
  // Nearly parallel boxes; the separating direction is a product of edges an angle of 1e-7 apart,
  // and the gap along it 1e-12.
  Random random(11);
  int apart = 0;
  for (int i = 0; i < 200; ++i) {
    const double angle = std::pow(10.0, random.uniform(-9.0, -5.0));
    const OrientedBox a{Pose::identity(), {1, 1, 1}};
    const Vec3 axis = normalized({random.normal(), random.normal(), random.normal()});
    OrientedBox b{{rotation_about(axis, angle), {2, random.uniform(-1, 1), 2}}, {1, 1, 1}};
    // Push b out to the wanted gap along the line of closest points.
    const ClosestPoints c = closest_points(
        a,
        OrientedBox{{b.world_from_box.rotation, b.world_from_box.translation + Vec3{0.1, 0, 0.1}},
                    b.half_size});
    const Vec3 line = normalized(c.on_b - c.on_a);
    b.world_from_box.translation += Vec3{0.1, 0, 0.1} - (c.distance - 1e-12) * line;
    const double gap = test::exact_distance(a, b);
    if (gap > kContactError * 6.0) {
      ++apart;
      EXPECT_FALSE(intersects(a, b)) << "gap " << gap << " angle " << angle;
    }
  }
  EXPECT_GT(apart, 100);
}

// --- Against the oracle ----------------------------------------------------------------------

struct Tally {
  int contact = 0;
  int apart = 0;
  int narrow = 0;  // gaps small enough that either answer is allowed
};

/// `gap` is the exact distance of the surfaces; `inside` that one solid holds the other.
void check_answer(bool answer, double gap, double size, bool inside, Tally& tally) {
  // Quadruple precision leaves this much of an exact contact. Gaps drawn at random are larger.
  constexpr double kOracleRounding = 1e-31;
  if (inside || gap <= kOracleRounding * size) {
    RC_ASSERT(answer);
    ++tally.contact;
  } else if (gap > kContactError * size) {
    RC_ASSERT(!answer);
    ++tally.apart;
  } else {
    ++tally.narrow;
  }
}

template <class Check>
void run(Check check, int pairs_per_seed) {
  Tally tally;
  EXPECT_TRUE(rc::check([&] {
    RandomShapes shapes(*rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < pairs_per_seed; ++i) check(shapes, tally);
  }));
  std::printf("  %d in contact, %d apart, %d too near to say\n", tally.contact, tally.apart,
              tally.narrow);
  const int count = tally.contact + tally.apart + tally.narrow;
  EXPECT_GT(tally.contact, count / 50);
  EXPECT_GT(tally.apart, count / 5);
}

bool holds(const Box& box, const Vec3& p) {
  return box.low.x <= p.x && p.x <= box.high.x && box.low.y <= p.y && p.y <= box.high.y &&
         box.low.z <= p.z && p.z <= box.high.z;
}

/// Inside, and not merely within rounding of the surface.
bool is_inside(const Vec3& p, const OrientedBox& box) {
  return closest_points(p, box).distance == 0.0 &&
         test::exact_distance(p, box) > kDistanceError * test::extent(p, box);
}

TEST(IntersectsOracle, SegmentAndTriangle) {
  run(
      [](RandomShapes& s, Tally& t) {
        const Segment a = s.segment();
        const Triangle b = s.triangle();
        check_answer(intersects(a, b), test::exact_distance(a, b), test::extent(a, b), false, t);
      },
      100);
}

TEST(IntersectsOracle, TriangleAndBox) {
  run(
      [](RandomShapes& s, Tally& t) {
        const Triangle a = s.triangle();
        const Box b = s.box();
        check_answer(intersects(a, b), test::exact_distance(a, b), test::extent(a, b),
                     holds(b, a.a), t);
      },
      10);
}

TEST(IntersectsOracle, OrientedBoxes) {
  run(
      [](RandomShapes& s, Tally& t) {
        const OrientedBox a = s.oriented_box();
        const OrientedBox b = s.oriented_box();
        const bool inside = is_inside(a.world_from_box.translation, b) ||
                            is_inside(b.world_from_box.translation, a);
        check_answer(intersects(a, b), test::exact_distance(a, b), test::extent(a, b), inside, t);
      },
      2);
}

TEST(IntersectsOracle, SphereAndTriangleBoxSphere) {
  run(
      [](RandomShapes& s, Tally& t) {
        const Vec3 p = s.point();
        const auto check = [&](const auto& shape, bool inside) {
          // A radius around the exact distance, from equal to well off.
          const double exact = test::exact_distance(p, shape);
          const double off = std::pow(10.0, s.random().uniform(-17.0, 0.0));
          const double radius =
              std::max(0.0, exact * (1.0 + (s.random().below(2) == 0 ? off : -off)));
          const double size = test::extent(p, shape) + radius;
          const bool answer = intersects(Sphere{p, radius}, shape);
          if (inside || exact < radius) {
            RC_ASSERT(answer);
            ++t.contact;
          } else if (exact > radius + kContactError * size) {
            RC_ASSERT(!answer);
            ++t.apart;
          } else {
            ++t.narrow;
          }
        };
        check(s.triangle(), false);
        const Box box = s.box();
        check(box, holds(box, p));
        const OrientedBox oriented = s.oriented_box();
        check(oriented, is_inside(p, oriented));
      },
      20);
}

TEST(RectanglesFartherThan, IsTrueOnlyWhenTheyAre) {
  run(
      [](RandomShapes& s, Tally& t) {
        const Rectangle a = s.rectangle();
        const Rectangle b = s.rectangle();
        const test::Quad exact = test::oracle_distance(test::simplices(a), test::simplices(b));
        const double size = test::extent(a, b);
        const double off = std::pow(10.0, s.random().uniform(-17.0, 0.0));
        const double limit = std::max(
            0.0, static_cast<double>(exact) * (1.0 + (s.random().below(2) == 0 ? off : -off)));
        const bool farther = rectangles_farther_than(a, b, limit);
        if (exact <= limit) {
          RC_ASSERT(!farther);
          ++t.contact;
        } else if (exact > limit + kContactError * size) {
          RC_ASSERT(farther);
          ++t.apart;
        } else {
          ++t.narrow;
        }
      },
      20);
}

TEST(RectanglesFartherThan, TouchingOnesAreNotFartherThanZero) {
  const Rectangle a{{0, 0, 0}, {Vec3{1, 0, 0}, Vec3{0, 1, 0}}, {1, 1}};
  EXPECT_FALSE(rectangles_farther_than(a, a, 0.0));
  EXPECT_FALSE(rectangles_farther_than(a, Rectangle{{1, 1, 0}, a.axis, {1, 1}}, 0.0));
  EXPECT_TRUE(rectangles_farther_than(a, Rectangle{{1, 1, 1e-12}, a.axis, {1, 1}}, 0.0));
  EXPECT_TRUE(rectangles_farther_than(a, Rectangle{{0, 0, 1}, a.axis, {1, 1}}, 0.999999));
  EXPECT_FALSE(rectangles_farther_than(a, Rectangle{{0, 0, 1}, a.axis, {1, 1}}, 1.0));
}

}  // namespace
}  // namespace clearance
