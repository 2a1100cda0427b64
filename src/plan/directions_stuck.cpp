// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proof that no straight translation takes a body out: directions.h says what is proven.
//
// A ball inside the body (centre p, radius r) and one inside the obstacles (centre q, radius R)
// overlap when the body is moved by any vector within r + R of q - p. Seen from the start, such a
// ball of vectors covers the cone of directions within asin((r + R) / |q - p|) of q - p. First the
// cones of many pairs of balls are tried. For a cell of the sphere that they leave, a point of one
// body is sought whose rays along the cell's corners all meet one triangle of the other: so do all
// rays between, as triangles are convex. Thin walls, in which no ball is large, are proven that
// way; the edges between two triangles are seen elsewhere from another point. What is left of the
// coarse cells gets an overlap looked for in its middle (penetration() of solid.h).
//
// A blocked pose on the way is enough: a body that is out stays out along its direction, so what
// collides later was not out before.
#include <algorithm>
#include <array>
#include <cmath>

#include <clearance/mesh/sample.h>
#include <clearance/plan/directions.h>
#include <clearance/query/shapes.h>

#include "plan/scene_size.h"
#include "plan/way_out.h"

namespace clearance {
namespace {

// Balls looked for in the body and in the obstacles, and kept.
constexpr std::size_t kBodySamples = 400;
constexpr std::size_t kObstacleSamples = 3000;
constexpr std::size_t kBodyBalls = 60;
constexpr std::size_t kObstacleBalls = 1000;
constexpr std::uint64_t kSampleSeed = 8;
// A ball whose centre is this deep in one already kept adds little (part of that one's radius).
constexpr double kNewBall = 0.5;
// Pairs of balls kept, the widest cones first.
constexpr std::size_t kPairs = 8000;
// Points of each body whose rays are tried.
constexpr std::size_t kRayPoints = 64;
// A ray meets a triangle when it passes this far inside its edges (barycentric), and not along it
// (sine): above the rounding of both by far.
constexpr double kInsideEdges = 1e-7;
constexpr double kAcross = 1e-6;
// Cells are given an overlap of their own down to this level: 0 is the icosahedron's.
constexpr int kOverlapLevel = 1;
// Points looked at for the depth of one overlap, and the gap at which that is good enough.
constexpr std::size_t kDepthPoints = 64;
constexpr double kDepthGap = 0.2;
// Parts of the way out at which a cell's overlap is looked for.
constexpr std::array<double, 10> kAt{0.5,    0.25, 0.75,  0.125, 0.375,
                                     0.0625, 0.03, 0.015, 0.9,   0.007};
// Cones are taken narrower by this, for the rounding of angles [rad].
constexpr double kAngleMargin = 1e-9;
// Distances are right to 1e-9 of themselves (query.h).
constexpr double kDistanceRounding = 4e-9;

struct Cone {
  Vec3 axis;
  double half_angle = 0.0;  // [rad]
  BlockedBall ball;
  bool used = false;  // part of the proof already
};

Cone cone_of(const BlockedBall& ball) {
  const double way = norm(ball.translation);
  if (!(way > 0.0) || !(ball.radius > 0.0)) return {};
  const double half = std::asin(std::min(1.0, ball.radius / way)) - kAngleMargin;
  return {ball.translation / way, half, ball, false};
}

double angle_between(const Vec3& u, const Vec3& v) {
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

/// Balls inside a body, the largest first; for an open surface points of it, of radius 0. In the
/// frame of the model.
std::vector<Sphere> balls_inside(const Model& model, std::size_t samples, std::size_t most,
                                 Threads threads) {
  const std::vector<SurfaceSample> points =
      sample_surface(model.mesh(), samples, kSampleSeed, threads);
  std::vector<Sphere> balls(points.size());
  const double size = model.bvh().bounds().diagonal();
  parallel_for(threads, points.size(), [&](std::size_t i) {
    const SurfaceSample& sample = points[i];
    balls[i] = {sample.point, 0.0};
    if (!model.is_solid()) return;
    // Half way through the material, measured from just below the surface.
    const Vec3 below = sample.point - 1e-6 * size * sample.normal;
    const RayHit hit = first_hit(model.bvh(), below, -sample.normal, size);
    if (!hit.hit) return;
    const Vec3 middle = below - 0.5 * hit.distance * sample.normal;
    if (model.side(middle) != Side::Inside) return;
    const ShapeDistance depth = distance(model.bvh(), Shape(middle));
    balls[i] = {middle, (1.0 - kDistanceRounding) * depth.distance};
  });
  std::stable_sort(balls.begin(), balls.end(),
                   [](const Sphere& a, const Sphere& b) { return a.radius > b.radius; });
  std::vector<Sphere> kept;
  for (const Sphere& ball : balls) {
    if (kept.size() == most) break;
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Sphere& k) {
      return distance(k.center, ball.center) < kNewBall * k.radius;
    });
    if (!known && (ball.radius > 0.0 || !model.is_solid())) kept.push_back(ball);
  }
  return kept;
}

/// A triangle on the sphere of directions.
struct Cell {
  std::array<Vec3, 3> corners;

