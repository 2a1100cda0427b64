// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All balls moved at once so that the deepest gap between them becomes as shallow as it can be for
// their number: what one place has to spare goes to another, however far away.
//
// A gap is deepest where three balls meet on a face of the kept volume, or two on a sharp edge. How
// deep it is there is a mean of what the balls lack, with weights that make it the largest around:
// its slope over all centres is known exactly, so the deepest of all gaps can be brought down by
// many small steps, as of a linear programme.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/bvh/bvh.h>
#include <clearance/geometry/shapes.h>

#include "simplify/ball_field.h"
#include "simplify/cover_points.h"
#include "simplify/point_blocks.h"
#include "simplify/symmetry.h"

namespace clearance::detail {

struct SpreadOptions {
  int steps = 24;  ///< of all balls, about
  /// Ends when no gap is deeper [m], or when that is not going to be reached.
  std::optional<double> enough;
  /// Only balls with their centres in it move, and only points in it count.
  std::optional<Sphere> around;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct SpreadGap {
  double depth = 0.0;  ///< [m]; negative when there is none: what is to spare
  Vec3 at;
};

class BallSpread {
 public:
  /// The field and the symmetry must outlive it.
  BallSpread(const BallField& field, const std::vector<SharpEdge>& edges, const Symmetry& symmetry);

  /// Moves the balls, which stand for all of their images. Points are of the home of the symmetry.
  /// What the deepest gap is afterwards, as far as the points show where gaps are; deeper than at
  /// first only by what they did not show then. Radii are those of the field. The same for any
  /// number of threads. Points may be appended between calls, not changed.
  SpreadGap run(const PointBlocks& points, std::vector<Sphere>& balls,
                const SpreadOptions& options);

 private:
  /// What the kept volume is like around a point.
  struct Place {
    enum class Kind : std::uint8_t { Unknown, Inside, Edge, Face };
    Kind kind = Kind::Unknown;
    Vec3 way;  ///< along the edge, or inward from the face
  };
  /// Where a gap is deepest, the balls that meet there, and how much each of them counts.
  struct Peak {
    Vec3 at;
    std::array<std::uint32_t, 3> ball{};
    std::array<double, 3> weight{};
    double depth = 0.0;
  };
  /// The radius around a centre is at most that of each cut: value + dot(slope, way of the centre).
  struct Cut {
    double value = 0.0;
    Vec3 slope;
  };

  [[nodiscard]] Place place_of(const Vec3& p) const;
  /// Those nearly as deep as the deepest. Not all points are looked at unless is_full.
  [[nodiscard]] std::vector<Peak> find_peaks(const PointBlocks& points,
                                             const std::vector<Sphere>& balls, bool is_full,
                                             const std::optional<Sphere>& around, Threads threads);
  /// Where three balls meet near a point, or two on an edge. is_rough: the face is taken to be
  /// flat, and what the balls lack to be lack_near.
  [[nodiscard]] std::optional<Peak> peak_near(const Vec3& p, const Place& place,
                                              const std::vector<Sphere>& balls,
                                              const std::array<std::uint32_t, 3>& three,
                                              double lack_near, bool is_rough) const;
  void descend(const std::vector<Peak>& peaks, const Symmetry::Images& images, double softness,
               double farthest, std::span<const double> part, const std::optional<Sphere>& around,
               std::vector<Sphere>& balls, Threads threads) const;

  const BallField& field_;
  const Symmetry& symmetry_;
  std::optional<Bvh> edges_;          ///< each edge as a triangle without area
  std::vector<std::uint8_t> active_;  ///< by place: near a gap, when all were last looked at
  std::vector<Place> places_;         ///< by the number of the point as given
};

}  // namespace clearance::detail
