// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two links of every pair of kinds, against distances of hulls found in another way.
#include "chain/link_pair.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/query/model.h>

#include "support/hull_distance.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using namespace clearance::test;

enum class Kind : std::uint8_t { Spheres, Capsule, Convex, Mesh };
constexpr Kind kKinds[] = {Kind::Spheres, Kind::Capsule, Kind::Convex, Kind::Mesh};
constexpr const char* kNames[] = {"spheres", "capsule", "convex", "mesh"};

Vec3 random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach),
          random.uniform(-reach, reach)};
}

/// Corners of a body about the origin: general, flat, needle-like or, rarely, a single point.
std::vector<Vec3> random_corners(Random& random, double size) {
  const std::uint64_t form = random.below(8);
  const double thin = form == 0 ? 0.0 : form == 1 ? 1e-6 : 1.0;
  std::vector<Vec3> corners;
  for (std::uint64_t i = form == 2 ? 1 : 4 + random.below(6); i-- > 0;) {
    const Vec3 p = random_point(random, size);
    corners.push_back({p.x, p.y, thin * p.z});
  }
  return corners;
}

LinkShape random_link(Random& random, Kind kind, double size) {
  switch (kind) {
    case Kind::Spheres: {
      LinkSpheres spheres;
      for (std::uint64_t i = 1 + random.below(4); i-- > 0;)
        spheres.push_back({random_point(random, size), size * random.uniform(0.0, 0.6)});
      return spheres;
    }
    case Kind::Capsule:
      return Capsule{{random_point(random, size), random_point(random, size)},
                     size * random.uniform(0.0, 0.5)};
    case Kind::Convex:
      return ConvexBody::around(random_corners(random, size)).value();
    case Kind::Mesh:
      break;
  }
  struct Surface {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
  };
  auto surface = std::make_shared<Surface>();
  for (int i = 0; i < 7; ++i) surface->vertices.push_back(random_point(random, size));
  for (int i = 0; i < 9; ++i) {
    surface->faces.push_back({static_cast<std::uint32_t>(random.below(7)),
                              static_cast<std::uint32_t>(random.below(7)),
                              static_cast<std::uint32_t>(random.below(7))});
  }
  return Bvh::build(surface->vertices, surface->faces, {}, surface).value();
}

Pose random_pose(Random& random, double reach) {
  const Vec3 axis = normalized(Vec3{random.normal(), random.normal(), random.normal()});
  return {rotation_about(axis, random.uniform(-3.0, 3.0)), random_point(random, reach)};
}

LinkShape convex_box(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back({(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                       (i & 4) != 0 ? half.z : -half.z});
  }
  return ConvexBody::around(corners).value();
}

TEST(LinkPair, EveryPairOfKindsAgreesWithHulls) {
  Random random(11);
  for (const Kind kind_a : kKinds) {
    for (const Kind kind_b : kKinds) {
      SCOPED_TRACE(std::string(kNames[static_cast<int>(kind_a)]) + " and " +
                   kNames[static_cast<int>(kind_b)]);
      int hits = 0;
      constexpr int kRounds = 100;
      for (int i = 0; i < kRounds; ++i) {
        const double size = std::pow(10.0, random.uniform(-3.0, 3.0));
        const LinkShape a = random_link(random, kind_a, size);
        // Now and then far larger or smaller: one inside the other.
        const double ratio = random.below(3) == 0 ? std::pow(10.0, random.uniform(-1.5, 1.5)) : 1.0;
        const LinkShape b = random_link(random, kind_b, ratio * size);
        const Pose pose = random_pose(random, random.uniform(0.0, 0.8) * (1.0 + ratio) * size);
        const double expected = hull_distance(hulls_of(a, Pose::identity()), hulls_of(b, pose));
        const double extent = 10.0 * (1.0 + ratio) * size;
        const double found = detail::link_distance(a, b, pose);
        ASSERT_NEAR(found, expected, 1e-12 * extent) << "round " << i;
        ASSERT_NEAR(detail::link_distance(b, a, inverse(pose)), expected, 1e-12 * extent);
        // Yes-or-no answers: never a false "no", and "yes" only with a reason.
        hits += expected == 0.0 ? 1 : 0;
        ASSERT_EQ(detail::links_touch(a, b, pose), found <= 1e-12 * extent) << "round " << i;
        const double limit = random.uniform(0.0, 2.0) * found + 1e-3 * size;
        ASSERT_EQ(detail::links_within(a, b, pose, limit), expected <= limit) << "round " << i;
        ASSERT_TRUE(detail::links_within(a, b, pose, expected * (1.0 + 1e-12) + 1e-12 * extent));
        // An upper bound changes nothing below it, and nothing comes back below it otherwise.
        const double bound = random.uniform(0.5, 1.5) * found + 1e-3 * size;
        const double bounded = detail::link_distance(a, b, pose, bound);
        if (found < bound) {
          ASSERT_EQ(bounded, found);
        } else {
          ASSERT_GE(bounded, bound);
        }
      }
      // The sample is not one-sided.
      EXPECT_GT(hits, kRounds / 10);
      EXPECT_LT(hits, kRounds * 9 / 10);
    }
  }
}

