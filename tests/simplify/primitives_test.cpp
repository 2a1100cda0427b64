// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/sample.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/primitives.h>
#include <clearance/simplify/simplify.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::model_of;

Mesh box_mesh(const Vec3& size, const Pose& pose = {}) {
  const Mesh unit = test::cube(1.0);
  std::vector<Vec3> vertices;
  for (const Vec3& v : unit.vertices())
    vertices.push_back(pose * Vec3{v.x * size.x, v.y * size.y, v.z * size.z});
  return Mesh::make(std::move(vertices), {unit.faces().begin(), unit.faces().end()}).value();
}

// A prism over an L: legs of 100 and 60 mm, 20 mm thick, 30 mm wide.
Mesh bracket() {
  const std::vector<Vec3> outline{{0, 0, 0},       {0.1, 0, 0},     {0.1, 0.02, 0},
                                  {0.02, 0.02, 0}, {0.02, 0.06, 0}, {0, 0.06, 0}};
  std::vector<Vec3> vertices = outline;
  for (const Vec3& p : outline) vertices.push_back({p.x, p.y, 0.03});
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    faces.push_back({i, j, j + 6});
    faces.push_back({i, j + 6, i + 6});
  }
  // The floor as seen from below, the lid from above: quadrilaterals 0 1 2 3 and 0 3 4 5.
  for (const auto& [a, b, c] :
       std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}) {
    faces.push_back({a, c, b});
    faces.push_back({a + 6, b + 6, c + 6});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Simplification simplified(const Model& body, double error, PrimitiveKinds kinds,
                          double external = 0.0) {
  SimplifyOptions options;
  options.error = error;
  options.external_diameter = external;
  options.primitives = kinds;
  Result<Simplification> result = simplify(body, options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return *result;
}

double distance_from(const PrimitiveSet& set, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const Sphere& s : set.spheres) least = std::min(least, distance(p, s.center) - s.radius);
  for (const Capsule& c : set.capsules)
    least = std::min(least, std::sqrt(squared_distance(p, c.axis)) - c.radius);
  for (const OrientedBox& b : set.boxes) least = std::min(least, std::sqrt(squared_distance(p, b)));
  return least;
}

// Random points of the body in the primitives, and of the primitives within the error of the body.
void expect_true_at_random_points(const Model& body, const PrimitiveSet& set, double error) {
  for (const SurfaceSample& sample : sample_surface(body.mesh(), 5'000, 5))
    ASSERT_LE(distance_from(set, sample.point), 1e-12);
  Random random(6);
  const Box box = body.mesh().bounds();
  const Vec3 more{2.0 * error, 2.0 * error, 2.0 * error};
  const Vec3 low = box.low - more;
  const Vec3 high = box.high + more;
  int inside = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Vec3 p{random.uniform(low.x, high.x), random.uniform(low.y, high.y),
                 random.uniform(low.z, high.z)};
    const bool is_inside = body.side(p) == Side::Inside;
    const double d = distance_from(set, p);
    if (is_inside) {
      ++inside;
      ASSERT_LE(d, 1e-12);
    } else if (d <= 0.0) {
      ASSERT_LE(distance(body.bvh(), p).distance, error + 1e-12);
    }
  }
  EXPECT_GT(inside, 200);
}

constexpr PrimitiveKinds kAll{.capsules = true, .boxes = true};

TEST(Primitives, OneBoxIsABoxAtAnyPose) {
  const Pose pose{rotation_from_rpy(0.3, -0.5, 0.8), {0.1, 0.2, -0.1}};
  const Model body = model_of(box_mesh({0.1, 0.02, 0.02}, pose));
  const Simplification made = simplified(body, 0.004, {.boxes = true});
  EXPECT_GT(made.spheres.size(), 20U);
  EXPECT_EQ(made.primitives.size(), 1U);
  ASSERT_EQ(made.primitives.boxes.size(), 1U);
  EXPECT_EQ(verify_cover(body, made.primitives).status, CoverStatus::Covered);
  expect_true_at_random_points(body, made.primitives, 0.004);
}

TEST(Primitives, BracketIsTwoBoxes) {
  const Model body = model_of(bracket());
  ASSERT_TRUE(body.is_solid());
  const Simplification made = simplified(body, 0.006, kAll);
  EXPECT_LE(made.primitives.size(), 3U);
  EXPECT_EQ(verify_cover(body, made.primitives).status, CoverStatus::Covered);
  expect_true_at_random_points(body, made.primitives, 0.006);
}

TEST(Primitives, CapsulesAloneHoldARod) {
  const Model body = model_of(box_mesh({0.12, 0.02, 0.02}));
  const Simplification made = simplified(body, 0.005, {.capsules = true});
  EXPECT_TRUE(made.primitives.boxes.empty());
  EXPECT_FALSE(made.primitives.capsules.empty());
  EXPECT_LT(made.primitives.size(), made.spheres.size());
  EXPECT_EQ(verify_cover(body, made.primitives).status, CoverStatus::Covered);
  expect_true_at_random_points(body, made.primitives, 0.005);
}

TEST(Primitives, AreLeftOutUnlessAskedFor) {
  const Model body = model_of(test::cube(0.1));
  EXPECT_EQ(simplified(body, 0.03, {}).primitives.size(), 0U);
}

// A cube of 1 m in two boxes that overlap by 1 mm: covered. Half a millimetre apart: not, and the
// point shown is between them.
TEST(Primitives, CoverFindsASlotBetweenBoxes) {
  const Model body = model_of(test::cube(1.0));
  const auto halves = [](double gap) {
    PrimitiveSet set;
    set.boxes.push_back({Pose::translate({0.25 - 0.5 * gap, 0.5, 0.5}), {0.26, 0.51, 0.51}});
    set.boxes.push_back({Pose::translate({0.77 + 0.5 * gap, 0.5, 0.5}), {0.26, 0.51, 0.51}});
    return set;
  };
  EXPECT_EQ(verify_cover(body, halves(-0.001)).status, CoverStatus::Covered);
  const Cover open = verify_cover(body, halves(0.0005));
  EXPECT_EQ(open.status, CoverStatus::Uncovered);
  EXPECT_NEAR(open.point.x, 0.51, 0.0003);
  EXPECT_GT(distance_from(halves(0.0005), open.point), 0.0);
}

// Boxes along the faces of a cube leave a cavity that no surface sees.
TEST(Primitives, CoverFindsACavity) {
  const Model body = model_of(test::cube(1.0));
  const auto shell = [](double thickness) {
    PrimitiveSet set;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const double side : {0.0, 1.0}) {
        OrientedBox box{Pose::translate({0.5, 0.5, 0.5}), {0.6, 0.6, 0.6}};
        box.world_from_box.translation[axis] = side;
        box.half_size[axis] = thickness;
        set.boxes.push_back(box);
      }
    }
    return set;
  };
  EXPECT_EQ(verify_cover(body, shell(0.51)).status, CoverStatus::Covered);
  const Cover open = verify_cover(body, shell(0.49));
  EXPECT_EQ(open.status, CoverStatus::Uncovered);
  EXPECT_LE(distance(open.point, {0.5, 0.5, 0.5}), 0.0174);
}

