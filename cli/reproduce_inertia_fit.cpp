// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce inertia-fit: trees over meshes, and plans on them.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>

#include "files.h"
#include "inertia_fit_claims.h"
#include "inertia_fit_report.h"
#include "reproduce.h"
#include "session.h"
#include "study_output.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// Files found by --data with fewer triangles are passed over: their trees say little.
constexpr std::size_t kLeastTriangles = 1000;

/// The rows of the study, as far as its input can be read.
struct Outcome {
  InertiaFit found;
  Exit status = kGood;
};

/// Measures the files one after the other. One that cannot be read is named on stderr; only files
/// asked for by name make the status a bad one.
Result<Outcome> measure_files(const ReproduceOptions& options,
                              const study::StudyOptions& study_options, TerminalMonitor& monitor,
                              Outcome outcome) {
  std::vector<std::string> files = options.paths;
  if (!options.data.empty()) {
    const Result<std::vector<std::string>> found = files_below(options.data);
    if (!found) return found.error();
    files.insert(files.end(), found->begin(), found->end());
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool by_name = i < options.paths.size();
    monitor.set_subject(std::to_string(i + 1) + "/" + std::to_string(files.size()) + " " +
                        files[i]);
    ReadOptions read_options;
    read_options.monitor = &monitor;
    const Result<LoadedMesh> loaded = read_mesh(files[i], read_options);
    if (!loaded) {
      if (loaded.error().code == ErrorCode::Cancelled) return loaded.error();
      if (!by_name) continue;
      monitor.clear();
      outcome.status = fail(loaded.error());
      continue;
    }
    if (!by_name && loaded->mesh.triangle_count() < kLeastTriangles) continue;
    std::string name = files[i];
    if (!by_name) name = name.substr(std::min(name.size(), options.data.size()));
    name.erase(0, by_name ? 0 : name.find_first_not_of('/'));
    Result<study::StudyRow> row = study::measure(name, loaded->mesh, nullptr, study_options);
    if (!row) {
      if (row.error().code == ErrorCode::Cancelled) return row.error();
      if (!by_name) continue;
      Error error = row.error();
      error.file = files[i];
      monitor.clear();
      outcome.status = fail(error);
      continue;
    }
    outcome.found.rows.push_back(std::move(*row));
  }
  return outcome;
}

Result<Outcome> run_inertia_fit(const ReproduceOptions& options,
                                const study::StudyOptions& study_options,
                                TerminalMonitor& monitor) {
  Outcome outcome;
  if (!options.no_generated) {
    const auto& paper = study::paper_rows();
    for (std::size_t i = 0; i < paper.size(); ++i) {
      monitor.set_subject(std::to_string(i + 1) + "/" + std::to_string(paper.size()) + " " +
                          paper[i].name);
      monitor.progress("generating", -1.0);
      const Result<Mesh> mesh = study::stand_in(paper[i], options.quick);
      if (!mesh) return mesh.error();
      Result<study::StudyRow> row = study::measure(paper[i].name, *mesh, &paper[i], study_options);
      if (!row) return row.error();
      outcome.found.rows.push_back(std::move(*row));
    }
    study::PlanningOptions planning;
    planning.threads = study_options.threads;
    planning.quick = options.quick;
    planning.monitor = &monitor;
    const auto& cases = study::paper_cases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      monitor.set_subject(std::to_string(i + 1) + "/" + std::to_string(cases.size()) + " " +
                          cases[i].name);
      Result<study::PlanningRow> row = study::plan_case(cases[i], planning);
      if (!row) return row.error();
      outcome.found.planning.push_back(std::move(*row));
    }
  }
  return measure_files(options, study_options, monitor, std::move(outcome));
}

}  // namespace

int reproduce_inertia_fit(const ReproduceOptions& options) {
  TerminalMonitor monitor;
  study::StudyOptions study_options;
  study_options.threads = Threads{options.threads};
  study_options.repetitions = options.repetitions;
  study_options.queries = options.queries;
  study_options.quick = options.quick;
  study_options.monitor = &monitor;
  const Result<Outcome> outcome = run_inertia_fit(options, study_options, monitor);
  monitor.clear();
  if (!outcome) return fail(outcome.error());
  if (outcome->found.rows.empty()) {
    return outcome->status != kGood ? outcome->status
                                    : fail_usage("reproduce", "there is no mesh to study");
  }
  const Status written = write_study(
      options, monitor, inertia_fit_csv(outcome->found.rows), [&](const std::string& folder) {
        return write_charts(folder, inertia_fit_charts(outcome->found));
      });
  if (!written) return fail(written.error());
  if (options.json) {
    std::cout << json_text(inertia_fit_json(outcome->found, study_options));
  } else {
    std::cout << inertia_fit_text(outcome->found);
  }
  return outcome->status;
}

}  // namespace clearance::cli
