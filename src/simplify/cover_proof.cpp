// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/predicates.h>

namespace clearance::detail {
namespace {

constexpr double kSqrt3 = 1.7320508075688773;
/// Triangles with more balls than this are halved before they are cut.
constexpr std::size_t kMostCut = 16;
/// Determinant of three unit normals below which the point on their planes is not computed.
constexpr double kLeastVolume = 1e-4;
/// Rounding of a difference of powers, as a fraction of the squares of the distances and radii that
/// make it: some ten operations of 1.1e-16, doubled.
constexpr double kPowerRounding = 3e-15;

bool holds(const Ball& ball, const Vec3& p, bool exactly) {
  const double d = distance(p, ball.center);
  if (d <= ball.inner) return true;
  return exactly && d <= ball.outer && side_of_ball(p, {ball.center, ball.radius}) <= 0;
}

double squared(double x) { return x * x; }

double power(const Vec3& p, const Ball& ball) {
  return squared_norm(p - ball.center) - ball.radius * ball.radius;
}

/// How much larger the power of a is than that of b, around a point: linear in the offset.
struct PowerDifference {
  double at_middle;
  Vec3 slope;
  double rounding;  // for offsets within `reach`

  PowerDifference(const Ball& a, const Ball& b, const Vec3& middle, double reach) {
    const Vec3 to_a = middle - a.center;
    const Vec3 to_b = middle - b.center;
    at_middle =
        (squared_norm(to_a) - squared_norm(to_b)) - (a.radius - b.radius) * (a.radius + b.radius);
    slope = 2.0 * (b.center - a.center);
    rounding = kPowerRounding * (squared_norm(to_a) + squared_norm(to_b) + a.radius * a.radius +
                                 b.radius * b.radius + norm(slope) * (reach + norm(middle)));
  }
  [[nodiscard]] double at(const Vec3& offset) const { return at_middle + dot(slope, offset); }
};

/// A corner of a polygon, as an offset from the middle of the piece, and whether it is a vertex of
/// the mesh that is not rounded.
struct Corner {
  Vec3 offset;
  int vertex = -1;
};

/// Leaves of a polygon what has a difference of at most its rounding.
void clip(std::vector<Corner>& polygon, const PowerDifference& difference,
          std::vector<Corner>& scratch) {
  scratch.clear();
  const std::size_t n = polygon.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& from = polygon[i];
    const Corner& to = polygon[(i + 1) % n];
    const double f = difference.at(from.offset) - difference.rounding;
    const double g = difference.at(to.offset) - difference.rounding;
    if (f <= 0.0) scratch.push_back(from);
    if ((f <= 0.0) != (g <= 0.0)) {
      const double t = std::clamp(f / (f - g), 0.0, 1.0);
      scratch.push_back({from.offset + t * (to.offset - from.offset), -1});
    }
  }
  std::swap(polygon, scratch);
}

/// A convex polygon to be cut: its corners, which of them are exact, its middle and size.
struct Polygon {
  std::span<const Vec3> corners;
  std::span<const bool> exact;  // empty: none
  Vec3 middle;
  double reach;
};

/// Calls open(p) for the corners of the parts that are not known to be in a ball, until it says
/// that this is enough.
template <class Open>
void each_open_corner(const Polygon& polygon, std::span<const Ball* const> balls,
                      const Open& open) {
  std::vector<Corner> part;
  std::vector<Corner> scratch;
  for (const Ball* ball : balls) {
    part.clear();
    for (std::size_t k = 0; k < polygon.corners.size(); ++k)
      part.push_back({polygon.corners[k] - polygon.middle, static_cast<int>(k)});
    for (const Ball* other : balls) {
      if (other == ball) continue;
      clip(part, PowerDifference(*ball, *other, polygon.middle, polygon.reach), scratch);
      if (part.empty()) break;
    }
    for (const Corner& corner : part) {
      const bool given = corner.vertex >= 0;
      const auto k = static_cast<std::size_t>(std::max(corner.vertex, 0));
      const Vec3 p = given ? polygon.corners[k] : polygon.middle + corner.offset;
      if (holds(*ball, p, given && !polygon.exact.empty() && polygon.exact[k])) continue;
      if (open(p)) return;
    }
  }
}

bool is_in_none(const Vec3& p, std::span<const Ball* const> balls) {
  return std::all_of(balls.begin(), balls.end(),
                     [&](const Ball* b) { return distance(p, b->center) > b->outer; });
}

/// Is the polygon in the union of the balls? Done, Uncovered with a point, or TooSmall where
/// rounding leaves it open.
Looked cut(const Polygon& polygon, std::span<const Ball* const> balls, Vec3& point) {
  Looked looked = Looked::Done;
  each_open_corner(polygon, balls, [&](const Vec3& p) {
    // In no ball, or too near to the surface of one to say.
    point = p;
    looked = is_in_none(p, balls) ? Looked::Uncovered : Looked::TooSmall;
    return true;
  });
  return looked;
}

/// Is the place in a cube where four balls have the same power, if there is one, in one of the
/// balls? Where the four planes are nearly parallel, false: not known.
bool is_corner_covered(const CellPiece& cell, const std::array<const Ball*, 4>& four,
                       std::span<const Ball* const> balls) {
  const EqualPower equal = equal_power(cell, four);
  if (equal.is_elsewhere) return true;
  if (!equal.is_known) return false;
  return std::any_of(balls.begin(), balls.end(), [&](const Ball* ball) {
    return distance(equal.point, ball->center) + equal.error <= ball->inner;
  });
}

}  // namespace

