// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Does a capsule or a box stay within an error of a kept volume? By pieces that each lie in a ball
// proven to stay within it.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <clearance/geometry/closest_points.h>
#include <clearance/simplify/primitives.h>

#include "simplify/body_probe.h"
#include "simplify/convex_shape.h"

namespace clearance {
namespace {

using detail::BodyProbe;
using detail::ConvexShape;

/// Balls of a chain, and pieces of a box, at most.
constexpr int kMostBalls = 1'000;
constexpr int kMostPieces = 6'000;
/// The same where small features are filled, and a proven radius takes a hundred times as long.
constexpr int kMostPiecesFilled = 400;
/// Proven radii may be too small by this part of the error.
constexpr double kTolerance = 0.005;

/// A ball about a point of an axis.
struct Link {
  Vec3 center;
  double radius = 0.0;
};

/// A piece of a box, in its frame.
struct Part {
  Vec3 center;
  Vec3 half;
};

class BoxReach {
 public:
  BoxReach(const KeptVolume& kept, const OrientedBox& box, double error)
      : kept_(kept),
        probe_(kept.body()),
        shape_(detail::convex_shape(box, 0.0)),
        error_(error),
        slack_(probe_.slack(shape_.center) +
               4.0 * detail::kProbeRounding * (norm(shape_.half) + norm(shape_.center)) +
               shape_.slack) {}

  [[nodiscard]] bool run() {
    const Part whole{{}, shape_.half};
    // Corners stick out the most.
    for (const Vec3& corner : corners_of(whole))
      if (kept_.safe_radius(corner, error_, kTolerance * error_) < 0.0) return false;
    const int most = kept_.is_filled() ? kMostPiecesFilled : kMostPieces;
    std::vector<Part> open{whole};
    for (int pieces = 0; !open.empty(); ++pieces) {
      if (pieces >= most) return false;
      const Part part = open.back();
      open.pop_back();
      const std::array<Vec3, 8> corners = corners_of(part);
      if (is_near_triangle(part, corners) || is_in_ball(part, corners)) continue;
      // A piece as small as this part of the error is at the limit, or beyond.
      constexpr double kSmallest = 0.02;
      const double longest = largest_component(part.half);
      if (longest < kSmallest * error_) return false;
      for (const double side : {-0.5, 0.5}) {
        Part half = part;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          // Long sides only: pieces stay nearly cubes.
          if (part.half[axis] != longest) continue;
          half.half[axis] *= 0.5;
          half.center[axis] += side * part.half[axis];
          break;
        }
        open.push_back(half);
      }
    }
    return true;
  }

 private:
  [[nodiscard]] Vec3 world(const Vec3& p) const { return shape_.center + shape_.rotation * p; }

  [[nodiscard]] std::array<Vec3, 8> corners_of(const Part& part) const {
    std::array<Vec3, 8> corners;
    for (unsigned k = 0; k < 8; ++k) {
      corners[k] = world(part.center + Vec3{(k & 1U) != 0 ? part.half.x : -part.half.x,
                                            (k & 2U) != 0 ? part.half.y : -part.half.y,
                                            (k & 4U) != 0 ? part.half.z : -part.half.z});
    }
    return corners;
  }

  // The distance from a triangle is convex: largest at a corner.
  [[nodiscard]] bool is_near_triangle(const Part& part, const std::array<Vec3, 8>& corners) const {
    const detail::SurfacePoint surface = probe_.surface(world(part.center));
    if (surface.triangle == kNoTriangle || surface.distance > error_) return false;
    const Triangle triangle = probe_.body().bvh().triangle(surface.triangle);
    return std::all_of(corners.begin(), corners.end(), [&](const Vec3& corner) {
      return std::sqrt(squared_distance(corner, triangle)) <= error_ - slack_;
    });
  }

  // About the middle of the piece, or about the place of the box's middle that is nearest to it,
  // where balls are larger.
  [[nodiscard]] bool is_in_ball(const Part& part, const std::array<Vec3, 8>& corners) const {
    const Vec3 middle = world(part.center);
    for (const Vec3& c : {shape_.inner_ball(middle).center, middle}) {
      const double radius = kept_.safe_radius(c, error_, kTolerance * error_) - slack_;
      if (std::all_of(corners.begin(), corners.end(),
                      [&](const Vec3& corner) { return distance(corner, c) <= radius; }))
        return true;
    }
    return false;
  }

  const KeptVolume& kept_;
  BodyProbe probe_;
  ConvexShape shape_;
  double error_;
  double slack_;
};

}  // namespace

// Between two balls about points of the axis lies a cylinder of radius r that is in their union
// when the parts of it that are in each of them, sqrt(R² - r²) long from its centre, meet.
bool stays_within(const KeptVolume& kept, const Capsule& capsule, double error) {
  if (!is_finite(capsule.axis.a) || !is_finite(capsule.axis.b) || !(capsule.radius >= 0.0))
    return false;
  const BodyProbe probe(kept.body());
  const double slack = probe.slack(capsule.axis.a) + probe.slack(capsule.axis.b) +
                       4.0 * detail::kProbeRounding * capsule.radius;
  const double r = capsule.radius + slack;
  const auto link_at = [&](const Vec3& c) {
    return Link{c, kept.safe_radius(c, error, kTolerance * error)};
  };
  std::vector<std::array<Link, 2>> open{{link_at(capsule.axis.a), link_at(capsule.axis.b)}};
  for (int balls = 0; !open.empty(); ++balls) {
    if (balls >= kMostBalls) return false;
    const auto [a, b] = open.back();
    open.pop_back();
    if (!(a.radius >= r) || !(b.radius >= r)) return false;
    const double held =
        std::sqrt((a.radius - r) * (a.radius + r)) + std::sqrt((b.radius - r) * (b.radius + r));
    if (held >= distance(a.center, b.center) * (1.0 + 1e-14)) continue;
    const Link middle = link_at(0.5 * (a.center + b.center));
    open.push_back({a, middle});
    open.push_back({middle, b});
  }
  return true;
}

bool stays_within(const KeptVolume& kept, const OrientedBox& box, double error) {
  const Vec3& h = box.half_size;
  if (!checked_pose(box.world_from_box).ok() || !is_finite(h) || !(h.x >= 0.0) || !(h.y >= 0.0) ||
      !(h.z >= 0.0))
    return false;
  return BoxReach(kept, box, error).run();
}

}  // namespace clearance
