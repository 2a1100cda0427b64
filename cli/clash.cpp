// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance clash: the contacts, clearances and penetrations of all parts of an assembly.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>
#include <clearance/picture/picture.h>
#include <clearance/query/model.h>
#include <clearance/query/scene.h>
#include <clearance/query/solid.h>

#include "clash_allow.h"
#include "clash_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// How close the bounds of a depth are brought together: two digits are enough to sort by.
constexpr PenetrationOptions kDepthSearch{.relative_gap = 0.02};

/// Two parts no farther out than this are at a pose that is answered (query.h) [m].
constexpr double kFarthestPart = 0.5 * kLargestTranslation;

struct Options {
  std::vector<std::string> paths;
  double metres_per_unit = 0.0;  ///< 0: as the file says
  double clearance = 0.0;        ///< [m]
  double touching = -1.0;        ///< [m]; below 0: not given
  std::vector<std::string> allow;
  std::string csv;
  std::string picture;
  double deflection_mm = 0.0;  ///< 0: the reader's own
  double angle_deg = 0.0;      ///< 0: the reader's own
  std::size_t rows = 40;
  int threads = 0;
  bool parts = false;
  bool no_depth = false;
  bool json = false;
};

/// A name no other part has: "bolt", "bolt#2", ...
std::string unique_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i) name = wanted + "#" + std::to_string(i);
  return name;
}

/// The parts to compare, and the file of each.
struct Loaded {
  Assembly assembly;
  std::vector<std::string> files;
};

/// The parts of one file, or several files as one part each.
Result<Loaded> load(const Options& options, Monitor& monitor, std::vector<std::string>& warnings) {
  ReadOptions read_options;
  if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
  if (options.deflection_mm > 0.0) read_options.step_deflection = 1e-3 * options.deflection_mm;
  if (options.angle_deg > 0.0)
    read_options.step_angle = options.angle_deg * std::numbers::pi / 180.0;
  read_options.threads = Threads{options.threads};
  read_options.monitor = &monitor;

  const bool one_part_each = options.paths.size() > 1 && !options.parts;
  Loaded result;
  Assembly& assembly = result.assembly;
  std::set<std::string> taken;
  for (const std::string& path : options.paths) {
    Result<LoadedAssembly> loaded = read_assembly(path, read_options);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->info.warnings) {
      warnings.push_back(path);
      warnings.back().append(": ").append(warning);
    }
    if (one_part_each && loaded->assembly.parts.size() > 1) {
      const std::string stem = std::filesystem::path(path).stem().string();
      assembly.parts.push_back(
          {unique_name(stem, taken), loaded->assembly.flattened(), Pose::identity()});
      result.files.push_back(path);
      continue;
    }
    for (AssemblyPart& part : loaded->assembly.parts) {
      const std::string stem = std::filesystem::path(path).stem().string();
      part.name = unique_name(one_part_each ? stem : part.name, taken);
      assembly.parts.push_back(std::move(part));
      result.files.push_back(path);
    }
  }
  return result;
}

/// A scene whose body numbers are the indices of the parts. Parts that share a mesh share a model.
Result<Scene> scene_of(const Loaded& loaded, Threads threads, Monitor& monitor) {
  const Assembly& assembly = loaded.assembly;
  std::map<const Face*, Model> models;
  Scene scene;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (monitor.cancelled()) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
    monitor.progress("building trees",
                     static_cast<double>(i) / static_cast<double>(assembly.parts.size()));
    const AssemblyPart& part = assembly.parts[i];
    const std::string place = "part '" + part.name + "'";
    if (!(norm(part.world_from_part.translation) <= kFarthestPart)) {
      return Error{ErrorCode::Invalid, loaded.files[i], place,
                   "is placed beyond " + format_number("%.0e", kFarthestPart) + " m",
                   "check the unit of the file"};
    }
    auto known = models.find(part.mesh.faces().data());
    if (known == models.end()) {
      BvhOptions bvh_options;
      bvh_options.threads = threads;
      Result<Model> model = Model::build(part.mesh, bvh_options);
      if (!model) {
        Error error = model.error();
        error.file = loaded.files[i];
        error.place = place + (error.place.empty() ? "" : ", ") + error.place;
        return error;
      }
      known = models.emplace(part.mesh.faces().data(), std::move(*model)).first;
    }
    scene.add(known->second, part.world_from_part);
  }
  return scene;
}

