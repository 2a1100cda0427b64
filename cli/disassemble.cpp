// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "disassemble.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <set>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>
#include <clearance/plan/disassemble.h>
#include <clearance/plan/plan_file.h>

#include "disassemble_report.h"
#include "session.h"
#include "text.h"

namespace clearance::cli {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// The parts of the assembly with the file each comes from.
class PartLoader {
 public:
  PartLoader(const DisassembleArguments& arguments, Monitor& monitor, DisassemblyReport& report)
      : arguments_(arguments), report_(report) {
    options_.threads = Threads{arguments.threads};
    options_.monitor = &monitor;
  }

  Status load() {
    const std::string extension = extension_of(arguments_.files.front());
    if (arguments_.files.size() == 1 && (extension == ".json" || extension == ".cfg")) {
      return load_scene_parts(arguments_.files.front());
    }
    const bool one_part_each = arguments_.files.size() > 1;
    for (const std::string& path : arguments_.files) {
      SceneFile file;
      file.path = path;
      if (arguments_.metres_per_unit > 0.0) file.metres_per_unit = arguments_.metres_per_unit;
      if (Status added = add(file, one_part_each); !added) return added;
    }
    return {};
  }

 private:
  /// Every part of every file of the scene, the body at its start.
  Status load_scene_parts(const std::string& path) {
    Result<SceneDescription> scene = read_scene(path);
    if (!scene) return scene.error();
    for (SceneFile file : scene->body) {
      file.pose = scene->start * file.pose;
      if (Status added = add(file, !holds_parts(file.path)); !added) return added;
    }
    for (const SceneFile& file : scene->obstacles) {
      if (Status added = add(file, !holds_parts(file.path)); !added) return added;
    }
    return {};
  }

  /// Groups of an OBJ file are pieces of one part; STEP, glTF and COLLADA hold assemblies.
  static bool holds_parts(const std::string& path) {
    const std::string extension = extension_of(path);
    return extension != ".obj" && extension != ".stl" && extension != ".ply" && extension != ".off";
  }

  Status add(const SceneFile& file, bool as_one) {
    ReadOptions options = options_;
    options.metres_per_unit = file.metres_per_unit;
    const Result<LoadedAssembly> loaded = read_assembly(file.path, options);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->info.warnings) {
      report_.warnings.push_back(file.path);
      report_.warnings.back().append(": ").append(warning);
    }
    const std::string stem = std::filesystem::path(file.path).stem().string();
    std::vector<Mesh> meshes;
    std::vector<std::string> names;
    for (const AssemblyPart& part : loaded->assembly.parts) {
      const auto named = [&](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(), [&](const std::string& name) {
          // "body/*" means all that begin with "body/".
          return name.ends_with("/*") ? part.name.starts_with(name.substr(0, name.size() - 1))
                                      : part.name == name;
        });
      };
      if ((!file.parts.empty() && !named(file.parts)) || named(file.without)) continue;
      Result<Mesh> mesh = placed(part, file);
      if (!mesh) return mesh.error();
      if (as_one) {
        meshes.push_back(std::move(mesh).value());
        names.push_back(part.name);
        continue;
      }
      SceneFile source = file;
      source.without.clear();
      source.parts = {part.name};
      const bool alone = loaded->assembly.parts.size() == 1;
      take(alone ? stem : part.name, std::move(mesh).value(), std::move(source));
    }
    if (!meshes.empty()) {
      Result<Mesh> all = merged(meshes, names);
      if (!all) return all.error();
      take(stem, std::move(all).value(), file);
    }
    return {};
  }

  /// In the world, bit for bit as load_scene() places it.
  static Result<Mesh> placed(const AssemblyPart& part, const SceneFile& file) {
    std::vector<Vec3> vertices;
    vertices.reserve(part.mesh.vertex_count());
    for (const Vec3& v : part.mesh.vertices()) {
      vertices.push_back(file.pose * (file.scale * (part.world_from_part * v)));
    }
    return Mesh::make(std::move(vertices), {part.mesh.faces().begin(), part.mesh.faces().end()});
  }

  void take(const std::string& wanted, Mesh mesh, SceneFile source) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = wanted + "#" + std::to_string(i);
    report_.parts.push_back({name, std::move(mesh)});
    report_.sources.push_back(std::move(source));
  }

  const DisassembleArguments& arguments_;
  DisassemblyReport& report_;
  ReadOptions options_;
  std::set<std::string> taken_;
};

