// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance fold: Monte Carlo over the angles of a protein.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/chain/fold.h>

#include "fold_files.h"
#include "fold_input.h"
#include "fold_report.h"
#include "fold_robot.h"
#include "fold_run.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string file;
  ProteinOptions protein;
  std::string alternate_location;
  FoldOptions fold;
  std::string energy = "go";
  double max_angle_deg = 5.0;
  std::string native;
  std::uint64_t steps = 100'000;
  std::uint64_t every = 0;  ///< 0: not given
  std::uint64_t audit = 10'000;
  double time_limit = 0.0;
  double checkpoint_interval = FoldPlan{}.checkpoint_interval;
  std::string folder, trajectory, csv, plot, picture, checkpoint, resume;
  FoldRobotOptions robot;  ///< what only robots have; the rest is taken from above
  bool json = false;
  /// What means something for one kind of chain only; refused for the other, if given.
  std::vector<const CLI::Option*> for_proteins, for_robots;
  std::vector<const CLI::Option*> for_files;  ///< what chooses from a file of proteins
};

/// The first of the options that was given, by name; empty when none was.
std::string first_given(const std::vector<const CLI::Option*>& options) {
  for (const CLI::Option* option : options) {
    if (option->count() > 0) return option->get_name();
  }
  return {};
}

const std::vector<std::string>& energy_names() {
  static const std::vector<std::string> names{"none", "soft", "lj", "go"};
  return names;
}

std::string exact(double value) { return format_number("%.17g", value); }

/// What must be the same for a run to go on, by the names of the options.
std::vector<std::pair<std::string, std::string>> identity_of(const Options& options,
                                                             const FoldInput& input,
                                                             const FoldPlan& plan) {
  const FoldOptions& fold = options.fold;
  Checksum native;
  for (const Vec3& p : fold.native) native.add(&p, sizeof p);
  std::string files;
  if (!plan.trajectory.empty()) files += " trajectory";
  if (!plan.csv.empty()) files += " csv";
  return {{"chain", std::to_string(input.protein.residues.size()) + " residues, checksum " +
                        std::to_string(checksum_of(input.model))},
          {"seed", std::to_string(fold.seed)},
          {"energy", options.energy},
          {"temperature", exact(fold.temperature)},
          {"number of moves", std::to_string(fold.moves)},
          {"largest angle", exact(options.max_angle_deg)},
          {"cutoff", exact(fold.cutoff)},
          {"native distance", exact(fold.native_distance)},
          {"native state", fold.native.empty() ? "start" : std::to_string(native.value())},
          {kIntervalName, std::to_string(plan.every)},
          {"set of files", files.empty() ? "none" : files.substr(1)}};
}

/// --out names all files that are not named themselves.
Status name_files(Options& options) {
  return name_files_in(options.folder, {{&options.trajectory, "trajectory.pdb"},
                                        {&options.csv, "fold.csv"},
                                        {&options.plot, "fold.svg"},
                                        {&options.picture, "fold.png"},
                                        {&options.checkpoint, "fold.checkpoint"}});
}

/// Plot and picture, which are made from what the run left.
Status draw(const Options& options, const FoldInput& input, const Fold& fold, FoldReport& report) {
  if (!options.plot.empty()) {
    const Result<std::vector<FoldRow>> rows = read_rows(options.csv);
    if (!rows) return rows.error();
    if (Status status = write_file(options.plot, fold_charts(*rows, input, fold)); !status)
      return status;
    report.written.push_back(options.plot);
  }
  if (!options.picture.empty()) {
    if (Status status = draw_fold(options.picture, input, fold); !status) return status;
    report.written.push_back(options.picture);
  }
  return {};
}

/// Errors of the library that do not know the file.
Exit fail_with(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return fail(error);
}

int finish(const Options& options, const FoldInput& input, const Fold& fold, const FoldPlan& plan,
           const FoldReport& report) {
  if (options.json) {
    std::cout << fold_json(report, input, fold, plan).dump(2) << '\n';
  } else {
    std::cout << fold_text(report, fold);
  }
  if (report.ended == FoldEnd::Done) return kGood;
  say_stopped(report.counts.steps, plan.steps, plan.checkpoint);
  return report.ended == FoldEnd::Interrupted ? kInterrupted : kGood;
}

