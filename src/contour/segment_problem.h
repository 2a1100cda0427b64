// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A segment and a shape (a triangle, an edge, a point) near the origin, and points of the two that
// are close to each other.
#pragma once

#include <array>
#include <limits>

#include <clearance/contour/contour.h>
#include <clearance/geometry/vector.h>

#include "contour/hull_distance.h"

namespace clearance::detail {

/// A point of the segment and the point of the shape that is nearest to it.
struct SegmentCandidate {
  double distance = std::numeric_limits<double>::infinity();
  double eta = 0.0;
  double x = 0.0;
  double y = 0.0;
  std::array<double, 3> weight{};  ///< of the corners of the shape
  Vec3 normal;  ///< of unit length, from the segment to the shape; zero when they touch
};

/// One disc of the segment, and the shape.
struct SegmentSlice {
  double eta = 0.0;
  double slope = 0.0;  ///< how fast the distance of the disc grows with eta [m]
  Vec3 normal;         ///< along which the disc is farthest; zero when they touch
  double x = 0.0;      ///< its nearest point
  double y = 0.0;
};

/// The shape and the segment relative to a corner of the shape: what stands far from the origin
/// loses nothing.
class SegmentProblem {
 public:
  /// One to three corners. Numbers that are not finite are asserted.
  SegmentProblem(const ContourSegment& segment, const std::array<Vec3, 3>& corner, int corners);

  /// The shape and the circles of the segment.
  [[nodiscard]] const HullPair& whole() const { return whole_; }
  /// The bounds may differ by so much [m].
  [[nodiscard]] double tolerance() const { return tolerance_; }
  /// Points this close are the same [m].
  [[nodiscard]] double touching() const { return touching_; }

  [[nodiscard]] bool touches(const SegmentCandidate& best) const {
    return !(best.distance > touching_);
  }
  /// How far below the best distance a bound may stay [m]. Near contact the two have to meet more
  /// closely, to tell it from a gap.
  [[nodiscard]] double allowed_gap(const SegmentCandidate& best) const {
    return best.distance < 2.0 * tolerance_ ? 0.5 * best.distance : tolerance_;
  }

  /// The disc at eta, an ellipse.
  [[nodiscard]] ContourCircle disc_at(double eta) const;
  /// The shape and the discs at two eta.
  [[nodiscard]] HullPair part(double begin, double end) const;
  /// From the middle of the segment to the middle of the shape; never zero.
  [[nodiscard]] Vec3 first_direction() const;

  /// S(eta, (x, y)) and the nearest point of the shape.
  [[nodiscard]] SegmentCandidate at(double eta, double x, double y) const;
  /// The point of the disc at eta that is nearest to the one the search found in the hull of
  /// `pair`.
  [[nodiscard]] SegmentCandidate at(double eta, const HullPair& pair,
                                    const HullSearch& search) const;
  /// Goes down from a candidate along the ruled surface by Newton's method, as far as that leads.
  [[nodiscard]] SegmentCandidate descended(const SegmentCandidate& from) const;
  /// The disc at eta, solved, given a guess of its nearest point. `best` becomes the pair of points
  /// found when that is closer.
  [[nodiscard]] SegmentSlice slice_at(double eta, double x, double y, SegmentCandidate& best) const;

  /// The point of the shape of this combination, in the caller's coordinates.
  [[nodiscard]] Vec3 on_shape(const SegmentCandidate& candidate) const;

 private:
  /// Whether eta may move.
  enum class Along { Free, Fixed };
  [[nodiscard]] SegmentCandidate descended(const SegmentCandidate& from, Along along) const;
  /// How fast S(eta, (x, y)) moves with eta.
  [[nodiscard]] Vec3 ruling(double x, double y) const;

  HullPair whole_;
  Vec3 origin_;
  double tolerance_ = 0.0;
  double touching_ = 0.0;
  // Edges of a triangle from its first corner, their products and their normal; `plain_` when these
  // tell the nearest point well enough, which those of a needle do not.
  Vec3 e_, f_, normal_;
  double ee_ = 0.0, ef_ = 0.0, ff_ = 0.0;
  bool plain_ = false;
};

}  // namespace clearance::detail
