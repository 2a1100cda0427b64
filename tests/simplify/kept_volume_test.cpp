// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::model_of;

Mesh box(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> vertices;
  const Mesh cube = test::cube();
  for (const Vec3& v : cube.vertices()) {
    const Vec3 size = high - low;
    vertices.push_back(low + Vec3{v.x * size.x, v.y * size.y, v.z * size.z});
  }
  return *Mesh::make(vertices, std::vector<Face>(cube.faces().begin(), cube.faces().end()));
}

KeptVolume kept_of(const Model& model, double diameter, double resolution = 0.0) {
  KeptVolumeOptions options;
  options.external_diameter = diameter;
  options.resolution = resolution;
  return *KeptVolume::make(model, options);
}

/// Distance from the body: 0 inside.
double distance_from(const Model& model, const Vec3& p) {
  if (model.is_solid() && model.side(p) != Side::Outside) return 0.0;
  return distance(model.bvh(), p).distance;
}

// Two blocks with a slot of width 0.1 between them, their tops level at z = 0.
Mesh slotted() {
  return test::together({box({-1.05, -1, -1}, {-0.05, 1, 0}), box({0.05, -1, -1}, {1.05, 1, 0})});
}
// A ball of radius 0.1 rests on the two edges of the slot: its middle is at this height, and it
// dips this far below the tops.
const double kRest = std::sqrt(0.1 * 0.1 - 0.05 * 0.05);
const double kDip = 0.1 - kRest;

// A pocket as wide as the ball but for what rounding took off it: 1e-7 of a ball too narrow.
TEST(KeptVolume, SlotThatTheBallMissesByAHairIsFilled) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.1 * (1.0 + 1e-7));
  // The nearest places for the ball are at the ends of the slot, 0.5 away.
  for (const double z : {-0.5, -0.47, -0.53}) {
    const double far = std::min(-z, 1.0 + z);
    const double safe = kept.safe_radius({0, 0, z}, 0.02, 1e-4);
    EXPECT_LE(safe, far - 0.03 + 1e-6);
    // Not -0.03, as if it could be in the slot. The bound ends short of the ends of the slot.
    EXPECT_GE(safe, far - 0.13);
  }
}

TEST(KeptVolume, SlotThatTheBallFitsIntoByAHairIsOpen) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.1 * (1.0 - 1e-7));
  // The middle of the ball can be there, so only what is within the error of the blocks is safe.
  EXPECT_LT(kept.safe_radius({0, 0, -0.5}, 0.02, 1e-4), -0.02);
}

// On the far wall of a gap that the ball just fits into, and not in the places of the ball.
TEST(KeptVolume, WallOfANarrowGapIsNotBeyondIt) {
  const Model model = model_of(slotted());
  const double diameter = 0.098;
  const KeptVolume kept = kept_of(model, diameter, 0.002);
  for (const double x : {-0.05, 0.05}) {
    for (int i = 0; i < 40; ++i) {
      const Vec3 p{x, -0.5 + 0.025 * i, -0.3 - 0.01 * i};
      EXPECT_NEAR(kept.quick_radius(p, 0.02), 0.02, 0.005);
      EXPECT_NEAR(kept.safe_radius(p, 0.02, 1e-5), 0.02, 1e-4);
    }
  }
}

TEST(KeptVolume, WithoutFillingIsTheBody) {
  const Model model = model_of(test::cube());
  const KeptVolume kept = kept_of(model, 0.0);
  EXPECT_TRUE(kept.external_spheres().empty());
  EXPECT_EQ(kept.bounds(), model.bvh().bounds());
  EXPECT_NEAR(kept.safe_radius({0.5, 0.5, 0.25}, 0.0, 1e-6), 0.25, 1e-9);
  EXPECT_NEAR(kept.safe_radius({0.5, 0.5, 1.25}, 0.0, 1e-6), -0.25, 1e-9);
  EXPECT_TRUE(kept.is_outside({0.5, 0.5, 1.25}, 0.2499));
  EXPECT_FALSE(kept.is_outside({0.5, 0.5, 1.25}, 0.2501));
  EXPECT_FALSE(kept.is_outside({0.5, 0.5, 0.5}, 0.0));
}

