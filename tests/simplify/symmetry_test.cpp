// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What moves a body onto itself, and what a search makes of it.
#include "simplify/symmetry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>

#include "simplify/ball_spread.h"
#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance::detail {
namespace {

using test::model_of;

constexpr double kTolerance = 1e-6;

// A box of three different lengths about the origin.
Mesh box() {
  std::vector<Vec3> vertices;
  const Mesh unit = test::cube(1.0, {-0.5, -0.5, -0.5});
  for (const Vec3& v : unit.vertices()) vertices.push_back({0.1 * v.x, 0.12 * v.y, 0.2 * v.z});
  return Mesh::make(std::move(vertices), {unit.faces().begin(), unit.faces().end()}).value();
}

std::vector<std::size_t> orders(const Model& body, std::size_t most) {
  std::vector<std::size_t> found;
  for (const Symmetry& symmetry : Symmetry::find(body, kTolerance, most))
    found.push_back(symmetry.order());
  return found;
}

bool has(const std::vector<std::size_t>& orders, std::size_t order) {
  return std::find(orders.begin(), orders.end(), order) != orders.end();
}

// That which reflects z alone.
Symmetry across_z(const Model& body) {
  for (const Symmetry& symmetry : Symmetry::find(body, kTolerance, 2)) {
    if (symmetry.order() == 2 &&
        distance(symmetry.image({0.01, 0.02, 0.03}, 1), {0.01, 0.02, -0.03}) < 1e-9)
      return symmetry;
  }
  ADD_FAILURE() << "no reflection found";
  return {};
}

TEST(Symmetry, IsFoundAboutPrincipalAxesOfTheirOwn) {
  // Three reflections and what they make: eight motions.
  const std::vector<std::size_t> of_box = orders(model_of(box()), 12);
  EXPECT_EQ(of_box.front(), 1U);
  EXPECT_TRUE(std::is_sorted(of_box.begin(), of_box.end()));
  EXPECT_EQ(of_box.back(), 8U);
  EXPECT_FALSE(has(orders(model_of(box()), 4), 8));
  // A round body with any number of sides: its ends, and its left and right.
  const Model pipe = model_of(*make_pipe());
  EXPECT_TRUE(has(orders(pipe, 12), 2));
  EXPECT_TRUE(has(orders(pipe, 12), 4));
  // Turns by a third.
  EXPECT_TRUE(has(orders(model_of(*make_pipe_joint()), 12), 3));
}

TEST(Symmetry, IsNotFoundWhereThereIsNone) {
  // A cube at one corner of the box.
  const Mesh odd = test::together({box(), test::cube(0.01, {0.05, 0.06, 0.1})});
  EXPECT_EQ(orders(model_of(odd), 12), std::vector<std::size_t>{1});
  // Moved by more than the tolerance.
  const Mesh even = box();
  std::vector<Vec3> vertices(even.vertices().begin(), even.vertices().end());
  vertices.front() += Vec3{0.0, 0.0, 2e-5};
  const Mesh bent =
      Mesh::make(std::move(vertices), {even.faces().begin(), even.faces().end()}).value();
  EXPECT_EQ(orders(model_of(bent), 12), std::vector<std::size_t>{1});
}

TEST(Symmetry, ImagesOfItsHomeAreAllOfSpace) {
  const Model body = model_of(*make_pipe());
  Random random(7);
  for (const Symmetry& symmetry : Symmetry::find(body, kTolerance, 12)) {
    for (int i = 0; i < 100; ++i) {
      const Vec3 p{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
      std::size_t at_home = 0;
      for (std::size_t k = 0; k < symmetry.order(); ++k) {
        const Vec3 there = symmetry.image(p, k);
        at_home += symmetry.beyond(there) <= 0.0 ? 1U : 0U;
        // As far from the body as the place itself, and ways turn with it.
        EXPECT_NEAR(distance(body.bvh(), there).distance, distance(body.bvh(), p).distance, 1e-6);
        const Vec3 way{0.001, 0.002, 0.003};
        EXPECT_LT(norm(symmetry.turned_back(symmetry.image(p + way, k) - there, k) - way), 1e-12);
      }
      EXPECT_EQ(at_home, 1U);
      EXPECT_EQ(symmetry.image_count(p), symmetry.order());
    }
  }
}

TEST(Symmetry, BallsSettleWhereMotionsLeaveThem) {
  const Symmetry symmetry = across_z(model_of(box()));
  const Vec3 near{0.02, 0.03, 0.001};
  EXPECT_EQ(symmetry.settled(near, 0.0019), near);
  const Vec3 settled = symmetry.settled(near, 0.0021);
  EXPECT_LT(distance(settled, {0.02, 0.03, 0.0}), 1e-9);
  EXPECT_EQ(symmetry.image_count(settled), 1U);
  EXPECT_EQ(symmetry.image_count(near), 2U);
  // There it may move along the plane alone; elsewhere as it likes.
  const Vec3 way{0.001, 0.002, 0.003};
  EXPECT_LT(norm(symmetry.freedom(settled) * way - Vec3{0.001, 0.002, 0.0}), 1e-9);
  EXPECT_EQ(symmetry.freedom(near) * way, way);
  const std::vector<Sphere> balls{{settled, 0.01}, {{0.02, 0.03, 0.05}, 0.01}};
  const Symmetry::Images all = symmetry.images(balls, std::numeric_limits<double>::infinity());
  ASSERT_EQ(all.balls.size(), 3U);
  EXPECT_EQ(all.of, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_LT(distance(all.balls[2].center, {0.02, 0.03, -0.05}), 1e-9);
  // The one on the far side is 40 mm from the home.
  EXPECT_EQ(symmetry.images(balls, 0.039).balls.size(), 2U);
  EXPECT_EQ(symmetry.images(balls, 0.041).balls.size(), 3U);
}

TEST(BallSpread, MovesBallsForTheirImagesAsWell) {
  // An edge of 200 mm, of which 28.3 mm fit into a ball: eight hold it, four and their images.
  const Model body = model_of(box());
  const KeptVolume kept = *KeptVolume::make(body, {.resolution = 0.002});
  const BallField field(kept, 0.01);
  const Symmetry symmetry = across_z(body);
  const double side = symmetry.beyond({0.0, 0.0, 0.05}) < 0.0 ? 1.0 : -1.0;
  std::vector<Vec3> points;
  for (int i = 0; i <= 200; ++i) points.push_back({0.05, 0.06, side * 0.0005 * i});
  std::vector<Sphere> balls;
  for (int k = 0; k < 4; ++k) {
    const Vec3 center{0.04, 0.05, side * (0.03 + 0.02 * k)};
    balls.push_back({center, field.radius(center)});
  }
  const auto run = [&](const Symmetry& with, Threads threads) {
    std::vector<Sphere> moved = balls;
    const SpreadGap gap = BallSpread(field, sharp_edges(body.mesh()), with)
                              .run(PointBlocks(points), moved, {.threads = threads});
    EXPECT_LT(gap.depth, 0.0);
    return moved;
  };
  const std::vector<Sphere> moved = run(symmetry, {1});
  const std::vector<Sphere> all =
      symmetry.images(moved, std::numeric_limits<double>::infinity()).balls;
  EXPECT_EQ(all.size(), 8U);
  for (int i = -200; i <= 200; ++i) {
    const Vec3 p{0.05, 0.06, 0.0005 * i};
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Sphere& ball) {
      return distance(ball.center, p) <= ball.radius + 1e-4;
    })) << i;
  }
  const std::vector<Sphere> again = run(symmetry, {3});
  for (std::size_t k = 0; k < moved.size(); ++k) EXPECT_EQ(moved[k].center, again[k].center);
}