EqualPower equal_power(const CellPiece& cell, const std::array<const Ball*, 4>& four) {
  const double reach = kSqrt3 * cell.half;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      const PowerDifference d(*four[i], *four[j], cell.center, reach);
      const Vec3 steep = abs(d.slope);
      // The plane of equal power misses the cube.
      if (std::abs(d.at_middle) > cell.half * (steep.x + steep.y + steep.z) + 2.0 * d.rounding)
        return {.is_elsewhere = true};
    }
  }
  Mat3 planes;
  Vec3 heights;
  double error = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const PowerDifference d(*four[0], *four[k + 1], cell.center, reach);
    const double length = norm(d.slope);
    if (length == 0.0) return {};
    planes[k] = d.slope / length;
    heights[k] = -d.at_middle / length;
    error = std::max(error, d.rounding / length);
  }
  const double det = determinant(planes);
  if (std::abs(det) < kLeastVolume) return {};
  Vec3 offset;
  for (std::size_t k = 0; k < 3; ++k) {
    Mat3 replaced = planes;
    for (std::size_t row = 0; row < 3; ++row) replaced[row][k] = heights[row];
    offset[k] = determinant(replaced) / det;
  }
  // Planes that are off by `error`, and as much again for the solution.
  error *= 20.0 / std::abs(det);
  if (largest_component(abs(offset)) > cell.half + error) return {.is_elsewhere = true};
  return {.is_known = true, .point = cell.center + offset, .error = error};
}

bool is_in_union(const CellPiece& cell, std::span<const Ball* const> balls) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double side : {-cell.half, cell.half}) {
      Vec3 middle = cell.center;
      middle[axis] += side;
      std::array<Vec3, 4> corners;
      for (std::size_t k = 0; k < 4; ++k) {
        corners[k] = middle;
        corners[k][(axis + 1) % 3] += k == 0 || k == 3 ? -cell.half : cell.half;
        corners[k][(axis + 2) % 3] += k < 2 ? -cell.half : cell.half;
      }
      Vec3 point;
      if (cut({corners, {}, middle, 1.5 * cell.half}, balls, point) != Looked::Done) return false;
    }
  }
  const std::size_t n = balls.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        for (std::size_t l = k + 1; l < n; ++l) {
          if (!is_corner_covered(cell, {balls[i], balls[j], balls[k], balls[l]}, balls))
            return false;
        }
      }
    }
  }
  return true;
}

CellPiece cell_around(const Box& box) {
  const double half = 0.5 * largest_component(box.size());
  return {box.center() + 0.013 * half * Vec3{1.0, 0.71, 0.43}, 1.02 * half};
}