/// How deep the touching pairs overlap. False when cancelled.
bool find_depths(const Scene& scene, std::vector<ClashPair>& pairs, Threads threads,
                 Monitor& monitor) {
  std::vector<ClashPair*> touching;
  for (ClashPair& pair : pairs) {
    if (pair.pair.distance == 0.0) touching.push_back(&pair);
  }
  std::atomic<std::size_t> done = 0;
  parallel_for(threads, touching.size(), [&](std::size_t i) {
    if (monitor.cancelled()) return;
    ClashPair& pair = *touching[i];
    pair.penetration = penetration(
        scene.model(pair.pair.a), scene.model(pair.pair.b),
        relative(scene.world_from_body(pair.pair.a), scene.world_from_body(pair.pair.b)),
        kDepthSearch);
    monitor.progress("measuring depths",
                     static_cast<double>(++done) / static_cast<double>(touching.size()));
  });
  return !monitor.cancelled();
}

Verdict verdict_of(const ClashPair& pair, const Options& options) {
  const bool touches = pair.pair.distance == 0.0;
  if (!touches && !(pair.pair.distance < options.clearance)) return Verdict::Clear;
  if (pair.pair.allowed) return Verdict::Allowed;
  if (!touches) return Verdict::Near;
  if (options.touching < 0.0 || !pair.penetration) return Verdict::Clash;
  // An open surface has no depth to be found: only a short way out shows that it merely touches.
  const Penetration& p = *pair.penetration;
  const double depth = p.a_is_solid && p.b_is_solid ? p.lower : p.upper;
  return depth <= options.touching ? Verdict::Allowed : Verdict::Clash;
}

int run(const Options& options) {
  if (options.touching >= 0.0 && options.no_depth)
    return fail_usage("clash", "--touching needs the depths that --no-depth leaves out");
  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) {
    monitor.clear();
    return fail(error);
  };
  ClashReport report;
  report.files = options.paths;
  report.clearance = options.clearance;
  if (options.touching >= 0.0) report.touching = options.touching;

  const Result<Loaded> loaded = load(options, monitor, report.warnings);
  if (!loaded) return stop(loaded.error());
  const Threads threads{options.threads};
  Result<Scene> scene = scene_of(*loaded, threads, monitor);
  if (!scene) return stop(scene.error());
  std::vector<std::string> names;
  for (const AssemblyPart& part : loaded->assembly.parts) names.push_back(part.name);
  const auto allowed = allowed_pairs(options.allow, names);
  if (!allowed) return stop(allowed.error());
  for (const auto& [a, b] : *allowed)
    scene->allow_contact(static_cast<BodyId>(a), static_cast<BodyId>(b));

  SceneOptions scene_options;
  scene_options.include_allowed = true;
  scene_options.threads = threads;
  scene_options.monitor = &monitor;
  const ScenePairs found =
      pairs_within(*scene, std::numeric_limits<double>::infinity(), scene_options);
  for (const ScenePair& pair : found.pairs) report.pairs.push_back({pair});
  if (!found.complete ||
      (!options.no_depth && !find_depths(*scene, report.pairs, threads, monitor)))
    return stop({ErrorCode::Cancelled, {}, {}, {}, {}});
  for (ClashPair& pair : report.pairs) pair.verdict = verdict_of(pair, options);
  sort_pairs(report.pairs);

  std::size_t open = 0;
  for (BodyId i = 0; i < names.size(); ++i) {
    const Model& model = scene->model(i);
    report.parts.push_back({names[i], model.mesh().triangle_count(), model.is_solid()});
    open += model.is_solid() ? 0 : 1;
  }
  if (names.size() < 2)
    report.warnings.emplace_back("There is only one part: nothing was compared.");
  if (open > 0) {
    report.warnings.push_back(std::to_string(open) + " of " + std::to_string(names.size()) +
                              " parts are not closed and have no inside: of these only the "
                              "surfaces are compared.");
  }

  if (!options.csv.empty()) {
    const Status written = write_file(options.csv, clash_csv(report));
    if (!written) return stop(written.error());
  }
  if (!options.picture.empty()) {
    monitor.progress("drawing", -1.0);
    const ClashPicture picture = clash_picture(loaded->assembly, report);
    PictureOptions picture_options;
    picture_options.threads = threads;
    const Status written =
        write_png(options.picture, render(picture.items, picture.lines, picture_options));
    if (!written) return stop(written.error());
  }
  monitor.clear();
  for (const std::string& warning : report.warnings) say("warning: " + warning);
  std::cout << (options.json ? json_text(with_unit(clash_json(report), options.metres_per_unit))
                             : clash_text(report, options.rows));
  return report.is_good() ? kGood : kBad;
}

}  // namespace

