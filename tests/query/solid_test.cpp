// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/mesh/read.h>
#include <clearance/query/solid.h>

#include "query/solid_scenes.h"
#include "support/data.h"

namespace clearance {
namespace {

using test::cube;
using test::model_of;

TEST(SolidCollide, ACubeInACubeIsContactThoughTheSurfacesAreFree) {
  const Model outer = model_of(cube(1.0));
  const Model inner = model_of(cube(0.2));
  const Pose pose = Pose::translate({0.4, 0.4, 0.4});
  EXPECT_FALSE(collide(outer.bvh(), inner.bvh(), pose).hit);
  const SolidCollision in = collide(outer, inner, pose);
  EXPECT_TRUE(in.hit);
  EXPECT_EQ(in.touch, Touch::BInsideA);
  const SolidCollision out = collide(inner, outer, inverse(pose));
  EXPECT_TRUE(out.hit);
  EXPECT_EQ(out.touch, Touch::AInsideB);
  EXPECT_FALSE(collide(outer, inner, Pose::translate({1.4, 0.4, 0.4})).hit);
}

TEST(SolidDistance, IsZeroInsideAndKeepsTheDistanceOfTheSurfaces) {
  const Model outer = model_of(cube(1.0));
  const Model inner = model_of(cube(0.2));
  const SolidDistance in = distance(outer, inner, Pose::translate({0.4, 0.4, 0.3}));
  EXPECT_EQ(in.distance, 0.0);
  EXPECT_EQ(in.upper, 0.0);
  EXPECT_EQ(in.touch, Touch::BInsideA);
  EXPECT_NEAR(in.surface.distance, 0.3, 1e-15);
  const SolidDistance out = distance(outer, inner, Pose::translate({1.5, 0.4, 0.3}));
  EXPECT_NEAR(out.distance, 0.5, 1e-15);
  EXPECT_EQ(out.touch, Touch::None);
  // Beyond the bound as surfaces, and still inside.
  DistanceOptions options;
  options.upper_bound = 0.1;
  EXPECT_EQ(distance(outer, inner, Pose::translate({0.4, 0.4, 0.3}), options).distance, 0.0);
  EXPECT_TRUE(distance(outer, inner, Pose::translate({1.5, 0.4, 0.3}), options).surface.beyond);
}

TEST(SolidWithin, InsideIsWithinEveryLimit) {
  const Model outer = model_of(cube(1.0));
  const Model inner = model_of(cube(0.2));
  const SolidWithin in = within(outer, inner, Pose::translate({0.4, 0.4, 0.3}), 0.01);
  EXPECT_TRUE(in.within);
  EXPECT_EQ(in.touch, Touch::BInsideA);
  EXPECT_EQ(in.upper, 0.0);
  const SolidWithin out = within(outer, inner, Pose::translate({1.5, 0.4, 0.3}), 0.01);
  EXPECT_FALSE(out.within);
  EXPECT_EQ(out.lower, 0.01);
  EXPECT_TRUE(within(outer, inner, Pose::translate({1.5, 0.4, 0.3}), 0.5001).within);
}

TEST(SolidCollide, EveryPieceOfAMeshIsLookedAt) {
  // The first piece is far outside; only the second is in the cube.
  const Model pieces = model_of(test::together({cube(0.2, {5, 5, 5}), cube(0.2, {0.4, 0.4, 0.4})}));
  const Model outer = model_of(cube(1.0));
  EXPECT_EQ(collide(outer, pieces, {}).touch, Touch::BInsideA);
  EXPECT_EQ(collide(pieces, outer, {}).touch, Touch::AInsideB);
}

TEST(SolidCollide, ABodyInACavityIsFree) {
  const Model hollow = model_of(test::together({cube(3.0), test::turned(cube(1.0, {1, 1, 1}))}));
  const Model small = model_of(cube(0.2));
  EXPECT_FALSE(collide(hollow, small, Pose::translate({1.4, 1.4, 1.4})).hit);
  EXPECT_TRUE(collide(hollow, small, Pose::translate({0.4, 1.4, 1.4})).hit);
}

TEST(SolidCollide, OpenSurfacesAreComparedAsSurfacesAndTheResultSaysSo) {
  const Model open = model_of(test::without(cube(1.0), {3}));
  const Model inner = model_of(cube(0.2));
  const SolidCollision free = collide(open, inner, Pose::translate({0.4, 0.4, 0.4}));
  EXPECT_FALSE(free.hit);
  EXPECT_FALSE(free.a_is_solid);
  EXPECT_TRUE(free.b_is_solid);
  // But an open surface inside a body is in contact with it.
  const Model sheet = model_of(test::without(cube(0.2), {3}));
  EXPECT_EQ(collide(model_of(cube(1.0)), sheet, Pose::translate({0.4, 0.4, 0.4})).touch,
            Touch::BInsideA);
}

TEST(SolidCollide, TouchingFacesEdgesAndCornersAreContact) {
  const Model a = model_of(cube(1.0));
  for (const Vec3& t : {Vec3{1, 0, 0}, Vec3{1, 1, 0}, Vec3{1, 1, 1}, Vec3{1, 0.5, 0.25}}) {
    EXPECT_EQ(collide(a, a, Pose::translate(t)).touch, Touch::Surfaces);
  }
}

TEST(SolidCollide, AgreesWithBruteForceOnRandomBodies) {
  Random random(11);
  test::HitCounter hits;
  std::size_t inside = 0;
  for (int i = 0; i < 400; ++i) {
    const double scale = std::pow(10.0, random.uniform(-6.0, 6.0));
    const Mesh a = test::lumps(random, 4, scale);
    const Mesh b = test::lumps(random, 4, scale * random.uniform(0.1, 1.0));
    const Pose pose{test::scenes::rotation(random),
                    random.uniform(0.0, 2.6) * scale * test::scenes::direction(random)};
    const Model ma = model_of(a);
    const Model mb = model_of(b);
    const SolidCollision result = collide(ma, mb, pose);
    const bool expected = test::brute_solid_collide(a, b, pose);
    EXPECT_EQ(result.hit, expected) << i;
    const SolidDistance d = distance(ma, mb, pose);
    EXPECT_EQ(d.distance == 0.0, expected) << i;
    EXPECT_EQ(within(ma, mb, pose, 0.0).within, expected) << i;
    EXPECT_EQ(collide(mb, ma, inverse(pose)).hit, expected) << i;
    hits.count(expected);
    inside += result.touch == Touch::AInsideB || result.touch == Touch::BInsideA ? 1 : 0;
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
  EXPECT_GT(inside, 10U);
}

TEST(SolidCollide, GivesTheSameAnswersOnEveryTree) {
  for (const Volume volume : {Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere}) {
    BvhOptions options;
    options.volume = volume;
    options.fitter = Fitter::Inertia;
    Random random(12);
    for (int i = 0; i < 40; ++i) {
      const Mesh a = test::lumps(random, 4, 1.0);
      const Mesh b = test::lumps(random, 4, random.uniform(0.1, 1.0));
      const Pose pose{test::scenes::rotation(random),
                      random.uniform(0.0, 2.6) * test::scenes::direction(random)};
      const SolidDistance wide = distance(model_of(a), model_of(b), pose);
      const SolidDistance binary = distance(model_of(a, options), model_of(b, options), pose);
      EXPECT_EQ(binary.distance, wide.distance);
      EXPECT_EQ(binary.touch, wide.touch);
      EXPECT_EQ(binary.inside_point, wide.inside_point);
    }
  }
}

TEST(SolidCollide, IsRightFarFromTheOrigin) {
  // Coordinates of a million, a body of one and a gap of 1e-6 on either side of the wall.
  const Vec3 far{1e6, -2e6, 3e6};
  const Model outer = model_of(cube(1.0, far));
  const Model inner = model_of(cube(0.5, -1.0 * far));
  const auto at = [&](const Vec3& t) {
    return collide(outer, inner, Pose::translate(2.0 * far + t));
  };
  EXPECT_EQ(at({1e-6, 0.2, 0.2}).touch, Touch::BInsideA);
  EXPECT_EQ(at({-0.5 - 1e-6, 0.2, 0.2}).touch, Touch::None);
  EXPECT_EQ(at({-0.5 + 1e-6, 0.2, 0.2}).touch, Touch::Surfaces);
}

/// Depth of two boxes: the least overlap over the axes of both and their products. For convex
/// polytopes this is the penetration depth.
double depth_of_boxes(const Vec3& half_a, const Vec3& half_b, const Pose& a_from_b) {
  std::vector<Vec3> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 e;
    e[i] = 1.0;
    axes.push_back(e);
    axes.push_back(a_from_b.rotation.column(i));
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 product = cross(e, a_from_b.rotation.column(j));
      if (norm(product) > 1e-9) axes.push_back(normalized(product));
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& n : axes) {
    double reach = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      reach +=
          half_a[k] * std::abs(n[k]) + half_b[k] * std::abs(dot(n, a_from_b.rotation.column(k)));
    least = std::min(least, reach - std::abs(dot(n, a_from_b.translation)));
  }
  return std::max(0.0, least);
}

void expect_sound(const Model& a, const Model& b, const Pose& pose, const Penetration& p) {
  ASSERT_TRUE(p.overlap);
  EXPECT_LE(p.lower, p.upper);
  EXPECT_NEAR(norm(p.separation), p.upper, 1e-9 * p.upper + 1e-12);
  EXPECT_FALSE(collide(a, b, {pose.rotation, pose.translation + p.separation}).hit);
}

TEST(Penetration, OfCubesSideBySideIsTheirOverlap) {
  const Model a = model_of(cube(1.0));
  const Pose pose = Pose::translate({0.7, 0.1, 0.05});
  const Penetration p = penetration(a, a, pose);
  expect_sound(a, a, pose, p);
  EXPECT_NEAR(p.lower, 0.3, 0.005);
  EXPECT_NEAR(p.upper, 0.3, 0.005);
  EXPECT_LE(p.lower, 0.3);
  EXPECT_GE(p.upper, 0.3);
  EXPECT_GT(p.separation.x, 0.29);
}

TEST(Penetration, OfACubeInACubeIsTheWayOut) {
  // From the middle of a cube of side 1, one of side 0.2 must go 0.6.
  const Model outer = model_of(cube(1.0));
  const Model inner = model_of(cube(0.2));
  const Pose pose = Pose::translate({0.4, 0.4, 0.4});
  const Penetration p = penetration(outer, inner, pose);
  expect_sound(outer, inner, pose, p);
  EXPECT_NEAR(p.lower, 0.6, 0.01);
  EXPECT_NEAR(p.upper, 0.6, 0.01);
}

TEST(Penetration, OfSpheresIsTheirOverlap) {
  const Model ball = model_of(test::uv_sphere(1.0, 16));
  const Pose pose = Pose::translate({0.9, 0.8, 0.9});
  const double depth = 2.0 - norm(pose.translation);
  const Penetration p = penetration(ball, ball, pose);
  expect_sound(ball, ball, pose, p);
  // The facets are up to 1 - cos(pi/32) inside the sphere, on both.
  EXPECT_GT(p.lower, 0.9 * depth);
  EXPECT_LT(p.upper, 1.02 * depth);
}

TEST(Penetration, IsRightAtAnyScaleAndFarFromTheOrigin) {
  for (const double scale : {1e-9, 1e9}) {
    const Model a = model_of(cube(scale));
    const Pose pose = Pose::translate({0.7 * scale, 0.1 * scale, 0.05 * scale});
    const Penetration p = penetration(a, a, pose);
    EXPECT_NEAR(p.lower / scale, 0.3, 0.005);
    EXPECT_NEAR(p.upper / scale, 0.3, 0.005);
    EXPECT_LE(p.lower, p.upper);
  }
  const Vec3 far{1e6, -2e6, 3e6};
  const Model a = model_of(cube(1.0, far));
  const Model b = model_of(cube(1.0));
  const Penetration p = penetration(a, b, Pose::translate(far + Vec3{0.7, 0.1, 0.05}));
  EXPECT_LE(p.lower, 0.3 + 1e-9);
  EXPECT_GE(p.upper, 0.3 - 1e-9);
  EXPECT_NEAR(p.upper, 0.3, 0.005);
  EXPECT_NEAR(p.lower, 0.3, 0.005);
}

TEST(Penetration, OfBodiesWithoutExtentIsHardlyAnything) {
  // One triangle at the origin, all corners in one point.
  BvhOptions options;
  options.volume = Volume::Rss;
  options.fitter = Fitter::Inertia;
  const Model point = model_of(*Mesh::make({{0, 0, 0}}, {{0, 0, 0}}), options);
  const Penetration p = penetration(point, point, {});
  expect_sound(point, point, {}, p);
  EXPECT_EQ(p.lower, 0.0);
  EXPECT_LT(p.upper, 1e-20);
}

TEST(Penetration, AtAPoseThatIsNotAnsweredHasNoUpperBound) {
  const Model model = model_of(cube());
  for (const Pose& pose :
       {Pose::translate({std::nan(""), 0, 0}), Pose::translate({1e16, 0, 0}),
        Pose{2.0 * Mat3::identity(), {5, 0, 0}}, Pose{Mat3::diagonal({1, 1, -1}), {5, 0, 0}}}) {
    const Penetration found = penetration(model, model, pose);
    EXPECT_TRUE(found.overlap);
    EXPECT_EQ(found.lower, 0.0);
    EXPECT_EQ(found.upper, std::numeric_limits<double>::infinity());
    EXPECT_EQ(found.separation, Vec3{});
  }
}

TEST(Penetration, OfTouchingBodiesIsNothingToSpeakOf) {
  const Model a = model_of(cube(1.0));
  const Pose pose = Pose::translate({1.0, 0.25, 0.0});
  const Penetration p = penetration(a, a, pose);
  expect_sound(a, a, pose, p);
  EXPECT_EQ(p.lower, 0.0);
  EXPECT_LT(p.upper, 1e-12);
}

TEST(Penetration, OfFreeBodiesIsZero) {
  const Model a = model_of(cube(1.0));
  const Penetration p = penetration(a, a, Pose::translate({1.5, 0, 0}));
  EXPECT_FALSE(p.overlap);
  EXPECT_EQ(p.upper, 0.0);
  EXPECT_EQ(p.separation, Vec3{});
}

TEST(Penetration, OfOpenSurfacesHasAnUpperBoundOnly) {
  const Model open = model_of(test::without(cube(1.0), {3}));
  const Pose pose = Pose::translate({0.7, 0.1, 0.05});
  const Penetration p = penetration(open, open, pose);
  expect_sound(open, open, pose, p);
  EXPECT_EQ(p.lower, 0.0);
  EXPECT_FALSE(p.a_is_solid);
}

TEST(Penetration, EnclosesTheDepthOfTurnedBoxes) {
  Random random(5);
  double widest = 1.0;
  double mean = 0.0;
  int count = 0;
  PenetrationOptions options;
  options.points = 600;
  options.translations = 600;
  while (count < 30) {
    const auto draw = [&] { return random.uniform(0.2, 1.0); };
    const Vec3 half_a{draw(), draw(), draw()};
    const Vec3 half_b{draw(), draw(), draw()};
    const Mesh unit = cube(2.0, {-1, -1, -1});
    const Pose pose{test::scenes::rotation(random), 1.2 * test::scenes::in_ball(random)};
    const double depth = depth_of_boxes(half_a, half_b, pose);
    if (depth < 1e-3) continue;
    const Model a = model_of(scaled(unit, half_a));
    const Model b = model_of(scaled(unit, half_b));
    const Penetration p = penetration(a, b, pose, options);
    expect_sound(a, b, pose, p);
    EXPECT_LE(p.lower, depth * (1.0 + 1e-9));
    EXPECT_GE(p.upper, depth * (1.0 - 1e-9));
    EXPECT_LT(p.upper, 1.1 * depth) << count;
    widest = std::max(widest, p.upper / std::max(1e-9, p.lower));
    mean += p.lower / depth;
    ++count;
  }
  RecordProperty("mean_lower_over_depth", std::to_string(mean / count));
  RecordProperty("largest_ratio", std::to_string(widest));
  EXPECT_GT(mean / count, 0.7);
}

TEST(Penetration, NoShorterTranslationThanTheLowerBoundFreesTheBodies) {
  Random random(21);
  PenetrationOptions options;
  options.points = 400;
  options.translations = 400;
  int overlapping = 0;
  for (int i = 0; i < 30; ++i) {
    const Model a = model_of(test::lumps(random, 5, 1.0));
    const Model b = model_of(test::lumps(random, 5, 0.7));
    const Pose pose{test::scenes::rotation(random), 1.2 * test::scenes::in_ball(random)};
    const Penetration p = penetration(a, b, pose, options);
    if (!p.overlap) continue;
    ++overlapping;
    expect_sound(a, b, pose, p);
    for (int k = 0; k < 40; ++k) {
      const Vec3 t = p.lower * random.uniform(0.5, 0.999999) * test::scenes::direction(random);
      EXPECT_TRUE(collide(a, b, {pose.rotation, pose.translation + t}).hit);
    }
  }
  EXPECT_GE(overlapping, 15);
}

Model assembly_part(const std::string& name) {
  const std::filesystem::path path = test::data_path("assemblies/" + name);
  const auto loaded = read_mesh(path.string());
  EXPECT_TRUE(loaded.ok()) << name;
  return model_of(loaded->mesh);
}

TEST(SolidDistance, OfRealAssembliesIsAsListed) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  struct Row {
    const char* fixed;
    const char* moving;
    Vec3 translation;
    double distance;
  };
  // SOURCES.md of the data, measured with FCL (the gear's to four digits: the points found prove a
  // smaller one).
  const std::vector<Row> rows{
      {"factory_round_8mm/factory_round_hole_8mm_subdiv_3x.obj",
       "factory_round_8mm/factory_round_peg_8mm_tight.obj",
       {0, 0, 0.001},
       5.19373e-05},
      {"factory_rect_8mm/factory_rectangular_hole_8mm_subdiv_3x.obj",
       "factory_rect_8mm/factory_rectangular_peg_8mm_tight_subdiv_3x.obj",
       {0, 0, 0.001},
       6.69998e-05},
      {"factory_gear/factory_gear_base_loose_space_5e-4_subdiv_4x.obj",
       "factory_gear/factory_gear_small_space_5e-4.obj",
       {0, 0, 0.001},
       1.26935e-05},
      {"factory_nut_bolt_m16/factory_bolt_m16_loose.obj",
       "factory_nut_bolt_m16/factory_nut_m16_loose_subdiv_3x.obj",
       {0, 0, 0.002},
       1.0077e-04},
      {"furniture_drawer/drawer_box.obj",
       "furniture_drawer/drawer_container_top.obj",
       {0, -0.0345, 0.008},
       2.17386e-04},
      {"furniture_lamp/lamp_base.obj",
       "furniture_lamp/lamp_hood.obj",
       {0, -0.088324, 0},
       1.304e-04},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.moving);
    if (test::data_path(std::string("assemblies/") + row.fixed).empty()) continue;
    const Model fixed = assembly_part(row.fixed);
    const Model moving = assembly_part(row.moving);
    const SolidDistance d = distance(fixed, moving, Pose::translate(row.translation));
    EXPECT_EQ(d.touch, Touch::None);
    EXPECT_NEAR(d.distance, row.distance, 1e-4 * row.distance);
  }
}

TEST(Penetration, OfTheNutPulledStraightOffTheBoltIsSmall) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  if (test::data_path("assemblies/factory_nut_bolt_m16").empty())
    GTEST_SKIP() << "the data folder has no assemblies/factory_nut_bolt_m16";
  const Model bolt = assembly_part("factory_nut_bolt_m16/factory_bolt_m16_loose.obj");
  const Model nut = assembly_part("factory_nut_bolt_m16/factory_nut_m16_loose_subdiv_3x.obj");
  const Pose pose = Pose::translate({0, 0, 0.0025});
  PenetrationOptions options;
  options.points = 500;
  options.translations = 600;
  const Penetration p = penetration(bolt, nut, pose, options);
  expect_sound(bolt, nut, pose, p);
  // Half a millimetre back it was free, with 0.1 mm to spare.
  EXPECT_LT(p.upper, 0.0004);
  EXPECT_GT(p.lower, 0.0002);
}

}  // namespace
}  // namespace clearance