/// The scene of one step, as clearance plan would have been given it.
SceneDescription scene_of(const DisassemblyReport& report, const RemovalStep& step) {
  SceneDescription scene;
  for (const std::size_t part : step.parts) scene.body.push_back(report.sources[part]);
  for (const std::size_t part : step.present) scene.obstacles.push_back(report.sources[part]);
  scene.clearance = report.clearance;
  if (step.relief > 0.0) scene.touching = {Touching::Kind::Depth, step.relief};
  return scene;
}

/// A file name out of a part's.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    plain += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  }
  return plain;
}

/// A plan file for each step, from the files as they are read by clearance verify. The path is
/// proven once more against what was read.
Status write_plans(const DisassembleArguments& arguments, Monitor& monitor,
                   DisassemblyReport& report) {
  std::error_code failed;
  std::filesystem::create_directories(arguments.plans, failed);
  if (failed) {
    return Error{ErrorCode::Unreadable, arguments.plans, {}, "the folder cannot be made", {}};
  }
  const std::vector<RemovalStep>& steps = report.disassembly.steps;
  const Threads threads{arguments.threads};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (monitor.cancelled()) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
    monitor.progress("writing plans", static_cast<double>(i) / static_cast<double>(steps.size()));
    const RemovalStep& step = steps[i];
    const Result<PlanScene> scene = load_scene(scene_of(report, step), {{}, threads, nullptr});
    if (!scene) return scene.error();
    Plan plan;
    plan.path = step.path;
    plan.method = name_of(step.method);
    plan.raw_length = length_of(step.path);
    if (step.method == RemovalMethod::Straight) {
      plan.proof = proof_of(scene->problem, try_direction(scene->problem, step.direction));
    } else {
      ProofOptions options;
      options.threads = threads;
      plan.proof = prove_path(scene->problem, step.path, options);
    }
    if (plan.proof.status != ProofStatus::Free) {
      return Error{ErrorCode::Invalid, arguments.plans, report.parts[step.parts.front()].name,
                   "the files have changed while they were read", "run it again"};
    }
    plan.status = PlanStatus::Found;
    const std::string number = (i < 9 ? "0" : "") + std::to_string(i + 1);
    const std::string path =
        (std::filesystem::path(arguments.plans) /
         (number + "-" + plain_name(report.parts[step.parts.front()].name) + ".json"))
            .string();
    const PlanFile file = plan_file(*scene, std::move(plan), "clearance", threads);
    if (Status done = write_file(path, plan_json(file, path)); !done) return done;
    report.plans.push_back(path);
  }
  report.written.push_back(arguments.plans + ": " +
                           count_of(steps.size(), "plan file", "plan files") +
                           "; clearance verify proves each again");
  return {};
}

Status write_files(const DisassembleArguments& arguments, Monitor& monitor,
                   DisassemblyReport& report) {
  if (!arguments.plans.empty()) {
    if (Status done = write_plans(arguments, monitor, report); !done) return done;
  }
  if (!arguments.csv.empty()) {
    if (Status done = write_file(arguments.csv, disassembly_csv(report)); !done) return done;
    report.written.push_back(arguments.csv + ": a row for each part");
  }
  if (!arguments.order.empty()) {
    const bool dot = extension_of(arguments.order) == ".dot";
    const std::string text =
        dot ? precedence_dot(report.parts, report.disassembly) : precedence_svg(report);
    if (Status done = write_file(arguments.order, text); !done) return done;
    report.written.push_back(arguments.order + ": what must be gone before what");
  }
  if (!arguments.glb.empty()) {
    if (Status done = write_disassembly_glb(arguments.glb, report.parts, report.disassembly);
        !done) {
      return done;
    }
    report.written.push_back(arguments.glb + ": the disassembly, for any viewer of glTF");
  }
  if (!arguments.picture.empty()) {
    if (Status done = draw_disassembly(arguments.picture, report, {arguments.threads}); !done) {
      return done;
    }
    report.written.push_back(arguments.picture + ": key frames");
  }
  if (!arguments.out.empty()) {
    if (Status done = write_file(arguments.out, json_text(disassembly_json(report))); !done) {
      return done;
    }
    report.written.push_back(arguments.out + ": the result");
  }
  return {};
}

}  // namespace

