// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/predicates.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/cover.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::model_of;

/// Balls about the cells of a grid over a box, each a little larger than its cell.
std::vector<Sphere> grid_of_balls(const Box& box, int across, double margin) {
  const double edge = largest_component(box.size()) / across;
  std::vector<Sphere> balls;
  for (double x = box.low.x + 0.3 * edge; x < box.high.x + edge; x += edge) {
    for (double y = box.low.y + 0.4 * edge; y < box.high.y + edge; y += edge) {
      for (double z = box.low.z + 0.45 * edge; z < box.high.z + edge; z += edge)
        balls.push_back({{x, y, z}, std::sqrt(0.75) * edge * (1.0 + margin)});
    }
  }
  return balls;
}

/// Takes away all that is within `depth` of a point.
void plant_hole(std::vector<Sphere>& balls, const Vec3& p, double depth) {
  for (Sphere& ball : balls) ball.radius = std::min(ball.radius, distance(p, ball.center) - depth);
}

/// In no ball, in more digits than the library's.
bool is_uncovered(const std::vector<Sphere>& balls, const Vec3& p) {
  for (const Sphere& ball : balls) {
    long double sum = 0.0L;
    for (std::size_t k = 0; k < 3; ++k) {
      const long double d =
          static_cast<long double>(p[k]) - static_cast<long double>(ball.center[k]);
      sum += d * d;
    }
    const long double r = ball.radius;
    if (r >= 0.0L && sum <= r * r) return false;
  }
  return true;
}

bool is_of_body(const Model& model, const Vec3& p) {
  if (model.is_solid() && model.side(p) == Side::Inside) return true;
  return distance(model.bvh(), p).distance < 1e-12 * model.bvh().bounds().diagonal();
}

/// Blocks, pipes, balls that overlap; solid or with a triangle missing.
Model random_model(std::uint64_t seed) {
  Random random(seed);
  const auto place = [&] {
    return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  };
  switch (random.below(4)) {
    case 0:
      return model_of(test::cube(random.uniform(0.1, 2.0), place()));
    case 1: {
      PipeOptions pipe;
      pipe.triangles = 48 + 2 * random.below(100);
      return model_of(*make_pipe(pipe));
    }
    default: {
      const Mesh mesh = test::together({test::uv_sphere(random.uniform(0.2, 0.6), 5, place()),
                                        test::uv_sphere(random.uniform(0.2, 0.6), 4, place()),
                                        test::cube(random.uniform(0.2, 0.8), place())});
      return model_of(random.below(2) == 0 ? mesh : test::without(mesh, {2, 17}));
    }
  }
}

Vec3 random_point(const Model& model, Random& random) {
  const Box& box = model.bvh().bounds();
  if (model.is_solid() && random.below(2) == 0) {
    for (int i = 0; i < 100; ++i) {
      const Vec3 p{random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
                   random.uniform(box.low.z, box.high.z)};
      if (model.side(p) == Side::Inside) return p;
    }
  }
  const Triangle t = model.bvh().triangle(random.below(model.bvh().triangle_count()));
  const double u = random.uniform();
  const double v = random.uniform();
  return t.a + std::min(u, v) * (t.b - t.a) + (1.0 - std::max(u, v)) * (t.c - t.a);
}

RC_GTEST_PROP(VerifyCover, ProvesCoversOfSmallMargin, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random(seed);
  const Model model = random_model(seed);
  const double margin = std::pow(10.0, random.uniform(-5.0, -1.0));
  const std::vector<Sphere> balls =
      grid_of_balls(model.bvh().bounds(), 2 + static_cast<int>(random.below(5)), margin);
  const Cover cover = verify_cover(model, balls);
  RC_ASSERT(cover.status == CoverStatus::Covered);
  RC_ASSERT(cover.solid == model.is_solid());
}

RC_GTEST_PROP(VerifyCover, FindsHolesDownToAMillionthOfTheSize, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random(seed);
  const Model model = random_model(seed);
  std::vector<Sphere> balls =
      grid_of_balls(model.bvh().bounds(), 2 + static_cast<int>(random.below(5)), 0.01);
  const double size = model.bvh().bounds().diagonal();
  const double depth = size * std::pow(10.0, random.uniform(-6.0, -2.0));
  plant_hole(balls, random_point(model, random), depth);
  const Cover cover = verify_cover(model, balls);
  RC_ASSERT(cover.status == CoverStatus::Uncovered);
  RC_ASSERT(is_uncovered(balls, cover.point));
  RC_ASSERT(is_of_body(model, cover.point));
  double nearest = std::numeric_limits<double>::infinity();
  for (const Sphere& ball : balls) {
    if (ball.radius >= 0.0)
      nearest = std::min(nearest, distance(ball.center, cover.point) - ball.radius);
  }
  RC_ASSERT(std::abs(cover.depth - nearest) <= 1e-12 * size);
}

