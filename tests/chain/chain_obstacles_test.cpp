// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chains among obstacles, and chains against chains, held to brute force over the links.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain_obstacles.h>
#include <clearance/chain/chain_pair.h>
#include <clearance/mesh/generate.h>

#include "chain/link_pair.h"
#include "support/chain_scenes.h"
#include "support/hull_distance.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using namespace clearance::test;

Vec3 random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach),
          random.uniform(-reach, reach)};
}

Pose random_pose(Random& random, double reach) {
  const Vec3 axis = normalized(Vec3{random.normal(), random.normal(), random.normal()});
  return {rotation_about(axis, random.uniform(-3.0, 3.0)), random_point(random, reach)};
}

ChainTree tree_of(const Chain& chain, ChainVolume volume = ChainVolume::Wide) {
  return std::move(ChainTree::build(chain, {volume}).value());
}
/// Mostly the default, and the others too.
ChainVolume volume_of(int round) {
  return round % 5 == 4 ? static_cast<ChainVolume>(1 + round % 3) : ChainVolume::Wide;
}
Model model_of(const Mesh& mesh) { return Model::build(mesh).value(); }

/// An obstacle, and the same as hulls in the world.
struct KnownObstacle {
  Obstacle obstacle;
  std::vector<RoundedHull> hulls;
  /// A solid ball's mesh: what is inside it touches it.
  bool solid = false;
};

KnownObstacle random_obstacle(Random& random, double reach) {
  const Pose pose = random_pose(random, reach);
  const double size = random.uniform(0.3, 1.5);
  KnownObstacle known;
  known.obstacle.world_from_obstacle = pose;
  const auto as_link = [&](const LinkShape& link) { known.hulls = hulls_of(link, pose); };
  switch (random.below(6)) {
    case 0: {
      const Sphere sphere{random_point(random, 0.2), size};
      known.obstacle.shape = sphere;
      as_link(LinkSpheres{sphere});
      break;
    }
    case 1: {
      const Capsule capsule{{random_point(random, 1.0), random_point(random, 1.0)}, 0.5 * size};
      known.obstacle.shape = capsule;
      as_link(capsule);
      break;
    }
    case 2: {
      std::vector<Vec3> corners;
      for (int i = 0; i < 8; ++i) corners.push_back(random_point(random, size));
      const ConvexBody body = ConvexBody::around(corners).value();
      known.obstacle.shape = body;
      as_link(body);
      break;
    }
    case 3: {
      std::vector<Vec3> points;
      for (int i = 0; i < 30; ++i) points.push_back(random_point(random, size));
      known.obstacle.shape = PointCloud::make(points, 0.2 * size).value();
      for (const Vec3& p : points) known.hulls.push_back({{pose * p}, 0.2 * size});
      break;
    }
    case 4: {
      const Model model = model_of(uv_sphere(size, 4));
      known.obstacle.shape = model;
      as_link(model.bvh());
      known.solid = true;
      break;
    }
    default: {
      const Model model = model_of(uv_sphere(2.0 * size, 4));
      known.obstacle.shape = model.bvh();
      as_link(model.bvh());
      break;
    }
  }
  return known;
}

/// All links against all obstacles.
struct Brute {
  Brute(const Chain& chain, const Pose& world_from_link0,
        const std::vector<KnownObstacle>& obstacles)
      : links(chain.links.size()) {
    const std::vector<Pose> poses = link_poses(chain.joints);
    for (std::uint32_t i = 0; i < links; ++i) {
      const Pose world_from_link = world_from_link0 * poses[i];
      const auto hulls = hulls_of(chain.links[i], world_from_link);
      for (const KnownObstacle& known : obstacles) {
        double d = hull_distance(hulls, known.hulls);
        if (known.solid && !hulls.empty()) {
          // The mesh is convex: the solid is the hull of all its triangles.
          RoundedHull all;
          for (const RoundedHull& t : known.hulls)
            all.points.insert(all.points.end(), t.points.begin(), t.points.end());
          for (const RoundedHull& hull : hulls) d = std::min(d, hull_distance(all, hull));
        }
        distances.push_back(d);
      }
    }
    count = obstacles.size();
  }
  [[nodiscard]] std::vector<ObstacleContact> contacts(std::uint32_t first = 0) const {
    std::vector<ObstacleContact> pairs;
    for (std::uint32_t i = first; i < links; ++i)
      for (std::uint32_t j = 0; j < count; ++j)
        if (distances[i * count + j] <= 1e-11) pairs.push_back({i, j});
    return pairs;
  }
  [[nodiscard]] double nearest(std::uint32_t first = 0) const {
    double d = std::numeric_limits<double>::infinity();
    for (std::size_t k = first * count; k < distances.size(); ++k) d = std::min(d, distances[k]);
    return d <= 1e-11 ? 0.0 : d;
  }
  std::size_t links;
  std::size_t count = 0;
  std::vector<double> distances;
};

