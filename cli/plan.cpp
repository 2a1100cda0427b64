// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance plan: can this part be taken out, and how?
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include <clearance/base/file.h>
#include <clearance/plan/plan.h>
#include <clearance/plan/plan_file.h>
#include <clearance/plan/yardstick.h>
#include <clearance/query/solid.h>

#include "disassemble.h"
#include "plan_arguments.h"
#include "plan_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// How far rows of the CSV may lie off the path, as a part of the clearance that is proven.
constexpr double kRowDeviation = 0.5;

/// The files that were asked for.
Status write_files(const PlanArguments& arguments, const PlanScene& scene, const PlanFile& file,
                   PlanReport& report) {
  const Plan& plan = file.plan;
  if (!arguments.out.empty()) {
    if (Status done = write_file(arguments.out, plan_json(file, arguments.out)); !done) return done;
    report.written.push_back(arguments.out + ": the result; clearance verify proves it again");
  }
  if (!arguments.csv.empty()) {
    const PlanRows rows =
        plan_csv(plan.path, file.radius, kRowDeviation * plan.proof.clearance_lower);
    if (Status done = write_file(arguments.csv, rows.csv); !done) return done;
    std::string line = arguments.csv + ": " + count_of(rows.count, "row", "rows");
    if (rows.deviation > 0.0)
      line += "; straight lines between them are off the path by less than " +
              format_length(rows.deviation);
    report.written.push_back(line);
  }
  if (!arguments.glb.empty()) {
    if (Status done = write_plan_glb(arguments.glb, scene, plan.path, file.radius); !done)
      return done;
    report.written.push_back(arguments.glb + ": the motion, for any viewer of glTF");
  }
  if (!arguments.picture.empty()) {
    if (Status done = draw_plan(arguments.picture, scene, file, {arguments.threads}); !done)
      return done;
    report.written.push_back(arguments.picture + ": key frames");
  }
  if (!arguments.plot.empty()) {
    if (Status done = write_file(arguments.plot, plan_chart(file)); !done) return done;
    report.written.push_back(arguments.plot + ": clearance along the path");
  }
  return {};
}

/// Our planner, or the yardstick that was asked for.
Result<Plan> planned_by(const PlanArguments& arguments, const PlanProblem& problem,
                        TerminalMonitor& monitor) {
  if (arguments.planner == "clearance") {
    PlanOptions options;
    options.operations = arguments.operations;
    options.seconds = arguments.seconds;
    options.resolution = arguments.resolution;
    options.improve = !arguments.no_improve;
    options.threads = {arguments.threads};
    options.monitor = &monitor;
    Plan plan = plan_path(problem, options);
    // The report has the clearance all along the path, which only the proof of an improved one has.
    if (arguments.no_improve && plan.status == PlanStatus::Found)
      plan.proof =
          prove_path(problem, plan.path, {.threads = options.threads, .monitor = &monitor});
    return plan;
  }
  YardstickOptions options;
  options.planner = arguments.planner;
  options.seed = arguments.seed;
  options.seconds = std::min(options.seconds, arguments.seconds);
  options.threads = {arguments.threads};
  options.monitor = &monitor;
  Result<Yardstick> yardstick = plan_with_ompl(problem, options);
  if (!yardstick) return yardstick.error();
  if (yardstick->solved && yardstick->plan.status != PlanStatus::Found) {
    monitor.clear();
    say("note: " + arguments.planner +
        " found a path that is not free: " + name_of(yardstick->plan.proof.status) + " in piece " +
        std::to_string(yardstick->plan.proof.narrowest.piece) + " of it");
  }
  return std::move(yardstick->plan);
}

