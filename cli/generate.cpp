// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance generate: writes a part or scene made by formula.
#include <iostream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <clearance/mesh/generate.h>
#include <clearance/mesh/write.h>

#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string name;
  std::string output;
  GenerateOptions generate;
  double metres_per_unit = 1.0;
  bool list = false;
  bool json = false;
};

int list_generators(const Options& options) {
  if (options.json) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const GeneratorInfo& info : generators()) {
      entries.push_back({{"name", info.name},
                         {"description", info.description},
                         {"stands_for", info.stands_for},
                         {"default_triangles", info.default_triangles},
                         {"minimum_triangles", info.minimum_triangles},
                         {"even_only", info.even_only}});
    }
    const nlohmann::ordered_json result{
        {"schema", "clearance.generators"}, {"version", 1}, {"generators", std::move(entries)}};
    std::cout << json_text(result);
    return kGood;
  }
  std::vector<std::vector<std::string>> lines{{"name", "triangles", "what it is"}};
  for (const GeneratorInfo& info : generators()) {
    lines.push_back({std::string(info.name), group_digits(info.default_triangles),
                     std::string(info.description)});
  }
  const std::size_t right[] = {1};
  std::cout << align_columns(lines, right);
  return kGood;
}

int run(const Options& options) {
  if (options.list) return list_generators(options);
  if (options.name.empty()) return fail_usage("generate", "which part? (--list shows them)");
  if (options.output.empty()) return fail_usage("generate", "where to? (-o FILE)");

  std::vector<std::string> names;
  for (const GeneratorInfo& info : generators()) names.emplace_back(info.name);
  if (std::find(names.begin(), names.end(), options.name) == names.end()) {
    const std::string near = nearest(options.name, names);
    return fail_usage(
        "generate", "there is no part '" + options.name + "'" +
                        (near.empty() ? " (--list shows them)" : "; did you mean '" + near + "'?"));
  }

  TerminalMonitor monitor;
  monitor.progress("generating " + options.name, -1.0);
  GenerateOptions generate_options = options.generate;
  generate_options.monitor = &monitor;
  const Result<Assembly> assembly = generate(options.name, generate_options);
  if (!assembly) return fail(assembly.error());
  if (monitor.cancelled()) return fail({ErrorCode::Cancelled, {}, {}, {}, {}});
  WriteOptions write_options;
  write_options.metres_per_unit = options.metres_per_unit;
  const Status written = write_assembly(options.output, *assembly, write_options);
  monitor.clear();
  if (!written) return fail(written.error());

  if (options.json) {
    const nlohmann::ordered_json result{{"schema", "clearance.generate"},
                                        {"version", 1},
                                        {"name", options.name},
                                        {"seed", options.generate.seed},
                                        {"path", options.output},
                                        {"parts", assembly->parts.size()},
                                        {"triangles", assembly->triangle_count()}};
    std::cout << json_text(result);
  } else {
    std::cout << options.output << ": " << options.name << ", "
              << count_of(assembly->triangle_count(), "triangle", "triangles") << ", "
              << count_of(assembly->parts.size(), "part", "parts") << ", seed "
              << options.generate.seed << '\n';
  }
  return kGood;
}

}  // namespace

Verb add_generate(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "generate",
      "Write a part or scene made by formula.\n"
      "The same name, count and seed give the same bytes. Parts stand in for real ones in tests, "
      "examples and benchmarks.");
  auto options = std::make_shared<Options>();
  CLI::Option* name = command->add_option("NAME", options->name, "Which part; see --list");
  std::vector<std::string> names;
  for (const GeneratorInfo& info : generators()) names.emplace_back(info.name);
  program.hints[name] = {names, {}};

  CLI::Option* output = command->add_option("-o,--out,--output", options->output,
                                            "File to write: .stl, .obj, .ply or .glb; replaced if "
                                            "it exists");
  output->option_text("OUT");
  program.hints[output] = {{}, {"stl", "obj", "ply", "glb"}};
  command->add_option("--triangles", options->generate.triangles, "Triangles in all")
      ->option_text("N")
      ->check(count_from(0));
  command
      ->add_option("--body-triangles", options->generate.body_triangles,
                   "Triangles of the movable body, in scenes that have one")
      ->option_text("N")
      ->check(count_from(0));
  command
      ->add_option("--obstacle-triangles", options->generate.obstacle_triangles,
                   "Triangles of the obstacles, in scenes that have a movable body")
      ->option_text("N")
      ->check(count_from(0));
  add_seed_option(*command, options->generate.seed, "Varies what is irregular; 1 by default");
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit to write in (m, mm, cm, um, in, ft); metres by default. GLB is always "
                  "metres");
  command->add_flag("--list", options->list, "List the parts and stop");
  command->add_flag("--json", options->json, "Result as JSON (schema/generate.schema.json)");
  command->footer(
      "Examples:\n"
      "  clearance generate --list\n"
      "  clearance generate pipe -o pipe.stl --triangles 20000\n"
      "  clearance generate wall -o wall.glb --seed 7");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