TEST(KeptVolume, ConvexBodiesStayAsTheyAre) {
  const Model model = model_of(test::cube());
  for (const double diameter : {0.0, 0.2, 3.0}) {
    const KeptVolume kept = kept_of(model, diameter);
    for (const double error : {0.0, 0.01, 0.3}) {
      EXPECT_NEAR(kept.safe_radius({0.5, 0.4, 0.3}, error, 1e-4), 0.3 + error, 1e-4);
      EXPECT_LE(kept.safe_radius({0.5, 0.4, 0.3}, error, 1e-4), 0.3 + error);
      EXPECT_NEAR(kept.safe_radius({0.5, 0.5, 1.1}, error, 1e-4), error - 0.1, 1e-4);
    }
    EXPECT_TRUE(kept.is_outside({0.5, 0.5, 1.01}, 0.009));
    EXPECT_FALSE(kept.is_outside({0.5, 0.5, 1.01}, 0.011));
  }
}

TEST(KeptVolume, ASlotNarrowerThanTheBallIsFilled) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.2, 0.001);
  for (const double depth : {0.02, 0.1, 0.4}) {
    // Straight up is the way out.
    EXPECT_NEAR(kept.safe_radius({0, 0.1, -depth}, 0.0, 1e-4), depth - kDip, 2e-4) << depth;
    EXPECT_LE(kept.safe_radius({0, 0.1, -depth}, 0.0, 1e-4), depth - kDip) << depth;
    EXPECT_FALSE(kept.is_outside({0, 0.1, -depth}, 0.0)) << depth;
    EXPECT_NEAR(kept.quick_radius({0, 0.1, -depth}, 0.0), depth - kDip, 4e-3) << depth;
  }
  EXPECT_TRUE(kept.is_outside({0, 0.1, -0.9 * kDip}, 1e-4));
  EXPECT_FALSE(kept.is_outside({0, 0.1, -1.001 * kDip}, 0.0));
}

TEST(KeptVolume, ASlotWiderThanTheBallIsNot) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.09);
  EXPECT_TRUE(kept.is_outside({0, 0, -0.5}, 0.03));
  EXPECT_LT(kept.safe_radius({0, 0, -0.5}, 0.0, 1e-4), 0.0);
}

TEST(KeptVolume, AnErrorAboveHalfTheSlotClosesIt) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.0);
  // Every place of the slot is within 0.05 of a block: the way out is up, from the depth of 0.3 and
  // on until the edges are at distance 0.1.
  EXPECT_NEAR(kept.safe_radius({0, 0, -0.3}, 0.1, 1e-4), 0.3 + kRest, 2e-4);
  EXPECT_LE(kept.safe_radius({0, 0, -0.3}, 0.1, 1e-4), 0.3 + kRest);
  // With an error below that, the slot counts.
  EXPECT_NEAR(kept.safe_radius({0, 0, -0.3}, 0.04, 1e-4), -0.01, 1e-4);
  EXPECT_NEAR(kept.quick_radius({0, 0, -0.3}, 0.1), 0.3 + kRest, 0.02);
}

TEST(KeptVolume, ThePipeOfThePaperIsFilled) {
  const Model model = model_of(*make_pipe());
  const KeptVolume kept = kept_of(model, 0.1, 1e-4);
  // The facets lie inside the circle of 26 mm.
  for (const Vec3& c : {Vec3{}, Vec3{0, 0, 0.05}, Vec3{0.0005, 0.001, -0.02}}) {
    const double off = std::hypot(c.x, c.y);
    for (const double error : {0.0, 1e-3}) {
      const double radius = kept.safe_radius(c, error, 1e-5);
      EXPECT_LE(radius, 0.026 - off + error);
      EXPECT_GE(radius, 0.02597 - off + error);
      EXPECT_NEAR(kept.quick_radius(c, error), radius, 2e-4);
    }
  }
  EXPECT_FALSE(kept.is_outside({}, 0.0));
  EXPECT_TRUE(kept.is_outside({0, 0, 0.1001}, 0.0));
}

