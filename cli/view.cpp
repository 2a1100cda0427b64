// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance view: results and meshes in the browser.
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <clearance/base/file.h>

#include "browser.h"
#include "session.h"
#include "text.h"
#include "verbs.h"
#include "view_limit.h"
#include "view_page.h"
#include "view_server.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using namespace std::chrono_literals;

/// How often Ctrl-C is looked for.
constexpr auto kPause = 50ms;

struct Options {
  std::vector<std::string> paths;
  std::string page;  ///< --export
  double metres_per_unit = 0.0;
  ViewTreeOptions tree;
  std::size_t most_triangles = kMostTriangles;
  int port = 0;
  bool no_browser = false;
  int threads = 0;
};

int export_page(const Options& options, const std::vector<ViewDocument>& documents) {
  std::vector<ViewFiles> files;
  files.reserve(documents.size());
  for (const ViewDocument& document : documents) files.push_back(view_files(document));
  const std::string page = exported_page(files);
  if (const Status written = write_file(options.page, page); !written) return fail(written.error());
  std::cout << options.page << ": " << format_bytes(page.size())
            << ", one page that needs nothing else\n";
  return kGood;
}

int serve(const Options& options, std::vector<ViewDocument> documents,
          const TerminalMonitor& monitor) {
  Result<ViewServer> server = ViewServer::start(std::move(documents), options.port);
  if (!server) return fail(server.error());
  // Flushed: whoever reads this through a pipe waits for it.
  std::cout << "Showing at " << server->address() << "  (Ctrl-C ends it)" << std::endl;
  if (!options.no_browser) open_browser(server->address());
  while (!monitor.cancelled()) std::this_thread::sleep_for(kPause);
  return kGood;
}

int run(const Options& options) {
  if (view_bundle().empty()) return fail(no_bundle_error());
  TerminalMonitor monitor;
  ViewOptions view_options;
  view_options.metres_per_unit = options.metres_per_unit;
  view_options.tree = options.tree;
  view_options.most_triangles = options.most_triangles;
  view_options.threads = Threads{options.threads};
  view_options.monitor = &monitor;

  std::vector<ViewDocument> documents;
  std::size_t failures = 0;
  for (const std::string& path : options.paths) {
    monitor.progress("reading " + path, -1.0);
    Result<ViewDocument> document = view_of(path, view_options);
    monitor.clear();
    if (monitor.cancelled()) return fail({ErrorCode::Cancelled, {}, {}, {}, {}});
    if (!document) {
      say(document.error().message());
      documents.push_back(error_document(file_name(path), document.error().message()));
      ++failures;
      continue;
    }
    for (const ViewMessage& message : document->messages)
      say(file_name(path) + (message.state == ViewState::Neutral ? ": " : ": warning: ") +
          message.text);
    documents.push_back(std::move(*document));
  }
  // What cannot be shown is told on the page too, as long as there is something else on it.
  if (failures == documents.size()) return kWrongInput;
  return options.page.empty() ? serve(options, std::move(documents), monitor)
                              : export_page(options, documents);
}

}  // namespace

Verb add_view(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "view",
      "Show results and meshes in the browser.\n"
      "Serves a page to this machine alone, prints its address and opens it where there is a "
      "screen; or writes one page that holds everything and works from a file.");
  auto options = std::make_shared<Options>();
  CLI::Option* paths = command->add_option(
      "RESULT", options->paths,
      "The --json result of a verb (clash, ...), or a mesh file. The meshes a result names are "
      "looked for in the working folder and beside it");
  paths->required()->expected(1, -1);
  Hint hint{{}, viewable_extensions()};
  for (const std::string& extension : readable_extensions())
    hint.extensions.push_back(extension.substr(1));
  program.hints[paths] = hint;
  CLI::Option* page = command->add_option("--export", options->page,
                                          "Write one self-contained page instead of serving it");
  page->option_text("OUT.html");
  program.hints[page] = {{}, {"html"}};
  add_tree_options(program, *command, options->tree);
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the meshes' numbers (m, mm, cm, um, in, ft), instead of what they "
                  "declare");
  command
      ->add_option("--triangles", options->most_triangles,
                   "Draw at most so many triangles, coarser ones where there are more (" +
                       group_digits(kMostTriangles) + ")")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000'000));
  command->add_option("--port", options->port, "Port to serve at; a free one by default")
      ->option_text("N")
      ->check(CLI::Range(1, 65535));
  command->add_flag("--no-browser", options->no_browser, "Only print the address");
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->footer(
      "Exit status: 0 shown or written, 2 nothing could be shown.\n"
      "\n"
      "Examples:\n"
      "  clearance clash gearbox.step --json >clash.json; clearance view clash.json\n"
      "  clearance view part.stl --tree\n"
      "  clearance view clash.json --export clash.html");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
