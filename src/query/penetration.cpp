// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Penetration depth, enclosed from both sides; solid.h says what is proven and why.
//
// Lower bound: maximise f(p) = depth of p in A + depth of p in B, depths below 0 outside. f changes
// by at most 2 |p - q| between two points, so a cell of radius r about p holds nothing above
// f(p) + 2 r: best-first search over cells of an octree, after some points where surfaces meet.
// A point with f > 0 outside one body is as good as one inside: its nearest point on that body has
// depth 0 there and loses at most as much in the other.
//
// Upper bound: along many directions, the first translation found that frees the bodies, then
// bisected; the best one is turned step by step. Every translation that counts was verified.
#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <vector>

#include <clearance/geometry/mass.h>
#include <clearance/query/solid.h>

#include "query/answerable.h"
#include "query/model_side.h"
#include "query/solid_bounds.h"
#include "query/solid_side.h"

namespace clearance {
namespace {

// Pairs of touching triangles that are looked at for points and directions.
constexpr std::size_t kContacts = 512;
// Points among them that are tried one by one, and the best of these that are climbed from.
constexpr std::size_t kSeeds = 64;
constexpr std::size_t kClimbs = 4;
// Steps of a climb; each costs up to six points.
constexpr int kClimbSteps = 24;
// Directions kept from the normals of touching triangles, and how alike two may be (cosine).
constexpr std::size_t kNormals = 24;
constexpr double kAlike = 0.99;
// Lengths tried along a direction, from the lower bound to the best upper one.
constexpr double kSteps = 40.0;
// A translation above nothing even where every coordinate is 0 [m].
constexpr double kLeastTranslation = 1e-30;
// Distances are right to 1e-9 of themselves (query.h); a bound that is proven gives that away.
constexpr double kDistanceRounding = 4e-9;

/// Depths of points, and the greatest sum found.
class DepthSearch {
 public:
  DepthSearch(const Model& a, const Model& b, const Pose& a_from_b, std::size_t budget, Work& work)
      : a_(a),
        b_(b),
        a_from_b_(a_from_b),
        pair_(a, b, a_from_b),
        dot_({Vec3{}, Vec3{}, Vec3{}}, a.bvh()),
        budget_(budget),
        work_(work) {}

  /// Tries a point; its sum of depths, or nothing when the budget is spent.
  std::optional<double> depth(const Vec3& p) {
    if (budget_ == 0) return std::nullopt;
    --budget_;
    // Seen from p, so that the pose of B is the only one rounded.
    const double to_a = surface_distance(a_.bvh(), dot_.bvh(), Pose::translate(p), on_a_);
    const double to_b = surface_distance(dot_.bvh(), b_.bvh(),
                                         {a_from_b_.rotation, a_from_b_.translation - p}, on_b_);
    const double in_a = signed_depth(to_a, pair_.side_of_a(p, work_), a_.is_solid());
    const double in_b = signed_depth(to_b, pair_.side_of_b(p, work_), b_.is_solid());
    const double sum = in_a + in_b;
    const double proven = sum - kDistanceRounding * (to_a + to_b) - 4.0 * pair_.rounding();
    if (proven > best_) {
      best_ = proven;
      best_point_ = p;
    }
    return sum;
  }

  /// From a good point to a better one nearby, along the axes in ever smaller steps.
  void climb(Vec3 p, double step) {
    std::optional<double> here = depth(p);
    for (int i = 0; i < kClimbSteps && here; ++i) {
      bool moved = false;
      for (std::size_t k = 0; k < 6; ++k) {
        Vec3 q = p;
        q[k / 2] += k % 2 == 0 ? step : -step;
        const std::optional<double> there = depth(q);
        if (there && *there > *here) {
          p = q;
          here = there;
          moved = true;
        }
      }
      step *= moved ? 1.0 : 0.5;
    }
  }

