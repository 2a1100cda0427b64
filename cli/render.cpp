// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance render: a result or a mesh as a picture, without a browser.
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "render_picture.h"
#include "session.h"
#include "text.h"
#include "verbs.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string path;
  std::string out;
  std::string size = "1200x800";
  std::string eye;
  double time = 0.0;
  std::size_t finding = 0;  ///< from 1; 0: the whole
  int level = -1;           ///< of a hierarchy; below 0: not given
  int colours = 0;          ///< of the file; 0: all
  ViewTreeOptions tree;
  double metres_per_unit = 0.0;
  int threads = 0;
};

int run(const Options& options, bool time_given) {
  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) -> int {
    monitor.clear();
    return fail(error);
  };
  RenderOptions render_options;
  PictureOptions& picture = render_options.picture;
  picture.threads = Threads{options.threads};
  char cross = 0;
  std::istringstream size(options.size);
  if (!(size >> picture.width >> cross >> picture.height) || cross != 'x' || !size.eof() ||
      picture.width < 1 || picture.height < 1 || picture.width > 16384 || picture.height > 16384)
    return fail_usage("render", "--size '" + options.size + "' is not WIDTHxHEIGHT, 1 to 16384");

  ViewOptions view_options;
  view_options.metres_per_unit = options.metres_per_unit;
  view_options.tree = options.tree;
  view_options.threads = picture.threads;
  view_options.monitor = &monitor;
  const Result<ViewDocument> document = view_of(options.path, view_options);
  if (!document) return stop(document.error());
  for (const ViewMessage& message : document->messages) {
    monitor.clear();
    say("warning: " + message.text);
  }
  picture.towards_eye = document->towards_eye;
  if (!options.eye.empty()) {
    std::istringstream eye(options.eye);
    Vec3& v = picture.towards_eye;
    if (!(eye >> v.x >> v.y >> v.z) || !(eye >> std::ws).eof() || !(v.x != 0.0 || v.y != 0.0))
      return fail_usage("render",
                        "--eye '" + options.eye +
                            "' is not three numbers that look anywhere but straight up or down");
  }
  if (time_given) render_options.time = options.time;
  if (options.finding > document->focuses.size()) {
    return fail_usage("render", "--finding " + std::to_string(options.finding) + ": there are " +
                                    std::to_string(document->focuses.size()));
  }
  if (options.finding > 0) render_options.finding = options.finding - 1;
  if (options.level >= 0) {
    render_options.level = static_cast<std::size_t>(options.level);
    if (*render_options.level >= document->levels.size()) {
      return fail_usage(
          "render", "--level " + std::to_string(options.level) +
                        (document->levels.empty()
                             ? ": this has no levels"
                             : ": the last one is " + std::to_string(document->levels.size() - 1)));
    }
  }
  monitor.progress("drawing", -1.0);
  if (const Status written =
          write_png(options.out, render_document(*document, render_options), {options.colours});
      !written)
    return stop(written.error());
  monitor.clear();
  std::cout << options.out << ": " << document->kind << ", " << document->summary << '\n';
  return kGood;
}

}  // namespace

Verb add_render(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "render",
      "Draw a result or a mesh into a picture, without a browser.\n"
      "Shows what `clearance view` shows at first, drawn in software: the same picture on every "
      "machine.");
  auto options = std::make_shared<Options>();
  CLI::Option* path =
      command->add_option("RESULT", options->path, "The --json result of a verb, or a mesh file");
  path->required();
  Hint hint{{}, viewable_extensions()};
  for (const std::string& extension : readable_extensions())
    hint.extensions.push_back(extension.substr(1));
  program.hints[path] = hint;
  CLI::Option* out = command->add_option("-o,--out", options->out, "The picture to write");
  out->option_text("OUT.png")->required();
  program.hints[out] = {{}, {"png"}};
  command->add_option("--size", options->size, "Size in pixels (1200x800)")->option_text("WxH");
  command
      ->add_option("--colours", options->colours,
                   "Use so few colours: 64 make small files for documents")
      ->option_text("N")
      ->check(CLI::Range(2, 256));
  command->add_option("--eye", options->eye, "From where to look: a direction from the scene")
      ->option_text("'X Y Z'");
  CLI::Option* time =
      command->add_option("--time", options->time, "Moment of the timeline, in its own unit");
  time->option_text("T")->check(number_from(-1e15, 1e15));
  command
      ->add_option("--finding", options->finding,
                   "Look at the n-th finding (pair, contact, pick) instead of the whole")
      ->option_text("N")
      ->check(count_from(1));
  command
      ->add_option("--level", options->level,
                   "Level of the hierarchy whose volumes are drawn: 1 is the root, 0 is off")
      ->option_text("N")
      ->check(CLI::Range(0, 1000));
  add_tree_options(program, *command, options->tree);
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the meshes' numbers (m, mm, cm, um, in, ft), instead of what they "
                  "declare");
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->footer(
      "Exit status: 0 drawn, 2 wrong input.\n"
      "\n"
      "Examples:\n"
      "  clearance render clash.json -o worst.png --finding 1\n"
      "  clearance render check.json -o weld.png --time 6.8 --size 1600x1000\n"
      "  clearance render part.stl -o boxes.png --tree --level 3");
  return {command, [options, time] { return run(*options, time->count() > 0); }};
}

}  // namespace clearance::cli