Ball ball_of(const Sphere& sphere, double reach) {
  const double slack = kHalvingRounding * (reach + norm(sphere.center) + sphere.radius);
  return {sphere.center, sphere.radius, sphere.radius - slack, sphere.radius + slack};
}

Looked SurfaceProof::choose(const Piece& piece, std::span<const std::uint32_t> from,
                            Candidates& chosen, Around& around) const {
  const Vec3 middle = (piece.corner[0] + piece.corner[1] + piece.corner[2]) / 3.0;
  double reach = 0.0;
  for (const Vec3& corner : piece.corner) reach = std::max(reach, distance(middle, corner));
  reach *= 1.0 + 1e-15;
  around = {middle, reach, true};
  const Ball* strongest = nullptr;
  double least = 0.0;
  for (const std::uint32_t i : from) {
    const Ball& ball = (*balls_)[i];
    const double d = distance(middle, ball.center);
    if (d > ball.outer + reach) continue;
    if (holds(ball, piece.corner[0], piece.is_vertex[0]) &&
        holds(ball, piece.corner[1], piece.is_vertex[1]) &&
        holds(ball, piece.corner[2], piece.is_vertex[2])) {
      return Looked::Done;
    }
    around.middle_is_free = around.middle_is_free && d > ball.outer;
    chosen.push_back(i);
    const double p = power(middle, ball);
    if (strongest == nullptr || p < least) {
      strongest = &ball;
      least = p;
    }
  }
  // Balls that have nothing in the piece that the strongest has not.
  std::erase_if(chosen, [&](std::uint32_t i) {
    const Ball& ball = (*balls_)[i];
    if (&ball == strongest) return false;
    const PowerDifference weaker(*strongest, ball, middle, reach);
    return std::all_of(piece.corner.begin(), piece.corner.end(), [&](const Vec3& corner) {
      return weaker.at(corner - middle) < -2.0 * weaker.rounding;
    });
  });
  return Looked::Divide;
}

Looked SurfaceProof::look(const Piece& piece, std::span<const std::uint32_t> from,
                          Candidates& chosen, Vec3& point) const {
  Around around;
  if (choose(piece, from, chosen, around) == Looked::Done) return Looked::Done;
  if (around.middle_is_free) {
    point = around.middle;
    return Looked::Uncovered;
  }
  if (chosen.size() > kMostCut && around.reach > smallest_) return Looked::Divide;
  std::vector<const Ball*> balls;
  for (const std::uint32_t i : chosen) balls.push_back(&(*balls_)[i]);
  return cut({piece.corner, piece.is_vertex, around.middle, around.reach}, balls, point);
}

Looked SurfaceProof::look_for_all(const Piece& piece, std::span<const std::uint32_t> from,
                                  Candidates& chosen, std::vector<Vec3>& points) const {
  Around around;
  if (choose(piece, from, chosen, around) == Looked::Done) return Looked::Done;
  if (chosen.empty()) {
    points.push_back(around.middle);
    return Looked::Done;
  }
  if (chosen.size() > kMostCut && around.reach > smallest_) return Looked::Divide;
  std::vector<const Ball*> balls;
  for (const std::uint32_t i : chosen) balls.push_back(&(*balls_)[i]);
  each_open_corner({piece.corner, piece.is_vertex, around.middle, around.reach}, balls,
                   [&](const Vec3& p) {
                     if (is_in_none(p, balls)) points.push_back(p);
                     return false;
                   });
  return Looked::Done;
}

void SurfaceProof::divide(const Piece& piece, std::vector<Piece>& parts) const {
  // The longest edge in two.
  std::size_t longest = 0;
  double length_sq = -1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double sq = squared_norm(piece.corner[(k + 1) % 3] - piece.corner[k]);
    if (sq > length_sq) {
      length_sq = sq;
      longest = k;
    }
  }
  const std::size_t next = (longest + 1) % 3;
  const Vec3 middle = 0.5 * (piece.corner[longest] + piece.corner[next]);
  for (const std::size_t replaced : {longest, next}) {
    Piece part = piece;
    part.corner[replaced] = middle;
    part.is_vertex[replaced] = false;
    parts.push_back(part);
  }
}