  /// Best-first over the cells of a box until nothing better than best + gap can be left.
  void search(const Box& box, double relative_gap) {
    struct Cell {
      Vec3 center;
      Vec3 half;
      double bound;
      bool operator<(const Cell& other) const { return bound < other.bound; }
    };
    std::priority_queue<Cell> cells;
    const auto add = [&](const Vec3& center, const Vec3& half) {
      const std::optional<double> sum = depth(center);
      if (sum) cells.push({center, half, *sum + 2.0 * norm(half)});
    };
    add(box.center(), 0.5 * box.size());
    while (!cells.empty() && budget_ > 0) {
      const Cell cell = cells.top();
      cells.pop();
      if (cell.bound <= (1.0 + relative_gap) * best_ || cell.bound <= 0.0) return;
      // Halved along the longest side: cells stay round, and long boxes are no waste.
      std::size_t axis = 0;
      for (std::size_t k = 1; k < 3; ++k) axis = cell.half[k] > cell.half[axis] ? k : axis;
      Vec3 half = cell.half;
      half[axis] *= 0.5;
      for (const double side : {-1.0, 1.0}) {
        Vec3 center = cell.center;
        center[axis] += side * half[axis];
        add(center, half);
      }
    }
  }

  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] const Vec3& best_point() const { return best_point_; }

 private:
  double surface_distance(const Bvh& a, const Bvh& b, const Pose& pose, Coherence& coherence) {
    const Distance d = distance(a, b, pose, {}, &coherence);
    work_ += d.work;
    return d.distance;
  }
  /// An open surface has no depth: on it 0, elsewhere less.
  static double signed_depth(double to_surface, Side side, bool solid) {
    if (side == Side::Boundary) return 0.0;
    return solid && side == Side::Inside ? to_surface : -to_surface;
  }

  const Model& a_;
  const Model& b_;
  Pose a_from_b_;
  detail::PosedPair pair_;
  detail::SmallSurface dot_;
  Coherence on_a_, on_b_;
  std::size_t budget_;
  Work& work_;
  double best_ = 0.0;
  Vec3 best_point_;
};

/// Translations that free the bodies, and the shortest found.
class SeparationSearch {
 public:
  SeparationSearch(const Model& a, const Model& b, const Pose& a_from_b, double lower,
                   double relative_gap, std::size_t budget, Work& work)
      : a_(a),
        b_(b),
        a_from_b_(a_from_b),
        relative_gap_(relative_gap),
        budget_(budget),
        work_(work),
        rounding_(detail::PosedPair(a, b, a_from_b).rounding()),
        least_(std::max({lower, 4.0 * rounding_, kLeastTranslation})) {}

  /// A translation along the coordinate axis that needs the least: the bounding boxes part, so it
  /// needs no search and always exists.
  void start(const Box& a, const Box& b) {
    const double margin =
        1e-9 * (a.diagonal() + b.diagonal()) + 16.0 * rounding_ + kLeastTranslation;
    std::vector<Vec3> ways;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 up;
      Vec3 down;
      up[k] = a.high[k] - b.low[k] + margin;
      down[k] = a.low[k] - b.high[k] - margin;
      ways.insert(ways.end(), {up, down});
    }
    std::stable_sort(ways.begin(), ways.end(),
                     [](const Vec3& p, const Vec3& q) { return norm(p) < norm(q); });
    for (const Vec3& way : ways) {
      if (try_translation(way)) return;
    }
  }

  /// The shortest way out along a unit direction, where it is shorter than the best so far. Steps
  /// outward grow so that kSteps reach the best: the closer the bounds, the narrower the gaps
  /// found.
  void along(const Vec3& direction) {
    if (!(norm(direction) > 0.5)) return;
    const double growth = std::clamp(std::pow(upper_ / least_, 1.0 / kSteps), 1.1, 2.0);
    double blocked = 0.0;
    double step = least_;
    const double enough = (1.0 - 0.25 * relative_gap_) * upper_;
    for (; step < enough && budget_ > 0; step *= growth) {
      if (try_translation(step * direction)) break;
      blocked = step;
    }
    if (step >= enough) {
      // The last try before giving up: a hair shorter than the best.
      if (!try_translation(enough * direction)) return;
      step = enough;
    }
    shorten(direction, blocked, step);
  }

