// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Equal rigid parts that fall into a bin and come to rest: Bullet, behind a wall.
//
// Bullet's constants (contact thresholds, sleeping speeds) are made for bodies of about a metre.
// The world is therefore scaled such that the part's diagonal is 1, with gravity as it is: the same
// motion, in a time that is longer by the square root of the scale.
//
// One thread, fixed steps, sorted pairs: the same calls give the same bits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// A part as the simulation has it, in a frame at its centre of mass along its principal axes.
struct FallingPart {
  std::vector<std::vector<Vec3>> pieces;  ///< corners of convex pieces [m]
  Vec3 inertia;                           ///< about the axes, of one kilogram [m²]
  double diagonal = 0.0;                  ///< the unit of the simulation [m]
  double margin = 0.0;                    ///< kept around each piece [m]
  double friction = 0.0;
};

class PileWorld {
 public:
  [[nodiscard]] static bool is_built_in();

  PileWorld(const FallingPart& part, std::span<const Box> walls);
  ~PileWorld();
  PileWorld(const PileWorld&) = delete;
  PileWorld& operator=(const PileWorld&) = delete;
  PileWorld(PileWorld&&) = delete;
  PileWorld& operator=(PileWorld&&) = delete;

  void add(const Pose& world_from_body);
  void remove(std::size_t body);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Pose world_from_body(std::size_t body) const;
  /// Goes on until all lie still, for `longest` seconds of the simulation's time at most. False:
  /// they still move, or cancelled.
  bool settle(double longest, Monitor* monitor);
  /// Simulated so far, in the time of the real size [s].
  [[nodiscard]] double time() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace clearance::detail
