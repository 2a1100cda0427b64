// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain among things that stand still: does any link touch an obstacle, which do, how far is the
// nearest one? The chain's tree is descended against the trees of the obstacles, so that parts of
// the chain and obstacles that are far from each other cost next to nothing; after a move, only the
// links that moved are looked at.
//
//   Result<ChainObstacles> pipe = ChainObstacles::build({{model, world_from_pipe}});
//   tree.change({{7, pose}});
//   if (collide(tree, world_from_link0, *pipe, ObstacleLinks::Moved).hit) tree.reject();
//
// Frames. Obstacles and the pose of link 0 are given in one frame, the world; lengths in the unit
// of the chain. Queries see the proposed state of the tree (chain_tree.h).
//
// Solid or surface. A Model that is solid (model.h) has an inside: a link wholly in it touches it.
// A Bvh, or a Model that is not solid, is a surface, and so is a link that is a mesh: what is
// wholly inside touches nothing. All other links and obstacles are solid.
//
// Answers are those of brute force over all links and obstacles: "touch" is true whenever the exact
// shapes touch; a gap below kChainContactError of the extent of the scene, for each link of the
// chain, may be called contact, never the other way. Distances are right to that. Nothing throws or
// prints. The obstacles may be shared between threads.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <variant>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/shapes.h>

namespace clearance {

namespace detail {
struct ObstacleTree;
}  // namespace detail

using ObstacleShape = std::variant<Sphere, Capsule, ConvexBody, Bvh, Model, PointCloud>;

struct Obstacle {
  ObstacleShape shape;
  /// Rigid to kRigidTolerance (pose.h); the nearest rotation is used.
  Pose world_from_obstacle;
};

/// Obstacles under a tree of boxes. Immutable; copies share their data. There may be thousands:
/// what is far away is passed over in groups.
class ChainObstacles {
 public:
  /// Errors name the obstacle: numbers that are not finite, a negative radius, a pose that is not
  /// rigid, a mesh whose tree is not a wide one, coordinates beyond kLargestTranslation. No
  /// obstacle is allowed. Cost: n log n of the number of obstacles.
  static Result<ChainObstacles> build(const std::vector<Obstacle>& obstacles);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const detail::ObstacleTree& tree() const { return *tree_; }

 private:
  explicit ChainObstacles(std::shared_ptr<const detail::ObstacleTree> tree);
  std::shared_ptr<const detail::ObstacleTree> tree_;
};

/// Which links are looked at.
enum class ObstacleLinks : std::uint8_t {
  All,
  /// Those that are not where they were in the accepted state, link 0 being fixed to the world:
  /// all behind the first joint that was changed, and reshaped ones. Right for the whole chain when
  /// the accepted state was free at the same world_from_link0.
  Moved,
};

struct ObstacleContact {
  std::uint32_t link = kNoTriangle;
  std::uint32_t obstacle = kNoTriangle;  ///< number in the list given to build()
  // The check takes the zero that comparisons are rewritten with for a pointer.
  auto operator<=>(const ObstacleContact&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ObstacleCollision {
  bool hit = false;
  ObstacleContact contact;  ///< one that touches, when hit: which one depends on the memory
  bool remembered = false;  ///< a pair of the memory did it again: nothing else was tested
  ChainWork work;
};

/// The pairs that touched last, tested first the next time. Changes the work and which pair is
/// named, never whether there is one. Owned by the caller.
struct ObstacleMemory {
  std::vector<ObstacleContact> recent;  ///< newest first, a few
};

/// Does a link touch an obstacle? A pose of link 0 that is not finite, not rigid or too far away is
/// answered as contact of no link: never as free.
[[nodiscard]] ObstacleCollision collide(const ChainTree& chain, const Pose& world_from_link0,
                                        const ChainObstacles& obstacles,
                                        ObstacleLinks links = ObstacleLinks::All,
                                        ObstacleMemory* memory = nullptr);

struct ObstacleContacts {
  std::vector<ObstacleContact> pairs;  ///< sorted
  ChainWork work;
};

/// Every link with every obstacle it touches. A pose that cannot be answered gives one contact of
/// no link.
[[nodiscard]] ObstacleContacts contacts(const ChainTree& chain, const Pose& world_from_link0,
                                        const ChainObstacles& obstacles,
                                        ObstacleLinks links = ObstacleLinks::All);

struct ObstacleDistance {
  double distance = std::numeric_limits<double>::infinity();  ///< 0 when they touch
  ObstacleContact pair;                                       ///< the lowest of equally close ones
  ChainWork work;
};

/// The link and obstacle that are nearest to each other. Infinity when there is none, or none below
/// upper_bound; 0 of no link for a pose that cannot be answered.
[[nodiscard]] ObstacleDistance distance(
    const ChainTree& chain, const Pose& world_from_link0, const ChainObstacles& obstacles,
    double upper_bound = std::numeric_limits<double>::infinity(),
    ObstacleLinks links = ObstacleLinks::All);

}  // namespace clearance