TEST(ChainObstacles, AgreeWithBruteForceOverLinksThroughMoves) {
  Random random(21);
  int hits = 0;
  int rounds = 0;
  for (int scene = 0; scene < 24; ++scene) {
    const auto links = static_cast<std::uint32_t>(1 + random.below(scene % 3 == 0 ? 70 : 12));
    Chain chain = random_chain(random, links, scene % 2 == 0 ? LinkKind::Mixed : LinkKind::Groups);
    ChainTree tree = tree_of(chain, volume_of(scene));
    std::vector<KnownObstacle> known;
    std::vector<Obstacle> list;
    for (std::uint64_t i = random.below(7); i-- > 0;) {
      known.push_back(random_obstacle(random, 3.0 + 0.15 * links));
      list.push_back(known.back().obstacle);
    }
    const ChainObstacles obstacles = ChainObstacles::build(list).value();
    const Pose world_from_link0 = random_pose(random, 3.0);
    ObstacleMemory memory;
    for (int step = 0; step < 4; ++step) {
      std::uint32_t first_moved = links;
      if (links > 1) {
        const auto joint = static_cast<std::uint32_t>(random.below(links - 1));
        chain.joints[joint] = random_joint(random, chain.joints[joint]);
        tree.change({{joint, chain.joints[joint]}});
        first_moved = joint + 1;
      }
      const Brute brute(chain, world_from_link0, known);
      SCOPED_TRACE("scene " + std::to_string(scene) + ", step " + std::to_string(step));
      const auto expected = brute.contacts();
      ASSERT_EQ(contacts(tree, world_from_link0, obstacles).pairs, expected);
      const ObstacleCollision hit =
          collide(tree, world_from_link0, obstacles, ObstacleLinks::All, &memory);
      ASSERT_EQ(hit.hit, !expected.empty());
      if (hit.hit) {
        ASSERT_TRUE(std::count(expected.begin(), expected.end(), hit.contact) == 1);
      }
      const ObstacleDistance near = distance(tree, world_from_link0, obstacles);
      if (std::isinf(brute.nearest())) {
        ASSERT_TRUE(std::isinf(near.distance));
      } else {
        ASSERT_NEAR(near.distance, brute.nearest(), 1e-10);
        ASSERT_NEAR(brute.distances[near.pair.link * brute.count + near.pair.obstacle],
                    near.distance, 1e-10);
      }
      // Only what moved.
      const auto moved = brute.contacts(first_moved);
      ASSERT_EQ(contacts(tree, world_from_link0, obstacles, ObstacleLinks::Moved).pairs, moved);
      ASSERT_EQ(collide(tree, world_from_link0, obstacles, ObstacleLinks::Moved).hit,
                !moved.empty());
      const double moved_distance =
          distance(tree, world_from_link0, obstacles, 1e9, ObstacleLinks::Moved).distance;
      if (std::isinf(brute.nearest(first_moved))) {
        ASSERT_TRUE(std::isinf(moved_distance));
      } else {
        ASSERT_NEAR(moved_distance, brute.nearest(first_moved), 1e-10);
      }
      tree.accept();
      ++rounds;
      hits += expected.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(hits, rounds / 5);
  EXPECT_LT(hits, rounds * 4 / 5);
}

TEST(ChainObstacles, LinkInsideASolidTouchesItAndInsideASurfaceDoesNot) {
  Chain chain;
  for (int i = 0; i < 20; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.05}});
  chain.joints.assign(19, Pose::translate({0.11, 0.0, 0.0}));
  const ChainTree tree = tree_of(chain);
  const Model ball = model_of(uv_sphere(10.0, 12));
  const ChainObstacles solid = ChainObstacles::build({{ball, Pose::identity()}}).value();
  const ChainObstacles surface = ChainObstacles::build({{ball.bvh(), Pose::identity()}}).value();
  EXPECT_EQ(contacts(tree, Pose::identity(), solid).pairs.size(), 20U);
  EXPECT_TRUE(collide(tree, Pose::identity(), solid).hit);
  EXPECT_EQ(distance(tree, Pose::identity(), solid).distance, 0.0);
  EXPECT_FALSE(collide(tree, Pose::identity(), surface).hit);
  EXPECT_GT(distance(tree, Pose::identity(), surface).distance, 7.0);
  const Pose outside = Pose::translate({0.0, 0.0, 20.0});
  EXPECT_FALSE(collide(tree, outside, solid).hit);
}

