// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads: which screw, if any, slides the surfaces of a body along those it is near, and how it
// leads out. A surface that a screw maps to itself has normals that are square to the velocities of
// the screw everywhere: a linear equation for each point of the surface, in the six numbers of a
// screw (Pottmann and Randrup, Rotational and helical surface approximation, 1998). The body's
// own surface decides, so that a nut that sits askew in its play keeps its play.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/geometry/pose.h>
#include <clearance/plan/problem.h>

namespace clearance::detail {

/// A turn about a line with an advance along it.
struct Screw {
  Vec3 point, axis;    ///< the line, world; the axis is a unit vector
  double pitch = 0.0;  ///< advance for a whole turn [m]; below 0 when left-handed
};

/// The screw of the surfaces of the body that are near the obstacles at the start; none when they
/// are not those of a thread. Costs one distance of the bodies and some thousand of points. Both
/// trees must be wide.
[[nodiscard]] std::optional<Screw> screw_of(const PlanProblem& problem, Work& work);

struct ScrewOptions {
  std::uint64_t operations = 60'000'000'000;  ///< given up after so many tests
  const Monitor* monitor = nullptr;
};

/// Poses from the start along that screw, to where the body is out; empty when there is none. It is
/// followed both ways, a quarter of a turn at a time, in the middle of the play along the axis,
/// which must be bounded; once a straight way is free that is taken. Nothing is proven. A few
/// contact tests for each turn.
struct ScrewWay {
  std::vector<Pose> poses;
  Vec3 point, axis;    ///< the line; the axis is the way out
  double pitch = 0.0;  ///< as it was felt, for the axis [m]
  double turns = 0.0;
  Work work;
};
[[nodiscard]] ScrewWay way_by_screw(const PlanProblem& problem, const ScrewOptions& options);

}  // namespace clearance::detail
