// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the search for few balls is made of, against the plain way of doing it.
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/parallel.h>
#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/simplify.h>

#include "simplify/ball_place.h"
#include "simplify/ball_spread.h"
#include "simplify/ball_squeeze.h"
#include "simplify/cover_gaps.h"
#include "simplify/cover_points.h"
#include "simplify/nearest_cells.h"
#include "simplify/point_blocks.h"
#include "support/simple_meshes.h"

namespace clearance::detail {
namespace {

Vec3 in_box(Random& random, double side) {
  return {random.uniform(-side, side), random.uniform(-side, side), random.uniform(-side, side)};
}

std::vector<Vec3> points_on_a_sphere(std::size_t count, double radius) {
  Random random(3);
  std::vector<Vec3> points(count);
  for (Vec3& p : points)
    p = radius * normalized(Vec3{random.normal(), random.normal(), random.normal()});
  return points;
}

TEST(NearestCells, FindsTheNearestOnAnyNumberOfThreads) {
  // Points around the region: from its middle all are as good as equally far.
  const std::vector<Vec3> points = points_on_a_sphere(3000, 0.2);
  const Box region{{-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}};
  const NearestCells cells(points, region, 1e-4);
  Random random(4);
  std::vector<Vec3> asked(4000);
  for (Vec3& c : asked) c = in_box(random, 0.1);
  asked.emplace_back();
  std::vector<std::uint32_t> found(asked.size());
  parallel_for({4}, asked.size(), [&](std::size_t i) { found[i] = cells.nearest(asked[i]); });
  for (std::size_t i = 0; i < asked.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& p : points) least = std::min(least, distance(p, asked[i]));
    ASSERT_LT(found[i], points.size());
    EXPECT_LE(distance(points[found[i]], asked[i]), least * (1.0 + 1e-6));
    EXPECT_EQ(cells.nearest(asked[i]), found[i]);
  }
  EXPECT_TRUE(cells.contains({0.1, -0.1, 0.1}));
  EXPECT_FALSE(cells.contains({0.0, 0.0, 0.11}));
}

TEST(PointBlocks, GivesAllPointsInABall) {
  Random random(5);
  std::vector<Vec3> points(1001);
  for (Vec3& p : points) p = in_box(random, 1.0);
  const PointBlocks blocks(points);
  ASSERT_EQ(blocks.size(), points.size());
  for (int i = 0; i < 200; ++i) {
    const Sphere ball{in_box(random, 1.0), random.uniform(0.0, 0.6)};
    std::vector<bool> seen(points.size(), false);
    blocks.in_ball(ball, [&](std::size_t place) {
      EXPECT_EQ(blocks.point(place), points[blocks.given(place)]);
      EXPECT_FALSE(seen[blocks.given(place)]);
      seen[blocks.given(place)] = true;
    });
    for (std::size_t p = 0; p < points.size(); ++p)
      ASSERT_EQ(seen[p], squared_norm(points[p] - ball.center) <= ball.radius * ball.radius);
  }
  blocks.in_ball({{}, -1.0}, [](std::size_t) { FAIL() << "a ball that is none holds nothing"; });
  EXPECT_EQ(PointBlocks(std::span<const Vec3>()).size(), 0U);
}

TEST(PointBlocks, GivesEachPointTheBallThatHasItDeepest) {
  Random random(6);
  std::vector<Vec3> points(1000);
  for (Vec3& p : points) p = in_box(random, 1.0);
  std::vector<Sphere> balls(60);
  for (Sphere& ball : balls) ball = {in_box(random, 1.0), random.uniform(0.1, 0.4)};
  const PointBlocks blocks(points);
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> holder(points.size(), kNone);
  std::vector<double> depth(points.size(), 7.0);
  for (std::size_t g = 0; g < blocks.group_count(); ++g) blocks.nearest_of(g, balls, holder, depth);
  int held = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    double least = std::numeric_limits<double>::infinity();
    for (const Sphere& ball : balls)
      least = std::min(least, distance(blocks.point(p), ball.center) - ball.radius);
    if (least > 0.0) continue;
    ASSERT_NE(holder[p], kNone);
    ++held;
    EXPECT_NEAR(depth[p], least, 1e-14);
    EXPECT_NEAR(distance(blocks.point(p), balls[holder[p]].center) - balls[holder[p]].radius, least,
                1e-14);
  }
  EXPECT_GT(held, 300);
  EXPECT_LT(held, 950);
}