TEST(Primitives, WhatIsNoPrimitiveCountsAsAbsent) {
  const Model body = model_of(test::cube(1.0));
  PrimitiveSet set;
  set.boxes.push_back({Pose{2.0 * Mat3::identity(), {0.5, 0.5, 0.5}}, {1.0, 1.0, 1.0}});
  set.capsules.push_back({{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.6}}, -1.0});
  set.spheres.push_back({{0.5, 0.5, 0.5}, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(verify_cover(body, set).status, CoverStatus::Uncovered);
}

TEST(Primitives, StaysWithinIsTrueBelowTheErrorAndFalseAbove) {
  const Model body = model_of(test::cube(1.0));
  const KeptVolume kept = KeptVolume::make(body).value();
  const auto capsule = [](double radius) {
    return Capsule{{{0.3, 0.5, 0.5}, {0.7, 0.5, 0.5}}, radius};
  };
  // 0.5 to the faces y and z, 0.3 to the end faces; with an error of 0.1, 0.4 at the ends.
  EXPECT_TRUE(stays_within(kept, capsule(0.39), 0.1));
  EXPECT_FALSE(stays_within(kept, capsule(0.401), 0.1));
  const auto box = [](double more) {
    const double half = 0.5 + more;
    return OrientedBox{Pose::translate({0.5, 0.5, 0.5}), {half, half, half}};
  };
  // Its corners stick out by sqrt(3) times what its faces do.
  EXPECT_TRUE(stays_within(kept, box(0.055), 0.1));
  EXPECT_FALSE(stays_within(kept, box(0.058), 0.1));
}

// A box of 1.2 m about a cube of 1 m: its corners stick out by 0.1 sqrt(3), and it has 1.2³ m³.
TEST(Primitives, ExcessAndVolumesOfABoxAreEnclosed) {
  const Model body = model_of(test::cube(1.0));
  PrimitiveSet set;
  set.boxes.push_back({Pose::translate({0.5, 0.5, 0.5}), {0.6, 0.6, 0.6}});
  const Enclosure excess = outward_excess(body, set, 1e-4);
  EXPECT_LE(excess.lower, 0.1 * std::numbers::sqrt3);
  EXPECT_GE(excess.upper, 0.1 * std::numbers::sqrt3);
  EXPECT_LE(excess.upper - excess.lower, 1e-4);
  const SphereVolumes volumes = primitive_volumes(body, set, 0.3);
  EXPECT_LE(volumes.all.lower, 1.728);
  EXPECT_GE(volumes.all.upper, 1.728);
  EXPECT_LE(volumes.outside.lower, 0.728);
  EXPECT_GE(volumes.outside.upper, 0.728);
  EXPECT_LE(volumes.covered.lower, 1.0);
  EXPECT_GE(volumes.covered.upper, 1.0);
  EXPECT_LT(volumes.all.upper - volumes.all.lower, 0.52);
}

// Along the middle of one face, half a radius outside: sticks out by 1.5 radii everywhere above.
TEST(Primitives, ExcessOfACapsuleIsEnclosed) {
  const Model body = model_of(test::cube(1.0));
  PrimitiveSet set;
  set.capsules.push_back({{{0.2, 0.5, 1.05}, {0.8, 0.5, 1.05}}, 0.1});
  const Enclosure excess = outward_excess(body, set, 1e-3);
  EXPECT_LE(excess.lower, 0.15);
  EXPECT_GE(excess.upper, 0.15);
  EXPECT_LE(excess.upper - excess.lower, 1.1e-3);
  const double volume = std::numbers::pi * (0.01 * 0.6 + 4.0 / 3.0 * 0.001);
  const SphereVolumes volumes = primitive_volumes(body, set, 0.3);
  EXPECT_LE(volumes.all.lower, volume);
  EXPECT_GE(volumes.all.upper, volume);
}

// At any pose, and with a pocket below: random points of the shapes are never farther out than the
// upper bound, and come near to the lower one.
TEST(Primitives, ExcessAgreesWithRandomPoints) {
  const Model body = model_of(bracket());
  Random random(3);
  for (int i = 0; i < 8; ++i) {
    PrimitiveSet set;
    const auto place = [&] {
      return Vec3{random.uniform(-0.02, 0.12), random.uniform(-0.02, 0.08),
                  random.uniform(-0.02, 0.05)};
    };
    set.boxes.push_back(
        {{rotation_from_rpy(random.uniform(-3, 3), random.uniform(-1, 1), 0.4), place()},
         {0.03, 0.01, 0.004}});
    set.capsules.push_back({{place(), place()}, 0.006});
    set.spheres.push_back({place(), 0.01});
    const Enclosure excess = outward_excess(body, set, 1e-4);
    EXPECT_LE(excess.upper - excess.lower, 2e-4);
    double farthest = 0.0;
    for (int k = 0; k < 40'000; ++k) {
      const Vec3 p{random.uniform(-0.1, 0.2), random.uniform(-0.1, 0.2), random.uniform(-0.1, 0.2)};
      if (distance_from(set, p) > 0.0 || body.side(p) == Side::Inside) continue;
      farthest = std::max(farthest, distance(body.bvh(), p).distance);
    }
    EXPECT_LE(farthest, excess.upper);
    EXPECT_GT(farthest, 0.8 * excess.lower);
  }
}

}  // namespace
}  // namespace clearance
