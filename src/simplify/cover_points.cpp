// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/mesh.h>

namespace clearance::detail {
namespace {

// Cells or edges in one piece of a parallel loop.
constexpr std::size_t kPiece = 32;
// The step over which the direction inward is seen, as a fraction of the error: long enough to be
// above the noise of quick radii, short against the balls.
constexpr double kDirectionStep = 0.05;
// Cells smaller than this fraction of the error are not cut further: a ball about a point of the
// kept volume reaches at least as far as the error.
constexpr double kLeastCell = 0.1;
// A point that is farther outside of the kept volume than this part of the error asks for balls
// that nothing needs. Depths are off by a hundredth or two.
constexpr double kMostOutside = 0.02;

struct Cell {
  Vec3 center;
  double half = 0.0;  // of its side
  std::vector<std::uint32_t> triangles;
};

struct CellResult {
  std::optional<Vec3> inside;
  std::optional<Vec3> boundary;
  std::vector<Vec3> centers;
  std::vector<Cell> children;
};

void add_line(const InwardBalls& balls, const Vec3& p, const Vec3& inward,
              std::vector<Vec3>& centers) {
  centers.push_back(p + balls.widest * inward);
  // Not the same place twice.
  constexpr double kApart = 1.05;
  if (balls.largest > kApart * balls.widest) centers.push_back(p + balls.largest * inward);
}

class CellWork {
 public:
  CellWork(const BallField& field, const PointSpacing& spacing, const Symmetry& symmetry)
      : field_(field), spacing_(spacing), symmetry_(symmetry), mesh_(field.kept().body().mesh()) {}

  [[nodiscard]] CellResult operator()(const Cell& cell) const {
    const double half_diagonal = std::sqrt(3.0) * cell.half;
    const double side = 2.0 * cell.half;
    CellResult result;
    if (symmetry_.beyond(cell.center) > half_diagonal) return result;
    const double depth = field_.depth(cell.center);
    if (depth < -half_diagonal) return result;
    const bool is_inside = depth > half_diagonal;
    if (is_inside && side <= spacing_.inside * (depth + field_.error())) {
      result.inside = cell.center;
      result.centers.push_back(cell.center);
      return result;
    }
    if (is_inside) {
      // Near the boundary without crossing it: as fine as the boundary itself would have it.
      const Vec3 inward = field_.inward(cell.center, kDirectionStep * field_.error());
      const InwardBalls balls = balls_along(field_, cell.center, inward);
      if (side > spacing_.inside * balls.reach && side > kLeastCell * field_.error()) {
        split(cell, result);
      } else {
        result.inside = cell.center;
      }
      return result;
    }
    boundary(cell, depth, half_diagonal, result);
    return result;
  }

 private:
  void boundary(const Cell& cell, double depth, double half_diagonal, CellResult& result) const {
    const double side = 2.0 * cell.half;
    // The point of the mesh nearest to the middle, where the mesh is the boundary; elsewhere the
    // middle moved to the boundary.
    Cell kept{cell.center, cell.half, {}};
    double nearest = half_diagonal;
    std::optional<Vec3> point;
    for (const std::uint32_t t : cell.triangles) {
      const ClosestPoints closest = closest_points(cell.center, mesh_.triangle(t));
      if (closest.distance > half_diagonal) continue;
      kept.triangles.push_back(t);
      if (closest.distance < nearest) nearest = closest.distance, point = closest.on_b;
    }
    const double step = kDirectionStep * field_.error();
    Vec3 inward;
    bool is_kept = true;
    if (!point || field_.depth(*point) > 0.5 * cell.half) {
      inward = field_.inward(cell.center, step);
      point = cell.center - depth * inward;
      const double off = field_.depth(*point);
      is_kept = off >= -kMostOutside * field_.error();
      // Outside: a corner of the cell at most, which its neighbours see to.
      if (std::abs(off) > 0.25 * cell.half) point.reset();
    }
    if (point) {
      inward = field_.inward(*point, step);
      const InwardBalls balls = balls_along(field_, *point, inward);
      if (side <= spacing_.face * balls.reach || side <= kLeastCell * field_.error()) {
        if (largest_component(abs(*point - cell.center)) <= cell.half * 1.0001) {
          if (is_kept) result.boundary = point;
          add_line(balls, *point, inward, result.centers);
        }
        // A point beside one on the boundary says little that this one does not.
        if (depth > 0.0 && !result.boundary) result.inside = cell.center;
        return;
      }
    } else if (side <= kLeastCell * field_.error()) {
      if (depth > 0.0) result.inside = cell.center;
      return;
    }
    split(kept, result);
  }

