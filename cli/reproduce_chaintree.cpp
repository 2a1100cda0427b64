// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce chaintree: chains under trees, grids and trees built anew.
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chaintree/claims.h"
#include "chaintree/plots.h"
#include "chaintree_report.h"
#include "reproduce.h"
#include "session.h"
#include "study_output.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// A study of a few seconds keeps the moves few.
constexpr std::uint64_t kQuickSteps = 300;
constexpr std::uint64_t kQuickSlowLinkSteps = 20'000;

Status measure_all(const std::vector<study::ChainSubject>& subjects,
                   const study::ChainStudyOptions& options, TerminalMonitor& monitor,
                   std::vector<study::ChainRow>& rows) {
  for (const study::ChainSubject& subject : subjects) {
    monitor.set_subject(subject.name);
    Result<study::ChainRow> row = study::measure(subject, options);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return {};
}

Result<study::ChainStudy> run_study(const ReproduceOptions& options,
                                    const study::ChainStudyOptions& study_options,
                                    TerminalMonitor& monitor) {
  // What cannot be read is said before anything is measured.
  Result<std::vector<study::ChainSubject>> proteins =
      study::protein_subjects(options.data, study_options);
  if (!proteins) return proteins.error();
  for (const std::string& path : options.paths) {
    Result<std::vector<study::ChainSubject>> more = study::protein_file_subjects(path);
    if (!more) return more.error();
    for (study::ChainSubject& subject : *more) proteins->push_back(std::move(subject));
  }
  study::ChainStudy study;
  Status done =
      measure_all(study::compact_subjects(study_options), study_options, monitor, study.compact);
  if (done) done = measure_all(*proteins, study_options, monitor, study.proteins);
  if (!done) return done.error();
  monitor.set_subject("growth");
  Result<std::vector<study::GrowthRow>> growth = study::measure_growth(study_options);
  if (!growth) return growth.error();
  study.growth = std::move(*growth);
  monitor.set_subject("Lemma 7");
  Result<std::vector<study::WorstCaseRow>> worst = study::measure_worst_case(study_options);
  if (!worst) return worst.error();
  study.worst_case = std::move(*worst);
  return study;
}

}  // namespace

int reproduce_chaintree(const ReproduceOptions& options) {
  if (const Status there = check_data_folder(options); !there) return fail(there.error());
  TerminalMonitor monitor;
  study::ChainStudyOptions study_options;
  study_options.steps = options.steps;
  study_options.seed = options.seed;
  study_options.quick = options.quick;
  if (options.quick) {
    study_options.steps = std::min(options.steps, kQuickSteps);
    study_options.slow_link_steps = kQuickSlowLinkSteps;
  }
  study_options.monitor = &monitor;
  const Result<study::ChainStudy> study = run_study(options, study_options, monitor);
  monitor.clear();
  if (!study) return fail(study.error());
  const Status written = write_study(
      options, monitor, chaintree_csv(*study),
      [&](const std::string& folder) { return write_charts(folder, study::plots_of(*study)); });
  if (!written) return fail(written.error());
  if (options.json) {
    std::cout << json_text(chaintree_json(*study, study_options));
  } else {
    std::cout << chaintree_text(*study, study_options);
  }
  return study::answers_agree(*study) ? kGood : kBad;
}

}  // namespace clearance::cli
