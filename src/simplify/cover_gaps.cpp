// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The divisions of a proof of cover (cover_proof.h), used to find all gaps instead of none. Where a
// triangle has few balls, the corners of its parts decide, and are the deepest places of gaps.
// Inside, gaps that do not show on the boundary are deepest where four balls have the same power.
// What is filled has no triangles: cells there are cut until they are in the union of a few balls.
#include "simplify/cover_gaps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_points.h"
#include "simplify/cover_proof.h"

namespace clearance::detail {
namespace {

// Triangles in one piece of a parallel loop.
constexpr std::size_t kTrianglePiece = 64;
// Cells along each side of the box, each a piece of its own.
constexpr std::size_t kSide = 8;
// Triangles with many balls are not cut below this part of the error, and points that lie in one
// cell of that size are one gap.
constexpr double kSmallestFace = 0.01;

// Cells are small enough to have one kind of boundary below this part of the error, and depths
// equal within this one.
constexpr double kSameCell = 1.0;
constexpr double kSameDepth = 0.02;

class Gaps {
 public:
  Gaps(const BallField& field, const BallSet& balls, const GapOptions& options)
      : field_(field),
        balls_(balls),
        options_(options),
        probe_(field.kept().body()),
        surface_(balls, kSmallestFace * field.error()),
        space_(balls, probe_, nullptr, 0.0) {}

  void triangle(const SurfaceProof::Piece& piece, std::span<const std::uint32_t> near,
                std::vector<Vec3>& gaps) const {
    if (is_cancelled(options_.monitor)) return;
    const Vec3 middle = (piece.corner[0] + piece.corner[1] + piece.corner[2]) / 3.0;
    if (is_elsewhere(middle,
                     std::max({distance(middle, piece.corner[0]), distance(middle, piece.corner[1]),
                               distance(middle, piece.corner[2])})))
      return;
    Candidates chosen;
    if (surface_.look_for_all(piece, near, chosen, gaps) == Looked::Done) return;
    std::vector<SurfaceProof::Piece> parts;
    surface_.divide(piece, parts);
    for (const SurfaceProof::Piece& part : parts) triangle(part, chosen, gaps);
  }

  // `depth`: at least so deep is the centre, by the cell that was cut.
  void cell(const CellPiece& piece, double depth, std::span<const std::uint32_t> near,
            std::vector<Vec3>& gaps) const {
    const double around = std::sqrt(3.0) * piece.half;
    if (is_elsewhere(piece.center, around)) return;
    Candidates chosen;
    if (space_.choose(piece, near, chosen) == Looked::Done) return;
    if (depth < around) {
      depth = field_.depth(piece.center);
      if (depth < -around) return;
    }
    std::vector<const Ball*> balls;
    for (const std::uint32_t k : chosen) balls.push_back(&balls_[k]);
    const bool is_few = balls.size() <= kMostTried;
    // The boundary is elsewhere, or made of triangles: corners of the regions decide.
    const bool has_corners_alone = depth >= around || !is_filled_near(piece, depth);
    if (has_corners_alone && is_few && corners(piece, balls, gaps)) return;
    if (!(has_corners_alone && is_few) && depth >= 0.0 && is_open(piece.center, balls)) {
      gaps.push_back(piece.center);
      return;
    }
    if (!has_corners_alone && is_few && is_in_union(piece, balls)) return;
    if (2.0 * piece.half <= options_.finest_inside * field_.error() ||
        is_cancelled(options_.monitor))
      return;
    std::vector<CellPiece> parts;
    divide_cell(piece, parts);
    for (const CellPiece& part : parts) cell(part, depth - 0.5 * around, chosen, gaps);
  }