TEST(ChainObstacles, ReshapedLinksCountAsMoved) {
  Chain chain;
  for (int i = 0; i < 30; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.1}});
  chain.joints.assign(29, Pose::translate({1.0, 0.0, 0.0}));
  ChainTree tree = tree_of(chain);
  const ChainObstacles obstacles =
      ChainObstacles::build({{Sphere{{7.0, 1.0, 0.0}, 0.5}, Pose::identity()}}).value();
  EXPECT_FALSE(collide(tree, Pose::identity(), obstacles).hit);
  const Sphere grown{{0.0, 0.45, 0.0}, 0.1};
  tree.reshape(7, std::span(&grown, 1));
  const auto pairs = contacts(tree, Pose::identity(), obstacles, ObstacleLinks::Moved).pairs;
  EXPECT_EQ(pairs, (std::vector<ObstacleContact>{{7, 0}}));
}

/// A straight chain of n links along x that ends next to a fine ball.
ChainWork work_beside_a_ball(std::uint32_t n, ObstacleLinks links) {
  Chain chain;
  for (std::uint32_t i = 0; i < n; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.3}});
  chain.joints.assign(n - 1, Pose::translate({1.0, 0.0, 0.0}));
  ChainTree tree = tree_of(chain);
  tree.change({{n - 10, turned(tree.joint(n - 10), {}, {1, 0, 0}, 0.3)}});
  const ChainObstacles obstacles =
      ChainObstacles::build({{model_of(uv_sphere(2.0, 40)), Pose::translate({1.0 * n, 2.4, 0.0})}})
          .value();
  const ObstacleCollision answer = collide(tree, Pose::identity(), obstacles, links);
  EXPECT_FALSE(answer.hit);
  return answer.work;
}

TEST(ChainObstacles, WorkHardlyGrowsWithTheLengthOfTheChain) {
  const ChainWork small = work_beside_a_ball(100, ObstacleLinks::All);
  const ChainWork large = work_beside_a_ball(100000, ObstacleLinks::All);
  EXPECT_LE(large.volume_tests, small.volume_tests + 200);
  EXPECT_LE(large.link_tests, small.link_tests + 8);
  EXPECT_LT(large.link_tests, 30U);
  const ChainWork moved = work_beside_a_ball(100000, ObstacleLinks::Moved);
  EXPECT_LE(moved.volume_tests, large.volume_tests);
  EXPECT_LE(moved.link_tests, large.link_tests);
}