class CubeField : public testing::Test {
 protected:
  CubeField()
      : body_(*Model::build(test::cube(0.1))),
        kept_(*KeptVolume::make(body_, {.resolution = 0.002})),
        field_(kept_, 0.01) {}

  Model body_;
  KeptVolume kept_;
  BallField field_;
};

TEST_F(CubeField, BestPlaceOfABallInAnEdgeIsTheErrorBelowBothFaces) {
  // The ball that holds the most of a square edge has its centre the error below both faces.
  const Box box = body_.mesh().bounds();
  const Vec3 middle{box.high.x, box.high.y, box.center().z};
  const std::vector<Vec3> points{middle + Vec3{0.0, 0.0, 0.012}, middle - Vec3{0.0, 0.0, 0.012}};
  const Vec3 start = middle - Vec3{0.006, 0.013, 0.004};
  const PlacedBall placed = best_place(field_, {start, field_.radius(start)}, points, {});
  EXPECT_GT(placed.spare, 0.0);
  EXPECT_NEAR(distance(placed.ball.center, middle - Vec3{0.01, 0.01, 0.0}), 0.0, 0.003);
  EXPECT_EQ(placed.ball.radius, field_.radius(placed.ball.center));
}

TEST_F(CubeField, SqueezingLeavesFewerBallsThatHoldTheSame) {
  // Points along an edge of 100 mm, a ball for each, where four or five are enough.
  const Box box = body_.mesh().bounds();
  std::vector<Vec3> points;
  std::vector<Sphere> balls;
  for (int i = 0; i <= 100; ++i) {
    points.push_back({box.high.x, box.high.y, box.low.z + 0.001 * i});
    const Vec3 center = points.back() - Vec3{0.01, 0.01, 0.0};
    balls.push_back({center, field_.radius(center)});
  }
  const PointBlocks blocks(points);
  std::vector<Sphere> few = balls;
  squeeze_balls(field_, blocks, few, {.threads = {1}});
  EXPECT_LE(few.size(), 5U);
  std::vector<Sphere> again = balls;
  squeeze_balls(field_, blocks, again, {.threads = {3}});
  ASSERT_EQ(few.size(), again.size());
  for (std::size_t k = 0; k < few.size(); ++k) EXPECT_EQ(few[k].center, again[k].center);
  const auto all_are_held = [&](const std::vector<Sphere>& by) {
    return std::all_of(points.begin(), points.end(), [&](const Vec3& p) {
      return std::any_of(by.begin(), by.end(), [&](const Sphere& ball) {
        return squared_norm(p - ball.center) <= ball.radius * ball.radius;
      });
    });
  };
  EXPECT_TRUE(all_are_held(few));
  // Mending brings back what is lost with a ball.
  few.pop_back();
  EXPECT_FALSE(all_are_held(few));
  mend_balls(field_, blocks, few, {});
  EXPECT_TRUE(all_are_held(few));
}

// How far the point is that is farthest from all balls.
double deepest(const std::vector<Vec3>& points, const std::vector<Sphere>& balls) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) {
    double least = std::numeric_limits<double>::infinity();
    for (const Sphere& ball : balls)
      least = std::min(least, distance(p, ball.center) - ball.radius);
    most = std::max(most, least);
  }
  return most;
}