  void split(const Cell& cell, CellResult& result) const {
    const double half = 0.5 * cell.half;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 sign{(corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0,
                      (corner & 4) != 0 ? 1.0 : -1.0};
      result.children.push_back({cell.center + half * sign, half, cell.triangles});
    }
  }

  const BallField& field_;
  PointSpacing spacing_;
  const Symmetry& symmetry_;
  Mesh mesh_;
};

// Points along an edge, close enough for the balls that hold them.
class EdgeWork {
 public:
  EdgeWork(const BallField& field, double spacing, const Symmetry& symmetry)
      : field_(field), spacing_(spacing), symmetry_(symmetry) {}

  void operator()(const SharpEdge& edge, CoverPoints& out) const {
    end_point(edge.a, out);
    end_point(edge.b, out);
    cut(edge.a, edge.b, 0, out);
  }

 private:
  static constexpr int kMostCuts = 24;

  void end_point(const Vec3& p, CoverPoints& out) const {
    if (symmetry_.beyond(p) > 0.0) return;
    if (field_.depth(p) > kDirectionStep * field_.error()) return;  // filled
    const Vec3 inward = field_.inward(p, kDirectionStep * field_.error());
    out.points.push_back(p);
    add_line(balls_along(field_, p, inward), p, inward, out.centers);
  }
  void cut(const Vec3& a, const Vec3& b, int cuts, CoverPoints& out) const {
    const Vec3 p = 0.5 * (a + b);
    const double length = distance(a, b);
    if (symmetry_.beyond(p) > 0.5 * length) return;
    const double depth = field_.depth(p);
    if (depth > length) return;  // filled
    const Vec3 inward = field_.inward(p, kDirectionStep * field_.error());
    const InwardBalls balls = balls_along(field_, p, inward);
    // The ends are points already.
    if (length <= std::max(spacing_ * balls.reach, kLeastCell * field_.error()) ||
        cuts == kMostCuts)
      return;
    if (depth <= kDirectionStep * field_.error()) {
      out.points.push_back(p);
      add_line(balls, p, inward, out.centers);
    }
    cut(a, p, cuts + 1, out);
    cut(p, b, cuts + 1, out);
  }

