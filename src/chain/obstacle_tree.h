// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Obstacles in the world under a binary tree of axis-aligned boxes, and one of them against a box
// and against a link.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <clearance/chain/chain.h>
#include <clearance/chain/chain_obstacles.h>

namespace clearance::detail {

/// An obstacle ready for questions. A mesh is a LinkShape and, where solid, a Model as well.
struct PlacedObstacle {
  std::variant<LinkShape, PointCloud> shape;
  const Model* solid() const { return model.empty() ? nullptr : &model.front(); }
  std::vector<Model> model;  // none or one
  Pose world_from_obstacle;
  Pose obstacle_from_world;
  Box bounds;  // in the world, rounded outward
};

struct ObstacleTree {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Node {
    Box box;
    std::uint32_t left = kNone;  // kNone in a leaf
    std::uint32_t right = kNone;
    std::uint32_t obstacle = kNone;  // of a leaf
    [[nodiscard]] bool is_leaf() const { return left == kNone; }
  };

  std::vector<PlacedObstacle> obstacles;
  std::vector<Node> nodes;  // children behind their parents; the root first
  double extent = 0.0;      // largest coordinate of all bounds
};

/// Is a box of the world at `limit` or closer, or inside? Never a false "no".
[[nodiscard]] bool box_within(const PlacedObstacle& obstacle, const OrientedBox& box, double limit,
                              ChainWork& work);
/// The same for a link.
[[nodiscard]] bool link_within(const PlacedObstacle& obstacle, const LinkShape& link,
                               const Pose& world_from_link, double limit);
/// Distance of a link, 0 when it touches or is inside. At or above upper_bound: that or more.
[[nodiscard]] double link_distance(const PlacedObstacle& obstacle, const LinkShape& link,
                                   const Pose& world_from_link, double upper_bound);

}  // namespace clearance::detail
