// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How much room a tool of spheres has beside a body. The tool is moved, not turned: its place t
// puts its spheres to t + center. A place is free when no sphere has a point of the body inside;
// free places of a single sphere of radius s about the origin are D(s) = {x : dist(x, M) >= s}.
//
// A contact of the sphere (o, r) with the point q of the body forbids all places nearer than r to q
// - o: seen from the places, a tool touches points, each at the distance of the radius of the
// sphere it belongs to. All that is known of D(s) and such points holds for free places of tools.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include <clearance/geometry/shapes.h>

#include "simplify/body_probe.h"

namespace clearance::detail {

/// What is tightest of a tool at a place: free when distance >= radius, but for rounding.
struct ToolContact {
  double distance = 0.0;  // of the place from `nearest` [m], to within ToolProbe::slack
  Vec3 nearest;           // among places: the point of the body that is nearest to the
                          // sphere, less the centre of the sphere
  double radius = 0.0;    // of the sphere [m]
  std::uint32_t triangle = kNoTriangle;
  std::uint32_t sphere = 0;
  /// How far it is from touching; negative when it does, on whichever side of the surface.
  [[nodiscard]] double spare() const { return distance - radius; }
};

class ToolProbe {
 public:
  /// Body and spheres must outlive it. At least one sphere; radii above 0.
  ToolProbe(const BodyProbe& body, std::span<const Sphere> spheres)
      : body_(&body), spheres_(spheres) {
    least_radius_ = std::numeric_limits<double>::infinity();
    for (const Sphere& sphere : spheres) {
      least_radius_ = std::min(least_radius_, sphere.radius);
      largest_radius_ = std::max(largest_radius_, sphere.radius);
      reach_ = std::max(reach_, norm(sphere.center));
    }
  }

  [[nodiscard]] const BodyProbe& body() const { return *body_; }
  [[nodiscard]] std::span<const Sphere> spheres() const { return spheres_; }
  [[nodiscard]] double least_radius() const { return least_radius_; }
  [[nodiscard]] double largest_radius() const { return largest_radius_; }
  /// What distances of the spheres at t, and sums with them, may be off by [m].
  [[nodiscard]] double slack(const Vec3& t) const {
    return body_->slack(t) + 2.0 * kProbeRounding * reach_;
  }

  /// `within`: spare() is known to be no more than this.
  [[nodiscard]] ToolContact contact(const Vec3& t,
                                    double within = std::numeric_limits<double>::infinity()) const {
    ToolContact tightest;
    double least = within;
    for (std::uint32_t k = 0; k < spheres_.size(); ++k) {
      const Sphere& sphere = spheres_[k];
      const SurfacePoint surface = body_->surface(t + sphere.center, least + sphere.radius);
      const double spare = surface.distance - sphere.radius;
      if (tightest.triangle != kNoTriangle && !(spare < tightest.spare())) continue;
      if (surface.triangle == kNoTriangle) continue;
      tightest = {surface.distance, surface.nearest - sphere.center, sphere.radius,
                  surface.triangle, k};
      least = std::min(least, spare + 4.0 * slack(t));
    }
    return tightest;
  }

  /// Outside when the middle of every sphere is; inside when that of one is.
  [[nodiscard]] Side side(const Vec3& t) const {
    Side all = Side::Outside;
    for (const Sphere& sphere : spheres_) {
      const Side side = body_->side(t + sphere.center);
      if (side == Side::Inside) return side;
      if (side != Side::Outside) all = side;
    }
    return all;
  }

 private:
  const BodyProbe* body_;
  std::span<const Sphere> spheres_;
  double least_radius_ = 0.0;
  double largest_radius_ = 0.0;
  double reach_ = 0.0;  // of the middles, from the place of the tool
};

}  // namespace clearance::detail
