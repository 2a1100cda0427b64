// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce: measures the tables of a paper again, on meshes one can have.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>

#include "files.h"
#include "reproduce_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// Files found by --data with fewer triangles are passed over: their trees say little.
constexpr std::size_t kLeastTriangles = 1000;

const std::vector<std::string>& study_names() {
  static const std::vector<std::string> names{"inertia-fit"};
  return names;
}

struct Options {
  std::string name;
  std::vector<std::string> paths;
  std::string data;
  std::string csv;
  int threads = 1;
  int repetitions = 1;
  int queries = 20;
  bool quick = false;
  bool no_generated = false;
  bool json = false;
};

/// The rows of the study, as far as its input can be read.
struct Outcome {
  std::vector<study::StudyRow> rows;
  Exit status = kGood;
};

/// Measures the files one after the other. One that cannot be read is named on stderr; only files
/// asked for by name make the status a bad one.
Result<Outcome> measure_files(const Options& options, const study::StudyOptions& study_options,
                              TerminalMonitor& monitor, Outcome outcome) {
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
    outcome.rows.push_back(std::move(*row));
  }
  return outcome;
}

Result<Outcome> run_inertia_fit(const Options& options, const study::StudyOptions& study_options,
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
      outcome.rows.push_back(std::move(*row));
    }
  }
  return measure_files(options, study_options, monitor, std::move(outcome));
}

int run(const Options& options) {
  if (options.name.empty()) return fail_usage("reproduce", "which study? (inertia-fit)");
  if (std::find(study_names().begin(), study_names().end(), options.name) == study_names().end()) {
    const std::string near = nearest(options.name, study_names());
    return fail_usage("reproduce", "there is no study '" + options.name + "'" +
                                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
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
  if (outcome->rows.empty()) {
    return outcome->status != kGood ? outcome->status
                                    : fail_usage("reproduce", "there is no mesh to study");
  }
  if (!options.csv.empty()) {
    const Status written = write_file(options.csv, inertia_fit_csv(outcome->rows));
    if (!written) return fail(written.error());
  }
  if (options.json) {
    std::cout << json_text(inertia_fit_json(outcome->rows, study_options));
  } else {
    std::cout << inertia_fit_text(outcome->rows);
  }
  return outcome->status;
}

}  // namespace

Verb add_reproduce(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "reproduce",
      "Measure the tables of a paper again.\n"
      "inertia-fit: bounding volume hierarchies for triangle meshes with mixed face sizes. Area, "
      "volume, build time and query work of trees by three fitters and by ours, on generated "
      "stand-ins at the paper's triangle counts and on meshes of your own, beside the paper's "
      "figures.");
  auto options = std::make_shared<Options>();
  CLI::Option* name = command->add_option("STUDY", options->name, "Which study: inertia-fit");
  program.hints[name] = {study_names(), {}};
  CLI::Option* files = command->add_option("FILE", options->paths, "Meshes to study as well");
  std::vector<std::string> extensions;
  for (const std::string& extension : readable_extensions())
    extensions.push_back(extension.substr(1));
  program.hints[files] = {{}, extensions};
  command
      ->add_option("--data", options->data,
                   "Study every readable mesh of 1,000 triangles or more below a folder as well")
      ->option_text("DIR");
  command->add_flag("--quick", options->quick,
                    "Stand-ins at their smallest counts: seconds instead of minutes");
  command->add_flag("--no-generated", options->no_generated, "Leave out the stand-ins");
  command
      ->add_option("--repeat", options->repetitions,
                   "Build each tree so often; the fastest counts (1)")
      ->option_text("N")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--queries", options->queries,
                   "Distance queries whose work is counted on each tree (20)")
      ->option_text("N")
      ->check(CLI::Range(1, 100000));
  add_threads_option(*command, options->threads,
                     "Threads to build with; 0 is one per core, 1 by default");
  CLI::Option* csv = command->add_option("--csv", options->csv, "Write every figure to a CSV file");
  csv->option_text("FILE");
  program.hints[csv] = {{}, {"csv"}};
  command->add_flag("--json", options->json,
                    "Result as JSON (schema/reproduce-inertia-fit.schema.json)");
  command->footer(
      "Exit status: 0 the study is done, whatever it found; 2 a file could not be read.\n"
      "\n"
      "Examples:\n"
      "  clearance reproduce inertia-fit --quick\n"
      "  clearance reproduce inertia-fit --data cad/ --csv figures.csv\n"
      "  clearance reproduce inertia-fit bracket.stl --no-generated --json");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