void divide_cell(const CellPiece& piece, std::vector<CellPiece>& parts) {
  const double half = 0.5 * piece.half;
  for (unsigned i = 0; i < 8; ++i) {
    CellPiece part = piece;
    part.half = half;
    part.center += Vec3{(i & 1U) != 0 ? half : -half, (i & 2U) != 0 ? half : -half,
                        (i & 4U) != 0 ? half : -half};
    parts.push_back(part);
  }
}

bool SpaceProof::is_outside_body(Piece& piece) const {
  if (piece.where == Piece::Where::Inside || !body_->body().is_solid()) return false;
  const double h = kSqrt3 * piece.half * (1.0 + 1e-15);
  const SurfacePoint surface = body_->surface(piece.center);
  if (surface.distance <= h + body_->slack(piece.center)) return false;
  const Side side = body_->side(piece.center);
  if (side == Side::Inside) piece.where = Piece::Where::Inside;
  return side == Side::Outside;
}

bool SpaceProof::is_of_body(const Vec3& p, bool is_small) const {
  if (body_->body().is_solid() && body_->side(p) == Side::Inside) return true;
  if (kept_ == nullptr) return false;
  // The quick estimate spares most of the exact ones; near the boundary it does not know.
  const double quick = kept_->quick_radius(p, 0.0);
  if (!for_certain_) return quick > 0.0;
  if (!is_small && quick <= 0.0) return false;
  if (quick < -4.0 * kept_->resolution()) return false;
  const double tolerance = is_small ? 0.1 * smallest_ : std::max(0.1 * quick, 0.1 * smallest_);
  return kept_->safe_radius(p, 0.0, tolerance) >= 0.0;
}

bool SpaceProof::is_beyond(const Piece& piece) const {
  const Vec3 half{piece.half, piece.half, piece.half};
  return squared_distance(Box{piece.center - half, piece.center + half},
                          body_->body().bvh().bounds()) > squared(body_->slack(piece.center));
}

bool SpaceProof::is_free(const Piece& piece) {
  const Vec3 half{piece.half, piece.half, piece.half};
  return std::any_of(piece.free.begin(), piece.free.end(), [&](const Sphere& free) {
    return free.radius > 0.0 &&
           norm(abs(piece.center - free.center) + half) <= ball_of(free, norm(piece.center)).inner;
  });
}

bool SpaceProof::is_uncovered(const Vec3& p, const Candidates& chosen) const {
  return std::all_of(chosen.begin(), chosen.end(), [&](std::uint32_t i) {
    return distance(p, (*balls_)[i].center) > (*balls_)[i].outer;
  });
}

Looked SpaceProof::choose(const Piece& piece, std::span<const std::uint32_t> from,
                          Candidates& chosen) const {
  const Vec3 half{piece.half, piece.half, piece.half};
  const Ball* strongest = nullptr;
  double least = 0.0;
  for (const std::uint32_t i : from) {
    const Ball& ball = (*balls_)[i];
    if (norm(abs(piece.center - ball.center) + half) <= ball.inner) return Looked::Done;
    const double p = power(piece.center, ball);
    if (strongest == nullptr || p < least) {
      strongest = &ball;
      least = p;
    }
  }
  if (is_free(piece)) return Looked::Done;
  // Balls that may have the least power somewhere in the cell.
  const double reach = kSqrt3 * piece.half;
  for (const std::uint32_t i : from) {
    const Ball& ball = (*balls_)[i];
    if (&ball != strongest) {
      const PowerDifference weaker(*strongest, ball, piece.center, reach);
      const Vec3 steep = abs(weaker.slope);
      const double most = weaker.at_middle + piece.half * (steep.x + steep.y + steep.z);
      if (most < -2.0 * weaker.rounding) continue;
    }
    chosen.push_back(i);
  }
  return Looked::Divide;
}

