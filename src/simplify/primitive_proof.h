// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The two divisions of a proof of cover (cover_proof.h) for spheres, capsules and boxes together.
//
// Surface. A piece of a triangle is done when its corners are in one primitive, since all are
// convex; where only spheres are near, it is cut exactly, as among spheres alone.
//
// Space. The signed distances of the primitives are convex. Where their least is largest among the
// uncovered points of the inside, four of them are equal: from a point with three at most there is
// a direction in which none of them falls, and along it the least does not fall until a fourth is
// as near or the surface is met, which is covered. So cells matter only where four primitives may
// be the nearest, as among spheres with their powers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/simplify/kept_volume.h>
#include <clearance/simplify/primitives.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/convex_shape.h"
#include "simplify/cover_proof.h"

namespace clearance::detail {

/// Primitives made ready for proofs; those that are none are left out. Spheres come first, with the
/// numbers they have in balls().
class PrimitiveField {
 public:
  PrimitiveField(const PrimitiveSet& primitives, double reach);

  [[nodiscard]] std::span<const ConvexShape> shapes() const { return shapes_; }
  [[nodiscard]] const BallSet& balls() const { return balls_; }
  /// The least signed distance; infinity without primitives [m].
  [[nodiscard]] double signed_distance(const Vec3& p) const;

 private:
  BallSet balls_;
  std::vector<ConvexShape> shapes_;
};

struct PrimitiveOutcome {
  PieceOutcome surface;
  PieceOutcome space;  // empty and complete for a body without an inside
};
/// `kept` null: the body itself. Arguments as those of SpaceProof and PieceWork.
[[nodiscard]] PrimitiveOutcome prove_primitives(const BodyProbe& body, const KeptVolume* kept,
                                                const PrimitiveField& primitives, double smallest,
                                                bool for_certain, const PieceLimits& limits);

}  // namespace clearance::detail
