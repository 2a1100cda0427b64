// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a tool of spheres reaches beside a body at some orientations: F, the union of the tool over
// all of its free places. The complement of F is what external tools leave (kept_volume.h).
//
// F is a union of balls: for each orientation and each sphere (o, r) of the tool, those of radius r
// about the free places moved by o. How far a point c is from F is therefore the least of dist(c -
// o, free places) - r, and each of these is known from an OffsetShell.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simplify/offset_shell.h"

namespace clearance::detail {

class ToolReach {
 public:
  /// Spheres with radii above 0, at least one orientation. The body must outlive it. When
  /// cancelled, ok() is false.
  ToolReach(const BodyProbe& body, std::span<const Sphere> tool, std::span<const Mat3> turns,
            const OffsetShell::Options& options);

  [[nodiscard]] bool ok() const;
  [[nodiscard]] double least_radius() const { return least_radius_; }
  /// About how far samples of free places are apart [m].
  [[nodiscard]] double cell_size() const;

  /// An estimate of the distance from F, negative inside, and the middle of the ball of F that is
  /// nearest. Infinity where no place is free.
  struct Quick {
    double distance = std::numeric_limits<double>::infinity();
    Vec3 center;
  };
  [[nodiscard]] Quick quick(const Vec3& c) const;

  /// A lower bound of the distance of c from F, proven, and at most `tolerance` too small as far as
  /// the work of a shell allows. Minus infinity where it is not above `enough`, or c may be in F.
  /// `surface`: the distance of c from the body's surface; `is_inside`: c is inside the solid.
  [[nodiscard]] double distance_below(const Vec3& c, double tolerance, double enough,
                                      double surface, bool is_inside) const;

  /// A ball of F, proven, that holds everything within `least` of c, and if possible everything
  /// within `wanted`; radius 0 when none is found.
  [[nodiscard]] Sphere ball_around(const Vec3& c, double least, double wanted) const;

 private:
  /// A sphere of the tool at one orientation.
  struct Part {
    std::uint32_t turn = 0;
    Vec3 offset;
    double radius = 0.0;
  };
  [[nodiscard]] OffsetShell::Nearest nearest(const Part& part, const Vec3& c) const {
    return shells_[part.turn]->nearest_sample(c - part.offset);
  }
  /// Those that may be nearest somewhere around c, by estimates.
  [[nodiscard]] std::span<const std::uint32_t> parts_near(const Vec3& c) const;
  void make_grid(const Box& bounds, Threads threads);

  double least_radius_ = 0.0;
  std::vector<std::unique_ptr<const OffsetShell>> shells_;  // by orientation
  std::vector<Part> parts_;
  std::vector<std::uint32_t> all_;  // their numbers
  // Cells of the space around the body, and which parts matter there.
  Vec3 grid_low_;
  double grid_cell_ = 0.0;
  std::array<int, 3> grid_size_{};
  std::vector<std::vector<std::uint32_t>> grid_;
};

}  // namespace clearance::detail