/// The refusal of a start or goal, with the files and parts of the triangles that are at fault.
Error with_parts(Error error, const PlanScene& scene) {
  const PlanProblem& problem = scene.problem;
  const bool is_goal = error.place == "goal" && problem.goal;
  if (!is_goal && error.place != "start") return error;
  const Pose& pose = is_goal ? *problem.goal : problem.start;
  if (!checked_pose(pose)) return error;
  const SolidDistance d = distance(problem.obstacles, problem.body, pose);
  if (d.surface.triangle_a == kNoTriangle || d.surface.triangle_b == kNoTriangle) return error;
  error.reason += "; body: " + scene.body.name_of(d.surface.triangle_b) +
                  "; obstacles: " + scene.obstacles.name_of(d.surface.triangle_a);
  return error;
}

int run(const PlanArguments& arguments) {
  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) -> int {
    monitor.clear();
    return fail(error);
  };
  const Result<SceneDescription> description = described_scene(arguments);
  if (!description) return stop(description.error());
  const Threads threads{arguments.threads};
  const Result<PlanScene> scene =
      load_scene(*description, {tree_options(arguments.tree), threads, &monitor});
  if (!scene) return stop(scene.error());
  monitor.clear();
  for (const std::string& note : scene->notes) say("note: " + note);
  if (Status checked = check_problem(scene->problem); !checked) {
    Error error = with_parts(checked.error(), *scene);
    error.file = arguments.scene;
    return stop(error);
  }

  const auto begin = std::chrono::steady_clock::now();
  Result<Plan> planned = planned_by(arguments, scene->problem, monitor);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (!planned) return stop(planned.error());
  if (planned->status == PlanStatus::Cancelled) return stop({ErrorCode::Cancelled, {}, {}, {}, {}});
  const PlanFile file = plan_file(*scene, std::move(*planned), arguments.planner, threads);
  PlanReport report{*scene, file, {}};
  if (Status written = write_files(arguments, *scene, file, report); !written)
    return stop(written.error());
  monitor.clear();
  std::cout << (arguments.json ? plan_json(file, "") : plan_text(report));
  // Times are words, not part of the result: that is the same on any machine.
  say("planned in " + format_number("%.2f s", taken.count()));
  return file.plan.status == PlanStatus::Found ? kGood : kBad;
}

void add_output(Program& program, CLI::App& command, const std::string& name, std::string& value,
                const std::string& help, const std::string& extension) {
  CLI::Option* option = command.add_option(name, value, help);
  option->option_text("OUT." + extension);
  program.hints[option] = {{}, {extension}};
}

void add_input(Program& program, CLI::App& command, PlanArguments& arguments) {
  CLI::Option* scene =
      command.add_option("SCENE", arguments.scene,
                         "Scene: JSON (schema/scene.schema.json), or a problem of OMPL.app (.cfg)");
  program.hints[scene] = {{}, {"json", "cfg"}};
  command.add_option("--body", arguments.body, "Meshes that move, as one rigid body")
      ->option_text("FILE...");
  command.add_option("--obstacles", arguments.obstacles, "Meshes that stand still")
      ->option_text("FILE...");
  command
      .add_option("--assembly", arguments.assembly, "One file with both; --parts says what moves")
      ->option_text("FILE");
  command
      .add_option("--parts", arguments.parts,
                  "Parts of the assembly that move, by name; 'body/*': all that begin so")
      ->option_text("NAME...");
  add_unit_option(program, command, arguments.metres_per_unit,
                  "Unit of these meshes; by default as they declare, else metres");
  command
      .add_option("--start", arguments.start,
                  "Pose of the body in the world, in metres; where its files have it by default")
      ->option_text("'X Y Z [QX QY QZ QW]'");
  command
      .add_option("--goal", arguments.goal,
                  "Where it is to go, or 'out': any pose whose bounding box is clear of that of "
                  "the obstacles (out)")
      ->option_text("POSE|out");
  add_length_option(command, "--clearance", arguments.clearance,
                    "Distance that the whole path must keep: 0.5mm, or 0.0005 in metres (0)");
  command
      .add_option("--touching", arguments.touching,
                  "For parts that touch when assembled: move the surface of the body inward by "
                  "this depth, or by the least that frees the start")
      ->option_text("DEPTH|auto");
}