TEST(ChainObstacles, FarObstaclesArePassedOverInGroups) {
  Chain chain;
  for (int i = 0; i < 100; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.3}});
  chain.joints.assign(99, Pose::translate({1.0, 0.0, 0.0}));
  const ChainTree tree = tree_of(chain);
  std::vector<Obstacle> list;
  for (int x = -50; x < 50; ++x)
    for (int y = -50; y < 50; ++y)
      list.push_back({Sphere{{10.0 * x + 0.5, 10.0 * y + 2.0, 0.0}, 1.0}, Pose::identity()});
  const ChainObstacles obstacles = ChainObstacles::build(list).value();
  EXPECT_EQ(obstacles.size(), 10000U);
  const ObstacleCollision answer = collide(tree, Pose::identity(), obstacles);
  EXPECT_FALSE(answer.hit);
  EXPECT_LT(answer.work.volume_tests, 1000U);
  EXPECT_NEAR(distance(tree, Pose::identity(), obstacles).distance, std::hypot(0.5, 2.0) - 1.3,
              1e-12);
}

TEST(ChainObstacles, MemoryNamesTheSamePairAtOnce) {
  Chain chain;
  for (int i = 0; i < 200; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.3}});
  chain.joints.assign(199, Pose::translate({1.0, 0.0, 0.0}));
  const ChainTree tree = tree_of(chain);
  const ChainObstacles obstacles =
      ChainObstacles::build({{Sphere{{150.0, 0.5, 0.0}, 0.5}, Pose::identity()}}).value();
  ObstacleMemory memory;
  const auto first = collide(tree, Pose::identity(), obstacles, ObstacleLinks::All, &memory);
  EXPECT_TRUE(first.hit);
  EXPECT_FALSE(first.remembered);
  const auto second = collide(tree, Pose::identity(), obstacles, ObstacleLinks::All, &memory);
  EXPECT_TRUE(second.hit);
  EXPECT_TRUE(second.remembered);
  EXPECT_EQ(second.contact, first.contact);
  EXPECT_EQ(second.work.volume_tests, 0U);
  // A pair that no longer exists is passed over.
  memory.recent = {{5000, 0}, {0, 7}};
  EXPECT_TRUE(collide(tree, Pose::identity(), obstacles, ObstacleLinks::All, &memory).hit);
}

TEST(ChainObstacles, BadPosesAreNeverFree) {
  Chain chain;
  chain.links.emplace_back(LinkSpheres{{{}, 0.3}});
  const ChainTree tree = tree_of(chain);
  const ChainObstacles none = ChainObstacles::build({}).value();
  EXPECT_FALSE(collide(tree, Pose::identity(), none).hit);
  Pose nan;
  nan.translation.x = std::numeric_limits<double>::quiet_NaN();
  Pose scaled;
  scaled.rotation[0].x = 2.0;
  for (const Pose& bad : {nan, scaled, Pose::translate({1e16, 0.0, 0.0})}) {
    EXPECT_TRUE(collide(tree, bad, none).hit);
    EXPECT_EQ(distance(tree, bad, none).distance, 0.0);
    EXPECT_EQ(contacts(tree, bad, none).pairs.size(), 1U);
    EXPECT_TRUE(collide(tree, tree, bad).hit);
    EXPECT_EQ(distance(tree, tree, bad).distance, 0.0);
    EXPECT_EQ(contacts(tree, tree, bad).size(), 1U);
  }
}

TEST(ChainObstacles, BuildRefusesAndNamesTheObstacle) {
  const auto message = [](const Obstacle& bad) {
    const auto result = ChainObstacles::build({{Sphere{{}, 1.0}, Pose::identity()}, bad});
    return result ? std::string("accepted") : result.error().message();
  };
  Pose scaled;
  scaled.rotation[0].x = 2.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message({Sphere{{}, -1.0}, Pose::identity()}).find("obstacle 1: a radius is negative"),
            std::string::npos);
  EXPECT_NE(message({Sphere{{nan, 0, 0}, 1.0}, Pose::identity()}).find("not a finite number"),
            std::string::npos);
  EXPECT_NE(message({Sphere{{}, 1.0}, scaled}).find("obstacle 1"), std::string::npos);
  EXPECT_NE(message({Capsule{{{}, {1e16, 0, 0}}, 1.0}, Pose::identity()}).find("farther"),
            std::string::npos);
  BvhOptions binary;
  binary.volume = Volume::Obb;
  const Mesh mesh = cube();
  const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces(), binary).value();
  EXPECT_NE(message({tree, Pose::identity()}).find("not a wide one"), std::string::npos);
}

