// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_deepest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <variant>
#include <vector>

#include "simplify/cover_proof.h"

namespace clearance::detail {
namespace {

constexpr double kSqrt3 = 1.7320508075688773;
/// Gap of the bounds, as a fraction of the depth, that is small enough.
constexpr double kRelativeGap = 0.01;

class DeepestSearch {
 public:
  DeepestSearch(const BodyProbe& body, const KeptVolume* kept, const BallSet& balls)
      : body_(body), kept_(kept), balls_(balls), surface_(balls, 0.0) {}

  DeepestGap run(const Vec3& start, double tolerance, const PieceLimits& limits) {
    found_.point = start;
    found_.depth = std::max(0.0, balls_.nearest(start).distance);
    const Bvh& bvh = body_.body().bvh();
    const auto reach = [&] {
      return found_.depth + std::max(tolerance, kRelativeGap * found_.depth);
    };
    for (std::size_t t = 0; t < bvh.triangle_count(); ++t) {
      const Triangle triangle = bvh.triangle(t);
      add(SurfaceProof::Piece{{triangle.a, triangle.b, triangle.c}, {}}, reach());
    }
    if (body_.body().is_solid() || kept_ != nullptr) {
      const Box& box = bvh.bounds();
      add(CellPiece{box.center(), 0.5 * largest_component(box.size())}, reach());
    }
    while (!queue_.empty() && queue_.top().upper > reach()) {
      if (found_.pieces >= limits.most_pieces) break;
      if (found_.pieces % 1024 < 8 && is_cancelled(limits.monitor)) break;
      const Piece piece = queue_.top().piece;
      queue_.pop();
      if (const auto* triangle = std::get_if<SurfaceProof::Piece>(&piece)) {
        std::vector<SurfaceProof::Piece> parts;
        surface_.divide(*triangle, parts);
        for (const auto& part : parts) add(part, reach());
      } else {
        std::vector<CellPiece> parts;
        divide_cell(std::get<CellPiece>(piece), parts);
        for (const CellPiece& part : parts) add(part, reach());
      }
    }
    // Pieces that were left aside are within reach of what was found then, or less.
    found_.upper = std::max(aside_, found_.depth);
    if (!queue_.empty()) found_.upper = std::max(found_.upper, queue_.top().upper);
    return found_;
  }

 private:
  using Piece = std::variant<SurfaceProof::Piece, CellPiece>;
  struct Entry {
    double upper;
    std::size_t order;  // for the same outcome every time
    Piece piece;
    bool operator<(const Entry& b) const {
      return upper != b.upper ? upper < b.upper : order > b.order;
    }
  };

  void try_point(const Vec3& p, double depth) {
    if (depth <= found_.depth) return;
    found_.depth = depth;
    found_.point = p;
  }

  void push(double upper, double reach, const Piece& piece) {
    if (upper <= reach) {
      aside_ = std::max(aside_, upper);
    } else {
      queue_.push({upper, found_.pieces, piece});
    }
  }

  void add(const SurfaceProof::Piece& piece, double reach) {
    ++found_.pieces;
    const Vec3 middle = (piece.corner[0] + piece.corner[1] + piece.corner[2]) / 3.0;
    const BallSet::Nearest nearest = balls_.nearest(middle);
    const Ball& ball = balls_[nearest.ball];
    double upper = -std::numeric_limits<double>::infinity();
    for (const Vec3& corner : piece.corner) {
      upper = std::max(upper, distance(corner, ball.center) - ball.inner);
      // Only where it may matter: the nearest ball of a corner may be another.
      if (distance(corner, ball.center) - ball.radius > found_.depth)
        try_point(corner, balls_.nearest(corner).distance);
    }
    try_point(middle, nearest.distance);
    push(upper, reach, piece);
  }

  void add(const CellPiece& cell, double reach) {
    ++found_.pieces;
    const BallSet::Nearest nearest = balls_.nearest(cell.center);
    const Ball& ball = balls_[nearest.ball];
    const Vec3 half{cell.half, cell.half, cell.half};
    const double upper = norm(abs(cell.center - ball.center) + half) - ball.inner;
    if (upper <= reach) {
      aside_ = std::max(aside_, upper);
      return;
    }
    const double h = kSqrt3 * cell.half * (1.0 + 1e-15);
    if (kept_ != nullptr) {
      if (kept_->is_outside(cell.center, h)) return;
      if (nearest.distance > found_.depth && kept_->safe_radius(cell.center, 0.0, cell.half) >= 0.0)
        try_point(cell.center, nearest.distance);
    } else {
      const double d = body_.surface(cell.center).distance;
      const Side side = body_.side(cell.center);
      if (side == Side::Outside && d > h + body_.slack(cell.center)) return;
      if (side == Side::Inside) try_point(cell.center, nearest.distance);
    }
    push(upper, reach, cell);
  }

  const BodyProbe& body_;
  const KeptVolume* kept_;
  const BallSet& balls_;
  SurfaceProof surface_;
  std::priority_queue<Entry> queue_;
  double aside_ = 0.0;
  DeepestGap found_;
};

}  // namespace

DeepestGap deepest_gap(const BodyProbe& body, const KeptVolume* kept, const BallSet& balls,
                       const Vec3& start, double tolerance, const PieceLimits& limits) {
  return DeepestSearch(body, kept, balls).run(start, tolerance, limits);
}

}  // namespace clearance::detail