TEST(BallSpread, MovesOnlyBallsAroundAPlace) {
  const Model body = model_of(box());
  const KeptVolume kept = *KeptVolume::make(body, {.resolution = 0.002});
  const BallField field(kept, 0.01);
  std::vector<Vec3> points;
  std::vector<Sphere> balls;
  for (int i = -200; i <= 200; ++i) points.push_back({0.05, 0.06, 0.0005 * i});
  for (int k = 0; k < 8; ++k) {
    const Vec3 center{0.04, 0.05, -0.09 + 0.02 * k};
    balls.push_back({center, field.radius(center)});
  }
  // The last ones are crowded, with a gap beside them; the first are far away.
  const Symmetry none;
  std::vector<Sphere> moved = balls;
  const Sphere around{{0.04, 0.05, 0.08}, 0.075};
  (void)BallSpread(field, sharp_edges(body.mesh()), none)
      .run(PointBlocks(points), moved, {.around = around, .threads = {1}});
  std::size_t changed = 0;
  for (std::size_t k = 0; k < balls.size(); ++k) {
    const bool is_near = distance(balls[k].center, around.center) <= around.radius;
    if (!is_near) {
      EXPECT_EQ(moved[k].center, balls[k].center);
    }
    changed += moved[k].center != balls[k].center ? 1U : 0U;
  }
  EXPECT_GT(changed, 0U);
}

TEST(BallField, LearnsWhatLimitsItsBalls) {
  // What fills a pipe is limited by walls on all sides, which samples 4 mm apart do not show.
  const Model pipe = model_of(*make_pipe());
  constexpr double kError = 0.001;
  const KeptVolume kept = *KeptVolume::make(pipe, {.external_diameter = 0.1, .resolution = 0.0006});
  BallField field(kept, kError);
  Random random(11);
  std::vector<Vec3> places;
  for (int i = 0; i < 300; ++i) {
    const double r = random.uniform(0.0, 0.022);
    const double angle = random.uniform(0.0, 6.28);
    places.push_back({r * std::cos(angle), r * std::sin(angle), random.uniform(0.08, 0.096)});
  }
  const BallField before = field;
  EXPECT_GT(field.learn(places, {}, {2}), 10U);
  double most = 0.0;
  int wrong_before = 0;
  for (const Vec3& c : places) {
    const double safe = kept.safe_radius(c, kError, 0.0002 * kError);
    EXPECT_LE(field.radius(c), before.radius(c));
    EXPECT_GE(field.radius(c), safe - 1e-9);
    most = std::max(most, field.radius(c) - safe);
    wrong_before += before.radius(c) - safe > 0.002 * kError ? 1 : 0;
  }
  EXPECT_GT(wrong_before, 10);
  EXPECT_LT(most, 0.001 * kError);
  EXPECT_EQ(field.learn(places, {}, {1}), 0U);
}

}  // namespace
}  // namespace clearance::detail
