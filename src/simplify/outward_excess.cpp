// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far spheres stick out of a body, by cells of an octree in each ball, the most promising
// first.
//
// Upper bounds. Let q be a point of the body: a point x is at most |x - q| from it. Over the part
// of a ball that is in a cell, |x - q| is largest on the surface of the ball, in the direction that
// deviates least from that of q through the centre. The bound is off by the square of the size of
// the cell, where the cell's own size would be off by that size.
//
// In a bore that balls fill, the farthest points are in the middle, whatever the balls are. There a
// second point q' of the body on the far side is what bounds: of |x - q|² and |x - q'|² the less is
// no more than any mean of both, which is the squared distance from a point m between q and q' and
// |m - q| |m - q'|. Off by the square again; with q alone a whole axis would be cut into cells as
// small as the tolerance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include <clearance/simplify/cover.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_proof.h"

namespace clearance {
namespace {

using detail::Ball;
using detail::BallSet;
using detail::BodyProbe;
using detail::CellPiece;
using detail::SurfacePoint;

constexpr double kSqrt3 = 1.7320508075688773;

/// The largest distance from q of a point of the ball within h of y.
double farthest_within(const Vec3& q, const Ball& ball, const Vec3& y, double h) {
  const Vec3 away = ball.center - q;
  const Vec3 to_cell = y - ball.center;
  const double a = norm(away);
  const double far = norm(to_cell);
  const double by_cell = distance(y, q) + h;
  if (a == 0.0 || far <= h) return std::min(by_cell, a + ball.radius);
  // The least angle between the ways q -> centre and centre -> cell.
  const double cos_a = dot(away, to_cell) / (a * far);
  const double sin_a = norm(cross(away, to_cell)) / (a * far);
  const double sin_b = h / far;
  const double cos_b = std::sqrt((1.0 - sin_b) * (1.0 + sin_b));
  double sin_angle = sin_a * cos_b - cos_a * sin_b;
  double cos_angle = cos_a * cos_b + sin_a * sin_b;
  if (sin_angle < 0.0) {
    sin_angle = 0.0;
    cos_angle = 1.0;
  }
  // |x - q|² is convex in the distance from the centre: largest at one of its ends.
  const double at_surface = std::hypot(a * cos_angle + ball.radius, a * sin_angle);
  return std::min(by_cell, std::max(a, at_surface));
}

/// The largest distance that a point within h of y can have from both p and q.
double farthest_from_both(const Vec3& p, const Vec3& q, const Vec3& y, double h) {
  const Vec3 way = q - p;
  const double length_sq = squared_norm(way);
  if (length_sq == 0.0) return std::numeric_limits<double>::infinity();
  const double t = std::clamp(dot(y - p, way) / length_sq, 0.0, 1.0);
  return std::hypot(distance(y, p + t * way) + h, std::sqrt(t * (1.0 - t) * length_sq));
}

class ExcessSearch {
 public:
  ExcessSearch(const Model& body, const BallSet& balls) : probe_(body), balls_(balls) {}

  Enclosure run(double tolerance, const CoverOptions& options) {
    for (std::uint32_t i = 0; i < balls_.size(); ++i) add_ball(i);
    std::size_t pieces = balls_.size();
    while (!queue_.empty() && queue_.top().upper > lower_ + tolerance) {
      if (pieces >= options.most_pieces) break;
      if (pieces % 1024 < 8 && is_cancelled(options.monitor)) break;
      const Entry entry = queue_.top();
      queue_.pop();
      parts_.clear();
      divide_cell(entry.cell.piece, parts_);
      for (const CellPiece& part : parts_) add({part, entry.cell.ball}, entry.upper);
      pieces += parts_.size();
    }
    double upper = std::max(lower_, within_);
    if (!queue_.empty()) upper = std::max(upper, queue_.top().upper);
    return {lower_, upper};
  }

 private:
  struct Cell {
    CellPiece piece;
    std::uint32_t ball;
  };
  struct Entry {
    double upper;
    std::size_t order;  // for the same outcome every time
    Cell cell;
    bool operator<(const Entry& b) const {
      return upper != b.upper ? upper < b.upper : order > b.order;
    }
  };