  [[nodiscard]] Vec3 middle() const { return normalized(corners[0] + corners[1] + corners[2]); }
  /// All of it is within this angle of the middle.
  [[nodiscard]] double half_angle() const {
    const Vec3 m = middle();
    return std::max(
        {angle_between(m, corners[0]), angle_between(m, corners[1]), angle_between(m, corners[2])});
  }
  /// Its part of the whole sphere (Van Oosterom and Strackee 1983).
  [[nodiscard]] double share() const {
    const auto& [a, b, c] = corners;
    const double triple = std::abs(dot(a, cross(b, c)));
    const double angle = 2.0 * std::atan2(triple, 1.0 + dot(a, b) + dot(b, c) + dot(c, a));
    return angle / (4.0 * 3.14159265358979323846);
  }
  [[nodiscard]] std::array<Cell, 4> quarters() const {
    const auto& [a, b, c] = corners;
    const Vec3 ab = normalized(a + b);
    const Vec3 bc = normalized(b + c);
    const Vec3 ca = normalized(c + a);
    return {Cell{{a, ab, ca}}, Cell{{ab, b, bc}}, Cell{{ca, bc, c}}, Cell{{ab, bc, ca}}};
  }
};

std::vector<Cell> icosahedron() {
  constexpr double kGolden = 1.6180339887498949;
  std::array<Vec3, 12> p;
  std::size_t n = 0;
  for (const double s : {-1.0, 1.0}) {
    for (const double t : {-kGolden, kGolden}) {
      p[n++] = normalized({0.0, s, t});
      p[n++] = normalized({s, t, 0.0});
      p[n++] = normalized({t, 0.0, s});
    }
  }
  // Faces are the triples of corners that are all neighbours: 63.4 degrees apart.
  std::vector<Cell> cells;
  const auto neighbours = [&](std::size_t i, std::size_t j) { return dot(p[i], p[j]) > 0.4; };
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        if (neighbours(i, j) && neighbours(j, k) && neighbours(k, i)) {
          cells.push_back({{p[i], p[j], p[k]}});
        }
      }
    }
  }
  return cells;
}

/// Points of a surface far from each other, each the farthest from those before: of its vertices
/// and of samples, since vertices alone see symmetric parts along the same edges again and again. A
/// sample is off its triangle by rounding only, which the margins of meets() swallow.
std::vector<Vec3> spread_points(const Mesh& mesh, const Box& within, const Pose& world_from_mesh) {
  std::vector<Vec3> all;
  const auto add = [&](const Vec3& point) {
    const Vec3 p = world_from_mesh * point;
    if (min(p, within.low) == within.low && max(p, within.high) == within.high) all.push_back(p);
  };
  std::vector<bool> used(mesh.vertex_count(), false);
  for (const Face& face : mesh.faces()) {
    for (const std::uint32_t i : face) {
      if (!used[i]) add(mesh.vertices()[i]);
      used[i] = true;
    }
  }
  for (const SurfaceSample& sample : sample_surface(mesh, kObstacleSamples, kSampleSeed)) {
    add(sample.point);
  }
  std::vector<Vec3> chosen;
  std::vector<double> nearest(all.size(), std::numeric_limits<double>::infinity());
  std::size_t next = 0;
  while (!all.empty() && chosen.size() < std::min(kRayPoints, all.size())) {
    chosen.push_back(all[next]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      nearest[i] = std::min(nearest[i], squared_norm(all[i] - chosen.back()));
    }
    next = static_cast<std::size_t>(
        std::distance(nearest.begin(), std::max_element(nearest.begin(), nearest.end())));
    if (nearest[next] == 0.0) break;
  }
  return chosen;
}

