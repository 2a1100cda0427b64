// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/wide_lid_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/bvh/bvh.h>
#include <clearance/query/query.h>

#include "support/query_scenes.h"
#include "support/wide_tree_check.h"

namespace clearance {
namespace {

using namespace clearance::test;

// The farthest corner below a child along a direction in the frame of the node above.
long double farthest_below(const Bvh& bvh, const detail::WideFrame& frame, std::uint32_t ref,
                           const float (&n)[4]) {
  const detail::WideTree& tree = *bvh.wide();
  long double farthest = -std::numeric_limits<long double>::infinity();
  std::vector<std::uint32_t> stack{ref};
  while (!stack.empty()) {
    const std::uint32_t top = stack.back();
    stack.pop_back();
    if ((top & detail::kLeafBit) == 0) {
      for (const std::uint32_t child : tree.nodes[top].child) {
        if (child != detail::kNoChild) stack.push_back(child);
      }
      continue;
    }
    for (const std::uint32_t number : tree.leaves[top & ~detail::kLeafBit].triangle) {
      if (number == detail::kNoChild) continue;
      const Triangle t = bvh.triangle(number);
      for (const Vec3& p : {t.a, t.b, t.c}) {
        const WidePoint u = in_frame(tree, frame, p);
        farthest = std::max(farthest, n[0] * u[0] + n[1] * u[1] + n[2] * u[2]);
      }
    }
  }
  return farthest;
}

struct Slack {
  // What the bounds are beyond the farthest corners, in units of the nodes, added up.
  double lids = 0.0;
  double boxes = 0.0;
  std::size_t nodes = 0;
};

// Of the sheets above the origin of a node, in the frame of the node.
Vec3 normal_of(const detail::WideLid& lid) {
  const detail::LidTurn turn(lid.turn);
  Vec3 normal;
  normal[(lid.axis + 1) % 3] = turn.sine * lid.slope[1] - turn.cosine * lid.slope[0];
  normal[(lid.axis + 2) % 3] = -turn.sine * lid.slope[0] - turn.cosine * lid.slope[1];
  normal[lid.axis] = 1.0;
  return normalized(normal);
}

// Every child of every node with a lid: along and near its normal, along any direction, and hardly
// out of the surface.
Slack slack_of(const Bvh& bvh, std::uint64_t seed) {
  Slack slack;
  Random random(seed);
  for (const detail::WideNode& node : bvh.wide()->nodes) {
    if (node.lid.axis == detail::kNoLid) continue;
    ++slack.nodes;
    const detail::Boxes8 boxes = detail::boxes_of(node);
    for (int round = 0; round < 10; ++round) {
      const bool near_normal = round < 6;
      Vec3 direction = scenes::direction(random);
      if (near_normal) {
        direction = normalized((round % 2 == 0 ? 1.0 : -1.0) * normal_of(node.lid) +
                               0.02 * round * direction);
      } else if (round % 2 == 0) {
        direction[node.lid.axis] *= std::pow(10.0, random.uniform(-8.0, 0.0));
        direction = normalized(direction);
      }
      const float n[4] = {static_cast<float>(direction.x), static_cast<float>(direction.y),
                          static_cast<float>(direction.z), 0.0F};
      detail::Float8 by_boxes = detail::broadcast8(0.0F);
      for (int k = 0; k < 3; ++k) {
        by_boxes += detail::broadcast8(n[k]) * boxes.center[k] +
                    detail::broadcast8(std::abs(n[k])) * boxes.half[k];
      }
      const detail::Float8 reach = detail::reach_under_lid(node.lid, boxes, n, by_boxes);
      for (int i = 0; i < 8 && node.child[i] != detail::kNoChild; ++i) {
        const long double farthest = farthest_below(bvh, node.frame, node.child[i], n);
        const long double size = node.frame.radius;
        // Near the normal nothing of the reserve for rounding is used up but what the lid was made
        // with; elsewhere a quarter of it at most.
        const long double reserve = near_normal ? 0.0L : 0.25L * detail::kFloatError * size;
        EXPECT_GE(static_cast<long double>(reach[i]), farthest - reserve);
        EXPECT_LE(reach[i], by_boxes[i]);
        if (!near_normal) continue;
        slack.lids += static_cast<double>((reach[i] - farthest) / size);
        slack.boxes += static_cast<double>((by_boxes[i] - farthest) / size);
      }
    }
  }
  return slack;
}

// A part of a sphere of radius 1, of 2 steps² triangles.
TriangleSet bowl(int steps) {
  TriangleSet set;
  const auto at = [&](int i, int j) {
    return normalized(Vec3{1.0, 1.2 * i / steps - 0.63, 1.2 * j / steps - 0.58});
  };
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      set.add({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      set.add({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return set;
}

TEST(LidBound, HoldsTheCornersOfASmoothSurfaceTighterThanBoxes) {
  const TriangleSet set = bowl(120);
  const Bvh bvh = Bvh::build(set.vertices, set.faces).value();
  const Slack slack = slack_of(bvh, 5);
  EXPECT_GT(slack.nodes, bvh.wide()->nodes.size() * 9 / 10);
  EXPECT_LT(slack.lids, 0.5 * slack.boxes);
}

TEST(LidBound, HoldsTheCornersOfAnyKindOfScene) {
  std::size_t nodes = 0;
  for (const SceneKind kind : kSceneKinds) {
    for (const ScenePlacement& placement : {kHere, kAnyScale, kFarAway}) {
      Random random(17);
      const QueryScene scene = random_scene(random, kind, 700, placement);
      const Bvh bvh = Bvh::build(scene.a.vertices, scene.a.faces).value();
      nodes += slack_of(bvh, 9).nodes;
      if (HasFailure()) FAIL() << test::name_of(kind) << ", far " << placement.far;
    }
  }
  EXPECT_GT(nodes, 20U);
}

// A surface over a square or a strip up to a thousand times as long as wide, with round or edged
// bends across it, uneven or not; some of its triangles are segments or points.
TriangleSet patch(Random& random) {
  const auto power = [&](double least, double greatest) {
    return std::pow(10.0, random.uniform(least, greatest));
  };
  const double width = power(-3.0, 0.0);
  const double along = random.uniform(-1.0, 1.0);
  const double across = random.uniform(-1.0, 1.0) / width;
  const double mixed = random.uniform(-1.0, 1.0) / width;
  const double cone = random.below(2) == 0 ? 0.0 : random.uniform(-0.7, 0.7);
  const double shear = random.uniform(-2.0, 2.0);
  const double uneven = random.below(2) == 0 ? 0.0 : width * power(-9.0, -2.0);
  const auto rows = static_cast<int>(4 + random.below(40));
  const auto columns = static_cast<int>(3 + random.below(40));
  const auto at = [&](int i, int j) {
    const double x = static_cast<double>(i) / rows - 0.47;
    const double y = width * (static_cast<double>(j) / columns - 0.53);
    const double z = 0.5 * (along * x * x + across * y * y) + mixed * x * y +
                     cone * std::hypot(x, y) + uneven * random.uniform(-1.0, 1.0);
    return Vec3{x + shear * y, y, z};
  };
  TriangleSet set;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const Vec3 p = at(i, j);
      const Vec3 q = at(i + 1, j + 1);
      set.add({p, at(i + 1, j), q});
      set.add({p, q, random.below(20) == 0 ? p : at(i, j + 1)});
    }
  }
  return set;
}

TEST(LidBound, HoldsTheCornersAlongAnyDirectionOfPatchesOfAnyShape) {
  std::size_t nodes = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    TriangleSet set = patch(random);
    const double far = seed % 3 == 0 ? std::pow(10.0, random.uniform(0.0, 5.0)) : 0.0;
    const Mat3 turn = seed % 4 == 0 ? Mat3::identity() : scenes::rotation(random);
    const Vec3 offset = far * scenes::direction(random);
    const double scale = std::pow(10.0, random.uniform(-15.0, 9.0));
    for (Vec3& p : set.vertices) p = scale * (turn * p + offset);
    // A point far off, so that the model is larger than what has lids.
    if (seed % 5 == 0) {
      const Vec3 p = set.vertices[0] +
                     scale * std::pow(10.0, random.uniform(0.0, 4.0)) * scenes::direction(random);
      set.add({p, p, p});
    }
    Bvh bvh = Bvh::build(set.vertices, set.faces).value();
    std::vector<Vec3> bent = set.vertices;
    if (seed % 2 == 0) {
      for (Vec3& p : bent) {
        const Vec3 q = p / scale - offset;
        p = p + 0.2 * scale * Vec3{q.y * q.z, q.x * q.x, q.x * q.y};
      }
      bvh = bvh.refit(bent).value();
    }
    ASSERT_NO_FATAL_FAILURE(expect_sound_wide_tree(bvh, "patch " + std::to_string(seed)));
    nodes += slack_of(bvh, seed).nodes;
    ASSERT_FALSE(HasFailure()) << "patch " << seed;
  }
  EXPECT_GT(nodes, 1000U);
}

TEST(LidBound, SparesMostPairsOfNodesWhereTrianglesAreSmallAgainstTheGap) {
  // A fifth of their radius apart.
  const TriangleSet set = bowl(300);
  const Bvh bvh = Bvh::build(set.vertices, set.faces).value();
  Work work;
  for (int i = 0; i < 20; ++i) {
    const Pose pose{rotation_about({0, 0, 1}, std::numbers::pi + 0.01 * i),
                    {2.2, 0.01 * i, 0.003 * i}};
    work += distance(bvh, bvh, pose).work;
  }
  EXPECT_LT(work.volume_tests, 20 * 7000U);
}

}  // namespace
}  // namespace clearance