  /// Turns the best direction to and fro while that makes it shorter.
  void turn() {
    for (double angle = 0.5; angle > 0.002 && budget_ > 0;) {
      const Vec3 direction = normalized(best_);
      const Vec3 u = any_perpendicular(direction);
      const Vec3 v = cross(direction, u);
      const double before = upper_;
      for (int k = 0; k < 8 && budget_ > 0; ++k) {
        const double phi = 0.78539816339744831 * k;
        const Vec3 turned = normalized(direction + angle * (std::cos(phi) * u + std::sin(phi) * v));
        const double step = (1.0 - 0.1 * angle * angle - 0.1 * relative_gap_) * upper_;
        if (step > least_ && try_translation(step * turned)) shorten(turned, least_, step);
      }
      if (upper_ >= before) angle *= 0.5;
      if (done()) return;
    }
  }

  /// Along the normal of the closest points at the best translation: the way to the flank that
  /// stopped it.
  void square_up() {
    for (int i = 0; i < 8 && budget_ > 0 && !done(); ++i) {
      const double before = upper_;
      const Distance d = distance(a_.bvh(), b_.bvh(), moved(best_), {}, &coherence_);
      work_ += d.work;
      const double step = dot(best_, d.normal);
      if (step > least_ && step < upper_ && try_translation(step * d.normal)) {
        shorten(d.normal, least_, step);
      }
      along(d.normal);
      if (upper_ > (1.0 - 0.1 * relative_gap_) * before) return;
    }
  }

  [[nodiscard]] bool done() const { return upper_ - least_ <= relative_gap_ * upper_; }
  [[nodiscard]] double upper() const { return upper_; }
  [[nodiscard]] const Vec3& best() const { return best_; }

 private:
  [[nodiscard]] Pose moved(const Vec3& by) const {
    return {a_from_b_.rotation, a_from_b_.translation + by};
  }
  bool try_translation(const Vec3& by) {
    if (budget_ == 0) return false;
    --budget_;
    const SolidCollision collision = collide(a_, b_, moved(by), &coherence_);
    work_ += collision.work;
    if (collision.hit) return false;
    // What adding to the translation of the pose rounds away is part of the way.
    const double length = norm(by) * (1.0 + 1e-15) + rounding_;
    if (length < upper_) {
      upper_ = length;
      best_ = by;
    }
    return true;
  }
  /// Halves the way between a blocked and a free length.
  void shorten(const Vec3& direction, double blocked, double free) {
    while (free - blocked > 0.1 * relative_gap_ * free && free - blocked > 2.0 * rounding_ &&
           budget_ > 0) {
      const double middle = 0.5 * (free + blocked);
      (try_translation(middle * direction) ? free : blocked) = middle;
    }
  }

  const Model& a_;
  const Model& b_;
  Pose a_from_b_;
  Coherence coherence_;
  double relative_gap_;
  std::size_t budget_;
  Work& work_;
  double rounding_;
  double least_;  // nothing shorter than this need be tried
  double upper_ = std::numeric_limits<double>::infinity();
  Vec3 best_;
};

Box moved_bounds(const Box& box, const Pose& pose) {
  Box result;
  for (const Vec3& corner : detail::corners(box)) result.include(pose * corner);
  return result;
}

/// The corners of touching triangles, spread over the list of them.
std::vector<Vec3> seed_points(const Model& a, const Model& b, const Pose& a_from_b,
                              const std::vector<Contact>& pairs) {
  std::vector<Vec3> points;
  const std::size_t stride = pairs.size() * 6 / kSeeds + 1;
  std::size_t count = 0;
  for (const Contact& pair : pairs) {
    const Triangle ta = a.bvh().triangle(pair.triangle_a);
    const Triangle tb = b.bvh().triangle(pair.triangle_b);
    for (const Vec3& p : {ta.a, ta.b, ta.c, a_from_b * tb.a, a_from_b * tb.b, a_from_b * tb.c}) {
      if (count++ % stride == 0) points.push_back(p);
    }
  }
  return points;
}

