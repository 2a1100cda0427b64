// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands around a candidate, made ready for many questions: parts, bin, floor and obstacles,
// with balls and boxes around them that rule most out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/grasp/pick.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>

#include "grasp/pick_body.h"

namespace clearance::detail {

inline constexpr std::size_t kNoPart = std::numeric_limits<std::size_t>::max();

/// What the questions of one thread share. Changes their cost, never an answer.
struct PickScratch {
  Coherence coherence;
  std::size_t last_hit = 0;   ///< the obstacle that was hit last: likely the next one as well
  std::size_t last_ball = 0;  ///< of a part, that reached the gripper last
};

/// Where the scene is asked about.
struct PickRegion {
  std::span<const std::size_t> candidates;
  double contact = 0.0;  ///< as in PickOptions [m]
  double reach = 0.0;    ///< around the middle of a candidate, of all that is asked about [m]
  double margin = 0.0;   ///< clearances to what cameras saw are right up to this [m]
  Threads threads;
};

class PickScene {
 public:
  /// `part` must outlive the scene.
  PickScene(const PickBody& part, const Pile& pile, const PickObstacles& obstacles,
            const PickRegion& region);

  /// What a body at a pose comes closer to than `limit` (0: touches), all but one part of the pile,
  /// which is a candidate: bin before parts before obstacles. What a camera saw of it is left out.
  [[nodiscard]] GraspFate hit(const PickBody& body, const Pose& world_from_body, std::size_t but,
                              double limit, PickScratch& scratch) const;
  /// The distance to the nearest, all but one part [m]; where there are depth images at most
  /// PickRegion::margin.
  [[nodiscard]] double clearance(const PickBody& body, const Pose& world_from_body, std::size_t but,
                                 PickScratch& scratch) const;
  /// Whether a body that goes straight touches anything but one part.
  [[nodiscard]] bool hit_on_the_way(const PickBody& body, const Pose& world_from_start,
                                    const Vec3& way_world, std::size_t but,
                                    PickScratch& scratch) const;

  /// How far a part comes straight up, alone, before it touches an obstacle [m]; `height` when it
  /// comes so far. `contact` as in PickOptions.
  struct Stop {
    std::size_t part = kNoPart;  ///< or something else
    double lift = 0.0;
  };
  [[nodiscard]] std::vector<Stop> stops(std::size_t part, double height, double contact) const;

 private:
  struct Obstacle {
    const PickBody* body = nullptr;
    Pose world_from_body;
    Pose body_from_world;
    double inflation = 0.0;  // a ball of this radius for each point [m]
    GraspFate fate = GraspFate::HitsPart;
    std::size_t part = kNoPart;
    Sphere ball;  // in the world, inflated
    // How far what a camera saw may be off beside `contact` [m]; below 0: it is exact.
    double blur = -1.0;
  };
  static Obstacle placed(const PickBody& body, const Pose& world_from_body, GraspFate fate,
                         std::size_t part, double inflation = 0.0);
  /// What cameras saw around a candidate, but the candidate.
  [[nodiscard]] std::vector<Obstacle> seen_around(std::size_t part, const PickObstacles& obstacles,
                                                  const PickRegion& region,
                                                  std::deque<PickBody>& bodies) const;
  /// Calls use(obstacle) for all that is in the way of a candidate until it returns true.
  template <class Use>
  bool any_around(std::size_t candidate, const Use& use) const {
    return std::any_of(obstacles_.begin(), obstacles_.end(),
                       [&](const Obstacle& o) { return o.part != candidate && use(o); }) ||
           std::any_of(seen_[candidate].begin(), seen_[candidate].end(), use);
  }
  /// A body at a pose, with what is asked of it again and again.
  struct Placed {
    const PickBody& body;
    const Pose& world_from_body;
    Sphere ball;                                      // in the world
    std::array<Vec3, PickBody::kMostPieces> centers;  // of the boxes around its pieces
  };
  [[nodiscard]] bool is_hit(const Obstacle& obstacle, const Placed& placed_body, double limit,
                            PickScratch& scratch) const;
  [[nodiscard]] double lift_past(const Obstacle& obstacle, const PickBody& body,
                                 const Pose& world_from_body, double height, double contact) const;

  // Sorted by fate, as hit() asks: the bin, the parts from parts_begin_ to parts_end_, the rest.
  std::vector<Obstacle> obstacles_;
  std::size_t parts_begin_ = 0;
  std::size_t parts_end_ = 0;
  const PickBody& part_;
  std::deque<PickBody> others_;  // bin and obstacles; their addresses stay
  // What cameras saw, by part of the pile: none but for candidates.
  std::vector<std::vector<Obstacle>> seen_;
  std::vector<std::deque<PickBody>> seen_bodies_;
  std::vector<Pose> world_from_parts_;
  double seen_margin_ = 0.0;
};

}  // namespace clearance::detail