/// A chain from JSON or URDF: no energy, no PDB, but obstacles.
int run_robot(const Options& options) {
  if (const std::string name = first_given(options.for_proteins); !name.empty())
    return fail_usage("fold", name + " is for proteins only");
  FoldRobotOptions robot = options.robot;
  robot.file = options.file;
  robot.fold = options.fold;
  robot.steps = options.steps;
  robot.every = options.every;
  robot.audit = options.audit;
  robot.time_limit = options.time_limit;
  robot.checkpoint_interval = options.checkpoint_interval;
  robot.folder = options.folder;
  robot.csv = options.csv;
  robot.plot = options.plot;
  robot.picture = options.picture;
  robot.checkpoint = options.checkpoint;
  robot.resume = options.resume;
  robot.json = options.json;
  return fold_robot(std::move(robot));
}

int run(Options options) {
  options.fold.energy = static_cast<FoldEnergy>(
      std::find(energy_names().begin(), energy_names().end(), options.energy) -
      energy_names().begin());
  options.fold.largest_angle = options.max_angle_deg * std::numbers::pi / 180.0;
  if (is_robot_file(options.file)) return run_robot(options);
  if (const std::string name = first_given(options.for_robots); !name.empty())
    return fail_usage("fold", name + " is for robots only: .json or .urdf");
  if (const std::string name = first_given(options.for_files);
      is_made_up(options.file) && !name.empty())
    return fail_usage("fold", name + " is for files of proteins only, not for a made-up one");
  if (!options.alternate_location.empty())
    options.protein.alternate_location = options.alternate_location.front();
  if (options.folder.empty() && !options.plot.empty() && options.csv.empty())
    return fail_usage("fold", "--plot draws the table: name it with --csv, or use --out");

  TerminalMonitor monitor;
  const Result<FoldInput> input = read_fold_input(options.file, options.protein);
  if (!input) return fail(input.error());
  if (!options.native.empty()) {
    const Result<FoldInput> native = read_fold_input(options.native, options.protein);
    if (!native) return fail(native.error());
    Result<std::vector<Vec3>> positions = native_positions(input->protein, native->protein);
    if (!positions) return fail(positions.error());
    options.fold.native = std::move(*positions);
  }
  const std::vector<FoldClash> clashes = find_clashes(input->model);
  if (!clashes.empty()) {
    if (options.json) {
      std::cout << clashes_json(*input, clashes).dump(2) << '\n';
    } else {
      std::cout << clashes_text(*input, clashes);
    }
    say("the start clashes: nothing was folded; --clash-factor makes atoms smaller");
    return kBad;
  }
  Result<Fold> fold = Fold::start(input->model, options.fold);
  if (!fold) return fail_with(fold.error(), options.file);
  const Result<std::optional<FoldCheckpoint>> checkpoint = checkpoint_of(options.resume);
  if (!checkpoint) return fail(checkpoint.error());
  const std::optional<FoldCheckpoint>& from = *checkpoint;

  // Nothing is written before this line: whatever is wrong above leaves the disk as it was.
  if (Status status = name_files(options); !status) return fail(status.error());
  FoldPlan plan;
  plan.steps = options.steps;
  plan.every = interval_of(options.every, options.steps, from ? &*from : nullptr);
  plan.audit = options.audit;
  plan.time_limit = options.time_limit;
  plan.trajectory = options.trajectory;
  plan.csv = options.csv;
  plan.checkpoint = options.checkpoint;
  plan.checkpoint_interval = options.checkpoint_interval;
  plan.identity = identity_of(options, *input, plan);
  if (from) {
    if (Status status = check_resume(*from, options.resume, plan.identity, plan.steps); !status)
      return fail(status.error());
  }
  if (!options.json) std::cout << fold_heading(*input, *fold) << std::flush;

  monitor.set_subject(options.file);
  Result<FoldReport> report = run_fold(*fold, *input, plan, from ? &*from : nullptr, monitor);
  monitor.clear();
  if (!report) return fail_with(report.error(), from ? options.resume : options.file);
  if (Status status = draw(options, *input, *fold, *report); !status) return fail(status.error());
  return finish(options, *input, *fold, plan, *report);
}