/// Does the ray meet the triangle, well inside its edges?
bool meets(const Vec3& origin, const Vec3& direction, const Triangle& triangle) {
  const Vec3 u = triangle.b - triangle.a;
  const Vec3 v = triangle.c - triangle.a;
  const Vec3 normal = cross(u, v);
  const double slope = dot(normal, direction);
  const double area_sq = squared_norm(normal);
  if (!(std::abs(slope) > kAcross * std::sqrt(area_sq))) return false;
  const double way = dot(normal, triangle.a - origin) / slope;
  if (!(way > 0.0)) return false;
  const Vec3 at = origin + way * direction - triangle.a;
  const double beta = dot(normal, cross(at, v)) / area_sq;
  const double gamma = dot(normal, cross(u, at)) / area_sq;
  return beta > kInsideEdges && gamma > kInsideEdges && beta + gamma < 1.0 - kInsideEdges;
}

class StuckSearch {
 public:
  StuckSearch(const PlanProblem& problem, const StuckOptions& options)
      : problem_(problem),
        options_(options),
        box_(detail::body_box(problem)),
        body_from_world_(inverse(problem.start)),
        margin_(1e-12 * detail::scene_size(problem, problem.start)) {}

  StuckProof prove() {
    pair_balls();
    body_points_ = spread_points(problem_.body.mesh(), box_, problem_.start);
    Box near = box_;
    near.low -= 0.5 * box_.size();
    near.high += 0.5 * box_.size();
    obstacle_points_ = spread_points(problem_.obstacles.mesh(), near, Pose::identity());

    std::vector<Cell> cells = icosahedron();
    std::vector<Cell> given_up;
    for (int level = 0; !cells.empty(); ++level) {
      report_progress(options_.monitor, "stuck", proof_.fraction);
      std::vector<Cell> left = without_covered(cells);
      const std::size_t budget = is_cancelled(options_.monitor) ? 0 : options_.cells - proof_.cells;
      if (left.size() > budget) {
        given_up.insert(given_up.end(), left.begin() + static_cast<std::ptrdiff_t>(budget),
                        left.end());
        left.resize(budget);
      }
      proof_.cells += left.size();
      left = without_met(left);
      if (level <= kOverlapLevel) {
        look_into(left);
        // What was found in one cell may do for its neighbours as well.
        left = without_covered(left);
      }
      cells.clear();
      for (const Cell& cell : left) {
        if (level == options_.depth) {
          given_up.push_back(cell);
          continue;
        }
        for (const Cell& quarter : cell.quarters()) cells.push_back(quarter);
      }
    }
    return finish(given_up);
  }

 private:
  void pair_balls() {
    if (!problem_.body.is_solid() && !problem_.obstacles.is_solid()) return;
    const std::vector<Sphere> inner =
        balls_inside(problem_.body, kBodySamples, kBodyBalls, options_.threads);
    const std::vector<Sphere> outer =
        balls_inside(problem_.obstacles, kObstacleSamples, kObstacleBalls, options_.threads);
    for (const Sphere& b : inner) {
      const Vec3 center = problem_.start * b.center;
      for (const Sphere& a : outer) {
        const double radius = a.radius + b.radius - margin_;
        if (radius > 0.0) cones_.push_back(cone_of({a.center - center, radius, a.center}));
      }
    }
    sort_cones();
    if (cones_.size() > kPairs) cones_.resize(kPairs);
  }

