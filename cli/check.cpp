// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance check: does a robot program run through its work cell without touching anything?
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/check/cell.h>
#include <clearance/check/check.h>
#include <clearance/check/program.h>
#include <clearance/check/welding_cell.h>

#include "check_angles.h"
#include "check_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string cell;
  std::string program;
  std::string models;  ///< empty: as the cell says
  CheckOptions check;
  double line_error = PathOptions{}.line_error;
  std::string csv;
  std::string plot;
  std::string pictures;
  std::string example;
  std::string tool_point;  ///< --tool-angles
  std::string work = "-60:60:15";
  std::string travel = "-45:45:15";
  std::string rotation = "0:345:15";
  std::uint64_t seed = 1;
  bool pairs = false;
  bool no_depth = false;
  int threads = 0;
  bool json = false;
};

int write_example(const std::string& folder) {
  const Status written = write_welding_cell(folder);
  if (!written) return fail(written.error());
  std::cout << folder << ": welder.urdf, work_piece.stl, cell.json, program.json\n";
  return kGood;
}

int list_pairs(const ReadyCell& cell, const Options& options) {
  if (options.json) {
    nlohmann::ordered_json result{{"schema", "clearance.check-pairs"},
                                  {"version", 1},
                                  {"cell", options.cell},
                                  {"pairs", pairs_json(cell)}};
    std::cout << json_text(result);
  } else {
    std::cout << pairs_text(cell) << count_of(cell.matrix.tested.size(), "pair", "pairs")
              << " tested\n";
  }
  return kGood;
}

/// --tool-angles: nothing moves, so there is no program.
int search_angles(const ReadyCell& cell, const Options& options, TerminalMonitor& monitor) {
  const auto stop = [&](const Error& error) -> int {
    monitor.clear();
    return fail(error);
  };
  const Result<ProcessPoint> point = parse_process_point(options.tool_point);
  if (!point) return stop(point.error());
  ToolAngleOptions angle_options;
  for (const auto& [text, name, angles] :
       {std::tuple(&options.work, "--work", &angle_options.work),
        std::tuple(&options.travel, "--travel", &angle_options.travel),
        std::tuple(&options.rotation, "--rotation", &angle_options.rotation)}) {
    Result<std::vector<double>> parsed = parse_angles(*text, name);
    if (!parsed) return stop(parsed.error());
    *angles = std::move(*parsed);
  }
  angle_options.seed = options.seed;
  angle_options.threads = {options.threads};
  angle_options.monitor = &monitor;
  const Result<std::vector<ToolAngle>> angles = tool_angles(cell, *point, angle_options);
  if (!angles) return stop(angles.error());
  if (!options.csv.empty()) {
    if (const Status written = write_file(options.csv, angles_csv(*angles, cell)); !written)
      return stop(written.error());
  }
  if (!options.plot.empty()) {
    if (const Status written = write_file(options.plot, angles_map(*angles, angle_options));
        !written)
      return stop(written.error());
  }
  monitor.clear();
  std::cout << (options.json ? json_text(angles_json(*angles, *point, cell, options.cell))
                             : angles_text(*angles, angle_options));
  const bool any = std::ranges::any_of(
      *angles, [](const ToolAngle& angle) { return angle.status == ToolAngleStatus::Free; });
  return any ? kGood : kBad;
}

/// Draws the worst moment of each interval.
Status draw(CheckReport& report, const Options& options, TerminalMonitor& monitor) {
  std::error_code failed;
  std::filesystem::create_directories(options.pictures, failed);
  if (failed) {
    return Error{ErrorCode::Unreadable, options.pictures, "", "cannot be made: " + failed.message(),
                 ""};
  }
  for (std::size_t i = 0; i < report.result.intervals.size(); ++i) {
    monitor.progress("drawing",
                     static_cast<double>(i) / static_cast<double>(report.result.intervals.size()));
    const std::string path =
        (std::filesystem::path(options.pictures) / ("contact_" + std::to_string(i + 1) + ".png"))
            .string();
    Status written = write_png(path, check_picture(report, report.result.intervals[i]));
    if (!written) return written;
    report.pictures.push_back(path);
  }
  return {};
}

int run(const Options& options) {
  if (!options.example.empty()) return write_example(options.example);
  if (options.cell.empty()) return fail_usage("check", "which cell? (CELL.json)");
  const bool needs_program = !options.pairs && options.tool_point.empty();
  if (options.program.empty() && needs_program)
    return fail_usage("check", "which program? (PROGRAM.json)");
  if (!options.program.empty() && !options.tool_point.empty())
    return fail_usage("check", "--tool-angles looks at one point: it takes no program");

  if (!(options.line_error > 0.0))
    return fail_usage("check", "--line-error 0: no joint moves are the line itself; give more");

  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) -> int {
    monitor.clear();
    return fail(error);
  };
  const Threads threads{options.threads};
  monitor.progress("reading " + options.cell, -1.0);
  Result<Cell> cell = read_cell(options.cell, threads);
  if (!cell) return stop(cell.error());
  for (const CheckModels models :
       {CheckModels::Meshes, CheckModels::Spheres, CheckModels::SpheresFirst})
    if (options.models == name_of(models)) cell->models = models;
  // A program with a mistake is told of before the models are built.
  RobotProgram program;
  if (!options.program.empty()) {
    Result<RobotProgram> read = read_program(options.program, *cell);
    if (!read) return stop(read.error());
    program = std::move(*read);
  }
  std::optional<JointPath> path;
  if (!options.program.empty()) {
    Result<JointPath> planned = plan_path(*cell, program, {.line_error = options.line_error});
    if (!planned) return stop(planned.error());
    path = std::move(*planned);
  }
  const Result<ReadyCell> ready = prepare(*cell, threads, &monitor);
  if (!ready) {
    Error error = ready.error();
    if (error.file.empty()) error.file = options.cell;
    return stop(error);
  }
  for (const std::string& note : ready->cell.notes) {
    monitor.clear();
    say("note: " + note);
  }
  if (options.pairs) {
    monitor.clear();
    return list_pairs(*ready, options);
  }
  if (!options.tool_point.empty()) return search_angles(*ready, options, monitor);

  CheckReport report{options.cell, options.program, *ready, program, *path, options.check, {}, {}};
  report.options.models = ready->cell.models;
  report.options.depth = !options.no_depth;
  report.options.threads = threads;
  report.options.monitor = &monitor;
  report.result = check_path(*ready, *path, report.options);
  if (!report.result.complete) return stop({ErrorCode::Cancelled, {}, {}, {}, {}});

  if (!options.csv.empty()) {
    if (const Status written = write_file(options.csv, check_csv(report)); !written)
      return stop(written.error());
  }
  if (!options.plot.empty()) {
    if (const Status written = write_file(options.plot, check_chart(report)); !written)
      return stop(written.error());
  }
  if (!options.pictures.empty()) {
    if (const Status written = draw(report, options, monitor); !written)
      return stop(written.error());
  }
  monitor.clear();
  std::cout << (options.json ? json_text(check_json(report)) : check_text(report));
  return report.result.is_free() ? kGood : kBad;
}

}  // namespace

