// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_gaps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace clearance::detail {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Triangles in one piece of a parallel loop.
constexpr std::size_t kTrianglePiece = 64;

class Gaps {
 public:
  Gaps(const BallField& field, std::span<const Sphere> balls, const GapOptions& options)
      : field_(field), balls_(balls), options_(options) {}

  void triangle(const Triangle& t, std::span<const std::uint32_t> near,
                std::vector<Vec3>& gaps) const {
    const Vec3 middle = (t.a + t.b + t.c) / 3.0;
    const double around = std::sqrt(std::max(
        {squared_norm(t.a - middle), squared_norm(t.b - middle), squared_norm(t.c - middle)}));
    Numbers nearer;
    bool covered = false;
    for (const std::uint32_t k : near) {
      const Sphere& ball = balls_[k];
      const double touch = ball.radius + around;
      const double distance_sq = squared_norm(ball.center - middle);
      if (distance_sq > touch * touch) continue;
      const double radius_sq = ball.radius * ball.radius;
      if (squared_norm(ball.center - t.a) <= radius_sq &&
          squared_norm(ball.center - t.b) <= radius_sq &&
          squared_norm(ball.center - t.c) <= radius_sq)
        return;
      if (distance_sq <= radius_sq) covered = true;
      nearer.push_back(k);
    }
    if (!covered) {
      gaps.push_back(middle);
      return;
    }
    if (around <= options_.finest_face * field_.error() || is_cancelled(options_.monitor)) return;
    // The longest side in two.
    const double ab = squared_norm(t.a - t.b);
    const double bc = squared_norm(t.b - t.c);
    const double ca = squared_norm(t.c - t.a);
    if (ab >= bc && ab >= ca) {
      const Vec3 m = 0.5 * (t.a + t.b);
      triangle({t.a, m, t.c}, nearer, gaps);
      triangle({m, t.b, t.c}, nearer, gaps);
    } else if (bc >= ca) {
      const Vec3 m = 0.5 * (t.b + t.c);
      triangle({t.a, t.b, m}, nearer, gaps);
      triangle({t.a, m, t.c}, nearer, gaps);
    } else {
      const Vec3 m = 0.5 * (t.c + t.a);
      triangle({t.a, t.b, m}, nearer, gaps);
      triangle({m, t.b, t.c}, nearer, gaps);
    }
  }

  // `depth`: at least so deep is the centre, by the cell that was cut.
  void cell(const Vec3& center, double half, double depth, std::span<const std::uint32_t> near,
            std::vector<Vec3>& gaps) const {
    const double around = std::sqrt(3.0) * half;
    Numbers nearer;
    bool covered = false;
    for (const std::uint32_t k : near) {
      const Sphere& ball = balls_[k];
      const double apart = distance(ball.center, center);
      if (apart > ball.radius + around) continue;
      if (apart + around <= ball.radius) return;
      if (apart <= ball.radius) covered = true;
      nearer.push_back(k);
    }
    if (depth < around) {
      depth = field_.depth(center);
      if (depth < -around) return;
    }
    if (!covered && depth >= 0.0) {
      gaps.push_back(center);
      return;
    }
    if (2.0 * half <= options_.finest_inside * field_.error() || is_cancelled(options_.monitor))
      return;
    for (int corner = 0; corner < 8; ++corner)
      cell(child(center, half, corner), 0.5 * half, depth - 0.5 * around, nearer, gaps);
  }

  static Vec3 child(const Vec3& center, double half, int corner) {
    const Vec3 sign{(corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0,
                    (corner & 4) != 0 ? 1.0 : -1.0};
    return center + (0.5 * half) * sign;
  }

 private:
  const BallField& field_;
  std::span<const Sphere> balls_;
  const GapOptions& options_;
};

}  // namespace

std::vector<Vec3> find_gaps(const BallField& field, std::span<const Sphere> balls,
                            const GapOptions& options) {
  Numbers all(balls.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) all[k] = k;
  const Gaps gaps(field, balls, options);

  const Mesh& mesh = field.kept().body().mesh();
  const std::size_t pieces = (mesh.triangle_count() + kTrianglePiece - 1) / kTrianglePiece;
  // 4 x 4 x 4 cells of the box, each a piece of its own.
  constexpr std::size_t kCells = 64;
  const Box box = field.kept().bounds();
  const double side = std::max({box.size().x, box.size().y, box.size().z}) * 1.001;
  std::vector<std::vector<Vec3>> found(pieces + kCells);
  parallel_for(options.threads, found.size(), [&](std::size_t piece) {
    if (piece < kCells) {
      const Vec3 half_way = Gaps::child(box.center(), 0.5 * side, static_cast<int>(piece % 8));
      gaps.cell(Gaps::child(half_way, 0.25 * side, static_cast<int>(piece / 8)), 0.125 * side,
                -std::numeric_limits<double>::infinity(), all, found[piece]);
      return;
    }
    const std::size_t begin = (piece - kCells) * kTrianglePiece;
    const std::size_t end = std::min(mesh.triangle_count(), begin + kTrianglePiece);
    for (std::size_t t = begin; t < end; ++t) gaps.triangle(mesh.triangle(t), all, found[piece]);
  });
  std::vector<Vec3> points;
  for (const std::vector<Vec3>& some : found) points.insert(points.end(), some.begin(), some.end());
  return points;
}

}  // namespace clearance::detail