TEST_F(CubeField, RelaxingDrawsPointsInWithoutAnotherBall) {
  // Four balls are enough for the edge, but these four stand to one side of it.
  const Box box = body_.mesh().bounds();
  std::vector<Vec3> points;
  for (int i = 0; i <= 100; ++i)
    points.push_back({box.high.x, box.high.y, box.low.z + 0.02 + 0.0006 * i});
  std::vector<Sphere> balls;
  for (int k = 0; k < 4; ++k) {
    const Vec3 center = points.front() + Vec3{-0.01, -0.01, 0.005 + 0.01 * k};
    balls.push_back({center, field_.radius(center)});
  }
  const PointBlocks blocks(points);
  EXPECT_GT(deepest(points, balls), 0.005);
  std::vector<Sphere> relaxed = balls;
  double last = deepest(points, balls);
  for (int sweep = 0; sweep < 60; ++sweep) {
    relax_balls(field_, blocks, relaxed, 1, {.threads = {1}});
    EXPECT_LE(deepest(points, relaxed), last + 1e-12);
    last = deepest(points, relaxed);
  }
  EXPECT_LT(last, 0.0);
  std::vector<Sphere> again = balls;
  relax_balls(field_, blocks, again, 60, {.threads = {3}});
  for (std::size_t k = 0; k < relaxed.size(); ++k) EXPECT_EQ(relaxed[k].center, again[k].center);
  // Nothing is open: nothing moves.
  relax_balls(field_, blocks, again, 3, {});
  for (std::size_t k = 0; k < relaxed.size(); ++k) EXPECT_EQ(relaxed[k].center, again[k].center);
}

TEST_F(CubeField, SpreadingBringsWhatOneEndHasToSpareToTheOther) {
  // An edge of 100 mm; 2.83 of the error of it, or 28.3 mm, fit into one ball. The four that hold
  // it are crowded at one end, so that a gap is open at the other, three balls away.
  const Box box = body_.mesh().bounds();
  std::vector<Vec3> points;
  for (int i = 0; i <= 200; ++i) points.push_back({box.high.x, box.high.y, box.low.z + 0.0005 * i});
  std::vector<Sphere> balls;
  for (int k = 0; k < 4; ++k) {
    const Vec3 center{box.high.x - 0.01, box.high.y - 0.01, box.low.z + 0.01 + 0.02 * k};
    balls.push_back({center, field_.radius(center)});
  }
  const PointBlocks blocks(points);
  const double before = deepest(points, balls);
  EXPECT_GT(before, 0.001);
  const std::vector<SharpEdge> edges = sharp_edges(body_.mesh());
  const Symmetry none;
  std::vector<Sphere> spread = balls;
  const SpreadGap gap = BallSpread(field_, edges, none).run(blocks, spread, {.threads = {1}});
  ASSERT_EQ(spread.size(), 4U);
  EXPECT_LT(gap.depth, 0.0);
  EXPECT_NEAR(deepest(points, spread), gap.depth, 0.0005);
  for (const Sphere& ball : spread) EXPECT_EQ(ball.radius, field_.radius(ball.center));
  std::vector<Sphere> again = balls;
  (void)BallSpread(field_, edges, none).run(blocks, again, {.threads = {3}});
  for (std::size_t k = 0; k < spread.size(); ++k) EXPECT_EQ(spread[k].center, again[k].center);
  // Three cannot hold it, and the deepest gap says so.
  std::vector<Sphere> three(balls.begin(), balls.begin() + 3);
  const SpreadGap open = BallSpread(field_, edges, none).run(blocks, three, {.enough = 0.0});
  EXPECT_GT(open.depth, 0.0);
  EXPECT_NEAR(deepest(points, three), open.depth, 0.0005);
}

