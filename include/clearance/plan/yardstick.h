// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same problem given to a planner of OMPL: to compare with, and for those who trust it. Random,
// so that it takes a seed. What it finds is proven afterwards like any other path, and need not
// pass: OMPL looks at samples of a motion, and a thin wall may lie between them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/plan/plan.h>
#include <clearance/plan/problem.h>

namespace clearance {

/// Is OMPL built in? Otherwise plan_with_ompl() says that it is not.
[[nodiscard]] bool has_ompl();
/// "rrtconnect", "kpiece", "biest", "pdst", "est", "prm".
[[nodiscard]] const std::vector<std::string>& ompl_planners();

struct YardstickOptions {
  std::string planner = "rrtconnect";
  std::uint32_t seed = 1;  ///< above 0
  double seconds = 300.0;  ///< for the search, without the proof [s]
  /// `seconds`, and those of the result, are of the processor instead of the wall clock: what else
  /// the machine does takes nothing from OMPL. For benchmarks.
  bool processor_time = false;
  /// How far apart OMPL looks at a motion, as a fraction of the extent of its space. OMPL.app: 1 %.
  double resolution = 0.01;
  /// Motions are proven with our proof instead (ompl.h), and the resolution does not matter.
  bool prove_motions = false;
  /// Is the body free at a pose? Empty: our solid queries.
  std::function<bool(const Pose& world_from_body)> is_free;
  Threads threads{};  ///< for the proof
  Monitor* monitor = nullptr;
};

struct Yardstick {
  bool solved = false;   ///< OMPL says so
  double seconds = 0.0;  ///< of the search, preparation of OMPL's structures included
  /// Status Found: solved and proven. Otherwise OutOfTime (or Cancelled); where solved is true, the
  /// path is in it, and its proof tells where it is refused.
  Plan plan;
};

/// Errors: Unsupported without OMPL; Invalid for an unknown planner, or a failure within OMPL.
/// Changes the seed that OMPL's random numbers of the whole process start from.
[[nodiscard]] Result<Yardstick> plan_with_ompl(const PlanProblem& problem,
                                               const YardstickOptions& options = {});

}  // namespace clearance
