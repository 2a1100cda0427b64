// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance inspect: what mesh files hold, and whether they are sound.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>
#include <clearance/picture/picture.h>
#include <clearance/query/model.h>
#include <clearance/query/self_contacts.h>

#include "files.h"
#include "inspect_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> paths;
  double metres_per_unit = 0.0;  ///< 0: as the file says
  std::string picture;
  double deflection_mm = 0.0;  ///< 0: the reader's own
  double angle_deg = 0.0;      ///< 0: the reader's own
  int threads = 0;
  bool parts = false;
  bool self = false;
  bool recursive = false;
  bool strict = false;
  bool json = false;
};

/// The arguments with folders replaced by the files in them.
Result<std::vector<std::string>> expand(const Options& options) {
  std::vector<std::string> files;
  for (const std::string& path : options.paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    if (!options.recursive)
      return Error{ErrorCode::Invalid, path, "", "is a folder",
                   "--recursive inspects the files in it"};
    Result<std::vector<std::string>> below = files_below(path);
    if (!below) return below.error();
    if (below->empty())
      return Error{ErrorCode::NotFound, path, "", "holds no file of a known format", ""};
    files.insert(files.end(), below->begin(), below->end());
  }
  return files;
}

/// Whether parts run through themselves.
Result<Finding> self_finding(const Assembly& assembly, Threads threads) {
  std::size_t pairs = 0;
  std::string first;
  for (const AssemblyPart& part : assembly.parts) {
    const Result<Model> model = Model::build(part.mesh, {.threads = threads});
    if (!model) return model.error();
    const std::vector<Contact> found = self_contacts(model->bvh()).pairs;
    if (pairs == 0 && !found.empty()) {
      first = "triangles " + std::to_string(found[0].triangle_a) + " and " +
              std::to_string(found[0].triangle_b);
      if (assembly.parts.size() > 1) first += " of part '" + part.name + "'";
    }
    pairs += found.size();
  }
  if (pairs == 0) return Finding{Severity::Note, "The surface does not run through itself."};
  return Finding{Severity::Warning,
                 "The surface runs through itself: " + count_of(pairs, "pair", "pairs") +
                     " of triangles, first " + first + ". What is inside is not defined there."};
}

FileReport examine_file(const std::string& path, const Options& options, Monitor& monitor,
                        Assembly* kept) {
  FileReport report;
  report.path = path;
  ReadOptions read_options;
  if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
  if (options.deflection_mm > 0.0) read_options.step_deflection = 1e-3 * options.deflection_mm;
  if (options.angle_deg > 0.0)
    read_options.step_angle = options.angle_deg * std::numbers::pi / 180.0;
  read_options.threads = Threads{options.threads};
  read_options.monitor = &monitor;
  Result<LoadedAssembly> loaded = read_assembly(path, read_options);
  if (!loaded) {
    report.error = loaded.error();
    return report;
  }
  report.info = loaded->info;
  report.part_count = loaded->assembly.parts.size();

  monitor.progress("examining", -1.0);
  HealthOptions health_options;
  health_options.metres_per_unit = report.info.metres_per_unit;
  health_options.unit_is_known = report.info.unit_source != UnitSource::Assumed;
  health_options.threads = read_options.threads;
  report.health = examine(loaded->assembly.flattened(), health_options);
  if (options.self) {
    Result<Finding> finding = self_finding(loaded->assembly, read_options.threads);
    if (!finding) {
      report.error = finding.error();
      return report;
    }
    // Warnings come first.
    std::vector<Finding>& findings = report.health.findings;
    findings.insert(finding->severity == Severity::Warning ? findings.begin() : findings.end(),
                    std::move(*finding));
  }
  if (options.parts) {
    for (const AssemblyPart& part : loaded->assembly.parts) {
      report.parts.push_back({part.name, transformed(part.mesh, part.world_from_part).bounds(),
                              examine(part.mesh, health_options)});
    }
  }
  if (kept != nullptr) *kept = std::move(loaded->assembly);
  return report;
}

int run(const Options& options) {
  const Result<std::vector<std::string>> files = expand(options);
  if (!files) return fail(files.error());
  if (!options.picture.empty() && files->size() != 1)
    return fail_usage("inspect", "--picture takes one file, not " + std::to_string(files->size()));

  TerminalMonitor monitor;
  std::vector<FileReport> reports;
  Assembly drawn;
  int status = kGood;
  for (std::size_t i = 0; i < files->size(); ++i) {
    const std::string& path = (*files)[i];
    const std::string place =
        files->size() > 1 ? std::to_string(i + 1) + "/" + std::to_string(files->size()) + " " : "";
    monitor.set_subject(place + path);
    reports.push_back(
        examine_file(path, options, monitor, options.picture.empty() ? nullptr : &drawn));
    const FileReport& report = reports.back();
    if (monitor.cancelled() || (report.error && report.error->code == ErrorCode::Cancelled)) {
      monitor.clear();
      return fail({ErrorCode::Cancelled, {}, {}, {}, {}});
    }
    // One bad file does not hide the others; it decides the exit status.
    if (report.error) {
      monitor.clear();
      status = fail(*report.error);
    } else if (options.strict && status == kGood && report.has_warnings()) {
      status = kBad;
    }
  }
  monitor.clear();

  if (!options.picture.empty() && !drawn.parts.empty()) {
    const std::vector<PictureItem> items = picture_items(drawn);
    PictureOptions picture_options;
    picture_options.threads = Threads{options.threads};
    const Status written = write_png(options.picture, render(items, {}, picture_options));
    if (!written) status = fail(written.error());
  }
  std::cout << (options.json ? json_text(inspect_json(reports)) : inspect_text(reports));
  return status;
}

}  // namespace

Verb add_inspect(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "inspect",
      "Report what mesh files hold and whether they are sound.\n"
      "Counts, size, area and volume; closed or not; open, non-manifold and badly wound edges; "
      "degenerate, duplicate and sliver triangles; doubts about the unit.");
  auto options = std::make_shared<Options>();

  add_files_option(program, *command, "FILE", options->paths, "Files to inspect:");
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the file's numbers (m, mm, cm, um, in, ft), instead of what the file "
                  "declares. STL, OBJ, PLY and OFF declare none and are taken as metres");
  add_step_options(*command, options->deflection_mm, options->angle_deg);
  command->add_flag("--parts", options->parts, "Report each part of an assembly as well");
  command->add_flag("--self", options->self,
                    "Look for places where a surface runs through itself as well");
  command->add_flag("-r,--recursive", options->recursive, "Inspect the files in folders");
  command->add_flag("--strict", options->strict, "Exit with status 1 when a file has a warning");
  CLI::Option* picture =
      command->add_option("--picture", options->picture, "Draw the file into a PNG picture");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->add_flag("--json", options->json, "Result as JSON (schema/inspect.schema.json)");
  command->footer(
      "Exit status: 0 all files could be read (and, with --strict, have no warning), 1 --strict "
      "found a\nwarning, 2 a file could not be read; the others are reported all the same.\n"
      "\n"
      "Examples:\n"
      "  clearance inspect bracket.stl --unit mm\n"
      "  clearance inspect engine.step --parts --self --picture engine.png\n"
      "  clearance inspect --recursive cad/ --json | jq '.files[] | .path, .health.open_edges'");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
