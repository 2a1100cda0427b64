// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How large a ball about a point may be, for one kept volume and one error: all that the search for
// few balls knows of the shape. Fast and nearly right (KeptVolume::quick_radius); what is delivered
// in the end is proven by safe_radius() and verify_cover().
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/nearest_cells.h"
#include "simplify/symmetry.h"

namespace clearance::detail {

class BallField {
 public:
  /// The kept volume must outlive the field.
  BallField(const KeptVolume& kept, double error)
      : kept_(&kept), quick_(kept.quick(error)), error_(error) {}

  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] const KeptVolume& kept() const { return *kept_; }
  using Ball = KeptVolume::QuickBall;
  /// The largest ball about c that stays within the error of the kept volume, and what limits it.
  [[nodiscard]] Ball ball(const Vec3& c) const {
    Ball ball = quick_.ball(c);
    if (learned_ != nullptr) limit(c, ball);
    return ball;
  }
  /// Looks closely at what limits the balls about some places and keeps it in mind, for their
  /// images as well: around them radii are no longer too large. How many of them were. About 0.1 ms
  /// each. Not while others ask.
  std::size_t learn(std::span<const Vec3> places, const Symmetry& symmetry, Threads threads);
  [[nodiscard]] double radius(const Vec3& c) const { return ball(c).radius; }
  /// How far below the boundary of the kept volume c is; negative outside [m].
  /// Exact for errors up to the external radius; beyond, slots narrower than twice the error count
  /// as filled, which balls within the error fill as well.
  [[nodiscard]] double depth(const Vec3& c) const { return radius(c) - error_; }
  /// The direction in which the depth grows at p, as seen over `step` [m]; zero when there is none.
  /// On an edge it halves the angle.
  [[nodiscard]] Vec3 inward(const Vec3& p, double step) const;

 private:
  void limit(const Vec3& c, Ball& ball) const;

  const KeptVolume* kept_;
  KeptVolume::Quick quick_;
  double error_;
  std::vector<Vec3> limits_;
  double less_ = 0.0;  // radii are less than distances from them
  std::shared_ptr<const NearestCells> learned_;
};

/// Balls with their centres on a line from p inward, all of which hold p.
struct InwardBalls {
  /// Of the ball that holds the most around p, how far it reaches sideways from p [m].
  double reach = 0.0;
  double widest = 0.0;   ///< where its centre is, from p along the line [m]
  double largest = 0.0;  ///< where the largest ball of the line that holds p has its centre [m]
};
[[nodiscard]] InwardBalls balls_along(const BallField& field, const Vec3& p, const Vec3& inward);

/// A place near c where the ball is larger: away from what limits it, in ever smaller steps. It is
/// on a ridge of the radius, where a ball may hold two edges at once; one that is off by a
/// twentieth of the error may hold half as much of them.
[[nodiscard]] Vec3 uphill(const BallField& field, Vec3 c);

}  // namespace clearance::detail
