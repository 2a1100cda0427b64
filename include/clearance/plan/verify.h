// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A second opinion on a path, by code that has nothing in common with the proof (proof.h): other
// interpolation (quaternions), another bound on the way of the body (its largest radius about the
// pivot), another query ("closer than d?" instead of the distance) and another order (halving the
// time). A mistake in one of the two does not hide in the other.
#pragma once

#include <cstddef>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>
#include <clearance/plan/proof.h>

namespace clearance {

struct VerifyOptions {
  std::size_t checks = 100'000'000;  ///< queries at most, for each piece of the path
  Threads threads{};                 ///< never changes the answer
  Monitor* monitor = nullptr;
};

struct PathCheck {
  /// Free: proven for the whole path. Refused: at `piece` and `time` the body is at the clearance
  /// or closer. Undecided: could not be proven there (rounding, or out of checks); not free.
  ProofStatus status = ProofStatus::Undecided;
  std::size_t piece = 0;  ///< the first place along the path that is not free
  double time = 0.0;      ///< in [0, 1] of the piece
  Contact pair;           ///< triangles of obstacles and body that are too close there, if known
  bool starts_at_start =
      false;  ///< the first pose is that of the problem, to a millionth of the body
  /// The last pose is the goal, to a millionth of the body; or it is out, where there is no goal.
  bool reaches_goal = false;
  std::size_t checks = 0;  ///< queries made
  Work work;

  /// All that a solution has to be.
  [[nodiscard]] bool holds() const {
    return status == ProofStatus::Free && starts_at_start && reaches_goal;
  }
};

/// Checks a path against the problem. Cost: one to two times as many queries as the proof asks
/// distances, each cheaper; along threads and other long and narrow ways fewer, as triangles are
/// looked at one by one there (docs/path_proof.md). A turn by half a turn has two shorter ways:
/// both are checked.
[[nodiscard]] PathCheck verify_path(const PlanProblem& problem, const PlanPath& path,
                                    const VerifyOptions& options = {});

}  // namespace clearance