void add_protein_options(CLI::App& command, Options& options) {
  ProteinOptions& protein = options.protein;
  command
      .add_option(
          "--chain", protein.chain,
          "Chain of the file to fold, '-' for the one without a name; the longest by default")
      ->option_text("NAME");
  command.add_option("--model", protein.model, "Model of the file; the first by default")
      ->option_text("N");
  command
      .add_option("--alternate", options.alternate_location,
                  "Alternate location to take (A, B, ...); the one most occupied by default")
      ->option_text("LETTER")
      ->check([](const std::string& text) {
        return text.size() == 1 ? std::string() : "'" + text + "' is not one letter";
      });
  command.add_flag("--hydrogens", protein.hydrogens, "Keep the hydrogens of the file");
  command.add_flag("--omega", protein.omega, "Let peptide bonds turn too");
  command.add_flag("--bridge-gaps", protein.bridge_gaps,
                   "Join the two sides of a gap by a rigid joint instead of refusing it");
  command
      .add_option("--clash-factor", protein.clash_factor,
                  "Atoms touch at this fraction of their van der Waals radii " +
                      format_number("(%g)", kClashFactor))
      ->option_text("F")
      ->check(number_from(0.01, 2.0));
}

void add_physics_options(Program& program, CLI::App& command, Options& options) {
  FoldOptions& fold = options.fold;
  CLI::Option* energy = command.add_option(
      "--energy", options.energy,
      "go: native contacts attract, other atoms are soft; soft; lj: Lennard-Jones; none: only "
      "clashes count (go)");
  energy->option_text("NAME")->check([](const std::string& text) {
    const bool known =
        std::find(energy_names().begin(), energy_names().end(), text) != energy_names().end();
    return known ? std::string() : "'" + text + "' is not an energy: go, soft, lj or none";
  });
  program.hints[energy] = {energy_names(), {}};
  command
      .add_option("--temperature", fold.temperature,
                  "kT in units of a native contact between two residues (1)")
      ->option_text("T")
      ->check(number_from(0.0, 1e6));
  command.add_option("--cutoff", fold.cutoff, "Atoms farther apart have no energy [Å] (6)")
      ->option_text("D")
      ->check(number_from(0.1, 100.0));
  CLI::Option* native = command.add_option(
      "--native", options.native,
      "Another structure of the same protein whose contacts attract; the start by default");
  native->option_text("FILE");
  program.hints[native] = {{}, {"pdb", "ent", "cif"}};
  command
      .add_option("--native-distance", fold.native_distance,
                  "Atoms of two residues this close are a native contact [Å] (4.5)")
      ->option_text("D")
      ->check(number_from(0.1, 100.0));
  command.add_option("--moves", fold.moves, "A step turns 1 to this many angles (1)")
      ->option_text("K")
      ->check(number_from(1, 1e6));
  command
      .add_option("--max-angle-deg", options.max_angle_deg,
                  "each by up to this, either way, in degrees (5)")
      ->option_text("A")
      ->check(number_from(1e-9, 180.0));
}

void add_file_options(Program& program, CLI::App& command, Options& options) {
  const auto file = [&](const char* name, std::string& path, const char* words,
                        std::vector<std::string> extensions) {
    CLI::Option* option = command.add_option(name, path, words);
    // Those that are written say so.
    option->option_text(std::string_view(name) == "--resume" ? "FILE"
                                                             : "OUT." + extensions.front());
    program.hints[option] = {{}, std::move(extensions)};
  };
  command
      .add_option("--out", options.folder,
                  "Folder for all of the following: trajectory.pdb (proteins), fold.csv, fold.svg, "
                  "fold.png, fold.checkpoint")
      ->option_text("DIR");
  file("--trajectory", options.trajectory, "Conformations as the models of a PDB file", {"pdb"});
  file("--csv", options.csv,
       "Energy, size, contacts and rates over the steps; of robots, room left and joints", {"csv"});
  file("--plot", options.plot, "Chart of the table", {"svg"});
  file("--picture", options.picture,
       "Drawing of the first and last conformation; of robots, among their obstacles", {"png"});
  file("--checkpoint", options.checkpoint, "Where to go on from after Ctrl-C or at the end",
       {"checkpoint"});
  file("--resume", options.resume, "Go on from a checkpoint of the same command", {"checkpoint"});
}

