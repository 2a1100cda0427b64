// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain.h>
#include <clearance/contour/segment_distance.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/solid.h>
#include <clearance/simplify/sphere_tree.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

struct Scene {
  Random random;
  double scale;

  explicit Scene(std::uint64_t seed)
      : random(seed), scale(std::pow(10.0, Random(seed).uniform(-3, 3))) {}
  Vec3 point(double size) {
    return scale * size * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  }
  std::vector<Sphere> spheres() {
    std::vector<Sphere> result(1 + random.below(200));
    for (Sphere& s : result) s = {point(1.0), scale * random.uniform(0.0, 0.1)};
    return result;
  }
  Pose pose(double size) {
    return {rotation_about(normalized(point(1.0) + Vec3{1e-9, 0, 0}), random.uniform(-3, 3)),
            point(size)};
  }
};

double brute_force(const std::vector<Sphere>& a, const std::vector<Sphere>& b, const Pose& pose) {
  double least = std::numeric_limits<double>::infinity();
  for (const Sphere& s : a) {
    for (const Sphere& t : b)
      least = std::min(least, distance(s.center, pose * t.center) - s.radius - t.radius);
  }
  return std::max(least, 0.0);
}

RC_GTEST_PROP(SphereTree, AgreesWithAllPairsOfSpheres, ()) {
  Scene scene(*rc::gen::arbitrary<std::uint64_t>());
  const std::vector<Sphere> a = scene.spheres();
  const std::vector<Sphere> b = scene.spheres();
  const SphereTree tree_a = *SphereTree::build(a);
  const SphereTree tree_b = *SphereTree::build(b);
  for (const double far : {0.5, 2.0, 3.0}) {
    const Pose pose = scene.pose(far);
    const double expected = brute_force(a, b, pose);
    const double rounding = 1e-12 * scene.scale;
    const SphereDistance found = distance(tree_a, tree_b, pose);
    RC_ASSERT(std::abs(found.distance - expected) <= rounding);
    const Sphere& s = a[found.sphere_a];
    const Sphere& t = b[found.sphere_b];
    RC_ASSERT(std::abs(std::max(0.0, distance(s.center, pose * t.center) - s.radius - t.radius) -
                       expected) <= rounding);
    if (expected > rounding) {
      RC_ASSERT(!collide(tree_a, tree_b, pose).hit);
      RC_ASSERT(!within(tree_a, tree_b, pose, 0.999 * expected));
      RC_ASSERT(within(tree_a, tree_b, pose, expected));
      RC_ASSERT(std::isinf(distance(tree_a, tree_b, pose, 0.5 * expected).distance));
    } else if (expected == 0.0) {
      RC_ASSERT(collide(tree_a, tree_b, pose).hit);
    }
  }
}

TEST(SphereTree, MeetsAboutAsOftenAsNot) {
  int hits = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Scene scene(seed);
    const SphereTree a = *SphereTree::build(scene.spheres());
    const SphereTree b = *SphereTree::build(scene.spheres());
    hits += collide(a, b, scene.pose(2.0)).hit ? 1 : 0;
  }
  EXPECT_GT(hits, 20);
  EXPECT_LT(hits, 80);
}

RC_GTEST_PROP(SphereTree, AgreesWithAllSpheresAgainstAMesh, ()) {
  Scene scene(*rc::gen::arbitrary<std::uint64_t>());
  scene.scale = 1.0;
  const std::vector<Sphere> spheres = scene.spheres();
  const SphereTree tree = *SphereTree::build(spheres);
  const Mesh mesh = test::uv_sphere(0.5, 6);
  const Bvh bvh = *Bvh::build(mesh.vertices(), mesh.faces());
  const Pose pose = scene.pose(2.5);
  double expected = std::numeric_limits<double>::infinity();
  for (const Sphere& s : spheres) {
    expected = std::min(expected, distance(bvh, inverse(pose) * s.center).distance - s.radius);
  }
  expected = std::max(expected, 0.0);
  RC_ASSERT(std::abs(distance(tree, bvh, pose).distance - expected) <= 1e-11);
  RC_ASSERT(within(tree, bvh, pose, expected));
  if (expected > 1e-9) {
    RC_ASSERT(!collide(tree, bvh, pose).hit);
    RC_ASSERT(!within(tree, bvh, pose, 0.999 * expected));
  } else if (expected == 0.0) {
    RC_ASSERT(collide(tree, bvh, pose).hit);
  }
}

TEST(SphereTree, MeetsContoursAndLinksOfChains) {
  Scene scene(7);
  scene.scale = 1.0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<Sphere> spheres = scene.spheres();
    const SphereTree tree = *SphereTree::build(spheres);
    const ContourSegment segment =
        *make_segment({scene.point(2.0), {0, 0, 1}, 0.2}, {scene.point(2.0), {0, 1, 0}, 0.1});
    const Capsule link{{scene.point(2.0), scene.point(2.0)}, 0.1};
    double to_segment = std::numeric_limits<double>::infinity();
    double to_link = std::numeric_limits<double>::infinity();
    for (const Sphere& s : spheres) {
      to_segment = std::min(to_segment, distance(segment, s.center).lower - s.radius);
      to_link = std::min(to_link, closest_points(link, s).distance);
    }
    EXPECT_NEAR(distance(tree, [&](const Vec3& p) { return distance(segment, p).lower; }).distance,
                std::max(0.0, to_segment), 1e-9);
    const PointDistance link_distance = [&](const Vec3& p) {
      return closest_points(link, p).distance;
    };
    EXPECT_NEAR(distance(tree, link_distance).distance, to_link, 1e-9);
    EXPECT_TRUE(within(tree, link_distance, to_link));
  }
}