TEST(VerifyCover, DecidesTouchingVerticesExactly) {
  const Model cube = model_of(test::cube());
  const Vec3 middle{0.5, 0.5, 0.5};
  double radius = std::sqrt(0.75);
  // The least double with all eight corners in the ball.
  while (side_of_ball({}, {middle, radius}) > 0) radius = std::nextafter(radius, 1.0);
  while (side_of_ball({}, {middle, std::nextafter(radius, 0.0)}) <= 0)
    radius = std::nextafter(radius, 0.0);
  EXPECT_EQ(verify_cover(cube, std::vector{Sphere{middle, radius}}).status, CoverStatus::Covered);
  const Cover less = verify_cover(cube, std::vector{Sphere{middle, std::nextafter(radius, 0.0)}});
  EXPECT_EQ(less.status, CoverStatus::Uncovered);
}

TEST(VerifyCover, FindsACavityInsideASolidOnly) {
  const Mesh mesh = test::cube();
  // Balls along the faces, none in the middle.
  std::vector<Sphere> balls;
  for (const Sphere& ball : grid_of_balls({{0, 0, 0}, {1, 1, 1}}, 10, 0.01)) {
    const Vec3 from_middle = abs(ball.center - Vec3{0.5, 0.5, 0.5});
    if (largest_component(from_middle) > 0.3) balls.push_back(ball);
  }
  const Cover solid = verify_cover(model_of(mesh), balls);
  ASSERT_EQ(solid.status, CoverStatus::Uncovered);
  EXPECT_TRUE(solid.solid);
  EXPECT_LT(largest_component(abs(solid.point - Vec3{0.5, 0.5, 0.5})), 0.3);
  const Cover surface = verify_cover(model_of(test::without(mesh, {4})), balls);
  EXPECT_EQ(surface.status, CoverStatus::Covered);
  EXPECT_FALSE(surface.solid);
}

TEST(VerifyCover, TakesBadBallsAsAbsent) {
  const Model cube = model_of(test::cube());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(verify_cover(cube, {}).status, CoverStatus::Uncovered);
  const std::vector<Sphere> bad{{{0.5, 0.5, 0.5}, -1.0},
                                {{0.5, 0.5, 0.5}, infinity},
                                {{0.5, 0.5, 0.5}, std::nan("")},
                                {{std::nan(""), 0.5, 0.5}, 2.0}};
  const Cover cover = verify_cover(cube, bad);
  EXPECT_EQ(cover.status, CoverStatus::Uncovered);
  EXPECT_EQ(cover.depth, infinity);
}

TEST(VerifyCover, SaysUndecidedWhenItRunsOut) {
  const Model model = model_of(test::uv_sphere(1.0, 8));
  CoverOptions options;
  options.most_pieces = 10;
  const Cover cover = verify_cover(model, grid_of_balls(model.bvh().bounds(), 8, 1e-3), options);
  EXPECT_EQ(cover.status, CoverStatus::Undecided);
}

TEST(VerifyCover, IsTheSameForAnyNumberOfThreads) {
  const Model model = model_of(*make_pipe());
  Random random(5);
  for (int i = 0; i < 5; ++i) {
    std::vector<Sphere> balls = grid_of_balls(model.bvh().bounds(), 25, 0.01);
    for (int k = 0; k < 4; ++k) plant_hole(balls, random_point(model, random), 1e-5);
    CoverOptions options;
    options.threads = Threads{1};
    const Cover one = verify_cover(model, balls, options);
    options.threads = Threads{3};
    const Cover three = verify_cover(model, balls, options);
    EXPECT_EQ(one.status, CoverStatus::Uncovered);
    EXPECT_EQ(one.point, three.point);
    EXPECT_EQ(one.depth, three.depth);
    EXPECT_EQ(one.pieces, three.pieces);
  }
}