TEST(KeptVolume, ExternalBallsAreFreeAndLargeEnough) {
  const Model model = model_of(slotted());
  const KeptVolume kept = kept_of(model, 0.2);
  ASSERT_GT(kept.external_spheres().size(), 100U);
  for (const Sphere& ball : kept.external_spheres()) {
    EXPECT_GE(ball.radius, 0.1);
    EXPECT_LE(ball.radius, distance_from(model, ball.center));
  }
}

TEST(KeptVolume, ExternalBallsLeaveLittleOutOfTheKeptVolume) {
  const Model model = model_of(slotted());
  const double resolution = 0.01;
  const KeptVolume kept = kept_of(model, 0.2, resolution);
  Random random(3);
  int outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p{random.uniform(-1.05, 1.05), random.uniform(-1, 1), random.uniform(-1, 0.0)};
    if (!kept.is_outside(p, 2.0 * resolution)) continue;
    ++outside;
    bool held = false;
    for (const Sphere& ball : kept.external_spheres())
      held = held || distance(p, ball.center) < ball.radius;
    EXPECT_TRUE(held);
  }
  // The dip into the slot is not deep: take points of a wide slot as well.
  const Model wide = model_of(
      test::together({box({-1.3, -1, -1}, {-0.3, 1, 0}), box({0.3, -1, -1}, {1.3, 1, 0})}));
  const KeptVolume open = kept_of(wide, 0.2, resolution);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p{random.uniform(-0.2, 0.2), random.uniform(-1, 1), random.uniform(-1, 0.0)};
    ASSERT_TRUE(open.is_outside(p, resolution));
    ++outside;
    bool held = false;
    for (const Sphere& ball : open.external_spheres())
      held = held || distance(p, ball.center) < ball.radius;
    EXPECT_TRUE(held);
  }
  EXPECT_GE(outside, 500);
}

// Three balls and a block, some of them overlapping; solid, or with a triangle missing.
Model cluster(std::uint64_t seed, bool solid) {
  Random random(seed);
  std::vector<Mesh> parts{box({-0.5, -0.3, -0.2}, {0.5, 0.3, 0.2})};
  for (int i = 0; i < 3; ++i) {
    const Vec3 c{random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7)};
    parts.push_back(test::uv_sphere(random.uniform(0.1, 0.3), 6, c));
  }
  const Mesh mesh = test::together(parts);
  return model_of(solid ? mesh : test::without(mesh, {3}));
}

TEST(KeptVolume, SafeBallsKeepTheirDistanceFromWhereExternalBallsMayBe) {
  int tight = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Model model = cluster(seed, seed % 3 != 0);
    Random random(seed + 100);
    const double diameter = seed % 2 == 0 ? 0.0 : random.uniform(0.1, 0.5);
    const KeptVolume kept = kept_of(model, diameter);
    const double error = random.uniform(0.01, 0.4);
    const double s = std::max(0.5 * diameter, error);
    // Points of D(s), many of them at its boundary.
    std::vector<Vec3> free;
    while (free.size() < 3000) {
      Vec3 x{random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5)};
      for (int step = 0; step < 3; ++step) {
        const ShapeDistance d = distance(model.bvh(), x);
        if (d.distance > 1e-6) x = d.on_mesh + (1.000001 * s / d.distance) * (x - d.on_mesh);
      }
      if (distance_from(model, x) >= s) free.push_back(x);
    }
    for (int i = 0; i < 40; ++i) {
      const Vec3 c{random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8)};
      const double radius = kept.safe_radius(c, error, 1e-3);
      if (radius < 0.0) continue;
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vec3& x : free) nearest = std::min(nearest, distance(c, x));
      const double largest = nearest - std::max(0.5 * diameter - error, 0.0);
      EXPECT_LE(radius, largest);
      EXPECT_GT(kept.quick_radius(c, error), radius - 0.05);
      EXPECT_LT(kept.quick_radius(c, error), largest + 0.05);
      if (radius > largest - 0.03) ++tight;
    }
  }
  EXPECT_GT(tight, 30);
}