void add_disassemble_options(Program& program, CLI::App& command, DisassembleArguments& arguments) {
  CLI::Option* files = command.add_option(
      "--disassemble", arguments.files,
      "Take a whole assembly apart: one file with parts, a file for each part, or a scene");
  files->option_text("FILE...");
  std::vector<std::string> extensions{"json"};
  for (const std::string& extension : readable_extensions()) {
    extensions.push_back(extension.substr(1));
  }
  program.hints[files] = {{}, extensions};
  command
      .add_option("--base", arguments.base, "With --disassemble: the part that stays (the largest)")
      ->option_text("NAME")
      ->needs(files);
  CLI::Option* order = command.add_option(
      "--order", arguments.order, "With --disassemble: what must be gone before what, as a graph");
  order->option_text("OUT.svg|OUT.dot")->needs(files);
  program.hints[order] = {{}, {"svg", "dot"}};
  command
      .add_option("--plans", arguments.plans,
                  "With --disassemble: a folder for the plan file of each part")
      ->option_text("FOLDER")
      ->needs(files);
  command
      .add_flag("--no-turning", arguments.no_turning,
                "With --disassemble: straight ways only, not the full planner")
      ->needs(files);
}

int run_disassemble(const DisassembleArguments& arguments) {
  TerminalMonitor monitor;
  const auto stop = [&](const Error& error) {
    monitor.clear();
    return fail(error);
  };
  DisassembleOptions options;
  if (!arguments.touching.empty() && arguments.touching != "auto") {
    const std::optional<double> depth = length_of(arguments.touching);
    if (!depth || !(*depth >= 0.0)) {
      return fail_usage("plan",
                        "--touching takes a depth or auto, not '" + arguments.touching + "'");
    }
    options.touching = *depth;
  }
  DisassemblyReport report;
  report.clearance = std::max(0.0, arguments.clearance);
  if (Status loaded = PartLoader(arguments, monitor, report).load(); !loaded) {
    return stop(loaded.error());
  }
  if (!arguments.base.empty()) {
    std::vector<std::string> names;
    for (const DisassemblyPart& part : report.parts) names.push_back(part.name);
    const auto found = std::find(names.begin(), names.end(), arguments.base);
    if (found == names.end()) {
      const std::string near = nearest(arguments.base, names);
      return stop(
          {ErrorCode::NotFound,
           {},
           "--base",
           "there is no part '" + arguments.base + "'",
           near.empty() ? "clearance inspect lists the parts" : "is '" + near + "' meant?"});
    }
    options.base = static_cast<std::size_t>(found - names.begin());
  }
  options.clearance = report.clearance;
  options.turning = !arguments.no_turning;
  if (arguments.operations > 0) options.operations = arguments.operations;
  options.threads = Threads{arguments.threads};
  options.monitor = &monitor;

  const auto begin = std::chrono::steady_clock::now();
  Result<Disassembly> result = disassemble(report.parts, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (!result) {
    Error error = result.error();
    if (error.file.empty()) error.file = arguments.files.front();
    return stop(error);
  }
  if (result->cancelled) return stop({ErrorCode::Cancelled, {}, {}, {}, {}});
  report.disassembly = std::move(result).value();
  if (Status written = write_files(arguments, monitor, report); !written) {
    return stop(written.error());
  }
  monitor.clear();
  for (const std::string& warning : report.warnings) say("warning: " + warning);
  std::cout << (arguments.json ? json_text(disassembly_json(report)) : disassembly_text(report));
  say("taken apart in " + format_number("%.2f s", taken.count()));
  return report.disassembly.complete() ? kGood : kBad;
}

}  // namespace clearance::cli
