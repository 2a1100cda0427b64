// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points of one posed body against the other: what solid queries and penetration share.
#pragma once

#include <clearance/query/solid.h>

namespace clearance::detail {

/// Two models at a pose, and the side of points given in A's frame.
class PosedPair {
 public:
  PosedPair(const Model& a, const Model& b, const Pose& a_from_b);

  /// On which side of A's surface. An open one has no inside.
  [[nodiscard]] Side side_of_a(const Vec3& p_a, Work& work) const;
  [[nodiscard]] Side side_of_b(const Vec3& p_a, Work& work) const;
  /// Whether a piece of one surface is inside the other body, given that the surfaces are free of
  /// each other. A point that cannot be told from the surface counts as inside.
  struct Inclusion {
    Touch touch = Touch::None;
    Vec3 point;  ///< in A's frame
  };
  [[nodiscard]] Inclusion inclusion(Work& work) const;
  /// What coordinates of the pair lose by rounding, with a reserve [m].
  [[nodiscard]] double rounding() const { return rounding_; }

 private:
  const Model& a_;
  const Model& b_;
  Pose a_from_b_;
  Pose b_from_a_;  // the inverse of the matrix as it stands, which need not quite be a rotation
  double rounding_;
};

}  // namespace clearance::detail