Verb add_clash(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "clash",
      "Find contacts, clearances and penetrations of all parts of an assembly.\n"
      "One file: its parts against each other. Several files: each is one part, where it stands. "
      "Closed parts are solids: one inside another is a clash. The worst pairs come first.");
  auto options = std::make_shared<Options>();

  add_files_option(program, *command, "ASSEMBLY", options->paths, "Files to compare:");
  add_length_option(*command, "--clearance", options->clearance,
                    "Gaps below this fail as well: 0.5mm, or 0.0005 in metres");
  CLI::Option* allow = command->add_option(
      "--allow", options->allow,
      "Parts that may touch, as A:B, with * and ? in the names; or a file of such lines");
  allow->option_text("A:B|FILE")->expected(1)->take_all();
  program.hints[allow] = {{}, {"txt"}};
  add_length_option(
      *command, "--touching", options->touching,
      "Contact is by design, and allowed, where no overlap deeper than this is found");
  command->add_flag("--no-depth", options->no_depth, "Leave out how deep parts overlap: quicker");
  command->add_flag("--parts", options->parts,
                    "Several files: compare all parts in them, not each file as one part");
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the files' numbers (m, mm, cm, um, in, ft), instead of what they "
                  "declare. STL, OBJ, PLY and OFF declare none and are taken as metres");
  add_step_options(*command, options->deflection_mm, options->angle_deg);
  command->add_option("--rows", options->rows, "Pairs in the table, 0 for all (40)")
      ->option_text("N")
      ->check(count_from(0));
  CLI::Option* csv = command->add_option("--csv", options->csv, "All pairs into a CSV file");
  csv->option_text("OUT.csv");
  program.hints[csv] = {{}, {"csv"}};
  CLI::Option* picture =
      command->add_option("--picture", options->picture,
                          "Draw the assembly into a PNG picture: clashes red, near parts orange");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->add_flag("--json", options->json, "Result as JSON (schema/clash.schema.json)");
  command->footer(
      "Exit status: 0 no clash and nothing below the clearance but for allowed pairs, 1 a clash or "
      "a\nsmaller clearance, 2 wrong input. Distances are those of the triangles: a STEP file is "
      "as "
      "exact\nas its --deflection.\n"
      "\n"
      "Examples:\n"
      "  clearance clash gearbox.step --clearance 0.5mm --allow 'bolt*:nut*'\n"
      "  clearance clash frame.stl door.stl --unit mm --picture clash.png\n"
      "  clearance clash gearbox.step --touching 0.01mm --csv pairs.csv --json | jq '.summary'");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