// What limits balls from above must leave room for those that are proven from below.
TEST(KeptVolume, LimitsAreAboveSafeRadiiAndClose) {
  const Model pipe = *Model::build(*make_pipe({.triangles = 400}));
  for (const double diameter : {0.0, 0.1}) {
    const KeptVolume kept = *KeptVolume::make(pipe, {.external_diameter = diameter});
    constexpr double kError = 0.004;
    const KeptVolume::Quick quick = kept.quick(kError);
    Random random(9);
    int close = 0;
    int closest = 0;
    constexpr int kPoints = 200;
    for (int i = 0; i < kPoints; ++i) {
      const Vec3 c{random.uniform(-0.026, 0.026), random.uniform(-0.026, 0.026),
                   random.uniform(-0.1, 0.1)};
      EXPECT_EQ(quick.ball(c).radius, kept.quick_ball(c, kError).radius);
      const std::optional<KeptVolume::Limit> limit = kept.limit_near(c, kError);
      ASSERT_TRUE(limit);
      const double most = distance(c, limit->center) - limit->less;
      const double safe = kept.safe_radius(c, kError, 1e-5);
      EXPECT_GE(most, safe);
      if (most < safe + 1e-4) ++close;
      // The best of several is nearly always the closest.
      const std::optional<KeptVolume::Limit> best = kept.limit_among(c, kError, 0.3 * kError);
      ASSERT_TRUE(best);
      const double least = distance(c, best->center) - best->less;
      EXPECT_GE(least, safe);
      EXPECT_LE(least, most + 1e-12);
      if (least < safe + 1e-4) ++closest;
    }
    EXPECT_GT(close, kPoints / 2);
    EXPECT_GE(closest, close);
  }
}

TEST(KeptVolume, NothingOfTheBodyIsCalledOutside) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Model model = cluster(seed, seed % 2 == 0);
    const KeptVolume kept = kept_of(model, seed < 2 ? 0.3 : 0.0);
    Random random(seed);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      const double radius = std::pow(10.0, random.uniform(-4.0, 0.0));
      const bool touches = distance_from(model, p) <= radius;
      EXPECT_FALSE(touches && kept.is_outside(p, radius));
    }
    for (std::size_t t = 0; t < model.bvh().triangle_count(); ++t) {
      const Triangle triangle = model.bvh().triangle(t);
      EXPECT_FALSE(kept.is_outside((triangle.a + triangle.b + triangle.c) / 3.0, 0.0));
    }
  }
}

// A housing with walls of 0.1 around a room of 0.8, and a square window of this width in one of
// them. Made of bars and plates a hair apart, so that it is a solid with cracks: no ball gets
// through.
Mesh housing(double window) {
  const double w = 0.5 * window;
  constexpr double kCrack = 1e-4;
  const double end = 0.5 - kCrack;
  std::vector<Mesh> parts;
  for (const double side : {-1.0, 1.0}) {
    const double low = side < 0.0 ? -0.5 : 0.4;
    parts.push_back(box({low, -end, -end}, {low + 0.1, end, end}));
    parts.push_back(box({-0.4 + kCrack, low, -end}, {0.4 - kCrack, low + 0.1, end}));
  }
  const double inner = 0.4 - kCrack;
  parts.push_back(box({-inner, -inner, -0.5}, {inner, inner, -0.4}));
  if (w == 0.0) {
    parts.push_back(box({-inner, -inner, 0.4}, {inner, inner, 0.5}));
  } else {
    parts.push_back(box({-inner, -inner, 0.4}, {-w, inner, 0.5}));
    parts.push_back(box({w, -inner, 0.4}, {inner, inner, 0.5}));
    parts.push_back(box({-w, -inner, 0.4}, {w, -w, 0.5}));
    parts.push_back(box({-w, w, 0.4}, {w, inner, 0.5}));
  }
  return test::together(parts);
}