  // The whole ball. From a centre at depth d below the surface it sticks out by radius - d at most,
  // and by that straight through the nearest point of the surface, if all is free there; from one
  // outside by radius + d, straight away from it.
  void add_ball(std::uint32_t i) {
    const Ball& ball = balls_[i];
    const SurfacePoint surface = probe_.surface(ball.center);
    const double slack = probe_.slack(ball.center) + detail::kProbeRounding * ball.radius;
    const bool is_inside = surface.distance > slack && probe_.side(ball.center) == Side::Inside;
    const double depth = is_inside ? surface.distance : -surface.distance;
    const double upper = ball.radius - depth + slack;
    if (upper <= slack + slack) {
      within_ = std::max(within_, std::max(upper, 0.0));
      return;
    }
    try_point(ball.center);
    if (surface.distance > slack) {
      const double way = (is_inside ? ball.inner : -ball.inner) / surface.distance;
      try_point(ball.center + way * (surface.nearest - ball.center));
    }
    add({{ball.center, ball.radius}, i}, upper);
  }

  // Cells that are in a ball before this one are looked at there.
  bool is_in_earlier_ball(const Cell& cell) {
    const Vec3 half{cell.piece.half, cell.piece.half, cell.piece.half};
    near_.clear();
    balls_.near(cell.piece.center, 0.0, near_);
    return std::any_of(near_.begin(), near_.end(), [&](std::uint32_t i) {
      return i < cell.ball &&
             norm(abs(cell.piece.center - balls_[i].center) + half) <= balls_[i].inner;
    });
  }

  // A point of a ball that is outside of the body raises the lower bound.
  void try_point(const Vec3& p) {
    const double d = probe_.surface(p).distance - probe_.slack(p);
    if (d > lower_ && probe_.side(p) == Side::Outside) lower_ = d;
  }

  void add(Cell cell, double upper) {
    const Ball& ball = balls_[cell.ball];
    const Vec3& y = cell.piece.center;
    const Vec3 half{cell.piece.half, cell.piece.half, cell.piece.half};
    if (norm(max(abs(y - ball.center) - half, Vec3{})) > ball.outer) return;
    if (is_in_earlier_ball(cell)) return;
    const double h = kSqrt3 * cell.piece.half * (1.0 + 1e-15);
    const double slack =
        probe_.slack(y) + detail::kProbeRounding * (norm(ball.center) + ball.radius);
    const SurfacePoint surface = probe_.surface(y);
    upper = std::min(upper, farthest_within(surface.nearest, ball, y, h) + slack);
    if (upper <= lower_) return;
    // Inside the body there is no distance from it; a cell about a point inside sticks out by its
    // size at most.
    const bool is_inside =
        cell.piece.where == CellPiece::Where::Inside ||
        (probe_.body().is_solid() && surface.distance > slack && probe_.side(y) == Side::Inside);
    if (is_inside) {
      if (surface.distance > h + slack) return;
      upper = std::min(upper, h - surface.distance + slack);
      if (upper <= lower_) return;
    } else if (surface.distance > h) {
      // What is nearest to the far side of the cell.
      const Vec3 beyond = y + (h / surface.distance) * (y - surface.nearest);
      const SurfacePoint other = probe_.surface(beyond, surface.distance + h);
      upper = std::min(upper, farthest_from_both(surface.nearest, other.nearest, y, h) + slack);
      if (upper <= lower_) return;
    }
    // The point of the ball's surface in the direction of the cell, and its middle.
    const double far = distance(y, ball.center);
    if (far > 0.0) try_point(ball.center + (ball.inner / far) * (y - ball.center));
    if (far <= ball.inner && !is_inside) try_point(y);
    queue_.push({upper, order_++, cell});
  }

  BodyProbe probe_;
  const BallSet& balls_;
  std::priority_queue<Entry> queue_;
  std::vector<CellPiece> parts_;
  detail::Candidates near_;
  double lower_ = 0.0;
  double within_ = 0.0;  // upper bound of balls that are inside but for rounding
  std::size_t order_ = 0;
};

}  // namespace

Enclosure outward_excess(const Model& body, std::span<const Sphere> spheres, double tolerance,
                         const CoverOptions& options) {
  const Box& box = body.bvh().bounds();
  const BallSet balls(spheres, norm(max(abs(box.low), abs(box.high))));
  return ExcessSearch(body, balls).run(tolerance, options);
}

}  // namespace clearance