TEST(VerifyCover, FindsTheDeepestGap) {
  // One ball in the middle of a cube: the corners are farthest.
  const Model cube = model_of(test::cube());
  CoverOptions options;
  options.deepest = true;
  const Cover corner = verify_cover(cube, std::vector{Sphere{{0.5, 0.5, 0.5}, 0.5}}, options);
  EXPECT_NEAR(corner.depth, std::sqrt(0.75) - 0.5, 1e-12);
  EXPECT_NEAR(corner.depth_upper, corner.depth, 0.02 * corner.depth);
  EXPECT_GE(corner.depth_upper, corner.depth);
  // Balls at the corners: the middle.
  std::vector<Sphere> balls;
  for (const Vec3& v : cube.mesh().vertices()) balls.push_back({v, 0.75});
  const Cover middle = verify_cover(cube, balls, options);
  ASSERT_EQ(middle.status, CoverStatus::Uncovered);
  EXPECT_NEAR(middle.depth, std::sqrt(0.75) - 0.75, 0.01 * middle.depth);
  EXPECT_GE(middle.depth_upper, std::sqrt(0.75) - 0.75);
  EXPECT_LE(distance(middle.point, Vec3{0.5, 0.5, 0.5}), 0.05);
}

RC_GTEST_PROP(OutwardExcess, HoldsWhatPointsOfTheSpheresSay, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random(seed);
  const Model model = random_model(seed);
  const double size = model.bvh().bounds().diagonal();
  std::vector<Sphere> balls;
  balls.reserve(5);
  for (int i = 0; i < 5; ++i)
    balls.push_back({random_point(model, random), size * random.uniform(0.01, 0.3)});
  const double tolerance = 0.01 * size;
  const Enclosure excess = outward_excess(model, balls, tolerance);
  RC_ASSERT(excess.lower <= excess.upper);
  RC_ASSERT(excess.upper - excess.lower <= tolerance);
  double largest = 0.0;
  for (int i = 0; i < 300; ++i) {
    const Sphere& ball = balls[random.below(balls.size())];
    const Vec3 direction = normalized(Vec3{random.normal(), random.normal(), random.normal()});
    const Vec3 p = ball.center + std::cbrt(random.uniform()) * ball.radius * direction;
    if (model.is_solid() && model.side(p) != Side::Outside) continue;
    largest = std::max(largest, distance(model.bvh(), p).distance);
  }
  RC_ASSERT(largest <= excess.upper + 1e-12 * size);
}