TEST(KeptVolume, ACavityThatNoBallGetsIntoIsFilled) {
  // A ball of 0.3 fits into the room, and through windows from 0.3 on.
  for (const bool solid : {true, false}) {
    for (const double window : {0.0, 0.1, 0.2}) {
      const Mesh mesh = housing(window);
      const Model model = model_of(solid ? mesh : test::without(mesh, {3}));
      ASSERT_EQ(model.is_solid(), solid);
      const KeptVolume kept = kept_of(model, 0.3);
      EXPECT_TRUE(kept.has_filled_cavities());
      EXPECT_FALSE(kept.is_reached({0, 0, 0}));
      EXPECT_FALSE(kept.is_outside({0, 0, 0}, 0.0));
      EXPECT_EQ(kept.free_ball({0.2, 0, 0}).radius, 0.0);
      // As deep as in a cube without a room, 0.5 from its faces.
      EXPECT_NEAR(kept.safe_radius({0, 0, 0}, 0.0, 1e-3), 0.5, window > 0.0 ? 0.1 : 0.002);
      EXPECT_NEAR(kept.quick_radius({0, 0, -0.1}, 0.01), 0.41, 0.01);
      for (const Sphere& ball : kept.external_spheres()) EXPECT_GT(norm(ball.center), 0.5);
      // What limits balls is not in the room either, however near it is.
      for (const Vec3& c : {Vec3{0.1, 0.05, 0.0}, Vec3{0.45, 0.0, 0.0}, Vec3{0.0, 0.1, -0.42}}) {
        for (const double error : {0.01, 0.2}) {
          const auto near = kept.limit_near(c, error);
          const auto among = kept.limit_among(c, error, 0.1);
          ASSERT_TRUE(near && among);
          EXPECT_GT(norm(near->center), 0.5);
          EXPECT_GT(norm(among->center), 0.5);
        }
      }
      // Errors beyond the radius of the ball as well.
      EXPECT_NEAR(kept.safe_radius({0, 0, 0}, 0.2, 1e-3), 0.7, window > 0.0 ? 0.1 : 0.002);
      // Not where cavities are to be kept.
      KeptVolumeOptions options;
      options.external_diameter = 0.3;
      options.fill_cavities = false;
      const KeptVolume open = *KeptVolume::make(model, options);
      EXPECT_FALSE(open.has_filled_cavities());
      EXPECT_TRUE(open.is_outside({0, 0, 0}, 0.1));
      EXPECT_LT(open.safe_radius({0, 0, 0}, 0.0, 1e-3), 0.0);
    }
  }
}

TEST(KeptVolume, ACavityThatABallGetsIntoIsNot) {
  for (const double window : {0.31, 0.5}) {
    const Model model = model_of(housing(window));
    const KeptVolume kept = kept_of(model, 0.3);
    EXPECT_FALSE(kept.has_filled_cavities());
    EXPECT_TRUE(kept.is_reached({0, 0, 0}));
    EXPECT_TRUE(kept.is_outside({0, 0, 0}, 0.1));
    EXPECT_LT(kept.safe_radius({0, 0, 0}, 0.0, 1e-3), 0.0);
    // An error of more than the ball: what that ball reaches is not filled.
    EXPECT_LT(kept.safe_radius({0, 0, 0}, 0.2, 1e-3), 0.1);
  }
}

