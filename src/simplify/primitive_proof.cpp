// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/primitive_proof.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clearance::detail {
namespace {

constexpr double kSqrt3 = 1.7320508075688773;

bool is_valid(const Sphere& s) {
  return is_finite(s.center) && s.radius >= 0.0 && std::isfinite(s.radius);
}
bool is_valid(const Capsule& c) {
  return is_finite(c.axis.a) && is_finite(c.axis.b) && c.radius >= 0.0 && std::isfinite(c.radius);
}
bool is_valid(const OrientedBox& b) {
  const Vec3& h = b.half_size;
  return is_finite(h) && h.x >= 0.0 && h.y >= 0.0 && h.z >= 0.0 &&
         checked_pose(b.world_from_box).ok();
}

std::vector<Sphere> valid_spheres(const PrimitiveSet& primitives) {
  std::vector<Sphere> spheres;
  for (const Sphere& s : primitives.spheres)
    if (is_valid(s)) spheres.push_back(s);
  return spheres;
}

class PrimitiveSurfaceProof {
 public:
  using Piece = SurfaceProof::Piece;
  PrimitiveSurfaceProof(const PrimitiveField& field, double smallest)
      : field_(&field), among_balls_(field.balls(), smallest), smallest_(smallest) {}

  Looked look(const Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
              Vec3& point) const {
    const Vec3 middle = (piece.corner[0] + piece.corner[1] + piece.corner[2]) / 3.0;
    double reach = 0.0;
    for (const Vec3& corner : piece.corner) reach = std::max(reach, distance(middle, corner));
    bool is_free = true;
    for (const std::uint32_t i : from) {
      const ConvexShape& shape = field_->shapes()[i];
      const double d = shape.signed_distance(middle);
      if (d > reach * (1.0 + 1e-15) + shape.slack) continue;
      if (d <= 0.0 && std::all_of(piece.corner.begin(), piece.corner.end(),
                                  [&](const Vec3& corner) { return shape.holds(corner); })) {
        return Looked::Done;
      }
      is_free = is_free && d > shape.slack;
      chosen.push_back(i);
    }
    point = middle;
    if (is_free) return Looked::Uncovered;
    if (chosen.back() < field_->balls().size()) {
      const Candidates balls = std::move(chosen);
      chosen.clear();
      return among_balls_.look(piece, balls, chosen, point);
    }
    return reach > smallest_ ? Looked::Divide : Looked::TooSmall;
  }
  void divide(const Piece& piece, std::vector<Piece>& parts) const {
    among_balls_.divide(piece, parts);
  }

 private:
  const PrimitiveField* field_;
  SurfaceProof among_balls_;
  double smallest_;
};

class PrimitiveSpaceProof {
 public:
  using Piece = CellPiece;
  PrimitiveSpaceProof(const PrimitiveField& field, const BodyProbe& body, const KeptVolume* kept,
                      double smallest, bool for_certain)
      : field_(&field),
        cells_(field.balls(), body, kept, smallest, for_certain),
        kept_(kept),
        smallest_(smallest) {}

  Looked look(Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
              Vec3& point) const {
    if (cells_.is_beyond(piece) || SpaceProof::is_free(piece)) return Looked::Done;
    const double h = kSqrt3 * piece.half * (1.0 + 1e-15);
    const std::array<Vec3, 8> corners = corners_of(piece);
    bool is_uncovered = true;
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::uint32_t i : from) {
      const ConvexShape& shape = field_->shapes()[i];
      const double d = shape.signed_distance(piece.center);
      if (d <= 0.0 && std::all_of(corners.begin(), corners.end(),
                                  [&](const Vec3& corner) { return shape.holds(corner); })) {
        return Looked::Done;
      }
      is_uncovered = is_uncovered && d > shape.slack;
      nearest = std::min(nearest, d + h + shape.slack);
    }
    for (const std::uint32_t i : from) {
      const ConvexShape& shape = field_->shapes()[i];
      if (shape.signed_distance(piece.center) - h - shape.slack <= nearest) chosen.push_back(i);
    }
    const bool few = chosen.size() < 4;
    if (few && (kept_ == nullptr || piece.where == Piece::Where::Inside)) return Looked::Done;

    const bool is_small = piece.half < smallest_;
    point = piece.center;
    if (kept_ != nullptr) {
      const Looked looked = look_outside(piece, corners, chosen, is_uncovered, few);
      if (looked != Looked::Divide) return looked;
    } else {
      if (cells_.is_outside_body(piece)) return Looked::Done;
      if (is_uncovered && cells_.is_of_body(piece.center, is_small)) return Looked::Uncovered;
    }
    return is_small ? Looked::TooSmall : Looked::Divide;
  }
  void divide(const Piece& piece, std::vector<Piece>& parts) const { divide_cell(piece, parts); }