TEST(LinkPair, SolidInsideSolidTouches) {
  const LinkShape box = convex_box({1.0, 1.0, 1.0});
  const LinkShape small = convex_box({0.1, 0.1, 0.1});
  const LinkShape ball = LinkSpheres{{{}, 0.1}};
  const LinkShape big_ball = LinkSpheres{{{}, 3.0}};
  const LinkShape capsule = Capsule{{{-0.2, 0, 0}, {0.2, 0, 0}}, 0.1};
  const Pose pose = Pose::translate({0.3, 0.2, 0.1});
  for (const LinkShape& inner : {small, ball, capsule}) {
    EXPECT_EQ(detail::link_distance(box, inner, pose), 0.0);
    EXPECT_EQ(detail::link_distance(inner, box, pose), 0.0);
    EXPECT_TRUE(detail::links_touch(box, inner, pose));
    EXPECT_TRUE(detail::links_touch(inner, box, pose));
    EXPECT_TRUE(detail::links_touch(inner, big_ball, pose));
  }
}

TEST(LinkPair, MeshIsASurface) {
  // A ball inside a hollow cube of side 2: its surface is 0.4 from the nearest wall.
  const Mesh mesh = cube(2.0, {-1.0, -1.0, -1.0});
  const Model model = Model::build(mesh).value();
  const LinkShape shell = model.bvh();
  const LinkShape ball = LinkSpheres{{{0.5, 0.0, 0.0}, 0.1}};
  EXPECT_NEAR(detail::link_distance(shell, ball, Pose::identity()), 0.4, 1e-12);
  EXPECT_FALSE(detail::links_touch(shell, ball, Pose::identity()));
  EXPECT_TRUE(detail::links_touch(shell, ball, Pose::translate({0.4, 0.0, 0.0})));
  // The cube inside a solid ball touches it.
  const LinkShape around = LinkSpheres{{{}, 5.0}};
  EXPECT_TRUE(detail::links_touch(shell, around, Pose::identity()));
}

TEST(LinkPair, PointBehindTheSliversOfAHullIsInside) {
  // A box whose top is split into slivers by corners next to each other: the computed normals of
  // such faces are noise, and a point deep inside must not fall for them.
  std::vector<Vec3> corners;
  for (int i = 0; i < 40; ++i) {
    const double x = 1e-9 * i + 0.1;
    corners.push_back({x, x * (1.0 + 1e-16 * i), 1.0 + 1e-17 * i});
  }
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      corners.push_back({x, y, -1.0});
      corners.push_back({x, y, 1.0});
    }
  }
  const LinkShape body = ConvexBody::around(corners).value();
  const LinkShape dot = LinkSpheres{{{}, 0.0}};
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Pose pose = Pose::translate(random_point(random, 0.99));
    ASSERT_TRUE(detail::links_touch(body, dot, pose));
    ASSERT_EQ(detail::link_distance(body, dot, pose), 0.0);
  }
}

