// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithm 1 of the paper (simplify.h): external spheres at random positions, then internal
// spheres one by one at the point of largest error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>
#include <clearance/simplify/kept_volume.h>
#include <clearance/simplify/simplify.h>

#include "simplify/cover_points.h"

namespace clearance::detail {

/// The first stage: balls of at least `diameter` [m] at random positions around the body, those
/// that touch it dropped, the others grown until they touch. The same for any number of threads.
[[nodiscard]] std::vector<Sphere> random_external_spheres(const Model& body, double diameter,
                                                          std::size_t trials, std::uint64_t seed,
                                                          Threads threads);

struct InternalOptions {
  double error = 0.0;            ///< the loop ends when no point is farther from the spheres [m]
  double least_radius = 0.0;     ///< of a sphere when it is added, where it fits [m]
  std::size_t most_spheres = 0;  ///< 0: no limit
  std::uint64_t seed = 1;        ///< of the point that the first sphere is added at
  Threads threads;
  Monitor* monitor = nullptr;
};

/// The second stage, to be asked for more as often as wanted.
class InternalSpheres {
 public:
  /// Spheres stay in the kept volume and out of the external ones.
  InternalSpheres(const KeptVolume& kept, std::vector<Sphere> external,
                  const InternalOptions& options);

  /// Points of the kept volume whose distance from the spheres is looked at.
  void add_points(std::span<const Vec3> points);
  /// Adds spheres until the error or the number is reached. False when cancelled.
  bool run();

  [[nodiscard]] const std::vector<Sphere>& spheres() const { return spheres_; }
  [[nodiscard]] const std::vector<SimplifyStep>& history() const { return history_; }
  /// The largest distance of a point from the spheres [m].
  [[nodiscard]] double largest_error() const { return largest_; }

 private:
  /// What a sphere about a place has: its largest radius, and the direction away from what limits
  /// that.
  struct Room {
    double radius = 0.0;
    Vec3 away;
  };
  struct Placed {
    Vec3 center;
    Room room;
  };
  [[nodiscard]] Room room(const Vec3& c) const;
  [[nodiscard]] Placed at(const Vec3& c) const { return {c, room(c)}; }
  /// Does the sphere there leave the point no farther away than spheres may?
  [[nodiscard]] bool is_near(const Placed& placed, const Vec3& point) const;
  /// The direction in which there is more room, as seen over `step` [m].
  [[nodiscard]] Vec3 uphill(const Vec3& c, double step) const;
  [[nodiscard]] Placed moved_off(const Vec3& point) const;
  [[nodiscard]] Placed moved_along(const Placed& from, const Vec3& normal, double first_way,
                                   const Vec3& point) const;
  /// Nothing: the point is not in the kept volume.
  [[nodiscard]] std::optional<Sphere> place(const Vec3& point) const;
  /// Looks at a point no more.
  void drop(std::size_t point);
  void find_largest();

  /// Points that follow each other: a sphere too far from their box changes none of their
  /// distances.
  struct Block {
    Box box;
    double largest = -std::numeric_limits<double>::infinity();  // of the distances
    std::size_t farthest = 0;                                   // the first point of that distance
  };
  void update(Block& block, std::size_t begin, const Sphere& sphere);

  const KeptVolume& kept_;
  KeptVolume::Quick quick_;
  std::vector<Sphere> external_;
  InternalOptions options_;
  std::vector<Vec3> points_;
  std::vector<double> distances_;
  std::vector<Block> blocks_;
  std::size_t farthest_ = 0;
  double largest_ = 0.0;
  std::vector<Sphere> spheres_;
  std::vector<SimplifyStep> history_;
};

}  // namespace clearance::detail