// Plates at random around a room. What balls on a grid reach from outside, step by step along ways
// that are free as a whole, must not be filled; and external balls are only where a grid of cells
// that may be free reaches.
TEST(KeptVolume, OnlyWhatNoBallReachesIsFilled) {
  constexpr int kSize = 48;
  constexpr double kStep = 2.4 / kSize;
  int with_cavities = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    std::vector<Mesh> walls;
    // Walls of a cube of a side of 1.4, each of nine plates of which some are missing.
    const double missing = random.uniform(0.0, 0.25);
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        for (int i = 0; i < 9; ++i) {
          if (random.uniform(0.0, 1.0) < missing) continue;
          Vec3 low;
          Vec3 high;
          low[axis] = side * 0.7 - 0.02;
          high[axis] = side * 0.7 + 0.02;
          low[(axis + 1) % 3] = -0.7 + 1.4 / 3.0 * double(i % 3) + random.uniform(0.0, 0.03);
          high[(axis + 1) % 3] = low[(axis + 1) % 3] + 1.4 / 3.0;
          low[(axis + 2) % 3] = -0.7 + 1.4 / 3.0 * double(i / 3) + random.uniform(0.0, 0.03);
          high[(axis + 2) % 3] = low[(axis + 2) % 3] + 1.4 / 3.0;
          walls.push_back(box(low, high));
        }
      }
    }
    const Model model = model_of(test::together(walls));
    const double r = random.uniform(0.1, 0.3);
    const KeptVolume kept = kept_of(model, 2.0 * r);
    const auto at = [](int i) { return -1.2 + kStep * (i + 0.5); };
    // How far each place is from the walls; which are reached by steps that stay `spare` free.
    std::vector<double> clear;
    clear.reserve(kSize * kSize * kSize);
    for (int i = 0; i < kSize * kSize * kSize; ++i) {
      clear.push_back(
          distance_from(model, {at(i % kSize), at(i / kSize % kSize), at(i / kSize / kSize)}));
    }
    const auto flood = [&](double least) {
      std::vector<char> reached(clear.size(), 0);
      std::vector<int> open{0};
      reached[0] = 1;
      while (!open.empty()) {
        const int i = open.back();
        open.pop_back();
        const std::array<int, 3> p{i % kSize, i / kSize % kSize, i / kSize / kSize};
        for (unsigned axis = 0; axis < 3; ++axis) {
          for (const int way : {-1, 1}) {
            std::array<int, 3> q = p;
            q[axis] += way;
            if (q[axis] < 0 || q[axis] >= kSize) continue;
            const int j = q[0] + kSize * (q[1] + kSize * q[2]);
            if (reached[j] != 0 || clear[j] < least) continue;
            reached[j] = 1;
            open.push_back(j);
          }
        }
      }
      return reached;
    };
    // Steps between two places that are free by half a step more are free as a whole; and places
    // that are free are in cells whose middles are free but for half of a diagonal.
    const std::vector<char> surely = flood(r + 0.5 * kStep);
    const std::vector<char> perhaps = flood(r - 0.5 * std::sqrt(3.0) * kStep);
    for (std::size_t i = 0; i < clear.size(); ++i) {
      const int k = static_cast<int>(i);
      const Vec3 p{at(k % kSize), at(k / kSize % kSize), at(k / kSize / kSize)};
      if (surely[i] != 0) {
        ASSERT_TRUE(kept.is_reached(p)) << seed;
        if (k % 97 == 0) {
          EXPECT_LE(kept.safe_radius(p, 0.01, 1e-3), 0.01 - r);
        }
      }
    }
    if (kept.has_filled_cavities()) ++with_cavities;
    for (const Sphere& ball : kept.external_spheres()) {
      const Vec3 cell = (ball.center + Vec3{1.2, 1.2, 1.2}) / kStep;
      if (!(cell.x >= 0 && cell.y >= 0 && cell.z >= 0 && cell.x < kSize && cell.y < kSize &&
            cell.z < kSize)) {
        continue;
      }
      const auto i =
          static_cast<std::size_t>(cell.x) +
          kSize * (static_cast<std::size_t>(cell.y) + kSize * static_cast<std::size_t>(cell.z));
      EXPECT_NE(perhaps[i], 0) << seed;
    }
  }
  EXPECT_GE(with_cavities, 3);
  EXPECT_LE(with_cavities, 11);
}