TEST(LinkPair, FacesAndEndsThatJustTouchTouch) {
  const LinkShape box = convex_box({1.0, 1.0, 1.0});
  const LinkShape capsule = Capsule{{{0, 0, 0}, {3, 0, 0}}, 0.5};
  const LinkShape ball = LinkSpheres{{{}, 0.25}};
  EXPECT_TRUE(detail::links_touch(box, box, Pose::translate({2.0, 0.3, -0.4})));
  EXPECT_FALSE(detail::links_touch(box, box, Pose::translate({2.0 + 1e-9, 0.3, -0.4})));
  EXPECT_TRUE(detail::links_touch(box, capsule, Pose::translate({1.5, 0.0, 0.0})));
  EXPECT_FALSE(detail::links_touch(box, capsule, Pose::translate({1.5 + 1e-9, 0.0, 0.0})));
  EXPECT_TRUE(detail::links_touch(capsule, ball, Pose::translate({1.0, 0.0, 0.75})));
  EXPECT_FALSE(detail::links_touch(capsule, ball, Pose::translate({1.0, 0.0, 0.75 + 1e-9})));
  // Far from the origin, rounding of the pose is part of the answer.
  const Pose far = Pose::translate({1e9, 1.0, -1e9});
  const LinkShape far_box = LinkSpheres{{far * Vec3{0.0, 0.0, 1.25}, 0.25}};
  EXPECT_TRUE(detail::links_touch(far_box, box, far));
}

TEST(LinkPair, NothingTouchesALinkWithoutABody) {
  const LinkShape nothing = LinkSpheres{};
  for (const LinkShape& other :
       {LinkShape{LinkSpheres{{{}, 1.0}}}, LinkShape{Capsule{{}, 1.0}}, convex_box({1, 1, 1})}) {
    EXPECT_TRUE(std::isinf(detail::link_distance(nothing, other, Pose::identity())));
    EXPECT_FALSE(detail::links_touch(nothing, other, Pose::identity()));
    EXPECT_FALSE(detail::links_touch(other, nothing, Pose::identity()));
  }
}

TEST(LinkPair, MixedChainsAgreeWithHulls) {
  Random random(5);
  int hits = 0;
  constexpr int kChains = 30;
  for (int round = 0; round < kChains; ++round) {
    Chain chain;
    const std::uint64_t count = 4 + random.below(20);
    for (std::uint64_t i = 0; i < count; ++i) {
      chain.links.push_back(random_link(random, kKinds[random.below(4)], 0.4));
      if (i > 0)
        chain.joints.push_back(Pose::translate({1.0, 0.0, 0.0}) * random_pose(random, 0.1));
    }
    const ChainTree tree = std::move(ChainTree::build(chain).value());
    const std::vector<Pose> poses = link_poses(chain.joints);
    std::vector<LinkPair> contacts;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t a = 0; a < count; ++a) {
      for (std::uint32_t b = a + 2; b < count; ++b) {
        const double gap =
            hull_distance(hulls_of(chain.links[a], poses[a]), hulls_of(chain.links[b], poses[b]));
        nearest = std::min(nearest, gap);
        if (gap <= 1e-12) contacts.push_back({a, b});
      }
    }
    ASSERT_EQ(tree.contacts(), contacts) << "chain " << round;
    ASSERT_EQ(tree.collide_self().hit, !contacts.empty()) << "chain " << round;
    ASSERT_NEAR(tree.distance_self().distance, nearest, 1e-11) << "chain " << round;
    hits += contacts.empty() ? 0 : 1;
  }
  EXPECT_GT(hits, kChains / 5);
  EXPECT_LT(hits, kChains);
}

}  // namespace
}  // namespace clearance