// Balls along the middle of a bore are all as far from its wall, wherever one looks. Two points of
// the wall say so with cells a fortieth of the bore wide; one point alone would take cells as small
// as the tolerance, a million of them.
TEST(OutwardExcess, OfAFilledBoreTakesFewPieces) {
  const Model pipe = model_of(*make_pipe({}));
  std::vector<Sphere> balls;
  for (int k = -6; k <= 6; ++k) balls.push_back({{0.0, 0.0, 0.012 * k}, 0.027});
  const double wall = distance(pipe.bvh(), Vec3{0.0, 0.0, 0.001}).distance;
  const Enclosure excess = outward_excess(pipe, balls, 2e-5, {.most_pieces = 30'000});
  EXPECT_LE(excess.upper - excess.lower, 2e-5);
  EXPECT_LE(excess.lower, wall + 1e-12);
  EXPECT_GE(excess.upper, wall - 1e-12);
}

TEST(OutwardExcess, IsKnownForSimpleCases) {
  const Model cube = model_of(test::cube());
  const auto excess = [&](const Sphere& ball) {
    return outward_excess(cube, std::vector{ball}, 1e-6);
  };
  EXPECT_EQ(excess({{0.5, 0.5, 0.5}, 0.49}).upper, 0.0);
  EXPECT_NEAR(excess({{0.5, 0.5, 0.5}, 0.5}).upper, 0.0, 1e-11);
  EXPECT_NEAR(excess({{0.5, 0.5, 0.5}, 0.6}).lower, 0.1, 2e-6);
  EXPECT_NEAR(excess({{0.5, 0.5, 0.5}, 0.6}).upper, 0.1, 2e-6);
  EXPECT_NEAR(excess({{2.0, 0.5, 0.5}, 0.25}).upper, 1.25, 2e-6);
  EXPECT_EQ(outward_excess(cube, {}, 1e-6).upper, 0.0);
  // The middle of a cavity is farther from the body than what is on the surface of the ball.
  const Mesh hollow =
      test::together({test::cube(), test::turned(test::cube(0.6, {0.2, 0.2, 0.2}))});
  const Enclosure inside =
      outward_excess(model_of(hollow), std::vector{Sphere{{0.5, 0.5, 0.5}, 0.35}}, 1e-3);
  EXPECT_LE(inside.lower, 0.3);
  EXPECT_GE(inside.upper, 0.3);
  EXPECT_LE(inside.upper - inside.lower, 1e-3);
}

TEST(SphereVolumes, EncloseTheTruth) {
  constexpr double kPi = 3.14159265358979323846;
  const Model cube = model_of(test::cube());
  // A ball of which an eighth is inside the cube, and one wholly inside.
  const std::vector<Sphere> balls{{{0, 0, 0}, 0.4}, {{0.7, 0.7, 0.7}, 0.2}};
  const double large = 4.0 / 3.0 * kPi * 0.4 * 0.4 * 0.4;
  const double small = 4.0 / 3.0 * kPi * 0.2 * 0.2 * 0.2;
  const SphereVolumes volumes = sphere_volumes(cube, balls, 0.1);
  const auto holds = [](const Enclosure& e, double v) { return e.lower <= v && v <= e.upper; };
  EXPECT_TRUE(holds(volumes.all, large + small));
  EXPECT_TRUE(holds(volumes.outside, 0.875 * large));
  EXPECT_TRUE(holds(volumes.covered, 0.125 * large + small));
  EXPECT_LE(volumes.all.upper - volumes.all.lower, 0.1 * volumes.all.upper);
  // A surface has no volume.
  const SphereVolumes surface =
      sphere_volumes(model_of(test::without(test::cube(), {0})), balls, 0.2);
  EXPECT_EQ(surface.covered.upper, 0.0);
  EXPECT_TRUE(holds(surface.outside, large + small));
}

/// The filled pipe of the paper, and balls along its axis that hold it with a margin.
class FilledPipe : public ::testing::Test {
 protected:
  FilledPipe() : model_(model_of(*make_pipe())) {
    KeptVolumeOptions options;
    options.external_diameter = 0.1;
    options.resolution = 5e-4;
    kept_ = *KeptVolume::make(model_, options);
    for (int i = 0; i < 20; ++i)
      balls_.push_back({{0, 0, -0.1 + 0.2 * (i + 0.5) / 20}, std::hypot(0.0262, 0.0052)});
  }
  Model model_;
  std::optional<KeptVolume> kept_;
  std::vector<Sphere> balls_;
};

TEST_F(FilledPipe, IsProvenToBeCovered) {
  const Cover cover = verify_cover(*kept_, balls_);
  EXPECT_EQ(cover.status, CoverStatus::Covered);
  EXPECT_TRUE(cover.solid);
}

TEST_F(FilledPipe, HasNoHoleInTheBoreThatIsNotFound) {
  for (const double depth : {1e-3, 1e-6}) {
    std::vector<Sphere> balls = grid_of_balls(model_.bvh().bounds(), 20, 0.1);
    plant_hole(balls, {0.001, 0.001, 0.041}, depth);
    const Cover cover = verify_cover(*kept_, balls);
    ASSERT_EQ(cover.status, CoverStatus::Uncovered);
    EXPECT_TRUE(is_uncovered(balls, cover.point));
    EXPECT_GE(kept_->safe_radius(cover.point, 0.0, 1e-9), 0.0);
    // The pipe itself does not need what is in its bore.
    EXPECT_EQ(verify_cover(model_, balls).status, CoverStatus::Covered);
  }
}

TEST_F(FilledPipe, DoesNotNeedTheDipsInItsEnds) {
  // A ball of 100 mm reaches 4.17 mm into the mouth of the bore: balls in there can go.
  const std::vector<Sphere> all = grid_of_balls(model_.bvh().bounds(), 60, 0.1);
  std::vector<Sphere> needed;
  int in_mouth = 0;
  for (const Sphere& ball : all) {
    if (!kept_->is_outside(ball.center, ball.radius)) {
      needed.push_back(ball);
    } else if (std::abs(ball.center.z) - ball.radius < 0.099 &&
               std::hypot(ball.center.x, ball.center.y) < 0.02) {
      ++in_mouth;
    }
  }
  EXPECT_GT(in_mouth, 0);
  EXPECT_EQ(verify_cover(*kept_, needed).status, CoverStatus::Covered);
}

}  // namespace
}  // namespace clearance