// Balls dip into a hole of a thin plate from both sides and meet in the middle. What is left of the
// hole in K is a ridge along its wall; its middle is far from K, though in each of the two balls it
// is near their surfaces.
TEST(KeptVolume, NoBallIsSafeInAHoleThatExternalBallsMeetIn) {
  constexpr double kHole = 0.020;
  const Model plate = model_of(
      *make_pipe({.outer_diameter = 0.1, .bore = 2.0 * kHole, .length = 0.002, .triangles = 800}));
  const Vec3 size = plate.mesh().bounds().size();
  const unsigned axis = size.x < 0.01 ? 0 : size.y < 0.01 ? 1 : 2;
  const KeptVolume kept = kept_of(plate, 0.1, 1e-4);
  const auto at = [&](double beside, double above) {
    Vec3 p;
    p[axis] = above;
    p[(axis + 1) % 3] = beside;
    return p;
  };
  // Places in this plane that are not known to be outside, so close that none is missed by more
  // than kApart.
  constexpr double kApart = 0.0005;
  std::vector<Vec3> kept_places;
  for (double beside = 0.0; beside < 0.050; beside += kApart)
    for (const double above : {0.0, 0.0005, 0.001})
      if (kept.free_ball(at(beside, above)).radius == 0.0) kept_places.push_back(at(beside, above));
  int positive = 0;
  for (const double error : {0.001, 0.004, 0.010, 0.030}) {
    for (double beside = 0.0; beside < 0.030; beside += 0.001) {
      for (const double above : {0.0, 0.0008, 0.004}) {
        const Vec3 c = at(beside, above);
        const double safe = kept.safe_radius(c, error, 1e-5);
        EXPECT_LE(std::abs(kept.quick_radius(c, error)), 0.1);
        if (safe <= 0.0 || safe >= error) continue;
        ++positive;
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3& p : kept_places) nearest = std::min(nearest, distance(c, p));
        EXPECT_LE(safe, error - nearest + kApart) << error << ' ' << beside;
        // The ridge ends 17.5 mm from the middle.
        EXPECT_LE(safe, error + beside - 0.017) << error << ' ' << beside;
      }
    }
  }
  EXPECT_GT(positive, 50);
}

TEST(KeptVolume, IsTheSameForAnyNumberOfThreads) {
  const Model model = cluster(1, true);
  KeptVolumeOptions options;
  options.external_diameter = 0.3;
  options.threads = Threads{1};
  const KeptVolume one = *KeptVolume::make(model, options);
  options.threads = Threads{3};
  const KeptVolume three = *KeptVolume::make(model, options);
  ASSERT_EQ(one.external_spheres().size(), three.external_spheres().size());
  for (std::size_t i = 0; i < one.external_spheres().size(); ++i) {
    EXPECT_EQ(one.external_spheres()[i].center, three.external_spheres()[i].center);
    EXPECT_EQ(one.external_spheres()[i].radius, three.external_spheres()[i].radius);
  }
  EXPECT_EQ(one.safe_radius({0.1, 0.2, 0.1}, 0.2, 1e-3),
            three.safe_radius({0.1, 0.2, 0.1}, 0.2, 1e-3));
}

TEST(KeptVolume, RefusesDiametersThatAreNone) {
  const Model model = model_of(test::cube());
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    KeptVolumeOptions options;
    options.external_diameter = bad;
    EXPECT_FALSE(KeptVolume::make(model, options).ok());
    options.external_diameter = 0.1;
    options.resolution = bad;
    EXPECT_FALSE(KeptVolume::make(model, options).ok());
  }
}

}  // namespace
}  // namespace clearance
