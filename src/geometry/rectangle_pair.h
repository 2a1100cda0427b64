// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two rectangles in coordinates relative to the corner of the first: the work behind both their
// closest points and the proof that they are far apart.
#pragma once

#include "geometry/flat_face.h"
#include "geometry/separation.h"

namespace clearance::detail {

class RectanglePair {
 public:
  RectanglePair(const Rectangle& a, const Rectangle& b);

  /// A pair of points near each other, after a few steps of going to and fro. Cheap; often the
  /// closest pair already, always a true pair of points.
  [[nodiscard]] Candidate guess() const;
  /// The closest pair, starting from a guess.
  [[nodiscard]] Candidate closest(const Candidate& start) const;
  /// True only when the rectangles are certainly more than `distance` apart.
  [[nodiscard]] bool proves_farther(const Vec3& v, double distance) const {
    return span_.proves_farther(v, distance);
  }
  /// The same, with more directions tried that follow from v. Slower.
  [[nodiscard]] bool proves_farther_by_edges(const Vec3& v, double distance) const {
    return prove_farther(span_, v, distance, span_.a, span_.b);
  }

 private:
  [[nodiscard]] bool is_closest(const Candidate& c) const {
    return certifies(span_.gap(c.gap), c.gap, tolerance_);
  }
  [[nodiscard]] Vec3 nearest_on_a(const Vec3& p) const;
  [[nodiscard]] Vec3 nearest_on_b(const Vec3& p) const;

  const Rectangle& a_;
  const Rectangle& b_;
  SpannedPair<2> span_;
  double tolerance_;
};

}  // namespace clearance::detail