TEST(ChainObstacles, TheEndOfALongChainTouchesWhatItTouches) {
  // By 1e-14 of its length, with twenty thousand poses in between.
  for (const double angle : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8}) {
    Chain chain;
    chain.links.assign(20001, LinkSpheres{});
    chain.joints.assign(20000, {rotation_about({0.6, 0.64, 0.48}, angle), {1.0, 0.0, 0.0}});
    const double radius = 0.5 * (1.0 + 1e-14) * exact_length(chain);
    const Sphere sphere{{}, radius};
    chain.links.back() = LinkSpheres{sphere};
    const ChainTree tree = tree_of(chain);
    const auto around = ChainObstacles::build({{sphere, Pose::identity()}});
    ASSERT_TRUE(around);
    EXPECT_TRUE(collide(tree, Pose::identity(), *around).hit) << angle;
    Chain one;
    one.links.emplace_back(LinkSpheres{sphere});
    EXPECT_TRUE(collide(tree_of(one), tree, Pose::identity()).hit) << angle;
  }
}

TEST(ChainPair, AgreesWithBruteForceOverLinks) {
  Random random(31);
  int hits = 0;
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    const auto count = [&] {
      return static_cast<std::uint32_t>(1 + random.below(round % 4 == 0 ? 90 : 15));
    };
    const LinkKind kind = static_cast<LinkKind>(round % 4);
    const Chain a = random_chain(random, count(), kind);
    const Chain b = random_chain(random, count(), kind);
    const Pose pose = random_pose(random, 3.0);
    const std::vector<Pose> poses_a = link_poses(a.joints);
    const std::vector<Pose> poses_b = link_poses(b.joints);
    std::vector<LinkPair> expected;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < a.links.size(); ++i) {
      for (std::uint32_t j = 0; j < b.links.size(); ++j) {
        const double d = hull_distance(hulls_of(a.links[i], poses_a[i]),
                                       hulls_of(b.links[j], pose * poses_b[j]));
        nearest = std::min(nearest, d);
        if (d <= 1e-11) expected.push_back({i, j});
      }
    }
    const ChainTree tree_a = tree_of(a, volume_of(round));
    const ChainTree tree_b = tree_of(b);
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_EQ(contacts(tree_a, tree_b, pose), expected);
    ASSERT_EQ(collide(tree_a, tree_b, pose).hit, !expected.empty());
    const ChainDistance near = distance(tree_a, tree_b, pose);
    if (std::isinf(nearest)) {
      ASSERT_TRUE(std::isinf(near.distance));
    } else {
      ASSERT_NEAR(near.distance, nearest <= 1e-11 ? 0.0 : nearest, 1e-10);
      ASSERT_TRUE(std::isinf(distance(tree_a, tree_b, pose, near.distance).distance));
      ASSERT_EQ(distance(tree_a, tree_b, pose, near.distance + 1.0).pair, near.pair);
    }
    hits += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(hits, kRounds / 6);
  EXPECT_LT(hits, kRounds * 5 / 6);
}

TEST(ChainPair, WorkHardlyGrowsWithTheLengthOfTheChains) {
  const auto work = [](std::uint32_t n) {
    Chain chain;
    for (std::uint32_t i = 0; i < n; ++i) chain.links.emplace_back(LinkSpheres{{{}, 0.3}});
    chain.joints.assign(n - 1, Pose::translate({1.0, 0.0, 0.0}));
    const ChainTree tree = tree_of(chain);
    // They cross at right angles in the middle.
    const double half = 0.5 * n;
    const Pose pose{rotation_about({0, 0, 1}, std::numbers::pi / 2), {half, -half, 0.61}};
    const ChainCollision answer = collide(tree, tree, pose);
    EXPECT_FALSE(answer.hit);
    return answer.work;
  };
  const ChainWork small = work(64);
  const ChainWork large = work(64 * 64 * 16);
  EXPECT_LT(large.volume_tests, 6 * small.volume_tests);
  EXPECT_LT(large.link_tests, 20U);
}

}  // namespace
}  // namespace clearance