// A matrix that is a rotation to seven digits only: its transpose is not its inverse, and it swells
// balls.
TEST(SphereTree, FindsContactAtPosesThatAreNotQuiteRigid) {
  Pose pose;
  for (std::size_t k = 0; k < 3; ++k) pose.rotation[k][k] = 1.0 + 4e-7;
  const SphereTree far = *SphereTree::build(std::array{Sphere{{1000, 0, 0}, 1.0}});
  // 0.2 mm inside the ball, where the matrix puts it.
  const std::array<Vec3, 3> corners{{{998.9998, 0, 0}, {900, 50, 0}, {900, 0, 50}}};
  const std::array<Face, 1> face{{{0, 1, 2}}};
  const Bvh mesh = *Bvh::build(corners, face);
  EXPECT_TRUE(collide(far, mesh, pose).hit);
  EXPECT_EQ(distance(far, mesh, pose).distance, 0.0);
  EXPECT_TRUE(within(far, mesh, pose, 0.0));
  EXPECT_FALSE(collide(far, mesh, Pose::identity()).hit);

  const SphereTree a = *SphereTree::build(std::array{Sphere{{-2.0000002, 0, 0}, 1.0}});
  const SphereTree b = *SphereTree::build(std::array{Sphere{{}, 1.0}});
  EXPECT_TRUE(collide(a, b, pose).hit);
  EXPECT_EQ(distance(a, b, pose).distance, 0.0);
  EXPECT_FALSE(collide(a, b, Pose::identity()).hit);
}

TEST(SphereTree, RefusesWhatAreNoSpheres) {
  EXPECT_FALSE(SphereTree::build({}).ok());
  EXPECT_FALSE(SphereTree::build(std::vector{Sphere{{0, 0, 0}, -1.0}}).ok());
  EXPECT_FALSE(SphereTree::build(std::vector{Sphere{{0, 0, std::nan("")}, 1.0}}).ok());
  const SphereTree one = *SphereTree::build(std::vector{Sphere{{0, 0, 0}, 1.0}});
  Pose bad;
  bad.rotation[0][0] = 2.0;
  EXPECT_TRUE(collide(one, one, bad).hit);
  EXPECT_TRUE(within(one, one, bad, 0.0));
  EXPECT_EQ(distance(one, one, bad).distance, 0.0);
}

/// A pipe with balls around and inside its wall.
LayeredModel layered_pipe() {
  PipeOptions options;
  options.triangles = 200;
  const Model body = *Model::build(*make_pipe(options));
  std::vector<Sphere> outer;
  std::vector<Sphere> inner;
  for (int k = 0; k < 40; ++k) {
    for (int i = 0; i < 18; ++i) {
      const double angle = i * 0.349065850398866;
      const Vec3 c{0.023 * std::cos(angle), 0.023 * std::sin(angle), -0.1 + 0.005 * (k + 0.5)};
      outer.push_back({c, 0.0065});
      if (k > 0 && k < 39) inner.push_back({c, 0.0025});
    }
  }
  const Result<LayeredModel> made = LayeredModel::make(body, outer, inner);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message());
  return *made;
}

TEST(LayeredModel, AnswersAsTheMeshesDo) {
  const LayeredModel pipe = layered_pipe();
  Random random(11);
  int count[3] = {0, 0, 0};
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 axis = normalized(Vec3{random.normal(), random.normal(), random.normal()});
    const Pose pose{
        rotation_about(axis, random.uniform(-3, 3)),
        {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)}};
    const LayeredCollision found = collide(pipe, pipe, pose);
    const bool hit = collide(pipe.body(), pipe.body(), pose).hit;
    EXPECT_EQ(found.hit, hit);
    hits += hit ? 1 : 0;
    ++count[static_cast<int>(found.by_spheres)];
    EXPECT_EQ(found.by_spheres, verdict(pipe, pipe, pose));
  }
  EXPECT_GT(hits, 50);
  EXPECT_LT(hits, 250);
  for (const int n : count) EXPECT_GT(n, 5);
}

TEST(LayeredModel, RefusesSpheresThatDoNotHoldTheBody) {
  const Model cube = *Model::build(test::cube());
  const std::vector<Sphere> around{{{0.5, 0.5, 0.5}, 0.9}};
  const std::vector<Sphere> within_it{{{0.5, 0.5, 0.5}, 0.499}};
  EXPECT_TRUE(LayeredModel::make(cube, around, within_it).ok());
  EXPECT_FALSE(LayeredModel::make(cube, within_it, {}).ok());
  EXPECT_FALSE(LayeredModel::make(cube, around, around).ok());
  const Model open = *Model::build(test::without(test::cube(), {1}));
  EXPECT_TRUE(LayeredModel::make(open, around, {}).ok());
  EXPECT_FALSE(LayeredModel::make(open, around, within_it).ok());
}

}  // namespace
}  // namespace clearance