 private:
  [[nodiscard]] bool is_elsewhere(const Vec3& middle, double reach) const {
    return options_.symmetry != nullptr && options_.symmetry->beyond(middle) > reach;
  }
  static bool is_open(const Vec3& p, std::span<const Ball* const> balls) {
    return std::all_of(balls.begin(), balls.end(),
                       [&](const Ball* ball) { return distance(p, ball->center) > ball->radius; });
  }
  // May the boundary in a cell be of what is filled? An estimate: where the body is as far away as
  // the boundary, the boundary is the body's.
  [[nodiscard]] bool is_filled_near(const CellPiece& piece, double depth) const {
    if (!field_.kept().is_filled()) return false;
    if (!probe_.body().is_solid() || piece.half > kSameCell * field_.error()) return true;
    const double distance = probe_.surface(piece.center, 2.0 * piece.half).distance;
    return std::abs(distance - std::abs(depth)) > kSameDepth * field_.error();
  }
  // The places in the cell where four balls have the same power. False: some are not known.
  bool corners(const CellPiece& piece, std::span<const Ball* const> balls,
               std::vector<Vec3>& gaps) const {
    const std::size_t n = balls.size();
    bool known = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        for (std::size_t k = j + 1; k < n; ++k) {
          for (std::size_t l = k + 1; l < n; ++l) {
            const EqualPower equal = equal_power(piece, {balls[i], balls[j], balls[k], balls[l]});
            if (equal.is_elsewhere) continue;
            if (!equal.is_known) {
              known = false;
            } else if (is_open(equal.point, balls) && field_.depth(equal.point) >= 0.0) {
              gaps.push_back(equal.point);
            }
          }
        }
      }
    }
    return known;
  }

  const BallField& field_;
  const BallSet& balls_;
  const GapOptions& options_;
  BodyProbe probe_;
  SurfaceProof surface_;
  SpaceProof space_;
};

}  // namespace

std::vector<Vec3> find_gaps(const BallField& field, std::span<const Sphere> balls,
                            const GapOptions& options) {
  const Bvh& bvh = field.kept().body().bvh();
  const Box box = field.kept().bounds();
  const BallSet set(balls, norm(max(abs(box.low), abs(box.high))));
  const Gaps gaps(field, set, options);

  const std::size_t pieces = (bvh.triangle_count() + kTrianglePiece - 1) / kTrianglePiece;
  constexpr std::size_t kCells = kSide * kSide * kSide;
  const CellPiece root = cell_around(box);
  const double half = root.half / double(kSide);
  const bool has_inside = field.kept().body().is_solid() || field.kept().is_filled();
  std::vector<std::vector<Vec3>> found(pieces + kCells);
  parallel_for(options.threads, found.size(), [&](std::size_t piece) {
    Candidates near;
    if (piece < kCells) {
      if (!has_inside) return;
      const std::size_t row = piece / kSide;
      const std::size_t layer = row / kSide;
      const Vec3 step{double(piece % kSide), double(row % kSide), double(layer)};
      CellPiece cell = root;
      cell.half = half;
      cell.center = root.center - Vec3{root.half, root.half, root.half} +
                    half * (2.0 * step + Vec3{1.0, 1.0, 1.0});
      // Also balls that do not touch the cell: the least power in a cavity may be of one of them.
      for (std::uint32_t k = 0; k < set.size(); ++k) near.push_back(k);
      gaps.cell(cell, -std::numeric_limits<double>::infinity(), near, found[piece]);
      return;
    }
    const std::size_t begin = (piece - kCells) * kTrianglePiece;
    const std::size_t end = std::min(bvh.triangle_count(), begin + kTrianglePiece);
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle triangle = bvh.triangle(t);
      const Vec3 middle = (triangle.a + triangle.b + triangle.c) / 3.0;
      near.clear();
      set.near(middle,
               std::max({distance(middle, triangle.a), distance(middle, triangle.b),
                         distance(middle, triangle.c)}),
               near);
      gaps.triangle({{triangle.a, triangle.b, triangle.c}, {true, true, true}}, near, found[piece]);
    }
  });
  std::vector<Vec3> points;
  for (const std::vector<Vec3>& some : found) points.insert(points.end(), some.begin(), some.end());
  if (options.symmetry != nullptr)
    std::erase_if(points, [&](const Vec3& p) { return options.symmetry->beyond(p) > 0.0; });
  // Balls and pieces that meet there name the same place.
  thin(points, kSmallestFace * field.error());
  return points;
}

}  // namespace clearance::detail
