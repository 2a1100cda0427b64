// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance verify: proves the path of a plan file again, by code that has nothing in common with
// the planner and its proof.
#include <iostream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <clearance/plan/plan_file.h>
#include <clearance/plan/verify.h>

#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string plan;
  int threads = 0;
  bool json = false;
};

std::string refusal(const PlanScene& scene, const PathCheck& check) {
  std::string words = "piece " + std::to_string(check.piece) + " of the path, at " +
                      format_number("%.6g", check.time) + " of it: ";
  words += check.status == ProofStatus::Refused ? "closer than the clearance asked for"
                                                : "could not be proven free";
  if (check.pair.triangle_a != kNoTriangle && check.pair.triangle_b != kNoTriangle) {
    words += "\n  body: " + scene.body.name_of(check.pair.triangle_b) +
             "\n  obstacles: " + scene.obstacles.name_of(check.pair.triangle_a);
  }
  return words + "\n";
}

std::string verify_text(const PlanScene& scene, const PlanFile& file, const PathCheck& check) {
  std::string text;
  if (check.status == ProofStatus::Free) {
    text += "free over its whole length: " + count_of(file.plan.path.size(), "piece", "pieces") +
            ", " + count_of(check.checks, "check", "checks") + ", clearance above " +
            format_length(file.scene.clearance) + "\n";
  } else {
    text += refusal(scene, check);
  }
  if (!file.scene.solid) text += "of meshes as surfaces: one body inside another counts as free\n";
  if (file.relief > 0.0)
    text += "of a body whose surface is moved inward by up to " + format_length(file.relief) + "\n";
  if (!check.starts_at_start) text += "the path does not begin at the start of the scene\n";
  if (!check.reaches_goal)
    text += file.scene.goal ? "the path does not end at the goal\n" : "the path does not end out\n";
  return text + (check.holds() ? "verified\n" : "refused\n");
}

Json triangle_json(const SceneSide& side, std::uint32_t triangle) {
  const SceneRange& range = side.range_of(triangle);
  return {{"file", side.files[range.file].path},
          {"part", range.part},
          {"triangle", triangle - range.first_triangle}};
}

Json verify_json(const std::string& path, const PlanScene& scene, const PlanFile& file,
                 const PathCheck& check) {
  Json result{{"schema", "clearance.verify"},
              {"version", 1},
              {"plan", path},
              {"verified", check.holds()},
              {"status", name_of(check.status)},
              {"clearance", file.scene.clearance},
              {"relief", file.relief},
              {"solid", file.scene.solid},
              {"starts_at_start", check.starts_at_start},
              {"reaches_goal", check.reaches_goal},
              {"pieces", file.plan.path.size()},
              {"checks", check.checks}};
  if (check.status != ProofStatus::Free) {
    Json where{{"piece", check.piece}, {"time", check.time}};
    if (check.pair.triangle_a != kNoTriangle && check.pair.triangle_b != kNoTriangle) {
      where["obstacle"] = triangle_json(scene.obstacles, check.pair.triangle_a);
      where["body"] = triangle_json(scene.body, check.pair.triangle_b);
    }
    result["refused_at"] = std::move(where);
  }
  return result;
}

int run(const Options& options) {
  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) -> int {
    monitor.clear();
    return fail(error);
  };
  const Result<PlanFile> file = read_plan(options.plan);
  if (!file) return stop(file.error());
  if (file->plan.status != PlanStatus::Found) {
    return stop({ErrorCode::Invalid, options.plan, "status",
                 std::string("is '") + name_of(file->plan.status) + "': there is no path to verify",
                 ""});
  }
  const Threads threads{options.threads};
  const Result<PlanScene> scene = load_scene_of(*file, {{}, threads, &monitor});
  if (!scene) {
    Error error = scene.error();
    if (error.file.empty()) error.file = options.plan;
    return stop(error);
  }
  const PathCheck check =
      verify_path(scene->problem, file->plan.path,
                  {.checks = VerifyOptions{}.checks, .threads = threads, .monitor = &monitor});
  if (check.status == ProofStatus::Cancelled) return stop({ErrorCode::Cancelled, {}, {}, {}, {}});
  monitor.clear();
  std::cout << (options.json ? json_text(verify_json(options.plan, *scene, *file, check))
                             : verify_text(*scene, *file, check));
  return check.holds() ? kGood : kBad;
}

}  // namespace

Verb add_verify(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "verify",
      "Prove a path of clearance plan again, from its file and the meshes.\n"
      "By separate code: another interpolation, another bound on the motion, another query. Meshes "
      "that have changed since are refused.");
  auto options = std::make_shared<Options>();
  CLI::Option* plan =
      command->add_option("PLAN", options->plan, "Result of clearance plan -o: JSON");
  plan->required();
  program.hints[plan] = {{}, {"json"}};
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->add_flag("--json", options->json, "Result as JSON (schema/verify.schema.json)");
  command->footer(
      "Exit status: 0 free from start to goal, 1 refused, 2 wrong input, or changed meshes.\n"
      "\n"
      "Examples:\n"
      "  clearance plan latch.json -o latch_plan.json && clearance verify latch_plan.json\n"
      "  clearance verify latch_plan.json --json | jq '.verified'");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