  /// The cells in which no point meets one triangle all over; the others are counted as proven.
  std::vector<Cell> without_met(const std::vector<Cell>& cells) {
    std::vector<BlockedCell> met(cells.size());
    std::vector<Work> works(cells.size());
    parallel_for(options_.threads, cells.size(), [&](std::size_t i) {
      met[i].corners = cells[i].corners;
      const Vec3 middle = cells[i].middle();
      const double length = detail::way_out(problem_, box_, middle);
      const auto all_meet = [&](const Vec3& point, bool of_body) {
        const RayHit hit =
            of_body ? first_hit(problem_.obstacles.bvh(), point, middle, length)
                    : first_hit(problem_.body.bvh(), body_from_world_ * point,
                                -transpose_times(problem_.start.rotation, middle), length);
        works[i] += hit.work;
        if (!hit.hit || hit.triangle == kNoTriangle) return false;
        Triangle triangle = of_body ? problem_.obstacles.bvh().triangle(hit.triangle)
                                    : problem_.body.bvh().triangle(hit.triangle);
        if (!of_body) {
          triangle = {problem_.start * triangle.a, problem_.start * triangle.b,
                      problem_.start * triangle.c};
        }
        for (const Vec3& corner : cells[i].corners) {
          if (!meets(point, of_body ? corner : -corner, triangle)) return false;
        }
        met[i].point = point;
        met[i].of_body = of_body;
        met[i].triangle = hit.triangle;
        return true;
      };
      for (const Vec3& point : body_points_) {
        if (all_meet(point, true)) return;
      }
      for (const Vec3& point : obstacle_points_) {
        if (all_meet(point, false)) return;
      }
    });
    std::vector<Cell> left;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      proof_.work += works[i];
      if (met[i].triangle == kNoTriangle) {
        left.push_back(cells[i]);
      } else {
        proof_.fraction += cells[i].share();
        proof_.blocked_cells.push_back(met[i]);
      }
    }
    return left;
  }

  void sort_cones() {
    std::stable_sort(cones_.begin(), cones_.end(),
                     [](const Cone& a, const Cone& b) { return a.half_angle > b.half_angle; });
  }

  /// The cells that no cone covers; the others are counted as proven.
  std::vector<Cell> without_covered(const std::vector<Cell>& cells) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> by(cells.size(), kNone);
    parallel_for(options_.threads, cells.size(), [&](std::size_t i) {
      const Vec3 middle = cells[i].middle();
      const double half = cells[i].half_angle();
      for (std::size_t k = 0; k < cones_.size() && cones_[k].half_angle >= half; ++k) {
        if (angle_between(middle, cones_[k].axis) + half <= cones_[k].half_angle) {
          by[i] = k;
          return;
        }
      }
    });
    std::vector<Cell> left;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (by[i] == kNone) {
        left.push_back(cells[i]);
      } else {
        proof_.fraction += cells[i].share();
        Cone& cone = cones_[by[i]];
        if (!cone.used) proof_.balls.push_back(cone.ball);
        cone.used = true;
      }
    }
    return left;
  }

  /// Looks for a deep overlap in the middle of each cell.
  void look_into(const std::vector<Cell>& cells) {
    std::vector<Cone> found(cells.size());
    std::vector<Work> works(cells.size());
    parallel_for(options_.threads, cells.size(), [&](std::size_t i) {
      if (!is_cancelled(options_.monitor)) found[i] = widest_cone(cells[i], works[i]);
    });
    for (const Work& work : works) proof_.work += work;
    for (const Cone& cone : found) {
      if (cone.half_angle > 0.0) cones_.push_back(cone);
    }
    sort_cones();
  }

  Cone widest_cone(const Cell& cell, Work& work) const {
    const Vec3 direction = cell.middle();
    const double enough = cell.half_angle();
    const double length = detail::way_out(problem_, box_, direction);
    Coherence coherence;
    Cone best;
    for (const double part : kAt) {
      const Vec3 way = part * length * direction;
      const Pose pose = detail::moved(problem_.start, way);
      const SolidCollision touch = collide(problem_.obstacles, problem_.body, pose, &coherence);
      work += touch.work;
      if (!touch.hit) continue;
      const Penetration depth =
          penetration(problem_.obstacles, problem_.body, pose, {kDepthGap, 0, kDepthPoints});
      work += depth.work;
      const Cone cone = cone_of({way, depth.lower - margin_, depth.deepest_point});
      if (cone.half_angle > best.half_angle) best = cone;
      if (best.half_angle >= enough) break;
    }
    return best;
  }

  StuckProof finish(const std::vector<Cell>& given_up) {
    double largest = 0.0;
    for (const Cell& cell : given_up) {
      if (cell.share() > largest) {
        largest = cell.share();
        proof_.open_direction = cell.middle();
      }
    }
    proof_.all = given_up.empty();
    proof_.fraction = proof_.all ? 1.0 : std::min(proof_.fraction, 1.0 - largest);
    return std::move(proof_);
  }

  const PlanProblem& problem_;
  const StuckOptions& options_;
  Box box_;  // of the body at the start
  Pose body_from_world_;
  double margin_;
  std::vector<Vec3> body_points_;      // world, at the start
  std::vector<Vec3> obstacle_points_;  // world, near the body
  std::vector<Cone> cones_;            // the widest first
  StuckProof proof_;
};

}  // namespace

StuckProof prove_stuck(const PlanProblem& problem, const StuckOptions& options) {
  return StuckSearch(problem, options).prove();
}

}  // namespace clearance
