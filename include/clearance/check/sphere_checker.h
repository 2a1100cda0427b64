// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a robot of spheres free? Yes or no for one configuration or many, forward kinematics included,
// against itself and against what stands in the cell (spheres, or meshes): for planners that ask
// this millions of times.
//
// Eight configurations are looked at together, as VAMP does (Thomason, Kingston, Kavraki: "Motions
// in Microseconds via Vectorized Sampling-Based Planning"). Bodies are hierarchies: a sphere around
// all, spheres around every eight, the spheres. What stands still is a grid of lower bounds of the
// distance to it; where that does not decide, the spheres near by are asked.
//
// Never a false "free": whenever two of the spheres, at the poses of Robot::link_poses(), touch,
// the answer is true. Arithmetic is partly in single precision; spheres are made larger by margin()
// for it, so that a gap below twice the margin may be called contact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/check/cell.h>
#include <clearance/check/collision_matrix.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/robot/robot.h>

namespace clearance {

/// Spheres that move with a link, or spheres or meshes that stand in the cell.
struct SphereBody {
  std::uint32_t link = kNoLink;  ///< kNoLink: stands in the cell
  std::vector<Sphere> spheres;   ///< in the frame of the link, or of the cell [m]
  std::vector<Model> models{};   ///< instead of spheres, for what stands in the cell
};

struct SphereScene {
  Robot robot;
  Pose world_from_base;
  std::vector<SphereBody> bodies;
  /// Which are held against each other, by number. Pairs that both stand are ignored.
  std::vector<BodyPair> pairs;
};

/// The spheres of a cell made ready, and its pairs; bodies that stand are taken as meshes when
/// `standing_meshes`. Needs cell.has_spheres (asserted).
[[nodiscard]] SphereScene sphere_scene(const ReadyCell& cell, bool standing_meshes = false);

struct SphereCheckerOptions {
  /// Cells of the grid along its longest side, 1 to 256. More decide more, and need more memory:
  /// 4 bytes times the cube of it at most.
  int grid = 64;
  /// The same where meshes stand in the cell: each cell costs a distance to them.
  int mesh_grid = 32;
  Threads threads;  ///< for making the grid
};

class SphereChecker {
 public:
  /// Scratch memory; one for each thread. Usable for any checker.
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    struct State;
    [[nodiscard]] State& state() { return *state_; }

   private:
    std::unique_ptr<State> state_;
  };

  /// Errors (Invalid): numbers that are not finite or a radius below 0; a body that moves and is
  /// meshes; pairs of bodies that are not there; links that are not there.
  static Result<SphereChecker> make(const SphereScene& scene,
                                    const SphereCheckerOptions& options = {});

  /// Does anything touch? `values` has degrees_of_freedom() numbers (asserted); one that is not
  /// finite, or that slides a joint beyond its limits, counts as contact. Costs as much as eight
  /// configurations of a batch.
  [[nodiscard]] bool collides(std::span<const double> values, Scratch& scratch) const;

  /// Many configurations, one after the other in `values`; hits[i] is 1 or 0 for each. Neighbours
  /// in the list are best neighbours in space. The answer to one does not depend on the others.
  void collides(std::span<const double> values, std::span<std::uint8_t> hits,
                Scratch& scratch) const;

  /// What each sphere is made larger by, for rounding [m]: 2^-19 of the reach of robot and cell.
  [[nodiscard]] double margin() const;
  [[nodiscard]] std::size_t degrees_of_freedom() const;
  [[nodiscard]] std::size_t moving_spheres() const;
  [[nodiscard]] std::size_t standing_spheres() const;

  struct Data;

 private:
  explicit SphereChecker(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