TEST_F(CubeField, GapsAreFoundWhereABallIsMissing) {
  const Simplification made = simplify(body_, {.error = 0.01}).value();
  EXPECT_TRUE(find_gaps(field_, made.spheres, {}).empty());
  std::size_t with_gaps = 0;
  for (std::size_t k = 0; k < made.spheres.size(); ++k) {
    std::vector<Sphere> fewer = made.spheres;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    const std::vector<Vec3> gaps = find_gaps(field_, fewer, {.threads = {1}});
    EXPECT_EQ(gaps, find_gaps(field_, fewer, {.threads = {3}}));
    with_gaps += gaps.empty() ? 0 : 1;
    for (const Vec3& p : gaps) {
      EXPECT_GT(deepest({p}, fewer), 0.0);
      EXPECT_LE(deepest({p}, made.spheres), 1e-9);
    }
    EXPECT_EQ(gaps.empty(), verify_cover(body_, fewer).status == CoverStatus::Covered);
  }
  EXPECT_GT(with_gaps, 30U);
}

TEST(CoverPoints, AreOnTheBoundaryOrInside) {
  // The middles of small cells were once taken for points inside, up to a quarter of the error
  // beyond rims: balls were spent on them.
  const Model pipe = *Model::build(*make_pipe({.length = 0.1, .triangles = 400}));
  const KeptVolume kept = *KeptVolume::make(pipe, {.resolution = 0.001});
  const BallField field(kept, 0.004);
  const std::vector<Vec3> points =
      make_cover_points(field, sharp_edges(pipe.mesh()), {}, {}, {}, nullptr).points;
  ASSERT_GT(points.size(), 1000U);
  std::size_t on_boundary = 0;
  for (const Vec3& p : points) {
    const double from_boundary = distance(pipe.bvh(), p).distance;
    if (from_boundary < 1e-9) ++on_boundary;
    EXPECT_TRUE(pipe.side(p) != Side::Outside || from_boundary < 0.02 * field.error())
        << p.x << ' ' << p.y << ' ' << p.z << " is outside by " << from_boundary;
  }
  EXPECT_GT(2 * on_boundary, points.size());
}

TEST(FindGaps, SeesCavitiesAndWhatIsFilled) {
  // Eight balls, one at each corner of a cube, that leave a cavity of some 30 mm in the middle.
  const Model cube = *Model::build(test::cube(1.0));
  const KeptVolume whole = *KeptVolume::make(cube, {.resolution = 0.02});
  const BallField field(whole, 0.3);
  const Vec3 middle = cube.mesh().bounds().center();
  std::vector<Sphere> around;
  for (unsigned k = 0; k < 8; ++k) {
    const Vec3 way{(k & 1U) != 0 ? 1.0 : -1.0, (k & 2U) != 0 ? 1.0 : -1.0,
                   (k & 4U) != 0 ? 1.0 : -1.0};
    around.push_back({middle + (0.3 + 0.001 * k) * way, 0.505});
  }
  const std::vector<Vec3> gaps = find_gaps(field, around, {});
  ASSERT_FALSE(gaps.empty());
  for (const Vec3& p : gaps) {
    EXPECT_LT(distance(p, middle), 0.04);
    EXPECT_GT(deepest({p}, around), 0.0);
  }
  for (Sphere& ball : around) ball.radius = 0.54;
  EXPECT_TRUE(find_gaps(field, around, {}).empty());

  // The bore of a pipe, filled: balls that hold the wall leave it open.
  const Model pipe = *Model::build(*make_pipe({.length = 0.1, .triangles = 400}));
  const KeptVolume filled =
      *KeptVolume::make(pipe, {.external_diameter = 0.1, .resolution = 0.001});
  const BallField bore(filled, 0.006);
  const std::vector<Sphere> wall = simplify(pipe, {.error = 0.006}).value().spheres;
  const std::vector<Vec3> open = find_gaps(bore, wall, {});
  EXPECT_GT(open.size(), 10U);
  for (const Vec3& p : open) EXPECT_GT(deepest({p}, wall), 0.0);
  const std::vector<Sphere> both =
      simplify(pipe, {.error = 0.006, .external_diameter = 0.1}).value().spheres;
  EXPECT_TRUE(find_gaps(bore, both, {}).empty());
}

}  // namespace
}  // namespace clearance::detail
