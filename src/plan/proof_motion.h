// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The looks at one motion that cover it with proven intervals. proof.h uses it for motions and, cut
// into tasks, for whole paths.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/plan/proof.h>

namespace clearance::detail {

/// A part of a motion, in its time.
struct TimeInterval {
  double begin = 0.0;
  double end = 1.0;
};

/// One motion, and what its proof needs to know of it.
struct MotionToProve {
  const Model& obstacles;
  const Model& body;
  const RigidMotion& motion;
  double speed = 0.0;      ///< no point of the body moves farther per unit of time [m]
  double clearance = 0.0;  ///< to be kept [m]
  double rounding = 0.0;   ///< what poses and their joints may be off by [m]
  /// The part of a proven radius that is used, at most 1: at 0.5 at least half of what is left
  /// beyond the clearance at any look stays proven everywhere around it.
  double used = 1.0;
  /// Distances are asked for as they are, for a plot; otherwise only as far as they matter.
  bool exact = false;
};

/// What rounding may do to the poses of a motion and to the coordinates they move [m].
[[nodiscard]] double motion_rounding(const Model& obstacles, const Model& body,
                                     const RigidMotion& motion, double speed);

/// The same for a piece of a path, which ends at a pose that the motion meets but for rounding, or
/// for what the pose lacks to a rotation: the jump counts as rounding [m].
[[nodiscard]] double piece_rounding(const PlanProblem& problem, const RigidMotion& motion,
                                    double speed, const Pose& end);

/// What the looks found so far.
struct Looks {
  ProofStatus status = ProofStatus::Free;  ///< Free: nothing speaks against it yet
  std::size_t count = 0;
  double lower = std::numeric_limits<double>::infinity();  ///< proven over all that is covered [m]
  double refused_at = 0.0;                                 ///< time, unless Free
  double narrowest_time = 0.0;
  Distance narrowest;                ///< the closest look; where refused, that look
  std::vector<ProofSample> samples;  ///< when exact; `piece` is left 0
  std::vector<TimeInterval> left;    ///< not covered yet, ascending after advance()
  Work work;
};

/// The closest look of a path: where, and between what.
void note_narrowest(PathProof& proof, const ProofSample& sample, const Distance& d);

/// The exact distance at a time; false when it speaks against the motion. Covers nothing.
bool look_once(const MotionToProve& it, double time, Coherence& coherence, Looks& looks);

/// Halves what is left, the longest parts first, so that a collision anywhere is found soon. Stops
/// when all is covered, something refuses, or `most` looks were made; then looks.left is the rest.
void halve(const MotionToProve& it, std::size_t most, Coherence& coherence, Looks& looks);

/// Goes through what is left from the start to the end, in steps as long as the distances prove:
/// few looks in a narrow passage, each near the last. Stops as halve() does; when it is out of
/// looks the status is Undecided.
void advance(const MotionToProve& it, std::size_t most, const Monitor* monitor,
             Coherence& coherence, Looks& looks);

/// After a refusal: looks for an earlier one in what was left before it, to a thousandth of the
/// motion.
void find_first_refusal(const MotionToProve& it, Coherence& coherence, Looks& looks);

}  // namespace clearance::detail