void add_robot_options(Program& program, CLI::App& command, Options& options) {
  FoldRobotOptions& robot = options.robot;
  command.add_option("--tip", robot.tip, "Robots: the last link of the chain of a URDF")
      ->option_text("LINK");
  command
      .add_option("--neighbours", robot.neighbours,
                  "Robots: bodies of a URDF this near along the chain may touch (1)")
      ->option_text("K")
      ->check(number_from(0, 1e6));
  command
      .add_option("--pose", robot.pose,
                  "Robots: where link 0 is, 'x y z' or 'x y z qx qy qz qw' in metres")
      ->option_text("POSE");
  CLI::Option* obstacle = command.add_option(
      "--obstacle", robot.obstacles, "Robots: a mesh that may not be touched; may be repeated");
  obstacle->option_text("FILE")->expected(1)->take_all();
  program.hints[obstacle] = {{}, {"stl", "obj", "ply", "off", "dae", "gltf", "glb"}};
  command
      .add_option("--obstacle-pose", robot.obstacle_poses,
                  "Robots: where each --obstacle is, in their order; as --pose")
      ->option_text("POSE")
      ->expected(1)
      ->take_all();
  command
      .add_option("--max-slide", options.fold.largest_slide,
                  "Robots: joints that slide go by up to this, either way, in metres (0.01)")
      ->option_text("D")
      ->check(number_from(1e-9, 1e3));
  add_unit_option(program, command, robot.metres_per_unit, "Robots: unit of the obstacle files");
}

}  // namespace

Verb add_fold(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "fold",
      "Fold a protein by random turns of its bonds.\n"
      "Monte Carlo over phi, psi and chi: a step turns a few angles and is refused when atoms "
      "clash; else the change of energy decides (Metropolis). The same command gives the same "
      "files, byte for byte, also when it was interrupted and resumed.");
  auto options = std::make_shared<Options>();
  CLI::Option* file = command->add_option(
      "FILE", options->file,
      "A protein (PDB or mmCIF), helix-bundle:RESIDUES[:SEED] for a made-up one, or a robot (a "
      "chain as JSON, or URDF)");
  file->required();
  program.hints[file] = {{}, {"pdb", "ent", "cif", "json", "urdf"}};
  command->add_option("--steps", options->steps, "Steps in all (100000)")
      ->option_text("N")
      ->check(count_from(0));
  command->add_option("--seed", options->fold.seed, "Of the random numbers (1)")
      ->option_text("S")
      ->check(count_from(0));
  const auto added_by = [&](const auto& add) {
    const std::size_t before = command->get_options().size();
    add();
    const std::vector<CLI::Option*> all = command->get_options();
    return std::vector<const CLI::Option*>(all.begin() + static_cast<std::ptrdiff_t>(before),
                                           all.end());
  };
  options->for_proteins = added_by([&] {
    add_physics_options(program, *command, *options);
    options->for_files = added_by([&] { add_protein_options(*command, *options); });
    add_file_options(program, *command, *options);
  });
  std::erase(options->for_files, command->get_option("--clash-factor"));
  options->for_robots = added_by([&] { add_robot_options(program, *command, *options); });
  for (const char* both : {"--moves", "--max-angle-deg", "--out", "--csv", "--plot", "--picture",
                           "--checkpoint", "--resume"})
    std::erase(options->for_proteins, command->get_option(both));
  command
      ->add_option("--every", options->every,
                   "Steps between rows and models; a hundredth of --steps by default")
      ->option_text("N")
      ->check(count_from(1));
  command
      ->add_option("--audit", options->audit,
                   "Steps between audits, which compute everything from scratch; 0: only at the "
                   "end (10000)")
      ->option_text("N")
      ->check(count_from(0));
  command
      ->add_option("--checkpoint-interval", options->checkpoint_interval,
                   "Seconds between checkpoints: what a run that is killed may lose (20)")
      ->option_text("S")
      ->check(number_from(0.0, 1e9));
  command->add_option("--time-limit,--seconds", options->time_limit, "Stop after so many seconds")
      ->option_text("S")
      ->check(number_from(0.0, 1e9));
  command->add_flag("--json", options->json, "Result as JSON (schema/fold.schema.json)");
  command->footer(
      "Lengths are ångström. Energies are in units of a native contact between two residues.\n"
      "Exit status: 0 done, 1 the start clashes, 2 the input is wrong or an audit failed, 130 "
      "stopped by\nCtrl-C.\n"
      "\n"
      "Examples:\n"
      "  clearance fold 1ubi.pdb --steps 1000000 --temperature 1.5 --out run\n"
      "  clearance fold 1ubi.pdb --steps 1000000 --temperature 1.5 --out run --resume "
      "run/fold.checkpoint\n"
      "  clearance fold helix-bundle:200 --energy none --moves 3 --json\n"
      "  clearance fold snake.json --obstacle pipe.stl --pose '0 0 -1' --out walk");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
