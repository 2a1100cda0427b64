// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far a body goes along a direction until it is out, and directions all over the sphere.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <clearance/plan/problem.h>

namespace clearance::detail {

inline Pose moved(const Pose& pose, const Vec3& by) {
  return {pose.rotation, pose.translation + by};
}

/// The box of the body's triangles at the start, along the axes of the world.
inline Box body_box(const PlanProblem& problem) {
  Box box;
  for (const auto& face : problem.body.bvh().faces()) {
    for (const std::uint32_t i : face)
      box.include(problem.start * problem.body.bvh().vertices()[i]);
  }
  return box;
}

/// The way along a unit direction until the box is clear of that of the obstacles by more than the
/// clearance [m]; with a hair on top, so that is_out() agrees.
inline double way_out(const PlanProblem& problem, const Box& body, const Vec3& direction) {
  const Box& obstacles = problem.obstacles.bvh().bounds();
  double way = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const double gap =
        direction[k] > 0.0 ? obstacles.high[k] - body.low[k] : body.high[k] - obstacles.low[k];
    const double left = std::fmax(0.0, gap + problem.clearance);
    if (direction[k] != 0.0) way = std::fmin(way, left / std::abs(direction[k]));
  }
  const double size = obstacles.diagonal() + body.diagonal() + problem.clearance;
  return way * (1.0 + 1e-9) + 1e-9 * size;
}

/// Direction i of `count` spread evenly over the sphere: on a spiral, a golden angle apart.
inline Vec3 spread_direction(std::size_t i, std::size_t count) {
  constexpr double kGoldenAngle = 2.3999632297286535;
  const double z = 1.0 - (2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(count);
  const double r = std::sqrt(std::fmax(0.0, 1.0 - z * z));
  const double angle = kGoldenAngle * static_cast<double>(i);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

}  // namespace clearance::detail
