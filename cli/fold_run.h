// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The run of clearance fold: steps, the files that grow with them, audits, checkpoints, Ctrl-C.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>

#include "fold_input.h"
#include "session.h"

namespace clearance::cli {

struct FoldPlan {
  std::uint64_t steps = 0;  ///< in all, those before a resumed checkpoint included
  std::uint64_t every = 1;  ///< steps between rows of the table and models of the trajectory
  std::uint64_t audit = 0;  ///< steps between audits; 0: only at the end
  double time_limit = 0.0;  ///< [s]; 0: none
  std::string trajectory;   ///< files; empty: not wanted
  std::string csv;
  std::string checkpoint;
  double checkpoint_interval = 20.0;  ///< [s]; a run that is killed outright loses at most this
  bool superposed = true;  ///< models are moved onto the start; else link 0 stays in place
  /// What a checkpoint must agree in, by name.
  std::vector<std::pair<std::string, std::string>> identity;
};

/// A conformation in numbers.
struct FoldMeasure {
  double energy = 0.0;
  double radius = 0.0;  ///< of gyration
  double rmsd = 0.0;    ///< from the start, after superposition
  std::int64_t contacts = 0;
};

/// One row of the table.
struct FoldRow {
  std::uint64_t step = 0;
  FoldMeasure measure;
  double acceptance = 0.0;  ///< of the steps since the row before
  double clash_rate = 0.0;
};

enum class FoldEnd : std::uint8_t { Done, Interrupted, TimeLimit };

struct FoldReport {
  FoldMeasure start;
  FoldMeasure end;
  FoldCounts counts;  ///< of all steps, those before a resumed checkpoint included
  FoldEnd ended = FoldEnd::Done;
  std::uint64_t steps_here = 0;  ///< by this process
  double seconds = 0.0;          ///< for them
  ChainWork work;                ///< of the clash tests among them
  std::uint64_t clashed_here = 0;
  std::uint64_t remembered = 0;  ///< of those, found at once
  std::uint64_t audits = 0;
  double worst_energy_drift = 0.0;
  double worst_pose_drift = 0.0;
  std::uint64_t models = 0;  ///< in the trajectory
  std::vector<std::string> written;
};

/// Runs to the end of the plan, or until stopped; `from` is where to go on, or null. What was
/// finished before a stop is on disk, with a checkpoint when one is asked for. Errors: files; a
/// checkpoint that does not fit; an audit that finds more than rounding.
[[nodiscard]] Result<FoldReport> run_fold(Fold& fold, const FoldInput& input, const FoldPlan& plan,
                                          const FoldCheckpoint* from, TerminalMonitor& monitor);

/// The rows of a table that a run wrote.
[[nodiscard]] Result<std::vector<FoldRow>> read_rows(const std::string& path);

}  // namespace clearance::cli