Looked SpaceProof::look(Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
                        Vec3& point) const {
  if (is_beyond(piece)) return Looked::Done;
  if (choose(piece, from, chosen) == Looked::Done) return Looked::Done;
  // No corner of the regions of least power here.
  const bool few = chosen.size() < 4;
  if (few && (kept_ == nullptr || piece.where == Piece::Where::Inside)) return Looked::Done;

  const bool is_small = piece.half < smallest_;
  if (kept_ != nullptr) {
    const Looked looked = look_outside(piece, chosen, point);
    if (looked != Looked::Divide) return looked;
  } else {
    if (is_outside_body(piece)) return Looked::Done;
    if (is_uncovered(piece.center, chosen) && is_of_body(piece.center, is_small)) {
      point = piece.center;
      return Looked::Uncovered;
    }
  }
  point = piece.center;
  return is_small ? Looked::TooSmall : Looked::Divide;
}

// The rest of look() for a kept volume that is more than its body.
Looked SpaceProof::look_outside(Piece& piece, const Candidates& chosen, Vec3& point) const {
  if (chosen.size() < 4) {
    (void)is_outside_body(piece);
    if (piece.where == Piece::Where::Inside) return Looked::Done;
  }
  std::vector<const Ball*> balls;
  for (const std::uint32_t i : chosen) balls.push_back(&(*balls_)[i]);
  if (balls.size() >= 2 && balls.size() <= kMostTried && is_in_union(piece, balls))
    return Looked::Done;
  if (piece.where == Piece::Where::Inside) return Looked::Divide;

  // Space that the balls leave free of the cell: at its middle, or at the corner they hold least.
  Vec3 needed = piece.center;
  if (!is_uncovered(piece.center, chosen)) {
    double worst = -std::numeric_limits<double>::infinity();
    for (unsigned k = 0; k < 8; ++k) {
      const Vec3 corner = piece.center + Vec3{(k & 1U) != 0 ? piece.half : -piece.half,
                                              (k & 2U) != 0 ? piece.half : -piece.half,
                                              (k & 4U) != 0 ? piece.half : -piece.half};
      double least = std::numeric_limits<double>::infinity();
      for (const Ball* ball : balls) least = std::min(least, power(corner, *ball));
      if (least > worst) {
        worst = least;
        needed = corner;
      }
    }
  }
  const Sphere found = kept_->free_ball(needed);
  if (found.radius > 0.0) {
    const Ball free = ball_of(found, norm(piece.center));
    const Vec3 half{piece.half, piece.half, piece.half};
    if (norm(abs(piece.center - found.center) + half) <= free.inner) return Looked::Done;
    balls.push_back(&free);
    if (balls.size() <= kMostTried && is_in_union(piece, balls)) return Looked::Done;
    std::rotate(piece.free.begin(), piece.free.end() - 1, piece.free.end());
    piece.free.front() = found;
    return Looked::Divide;
  }
  if (!is_uncovered(piece.center, chosen) || !is_of_body(piece.center, piece.half < smallest_))
    return Looked::Divide;
  point = piece.center;
  return Looked::Uncovered;
}

PieceOutcome prove_surface(const Bvh& body, const BallSet& balls, double smallest,
                           const PieceLimits& limits) {
  const SurfaceProof proof(balls, smallest);
  return PieceWork(proof, limits).run(body.triangle_count(), [&](std::size_t t) {
    const Triangle triangle = body.triangle(t);
    PieceWork<SurfaceProof>::Root root{{{triangle.a, triangle.b, triangle.c}, {true, true, true}},
                                       {}};
    const Vec3 middle = (triangle.a + triangle.b + triangle.c) / 3.0;
    const double reach = std::max(
        {distance(middle, triangle.a), distance(middle, triangle.b), distance(middle, triangle.c)});
    balls.near(middle, reach * (1.0 + 1e-14), root.balls);
    return root;
  });
}

PieceOutcome prove_space(const BodyProbe& body, const KeptVolume* kept, const BallSet& balls,
                         double smallest, bool for_certain, const PieceLimits& limits) {
  const SpaceProof proof(balls, body, kept, smallest, for_certain);
  return PieceWork(proof, limits).run(1, [&](std::size_t) {
    PieceWork<SpaceProof>::Root root{cell_around(body.body().bvh().bounds()),
                                     Candidates(balls.size())};
    for (std::size_t i = 0; i < balls.size(); ++i) root.balls[i] = static_cast<std::uint32_t>(i);
    return root;
  });
}

}  // namespace clearance::detail
