// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/closing_balls.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "simplify/cover_points.h"

namespace clearance::detail {
namespace {

// Proven radii may be too small by this part of the error.
constexpr double kRadiusTolerance = 0.001;
// Centres tried for a ball about an open place.
constexpr std::size_t kCentersTried = 3;
// Places closed at a time, and how far they are apart at least, as a part of the error.
constexpr std::size_t kTogether = 8;
constexpr double kApart = 3.0;

}  // namespace

Sphere proven_ball(const KeptVolume& kept, const Vec3& center, double error) {
  return {center, kept.safe_radius(center, error, kRadiusTolerance * error)};
}

void append_closing_balls(const BallField& field, std::span<const Vec3> points, double error,
                          const ClosingOptions& options, std::vector<Sphere>& spheres) {
  const double around = 2.0 * kSmallestPiece * error;
  const auto holds = [&](const Sphere& ball, const Vec3& p) {
    return distance(ball.center, p) + around <= ball.radius;
  };
  std::vector<std::pair<double, std::uint32_t>> by_depth(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    double depth = std::numeric_limits<double>::infinity();
    for (const Sphere& ball : spheres)
      depth = std::min(depth, distance(ball.center, points[i]) - ball.radius);
    by_depth[i] = {-depth, static_cast<std::uint32_t>(i)};
  }
  std::sort(by_depth.begin(), by_depth.end());

  // Those that hold the most of the other points as well first; about the point itself last.
  const auto ball_for = [&](const Vec3& p) {
    std::vector<Vec3> centers;
    append_centers(field, p, centers);
    std::vector<std::pair<std::size_t, std::size_t>> by_use(centers.size());
    for (std::size_t k = 0; k < centers.size(); ++k) {
      const Sphere ball{centers[k], field.radius(centers[k])};
      const auto held = std::count_if(points.begin(), points.end(),
                                      [&](const Vec3& q) { return holds(ball, q); });
      by_use[k] = {points.size() - static_cast<std::size_t>(held), k};
    }
    std::sort(by_use.begin(), by_use.end());
    by_use.resize(std::min(by_use.size(), kCentersTried));
    for (const auto& [others, k] : by_use) {
      const Sphere ball = proven_ball(field.kept(), centers[k], error);
      if (holds(ball, p)) return ball;
    }
    return proven_ball(field.kept(), p, error);
  };

  // Several that are apart at a time, the deepest first.
  std::vector<std::uint32_t> left;
  left.reserve(by_depth.size());
  for (const auto& [depth, i] : by_depth) left.push_back(i);
  std::vector<std::uint32_t> now;
  while (!left.empty() && !is_cancelled(options.monitor)) {
    now.clear();
    std::erase_if(left, [&](std::uint32_t i) {
      if (now.size() == kTogether || std::any_of(now.begin(), now.end(), [&](std::uint32_t j) {
            return distance(points[i], points[j]) < kApart * error;
          }))
        return false;
      now.push_back(i);
      return true;
    });
    std::vector<Sphere> found(now.size());
    parallel_for(options.threads, now.size(),
                 [&](std::size_t k) { found[k] = ball_for(points[now[k]]); });
    const std::size_t known = spheres.size();
    for (std::size_t k = 0; k < now.size(); ++k) {
      const auto added = std::span(spheres).subspan(known);
      const bool is_held = std::any_of(added.begin(), added.end(), [&](const Sphere& ball) {
        return holds(ball, points[now[k]]);
      });
      if (!is_held && found[k].radius > 0.0) spheres.push_back(found[k]);
    }
    const auto added = std::span(spheres).subspan(known);
    std::erase_if(left, [&](std::uint32_t i) {
      return std::any_of(added.begin(), added.end(),
                         [&](const Sphere& ball) { return holds(ball, points[i]); });
    });
  }
}

}  // namespace clearance::detail