Verb add_check(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "check",
      "Prove that a robot program runs through its work cell without touching anything.\n"
      "Looks at the whole motion, not at samples of it: between the moments looked at, a bound on "
      "how far a link can travel proves the motion free, or finds each time of contact.");
  auto options = std::make_shared<Options>();
  CLI::Option* cell =
      command->add_option("CELL", options->cell, "Work cell: JSON (schema/cell.schema.json)");
  program.hints[cell] = {{}, {"json"}};
  CLI::Option* steps = command->add_option("PROGRAM", options->program,
                                           "Robot program: JSON (schema/program.schema.json)");
  program.hints[steps] = {{}, {"json"}};
  const std::vector<std::string> kinds{"meshes", "spheres", "spheres-first"};
  CLI::Option* models = command->add_option(
      "--models", options->models,
      "Check the shapes themselves (meshes), spheres that hold them (spheres: a contact may be a "
      "false alarm), or spheres first and shapes where these do not decide; as the cell says by "
      "default");
  models->option_text("KIND")->check(CLI::IsMember(kinds));
  program.hints[models] = {kinds, {}};
  add_length_option(*command, "--clearance", options->check.clearance,
                    "Bodies closer than this fail as well: 2mm, or 0.002 in metres");
  add_length_option(*command, "--tolerance", options->check.tolerance,
                    "Closer than this is contact (0.01mm)");
  add_length_option(*command, "--line-error", options->line_error,
                    "How closely line moves are followed (0.1mm)");
  command
      ->add_option("--time-tolerance", options->check.time_tolerance,
                   "How exactly times of contact are found (0.001)")
      ->option_text("SECONDS")
      ->check(number_from(1e-6, 1e6));
  command
      ->add_option("--samples", options->check.samples, "Points of the clearance over time (400)")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--no-depth", options->no_depth, "Leave out how deep bodies overlap: quicker");
  CLI::Option* csv = command->add_option("--csv", options->csv, "Clearance over time as CSV");
  csv->option_text("OUT.csv");
  program.hints[csv] = {{}, {"csv"}};
  CLI::Option* plot = command->add_option("--plot", options->plot, "Clearance over time as SVG");
  plot->option_text("OUT.svg");
  program.hints[plot] = {{}, {"svg"}};
  command
      ->add_option("--pictures", options->pictures,
                   "Draw the worst moment of each contact into this folder: contact_1.png, ...")
      ->option_text("DIR");
  command
      ->add_option("--tool-angles", options->tool_point,
                   "Without a program: which angles of the tool are free at a point of a seam? "
                   "Nine numbers: the point, the direction out of the surface, the seam [m]. --csv "
                   "and --plot take the map")
      ->option_text("'X Y Z  OUT  ALONG'");
  command->add_option("--work", options->work, "Angles across the seam, degrees (-60:60:15)")
      ->option_text("FROM:TO:STEP");
  command->add_option("--travel", options->travel, "Angles along the seam, degrees (-45:45:15)")
      ->option_text("FROM:TO:STEP");
  command
      ->add_option("--rotation", options->rotation,
                   "Turns of the tool about its own axis, degrees (0:345:15)")
      ->option_text("FROM:TO:STEP");
  add_seed_option(*command, options->seed, "Of the guesses for --tool-angles (1)");
  command->add_flag("--pairs", options->pairs, "List the pairs that are left out, and stop");
  command
      ->add_option("--example", options->example,
                   "Write a welding cell and its program into this folder, and stop")
      ->option_text("DIR");
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->add_flag("--json", options->json, "Result as JSON (schema/check.schema.json)");
  command->footer(
      "Joint values in a list go from the root on, where the robot branches each branch to its "
      "end, by\nthe names of their first joints, and not as the URDF has them; by name they may "
      "come in any order.\n"
      "Exit status: 0 free (--tool-angles: at least one angle is), 1 contact or too close, 2 wrong "
      "input.\n"
      "\n"
      "Examples:\n"
      "  clearance check --example weld\n"
      "  clearance check weld/cell.json weld/program.json --pictures weld --plot "
      "weld/clearance.svg\n"
      "  clearance check weld/cell.json --tool-angles '0.95 0 0.476  0 0 1  0.5 0.87 0'\n"
      "  clearance check cell.json program.json --clearance 5mm --json | jq '.intervals'");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