 private:
  static std::array<Vec3, 8> corners_of(const Piece& piece) {
    std::array<Vec3, 8> corners;
    for (unsigned k = 0; k < 8; ++k) {
      corners[k] = piece.center + Vec3{(k & 1U) != 0 ? piece.half : -piece.half,
                                       (k & 2U) != 0 ? piece.half : -piece.half,
                                       (k & 4U) != 0 ? piece.half : -piece.half};
    }
    return corners;
  }

  // The rest of look() for a kept volume that is more than its body. Primitives stand for the balls
  // in them that are nearest to the cell; one that is free of the kept volume may help.
  [[nodiscard]] Looked look_outside(Piece& piece, const std::array<Vec3, 8>& corners,
                                    const Candidates& chosen, bool is_uncovered, bool few) const {
    if (few) {
      (void)cells_.is_outside_body(piece);
      if (piece.where == Piece::Where::Inside) return Looked::Done;
    }
    std::vector<Ball> balls;
    for (const std::uint32_t i : chosen)
      balls.push_back(ball_of(field_->shapes()[i].inner_ball(piece.center), norm(piece.center)));
    if (is_in_few(piece, balls)) return Looked::Done;
    if (piece.where == Piece::Where::Inside) return Looked::Divide;

    Vec3 needed = piece.center;
    if (!is_uncovered) {
      double worst = -std::numeric_limits<double>::infinity();
      for (const Vec3& corner : corners) {
        double least = std::numeric_limits<double>::infinity();
        for (const std::uint32_t i : chosen)
          least = std::min(least, field_->shapes()[i].signed_distance(corner));
        if (least > worst) {
          worst = least;
          needed = corner;
        }
      }
    }
    const Sphere found = kept_->free_ball(needed);
    if (found.radius > 0.0) {
      std::rotate(piece.free.begin(), piece.free.end() - 1, piece.free.end());
      piece.free.front() = found;
      if (SpaceProof::is_free(piece)) return Looked::Done;
      balls.push_back(ball_of(found, norm(piece.center)));
      return is_in_few(piece, balls) ? Looked::Done : Looked::Divide;
    }
    if (!is_uncovered || !cells_.is_of_body(piece.center, piece.half < smallest_))
      return Looked::Divide;
    return Looked::Uncovered;
  }

  static bool is_in_few(const Piece& piece, const std::vector<Ball>& balls) {
    if (balls.size() < 2 || balls.size() > kMostTried) return false;
    std::array<const Ball*, kMostTried> few{};
    for (std::size_t i = 0; i < balls.size(); ++i) few[i] = &balls[i];
    return is_in_union(piece, std::span(few).first(balls.size()));
  }

  const PrimitiveField* field_;
  SpaceProof cells_;
  const KeptVolume* kept_;
  double smallest_;
};

}  // namespace

PrimitiveField::PrimitiveField(const PrimitiveSet& primitives, double reach)
    : balls_(valid_spheres(primitives), reach) {
  for (const Ball& ball : balls_.balls())
    shapes_.push_back(convex_shape(Sphere{ball.center, ball.radius}, reach));
  for (const Capsule& capsule : primitives.capsules)
    if (is_valid(capsule)) shapes_.push_back(convex_shape(capsule, reach));
  for (const OrientedBox& box : primitives.boxes)
    if (is_valid(box)) shapes_.push_back(convex_shape(box, reach));
}

double PrimitiveField::signed_distance(const Vec3& p) const {
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexShape& shape : shapes_) least = std::min(least, shape.signed_distance(p));
  return least;
}

PrimitiveOutcome prove_primitives(const BodyProbe& body, const KeptVolume* kept,
                                  const PrimitiveField& primitives, double smallest,
                                  bool for_certain, const PieceLimits& limits) {
  const Bvh& bvh = body.body().bvh();
  Candidates all(primitives.shapes().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  PrimitiveOutcome outcome;
  const PrimitiveSurfaceProof surface(primitives, smallest);
  outcome.surface = PieceWork(surface, limits).run(bvh.triangle_count(), [&](std::size_t t) {
    const Triangle triangle = bvh.triangle(t);
    return PieceWork<PrimitiveSurfaceProof>::Root{
        {{triangle.a, triangle.b, triangle.c}, {true, true, true}}, all};
  });
  outcome.space.complete = true;
  if (outcome.surface.found || (!body.body().is_solid() && kept == nullptr)) return outcome;
  const PrimitiveSpaceProof space(primitives, body, kept, smallest, for_certain);
  outcome.space = PieceWork(space, limits).run(1, [&](std::size_t) {
    return PieceWork<PrimitiveSpaceProof>::Root{cell_around(bvh.bounds()), all};
  });
  return outcome;
}

}  // namespace clearance::detail