/// Directions worth trying: the line of the centres, the coordinate axes of both bodies, along
/// which parts are made to move, and the normals of touching triangles, the largest areas first.
std::vector<Vec3> directions(const Model& a, const Model& b, const Pose& a_from_b,
                             const std::vector<Contact>& pairs) {
  struct Group {
    Vec3 direction;
    double area;
  };
  std::vector<Group> groups;
  const auto count = [&](const Vec3& normal, double area) {
    if (!(norm(normal) > 0.5)) return;
    for (Group& group : groups) {
      if (dot(group.direction, normal) > kAlike) {
        group.area += area;
        return;
      }
    }
    groups.push_back({normal, area});
  };
  for (const Contact& pair : pairs) {
    // B leaves A along A's outward normal, or against its own.
    const Triangle ta = a.bvh().triangle(pair.triangle_a);
    const Triangle tb = b.bvh().triangle(pair.triangle_b);
    count(triangle_normal(ta), triangle_area(ta));
    count(-normalized(a_from_b.rotation * triangle_normal(tb)), triangle_area(tb));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& p, const Group& q) { return p.area > q.area; });
  const Vec3 between = normalized(a_from_b * b.bvh().bounds().center() - a.bvh().bounds().center());
  std::vector<Vec3> result{between, -between};
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = 1.0;
    const Vec3 of_b = normalized(a_from_b.rotation.column(k));
    result.insert(result.end(), {axis, -axis});
    if (std::abs(dot(axis, of_b)) < kAlike) result.insert(result.end(), {of_b, -of_b});
  }
  for (std::size_t i = 0; i < std::min(kNormals, groups.size()); ++i) {
    result.push_back(groups[i].direction);
  }
  return result;
}

}  // namespace

Penetration penetration(const Model& a, const Model& b, const Pose& a_from_b,
                        const PenetrationOptions& options) {
  Penetration result;
  result.a_is_solid = a.is_solid();
  result.b_is_solid = b.is_solid();
  const SolidCollision collision = collide(a, b, a_from_b);
  result.work = collision.work;
  if (!collision.hit) return result;
  result.overlap = true;
  if (!detail::is_answerable(a_from_b)) {
    result.upper = std::numeric_limits<double>::infinity();
    return result;
  }

  const Contacts met = contacts(a.bvh(), b.bvh(), a_from_b, kContacts);
  result.work += met.work;
  const Box bounds_a = a.bvh().bounds();
  const Box bounds_b = moved_bounds(b.bvh().bounds(), a_from_b);

  DepthSearch depths(a, b, a_from_b, options.points, result.work);
  if (a.is_solid() || b.is_solid()) {
    struct Seed {
      Vec3 point;
      double depth;
    };
    std::vector<Seed> seeds;
    std::vector<Vec3> points = seed_points(a, b, a_from_b, met.pairs);
    if (collision.touch != Touch::Surfaces) points.push_back(collision.inside_point);
    for (const Vec3& p : points) {
      const std::optional<double> depth = depths.depth(p);
      if (depth) seeds.push_back({p, *depth});
    }
    std::stable_sort(seeds.begin(), seeds.end(),
                     [](const Seed& p, const Seed& q) { return p.depth > q.depth; });
    if (a.is_solid() && b.is_solid()) {
      const double size = std::min(bounds_a.diagonal(), bounds_b.diagonal());
      for (std::size_t i = 0; i < std::min(kClimbs, seeds.size()); ++i) {
        depths.climb(seeds[i].point, std::max(std::abs(seeds[i].depth), 1e-3 * size));
      }
      const Box common{max(bounds_a.low, bounds_b.low), min(bounds_a.high, bounds_b.high)};
      if (!common.empty()) depths.search(common, 0.25 * options.relative_gap);
    }
  }
  result.lower = depths.best();
  result.deepest_point = depths.best_point();

  SeparationSearch ways(a, b, a_from_b, result.lower, options.relative_gap, options.translations,
                        result.work);
  ways.start(bounds_a, bounds_b);
  if (collision.touch != Touch::Surfaces) {
    // No contact to take a direction from: towards the nearest surface, either way.
    const Distance gap = distance(a.bvh(), b.bvh(), a_from_b);
    result.work += gap.work;
    ways.along(gap.normal);
    ways.along(-gap.normal);
  }
  for (const Vec3& direction : directions(a, b, a_from_b, met.pairs)) {
    if (ways.done()) break;
    ways.along(direction);
  }
  if (!ways.done()) ways.square_up();
  if (!ways.done()) ways.turn();
  result.upper = ways.upper();
  result.separation = ways.best();
  return result;
}

}  // namespace clearance
