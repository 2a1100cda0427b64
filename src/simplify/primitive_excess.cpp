// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far spheres, capsules and boxes stick out of a body.
//
// Capsules. Balls of the capsule's radius about points of its axis are in it; the same a little
// larger, as the way between them asks for, hold it. Both are known from outward_excess() of balls.
//
// Boxes. The distance from one triangle is convex, so a piece of a box is nowhere farther from the
// body than its farthest corner is from any triangle of it. Pieces are cut in two along their
// longest sides, the most promising first.
#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <vector>

#include <clearance/geometry/closest_points.h>
#include <clearance/simplify/primitives.h>

#include "simplify/body_probe.h"
#include "simplify/primitive_proof.h"

namespace clearance {
namespace {

using detail::BodyProbe;
using detail::ConvexShape;
using detail::SurfacePoint;

/// Balls that stand for one capsule at most; they become larger where that is not enough.
constexpr double kMostBalls = 2'000;

struct BallsOfCapsules {
  std::vector<Sphere> in;      // in the capsules
  std::vector<Sphere> around;  // hold them
};

/// Balls around that are at most `more` larger than the capsule, if kMostBalls allow.
BallsOfCapsules balls_of(std::span<const Capsule> capsules, double more) {
  BallsOfCapsules out;
  for (const Capsule& capsule : capsules) {
    if (!is_finite(capsule.axis.a) || !is_finite(capsule.axis.b) || !(capsule.radius >= 0.0) ||
        !std::isfinite(capsule.radius))
      continue;
    const double r = capsule.radius;
    const double length = distance(capsule.axis.a, capsule.axis.b);
    const double spacing = 2.0 * std::sqrt(more * (2.0 * r + more));
    const double pieces = std::clamp(std::ceil(length / spacing), 1.0, kMostBalls);
    const double half = 0.5 * length / pieces;
    const double slack =
        4.0 * detail::kProbeRounding * (norm(capsule.axis.a) + norm(capsule.axis.b) + r + length);
    for (int i = 0; i <= static_cast<int>(pieces); ++i) {
      const Vec3 c = capsule.axis.a + (i / pieces) * (capsule.axis.b - capsule.axis.a);
      if (r > slack) out.in.push_back({c, r - slack});
      out.around.push_back({c, std::hypot(r, half) + slack});
    }
  }
  return out;
}

class BoxExcess {
 public:
  BoxExcess(const Model& body, std::span<const ConvexShape> boxes) : probe_(body), boxes_(boxes) {}

  Enclosure run(double tolerance, const CoverOptions& options) {
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      add({i, {}, boxes_[i].half}, std::numeric_limits<double>::infinity());
    std::size_t pieces = boxes_.size();
    while (!queue_.empty() && queue_.top().upper > lower_ + tolerance) {
      if (pieces >= options.most_pieces) break;
      if (pieces % 1024 < 2 && is_cancelled(options.monitor)) break;
      const Entry entry = queue_.top();
      queue_.pop();
      const Vec3& half = entry.part.half;
      const std::size_t axis = half.x >= half.y && half.x >= half.z ? 0 : half.y >= half.z ? 1 : 2;
      for (const double side : {-0.5, 0.5}) {
        Part part = entry.part;
        part.half[axis] *= 0.5;
        part.center[axis] += side * half[axis];
        add(part, entry.upper);
      }
      pieces += 2;
    }
    return {lower_, queue_.empty() ? lower_ : std::max(lower_, queue_.top().upper)};
  }

 private:
  /// A piece of a box, in its frame.
  struct Part {
    std::size_t box = 0;
    Vec3 center;
    Vec3 half;
  };
  struct Entry {
    double upper;
    std::size_t order;  // for the same outcome every time
    Part part;
    bool operator<(const Entry& b) const {
      return upper != b.upper ? upper < b.upper : order > b.order;
    }
  };

  void add(const Part& part, double upper) {
    const ConvexShape& box = boxes_[part.box];
    const auto world = [&](const Vec3& p) { return box.center + box.rotation * p; };
    const Vec3 middle = world(part.center);
    const double h = norm(part.half) * (1.0 + 1e-15);
    const double slack = probe_.slack(middle) + box.slack +
                         4.0 * detail::kProbeRounding * (norm(box.center) + norm(box.half));
    const SurfacePoint surface = probe_.surface(middle);
    if (surface.distance > slack && probe_.side(middle) == Side::Inside) {
      // A point of the piece is nearer to the surface by its way from the middle at most.
      upper = std::min(upper, h - surface.distance + slack);
      if (upper <= lower_) return;
    }
    const Triangle triangle = probe_.body().bvh().triangle(surface.triangle);
    double farthest = 0.0;
    for (unsigned k = 0; k < 8; ++k) {
      const Vec3 corner = world(part.center + Vec3{(k & 1U) != 0 ? part.half.x : -part.half.x,
                                                   (k & 2U) != 0 ? part.half.y : -part.half.y,
                                                   (k & 4U) != 0 ? part.half.z : -part.half.z});
      const double d = std::sqrt(squared_distance(corner, triangle));
      farthest = std::max(farthest, d);
      if (d <= lower_) continue;
      const double there = probe_.surface(corner, d).distance - slack;
      if (there > lower_ && probe_.side(corner) == Side::Outside) lower_ = there;
    }
    upper = std::min(upper, farthest + slack);
    if (upper > lower_) queue_.push({upper, order_++, part});
  }

  BodyProbe probe_;
  std::span<const ConvexShape> boxes_;
  std::priority_queue<Entry> queue_;
  double lower_ = 0.0;
  std::size_t order_ = 0;
};

}  // namespace

Enclosure outward_excess(const Model& body, const PrimitiveSet& primitives, double tolerance,
                         const CoverOptions& options) {
  const Box& bounds = body.bvh().bounds();
  Enclosure out = outward_excess(body, primitives.spheres, tolerance, options);
  if (!primitives.capsules.empty()) {
    const double fine = std::max(0.5 * tolerance, 1e-9 * bounds.diagonal());
    const BallsOfCapsules balls = balls_of(primitives.capsules, fine);
    out.lower = std::max(out.lower, outward_excess(body, balls.in, fine, options).lower);
    out.upper = std::max(out.upper, outward_excess(body, balls.around, fine, options).upper);
  }
  const detail::PrimitiveField boxes({{}, {}, primitives.boxes},
                                     norm(max(abs(bounds.low), abs(bounds.high))));
  if (!boxes.shapes().empty()) {
    const Enclosure of_boxes = BoxExcess(body, boxes.shapes()).run(tolerance, options);
    out.lower = std::max(out.lower, of_boxes.lower);
    out.upper = std::max(out.upper, of_boxes.upper);
  }
  return out;
}

}  // namespace clearance
