// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far points are from a body, with what rounding may have done: the one measurement that kept
// volumes, proofs of cover and excesses are made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {

/// Bound of everything that rounding does to a distance from the body and to the few sums it
/// enters, as a fraction of the coordinates. A distance is off by kShapeContactError (2e-14) of
/// triangle and gap, that is of at most five times the coordinates; sums and roots of ten
/// operations add 1e-15. Doubled.
inline constexpr double kProbeRounding = 2e-13;

/// The surface as seen from a point.
struct SurfacePoint {
  double distance = 0.0;  // [m], to within BodyProbe::slack
  Vec3 nearest;           // on the surface
  std::uint32_t triangle = kNoTriangle;
};

class BodyProbe {
 public:
  explicit BodyProbe(const Model& body)
      : body_(&body),
        reach_(norm(max(abs(body.bvh().bounds().low), abs(body.bvh().bounds().high)))) {}

  [[nodiscard]] const Model& body() const { return *body_; }
  /// What distances from p, and sums with them, may be off by [m].
  [[nodiscard]] double slack(const Vec3& p) const { return kProbeRounding * (reach_ + norm(p)); }

  /// `within`: a bound of the distance that is known already.
  [[nodiscard]] SurfacePoint surface(
      const Vec3& p, double within = std::numeric_limits<double>::infinity()) const {
    const ShapeDistance found =
        distance(body_->bvh(), p, Pose::identity(), within + 4.0 * slack(p));
    return {found.distance, found.on_mesh, found.triangle};
  }

  /// Side of the solid. Outside for all points clear of a surface that bounds none.
  [[nodiscard]] Side side(const Vec3& p) const {
    return body_->is_solid() ? body_->side(p) : Side::Outside;
  }

 private:
  const Model* body_;
  double reach_;  // largest distance of a point of the body from the origin
};

}  // namespace clearance::detail
