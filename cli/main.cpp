// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program clearance: finds the verb, runs it, and turns wrong usage into words and status 2.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <clearance/mesh/read.h>

#include "build_info.h"
#include "help.h"
#include "outputs.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

std::string version_text() {
  const std::vector<std::string> extensions = readable_extensions();
  const bool step = std::find(extensions.begin(), extensions.end(), ".step") != extensions.end();
  std::string reads;
  for (const std::string& extension : extensions) reads += " " + extension;
  return std::string("clearance ") + kBuildVersion + " (commit " + kBuildCommit + ")\n" +
         "built with " + kBuildCompiler + "\n" + "STEP: " + (step ? "yes" : "no") + "\n" +
         "reads:" + reads;
}

std::vector<std::string> names_of(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) names.push_back(verb.command->get_name());
  return names;
}

/// The words "did you mean", or nothing when no candidate is near.
std::string suggestion(const std::string& typed, const std::vector<std::string>& candidates) {
  const std::string near = nearest(typed, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// What the parser says, in the words of this program.
std::string words_of(const CLI::ParseError& error) {
  std::string words = error.what();
  const std::string unread = "Could not convert: ";
  const std::size_t value = words.find(" = ");
  if (words.starts_with(unread) && value != std::string::npos) {
    return words.substr(unread.size(), value - unread.size()) + ": '" + words.substr(value + 3) +
           "' is not a number that it takes";
  }
  const std::string often = ": At Most 1 required but received ";
  if (const std::size_t at = words.find(often); at != std::string::npos) {
    return words.substr(0, at) + " takes one value, and is given " +
           words.substr(at + often.size());
  }
  if (const std::size_t at = words.find(": 1 required "); at != std::string::npos)
    return words.substr(0, at) + " needs a value";
  return words;
}

/// Says what is wrong with the command line.
Exit fail_parsing(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App* command = &app;
  for (const CLI::App* chosen : app.get_subcommands()) command = chosen;
  const std::string verb = command == &app ? "" : command->get_name();

  const std::vector<std::string> extras = command->remaining();
  if (!extras.empty()) {
    const std::string& extra = extras.front();
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    const bool is_option = extra.size() > 1 && extra.front() == '-';
    if (std::error_code none; is_option && std::filesystem::exists(extra, none))
      return fail_usage(verb, "there is no option " + extra + "; the file is ./" + extra);
    return fail_usage(verb, is_option ? "there is no option " + extra + suggestion(extra, options)
                                      : "unexpected argument '" + extra + "'");
  }
  return fail_usage(verb, words_of(error));
}

/// The first option or argument that was given as '', or nothing. It is what a shell makes of a
/// variable without a value, and must not pass for an option left out.
std::string empty_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return option->get_name();
  }
  return "";
}

int run(int argc, char** argv) {
  CLI::App app(
      "Clearance: how close are these things, and can they move without touching?\n"
      "Units are metres unless an option or the file says otherwise.",
      "clearance");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help, or that of a verb");
  app.set_version_flag("--version", version_text, "Print version, commit and components");
  app.footer(
      "Exit status: 0 the answer is good, 1 the answer is bad, 2 the input or the usage is wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance inspect bracket.stl --unit mm\n"
      "  clearance distance hole.obj peg.obj --pose '0 0 0.001'\n"
      "  clearance clash gearbox.step --clearance 0.5mm\n"
      "  clearance check cell.json program.json --pictures contacts\n"
      "  clearance plan latch.json -o path.json --picture path.png\n"
      "  clearance fold 1ubi.pdb --steps 100000 --out run\n"
      "  clearance probe catheter.json atrium.stl --pose '0 0 0.01' --map map.ply\n"
      "  clearance simplify arm.urdf --error 5mm --out arm_spheres.urdf\n"
      "  clearance grasp conrod.stl --out conrod.cgr --picture conrod.png\n"
      "  clearance generate pipe -o pipe.stl --triangles 20000");

  Program program{app, {}};
  const std::vector<Verb> verbs{
      add_inspect(program),   add_distance(program), add_clash(program),  add_check(program),
      add_plan(program),      add_verify(program),   add_fold(program),   add_probe(program),
      add_simplify(program),  add_grasp(program),    add_pick(program),   add_generate(program),
      add_reproduce(program), add_view(program),     add_render(program), add_completion(program)};
  for (const Verb& verb : verbs) verb.command->set_help_flag("-h,--help", "Print this help");

  if (argc < 2) {
    std::cerr << app.help();
    return kWrongInput;
  }
  // An unknown verb is the commonest slip; the parser would call it an unexpected argument.
  const std::string first = argv[1];
  const std::vector<std::string> names = names_of(verbs);
  if (first.front() != '-' && std::find(names.begin(), names.end(), first) == names.end())
    return fail_usage("", "there is no verb '" + first + "'" + suggestion(first, names));

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    return app.exit(answer);  // --help and --version
  } catch (const CLI::ParseError& error) {
    return fail_parsing(error, app);
  }
  for (const Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    const std::string empty = empty_option(*verb.command);
    if (!empty.empty())
      return fail_usage(verb.command->get_name(), empty + " is empty: it needs a value");
    if (const Status outputs = check_outputs(*verb.command); !outputs) return fail(outputs.error());
    return verb.run();
  }
  std::cerr << app.help();
  return kWrongInput;
}

}  // namespace
}  // namespace clearance::cli

int main(int argc, char** argv) {
  // Nothing in the library throws; what is left is memory running out.
  try {
    const int status = clearance::cli::run(argc, argv);
    // A full disk or a closed pipe must not look like success.
    std::cout.flush();
    if (!std::cout) {
      clearance::cli::say("cannot write to standard output");
      return clearance::cli::kWrongInput;
    }
    return status;
  } catch (const std::bad_alloc&) {
    clearance::cli::say("out of memory");
  } catch (const std::exception& error) {
    clearance::cli::say(error.what());
  }
  return clearance::cli::kWrongInput;
}
