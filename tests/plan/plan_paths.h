// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small problems and paths for the tests of proof, verification and improvement.
#pragma once

#include <algorithm>
#include <limits>

#include <clearance/base/random.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>

#include "support/simple_meshes.h"

namespace clearance::test {

inline const Vec3 kCubeMiddle{0.5, 0.5, 0.5};

inline Model model(const Mesh& mesh) { return Model::build(mesh).value(); }

/// The cube [0, 1]³ as the body.
inline PlanProblem unit_cube_among(const Mesh& obstacles, double clearance = 0.0) {
  PlanProblem problem{model(cube()), model(obstacles)};
  problem.clearance = clearance;
  return problem;
}

/// A box between two corners.
inline Mesh box(const Vec3& low, const Vec3& high) {
  return transformed(scaled(cube(), high - low), Pose::translate(low));
}

inline PlanPath straight(const Vec3& from, const Vec3& to) {
  return {kCubeMiddle, {Pose::translate(from), Pose::translate(to)}};
}

/// A ball in the middle for random_path() to hit about half of the time.
inline PlanProblem cube_and_ball(double clearance = 0.0) {
  return unit_cube_among(uv_sphere(0.5, 8, {0.2, 0.1, 0.0}), clearance);
}

/// Random poses of the cube around the middle.
inline PlanPath random_path(Random& random, int pieces) {
  PlanPath path;
  path.pivot = kCubeMiddle;
  for (int i = 0; i <= pieces; ++i) {
    const Mat3 rotation =
        rotation_from({random.normal(), random.normal(), random.normal(), random.normal()});
    Vec3 to{random.normal(), random.normal(), random.normal()};
    to = (random.uniform(1.9, 3.5) / norm(to)) * to;
    path.poses.push_back({rotation, to - rotation * kCubeMiddle});
  }
  return path;
}

/// The least distance at this many moments of each piece.
inline double sampled_clearance(const PlanProblem& problem, const PlanPath& path, int samples) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t piece = 0; piece < path.size(); ++piece) {
    const RigidMotion motion = path.motion(piece);
    for (int i = 0; i <= samples; ++i) {
      const double time = static_cast<double>(i) / samples;
      least = std::min(least, distance(problem.obstacles, problem.body, motion.at(time)).distance);
    }
  }
  return least;
}

}  // namespace clearance::test
