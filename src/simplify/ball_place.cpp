// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is to spare, f(c) = radius(c) - max |p - c|, is the least of many smooth functions: the
// radius the least distance from what limits balls (BallField::ball), the rest the points. The way
// up that all those near the least agree on best is the shortest vector of the convex hull of their
// slopes. As the steps become shorter, fewer are near.
#include "simplify/ball_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace clearance::detail {
namespace {

// Slopes looked at together, and limits of the radius kept in mind.
constexpr std::size_t kMostSlopes = 24;
constexpr std::size_t kMostLimits = 12;
// Steps towards the shortest vector.
constexpr int kHullSteps = 24;
constexpr double kGrowth = 1.6;
constexpr double kShrink = 0.5;

struct Slope {
  Vec3 up;
  double over = 0.0;  // above the least of its kind [m]
};

// The slopes of one kind that are nearest to the least.
struct Slopes {
  std::array<Slope, kMostSlopes> list;
  std::size_t count = 0;
  std::size_t worst = 0;  // when the list is full
  // Would it be in the list?
  [[nodiscard]] bool takes(double over) const {
    return count < kMostSlopes || over < list[worst].over;
  }
  void add(const Slope& slope) {
    if (!takes(slope.over)) return;
    if (count < kMostSlopes) {
      list[count++] = slope;
      if (count < kMostSlopes) return;
    } else {
      list[worst] = slope;
    }
    worst = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (list[i].over > list[worst].over) worst = i;
  }
  // The one that agrees least with a direction, given how far above the least it is per step.
  [[nodiscard]] std::size_t against(const Vec3& way, double step) const {
    std::size_t best = 0;
    double least = dot(list[0].up, way) * step + list[0].over;
    for (std::size_t i = 1; i < count; ++i) {
      const double value = dot(list[i].up, way) * step + list[i].over;
      if (value < least) least = value, best = i;
    }
    return best;
  }
};

// The shortest vector of the sum of the hulls of both, nearly: Frank and Wolfe's steps.
Vec3 shortest(const Slopes& a, const Slopes& b, double step) {
  Vec3 v = a.list[0].up + b.list[0].up;
  for (int i = 0; i < kHullSteps; ++i) {
    const double length = norm(v);
    if (length < 1e-6) return {};
    const Vec3 way = v / length;
    const Vec3 w = a.list[a.against(way, step)].up + b.list[b.against(way, step)].up;
    const Vec3 change = w - v;
    const double square = squared_norm(change);
    if (square < 1e-12) break;
    const double t = std::clamp(-dot(v, change) / square, 0.0, 1.0);
    if (t <= 1e-3) break;
    v += t * change;
  }
  return v;
}

// Points side by side, several looked at together, with their squared distances from two places:
// where the ball is, and where it is tried.
class FarPoints {
 public:
  explicit FarPoints(std::span<const Vec3> points) : count_(points.size()) {
    const std::size_t padded = (count_ + kWidth - 1) / kWidth * kWidth;
    for (auto* list : {&x_, &y_, &z_, &here_, &there_}) list->resize(padded);
    for (std::size_t i = 0; i < padded; ++i) {
      const Vec3& p = points[std::min(i, count_ - 1)];
      x_[i] = p.x, y_[i] = p.y, z_[i] = p.z;
    }
  }
  // The squared distance of the farthest.
  double try_place(const Vec3& c) {
    std::array<double, kWidth> most{};
    for (std::size_t i = 0; i < x_.size(); i += kWidth) {
      for (std::size_t j = 0; j < kWidth; ++j) {
        const double dx = x_[i + j] - c.x;
        const double dy = y_[i + j] - c.y;
        const double dz = z_[i + j] - c.z;
        const double sq = dx * dx + dy * dy + dz * dz;
        there_[i + j] = sq;
        most[j] = sq > most[j] ? sq : most[j];
      }
    }
    return *std::max_element(most.begin(), most.end());
  }
  // The place that was tried is where the ball is now.
  void accept() { std::swap(here_, there_); }

  // Calls each(offset from the place, distance) for the points at least so far from it.
  template <class Each>
  void beyond(const Vec3& c, double within, const Each& each) const {
    const double within_sq = within * within;
    for (std::size_t i = 0; i < count_; ++i)
      if (here_[i] >= within_sq)
        each(Vec3{x_[i] - c.x, y_[i] - c.y, z_[i] - c.z}, std::sqrt(here_[i]));
  }

 private:
  static constexpr std::size_t kWidth = 8;
  std::size_t count_;
  std::vector<double> x_, y_, z_, here_, there_;
};

}  // namespace

PlacedBall best_place(const BallField& field, const Sphere& ball, std::span<const Vec3> points,
                      const PlaceOptions& options) {
  FarPoints far(points);
  std::array<Vec3, kMostLimits> limits;
  std::size_t limit_count = 0;
  std::size_t next_limit = 0;
  const auto remember = [&](const Vec3& limit) {
    limits[next_limit] = limit;
    next_limit = (next_limit + 1) % kMostLimits;
    limit_count = std::min(limit_count + 1, kMostLimits);
  };
  BallField::Ball here = field.ball(ball.center);
  remember(here.limit);
  Vec3 c = ball.center;
  double needed = std::sqrt(far.try_place(c));
  far.accept();
  PlacedBall best{{c, here.radius}, here.radius - needed};
  const double size = std::max(here.radius, field.error());
  double step = options.first_step * size;
  std::size_t looks = 0;
  while (step >= options.last_step * size && looks < options.most_looks &&
         !(options.enough > 0.0 && best.spare >= options.enough)) {
    Slopes from_points;
    const double within = std::max(needed - 2.0 * step, 0.0);
    far.beyond(c, within, [&](const Vec3& way, double d) {
      if (d > 0.0 && from_points.takes(needed - d)) from_points.add({way / d, needed - d});
    });
    Slopes from_limits;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < limit_count; ++i) least = std::min(least, distance(limits[i], c));
    for (std::size_t i = 0; i < limit_count; ++i) {
      const double d = distance(limits[i], c);
      if (d - least <= 2.0 * step && d > 0.0)
        from_limits.add({here.radius >= -field.error() ? (c - limits[i]) / d : Vec3{}, d - least});
    }
    if (from_points.count == 0 || from_limits.count == 0) break;
    const Vec3 way = shortest(from_points, from_limits, step);
    const double length = norm(way);
    if (length < 1e-5) {
      step *= kShrink;
      continue;
    }
    const Vec3 center = c + (step / length) * way;
    const double now_needed = std::sqrt(far.try_place(center));
    // The radius grows by no more than the way of the centre.
    if (best.ball.radius + step - now_needed <= best.spare) {
      step *= kShrink;
      continue;
    }
    ++looks;
    const BallField::Ball there = field.ball(center);
    remember(there.limit);
    if (there.radius - now_needed > best.spare) {
      c = center;
      far.accept();
      here = there;
      needed = now_needed;
      best = {{c, there.radius}, there.radius - needed};
      step *= kGrowth;
    } else {
      step *= kShrink;
    }
  }
  return best;
}

}  // namespace clearance::detail