  const BallField& field_;
  double spacing_;
  const Symmetry& symmetry_;
};

}  // namespace

void thin(std::vector<Vec3>& points, double cell) {
  struct Keyed {
    std::array<std::int64_t, 3> key;
    std::uint32_t index;
  };
  std::vector<Keyed> keyed(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      keyed[i].key[axis] = static_cast<std::int64_t>(std::floor(points[i][axis] / cell));
    keyed[i].index = static_cast<std::uint32_t>(i);
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  std::vector<std::uint32_t> first;
  for (std::size_t i = 0; i < keyed.size(); ++i)
    if (i == 0 || keyed[i].key != keyed[i - 1].key) first.push_back(keyed[i].index);
  std::sort(first.begin(), first.end());
  std::vector<Vec3> kept;
  kept.reserve(first.size());
  for (const std::uint32_t i : first) kept.push_back(points[i]);
  points = std::move(kept);
}

std::vector<SharpEdge> sharp_edges(const Mesh& mesh) {
  // cos 25 degrees: below, facets of round skins begin, which balls do not notice.
  constexpr double kSharpCosine = 0.906;
  const Mesh joined = welded(mesh);
  struct Side {
    std::uint32_t low, high, triangle;
  };
  std::vector<Side> sides;
  sides.reserve(3 * joined.triangle_count());
  std::vector<Vec3> normals(joined.triangle_count());
  for (std::uint32_t t = 0; t < joined.triangle_count(); ++t) {
    const Face& f = joined.faces()[t];
    const Triangle triangle = joined.triangle(t);
    normals[t] = normalized(cross(triangle.b - triangle.a, triangle.c - triangle.a));
    if (normals[t] == Vec3{}) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = f[k];
      const std::uint32_t b = f[(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  std::vector<SharpEdge> edges;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high)
      ++end;
    bool sharp = end - i != 2;
    if (!sharp) {
      const double cosine = dot(normals[sides[i].triangle], normals[sides[i + 1].triangle]);
      sharp = std::abs(cosine) < kSharpCosine;
    }
    if (sharp) edges.push_back({joined.vertices()[sides[i].low], joined.vertices()[sides[i].high]});
    i = end;
  }
  return edges;
}

CoverPoints make_cover_points(const BallField& field, const std::vector<SharpEdge>& edges,
                              const PointSpacing& spacing, const Symmetry& symmetry,
                              Threads threads, Monitor* monitor) {
  CoverPoints result;
  // Edges first: where points fall together, theirs stay.
  const EdgeWork edge_work(field, spacing.edge, symmetry);
  std::vector<CoverPoints> edge_points((edges.size() + kPiece - 1) / kPiece);
  parallel_for(threads, edge_points.size(), [&](std::size_t piece) {
    if (is_cancelled(monitor)) return;
    for (std::size_t i = piece * kPiece; i < std::min(edges.size(), (piece + 1) * kPiece); ++i)
      edge_work(edges[i], edge_points[piece]);
  });
  for (const CoverPoints& some : edge_points) {
    result.points.insert(result.points.end(), some.points.begin(), some.points.end());
    result.centers.insert(result.centers.end(), some.centers.begin(), some.centers.end());
  }
  // A ball reaches at least as far as the error: closer points say nothing new.
  thin(result.points, 0.5 * spacing.edge * field.error());

  // An octree, level by level.
  const Box box = field.kept().bounds();
  const double side = std::max({box.size().x, box.size().y, box.size().z}) * 1.01;
  Cell root{box.center(), 0.5 * side, {}};
  root.triangles.resize(field.kept().body().mesh().triangle_count());
  std::iota(root.triangles.begin(), root.triangles.end(), 0U);
  std::vector<Cell> level{std::move(root)};
  const CellWork cell_work(field, spacing, symmetry);
  std::vector<Vec3> inside;
  while (!level.empty() && !is_cancelled(monitor)) {
    std::vector<CellResult> results(level.size());
    parallel_for(threads, (level.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
      if (is_cancelled(monitor)) return;
      for (std::size_t i = piece * kPiece; i < std::min(level.size(), (piece + 1) * kPiece); ++i) {
        results[i] = cell_work(level[i]);
        level[i].triangles = {};
      }
    });
    std::vector<Cell> next;
    for (CellResult& one : results) {
      if (one.boundary) result.points.push_back(*one.boundary);
      if (one.inside) inside.push_back(*one.inside);
      result.centers.insert(result.centers.end(), one.centers.begin(), one.centers.end());
      for (Cell& child : one.children) next.push_back(std::move(child));
    }
    level = std::move(next);
  }
  if (is_cancelled(monitor)) return {};
  // Cells at the boundary are cut more finely than the inside next to it asks for.
  thin(inside, spacing.inside * field.error());
  result.points.insert(result.points.end(), inside.begin(), inside.end());
  // Cells reach beyond the home.
  std::erase_if(result.points, [&](const Vec3& p) { return symmetry.beyond(p) > 0.0; });
  // Centres closer together than this give the same balls.
  thin(result.centers, 0.08 * field.error());
  return result;
}

double append_centers(const BallField& field, const Vec3& point, std::vector<Vec3>& centers) {
  const Vec3 inward = field.inward(point, kDirectionStep * field.error());
  const InwardBalls balls = balls_along(field, point, inward);
  add_line(balls, point, inward, centers);
  return balls.reach;
}

}  // namespace clearance::detail