/// What --disassemble takes over from planning one body.
DisassembleArguments shared(const PlanArguments& plan, DisassembleArguments assembly) {
  assembly.metres_per_unit = plan.metres_per_unit;
  assembly.clearance = plan.clearance;
  assembly.touching = plan.touching;
  if (plan.operations != PlanOptions{}.operations) assembly.operations = plan.operations;
  assembly.out = plan.out;
  assembly.csv = plan.csv;
  assembly.glb = plan.glb;
  assembly.picture = plan.picture;
  assembly.threads = plan.threads;
  assembly.json = plan.json;
  return assembly;
}

}  // namespace

Verb add_plan(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "plan",
      "Find a path of a rigid body among obstacles, and prove it free.\n"
      "Deterministic: the same scene gives the same path on any machine. The path is proven over "
      "its whole length, not at samples of it.");
  auto arguments = std::make_shared<PlanArguments>();
  add_input(program, *command, *arguments);
  auto assembly = std::make_shared<DisassembleArguments>();
  add_disassemble_options(program, *command, *assembly);
  add_output(program, *command, "-o,--out", arguments->out,
             "The result as JSON (schema/plan.schema.json), for clearance verify and view", "json");
  add_output(program, *command, "--csv", arguments->csv,
             "The path as rows of time, x, y, z, qx, qy, qz, qw", "csv");
  add_output(program, *command, "--glb", arguments->glb, "The motion as an animated glTF", "glb");
  add_output(program, *command, "--picture", arguments->picture,
             "Key frames of the path, or what blocks it", "png");
  add_output(program, *command, "--plot", arguments->plot, "Clearance along the path", "svg");
  command
      ->add_option("--operations", arguments->operations,
                   "Work at most, in pairs of volumes and triangles (6e10: some minutes)")
      ->option_text("N")
      ->transform(in_digits)
      ->check(count_from(1));
  command
      ->add_option("--seconds", arguments->seconds,
                   "Time at most; unlike --operations it makes the result depend on the machine")
      ->option_text("S")
      ->check(number_from(1e-6, 1e9));
  add_length_option(*command, "--resolution", arguments->resolution,
                    "Steps finer than this are not tried (a ten-thousandth of the body)");
  command->add_flag("--no-improve", arguments->no_improve,
                    "Leave the path as it was found: neither shortened nor widened");
  CLI::Option* planner = command->add_option(
      "--planner", arguments->planner,
      "Ours, or a planner of OMPL as a yardstick: random, and looks at samples (clearance)");
  planner->option_text("NAME")->check(CLI::IsMember(planner_names()));
  program.hints[planner] = {planner_names(), {}};
  command->add_option("--seed", arguments->seed, "Of OMPL's random numbers (1)")
      ->option_text("S")
      ->check(count_from(1));
  CLI::Option* tree = command->add_option(
      "--tree", arguments->tree, "Bounding volumes: ours, or a fitter of the paper (default)");
  tree->option_text("KIND")->check(CLI::IsMember(tree_names()));
  program.hints[tree] = {tree_names(), {}};
  add_threads_option(*command, arguments->threads,
                     "Threads to use; one per core by default. Never changes the path");
  command->add_flag("--json", arguments->json, "Result as JSON (schema/plan.schema.json)");
  command->footer(
      "Exit status: 0 a path was found and proven, 1 none was found, 2 wrong input.\n"
      "\n"
      "Examples:\n"
      "  clearance plan latch.json -o latch_plan.json --picture latch.png --glb latch.glb\n"
      "  clearance plan --body peg.stl --obstacles plate.stl --unit mm --goal out --clearance "
      "0.05mm\n"
      "  clearance plan --assembly gearbox.step --parts shaft --touching auto\n"
      "  clearance plan Easy.cfg --csv easy.csv\n"
      "  clearance plan --disassemble gearbox.step --order order.svg --glb apart.glb");
  return {command, [arguments, assembly] {
            return assembly->files.empty() ? run(*arguments)
                                           : run_disassemble(shared(*arguments, *assembly));
          }};
}

}  // namespace clearance::cli
