// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A segment and a shape (a triangle, an edge, a point) near the origin, and points of the two.
#pragma once

#include <array>
#include <limits>

#include <clearance/contour/contour.h>
#include <clearance/geometry/vector.h>

#include "contour/hull_distance.h"

namespace clearance::detail {

/// The shape and the segment relative to a point near both: what stands far from the origin loses
/// nothing.
struct SegmentProblem {
  HullPair whole;  ///< the discs are the circles of the segment
  Vec3 origin;
  double tolerance = 0.0;  ///< the bounds may differ by so much [m]
  double touching = 0.0;   ///< points this close are the same [m]

  SegmentProblem(const ContourSegment& segment, const std::array<Vec3, 3>& corner, int corners);

  /// The disc at eta, an ellipse.
  [[nodiscard]] ContourCircle disc_at(double eta) const;
  /// From the middle of the segment to the middle of the shape; never zero.
  [[nodiscard]] Vec3 first_direction() const;
};

/// A point of the segment and the point of the shape that is nearest to it.
struct SegmentCandidate {
  double distance = std::numeric_limits<double>::infinity();
  double eta = 0.0;
  double x = 0.0;
  double y = 0.0;
  std::array<double, 3> weight{};  ///< of the corners of the shape
  Vec3 normal;  ///< of unit length, from the segment to the shape; zero when they touch
};

/// S(eta, (x, y)) and the nearest point of the shape.
[[nodiscard]] SegmentCandidate candidate_at(const SegmentProblem& problem, double eta, double x,
                                            double y);

/// The point of the disc at eta that is nearest to the one the hull's combination is.
[[nodiscard]] SegmentCandidate candidate_of(const SegmentProblem& problem, double eta,
                                            const HullPair& pair, const HullDistance& hull);

/// One disc of the segment, and the shape.
struct SegmentSlice {
  double eta = 0.0;
  double lower = 0.0;  ///< proven: the disc is not closer [m]
  double slope = 0.0;  ///< how fast its distance grows with eta [m]
  Vec3 normal;         ///< along which it is `lower`; zero when they touch
};

/// The disc at eta, solved; `best` becomes the pair of points found when that is closer.
[[nodiscard]] SegmentSlice slice_at(const SegmentProblem& problem, double eta,
                                    const Vec3& direction, SegmentCandidate& best);

/// Goes down from a candidate on the ruled surface by Newton's method, as far as that leads; the
/// candidate itself when it does not.
[[nodiscard]] SegmentCandidate descended(const SegmentProblem& problem,
                                         const SegmentCandidate& from);

}  // namespace clearance::detail
