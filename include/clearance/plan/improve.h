// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A path made shorter, then wider. Every change is proven before it is kept, so the result is as
// free as what came in. Deterministic; no random numbers.
#pragma once

#include <cstdint>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>

namespace clearance {

struct ImproveOptions {
  std::uint64_t operations = 200'000'000;  ///< as in PlanOptions
  bool shorten = true;                     ///< leave out poses, cut corners, as far as proven free
  /// Move poses away from the obstacles where there is room, up to this clearance [m]; 0: do not.
  /// Default: a tenth of the size of the body.
  double widen_to = -1.0;
  Threads threads{};
  Monitor* monitor = nullptr;
};

struct Improved {
  PlanPath path;
  PathLength before;
  PathLength after;
  std::uint64_t operations = 0;
};

/// The path must be free (prove_path). Start and goal stay as they are.
[[nodiscard]] Improved improve_path(const PlanProblem& problem, const PlanPath& path,
                                    const ImproveOptions& options = {});

}  // namespace clearance
