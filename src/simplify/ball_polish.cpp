// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/ball_polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/base/random.h>

namespace clearance::detail {
namespace {

// Steps of a ball's search for its best place, as parts of its radius.
constexpr double kFirstStep = 0.2;
constexpr double kLastStep = 0.004;

struct Farthest {
  double distance = 0.0;
  Vec3 point;
};
Farthest farthest(const Vec3& center, std::span<const Vec3> points) {
  std::size_t most = 0;
  double most_sq = -1.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double sq = squared_norm(points[i] - center);
    if (sq > most_sq) most_sq = sq, most = i;
  }
  return {std::sqrt(most_sq), points[most]};
}

// Where a ball holds all of `own` with the most to spare, near to where it is.
Sphere best_place(const BallField& field, Sphere ball, std::span<const Vec3> own, Random& random) {
  Farthest limit = farthest(ball.center, own);
  double spare = ball.radius - limit.distance;
  const double radius = ball.radius;
  double step = kFirstStep * radius;
  const auto try_move = [&](const Vec3& direction) {
    const Vec3 center = ball.center + step * direction;
    const Farthest needed = farthest(center, own);
    // The radius grows by no more than the way of the centre.
    if (ball.radius + step - needed.distance <= spare) return false;
    const double now = field.radius(center);
    if (now - needed.distance <= spare) return false;
    ball = {center, now};
    limit = needed;
    spare = now - needed.distance;
    return true;
  };
  while (step >= kLastStep * radius) {
    // Towards the point that limits it, and in all directions of a frame turned at random.
    bool better = try_move(normalized(limit.point - ball.center));
    const Vec3 direction = normalized(Vec3{random.normal(), random.normal(), random.normal()});
    const Vec3 across = any_perpendicular(direction);
    const Vec3 third = cross(direction, across);
    for (const Vec3& axis :
         {direction, across, third, -1.0 * direction, -1.0 * across, -1.0 * third})
      better = try_move(axis) || better;
    if (!better) step *= 0.6;
  }
  return ball;
}

}  // namespace

void polish_balls(const BallField& field, std::span<const Vec3> points, std::vector<Sphere>& balls,
                  const PolishOptions& options) {
  Random random(options.seed);
  std::vector<std::uint32_t> held_by(points.size(), 0);
  const auto count = [&](const Sphere& ball, std::uint32_t change) {
    const double radius_sq = ball.radius * ball.radius;
    for (std::size_t p = 0; p < points.size(); ++p)
      if (squared_norm(points[p] - ball.center) <= radius_sq) held_by[p] += change;
  };
  for (const Sphere& ball : balls) count(ball, 1U);
  std::vector<Vec3> own;
  for (int round = 0; round < options.rounds; ++round) {
    // Points that are in no ball go to the one that is nearest to holding them.
    std::vector<std::vector<Vec3>> wanted(balls.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (held_by[p] != 0) continue;
      std::size_t nearest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < balls.size(); ++k) {
        const double gap = distance(points[p], balls[k].center) - balls[k].radius;
        if (gap < least) least = gap, nearest = k;
      }
      wanted[nearest].push_back(points[p]);
    }
    std::vector<Sphere> left;
    for (std::size_t k = 0; k < balls.size(); ++k) {
      if (options.only_wanted && wanted[k].empty()) {
        left.push_back(balls[k]);
        continue;
      }
      own = std::move(wanted[k]);
      const double radius_sq = balls[k].radius * balls[k].radius;
      for (std::size_t p = 0; p < points.size(); ++p)
        if (held_by[p] == 1 && squared_norm(points[p] - balls[k].center) <= radius_sq)
          own.push_back(points[p]);
      count(balls[k], ~0U);
      if (own.empty()) continue;
      left.push_back(best_place(field, balls[k], own, random));
      count(left.back(), 1U);
    }
    balls = std::move(left);
  }
}

}  // namespace clearance::detail
