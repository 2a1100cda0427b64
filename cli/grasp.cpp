// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance grasp: every good grasp of a part by a gripper with two fingers.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/grasp/grasp.h>
#include <clearance/grasp/grasp_file.h>
#include <clearance/grasp/wire_frame.h>
#include <clearance/mesh/read.h>

#include "grasp_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string file;
  double metres_per_unit = 0.0;  ///< 0: as the file says
  std::string gripper;
  GripperSizes sizes;
  bool sizes_given = false;
  std::string wire_frame;
  std::string write_wire_frame;
  GraspOptions grasp;
  std::string limit = "sum";
  std::vector<std::string> outputs;
  std::string picture;
  std::size_t best = 10;
  int threads = 0;
  bool json = false;
};

/// An error of the library, with the file it is about.
Error about(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

/// Segments from the file, or derived.
Result<std::vector<Segment>> wire_frame_of(const Options& options, const Model& part,
                                           GraspReport& report) {
  if (!options.wire_frame.empty()) return read_wire_frame(options.wire_frame);
  Result<WireFrame> derived =
      derive_wire_frame(part, {.threads = options.grasp.threads, .monitor = options.grasp.monitor});
  if (!derived) return about(derived.error(), options.file);
  report.is_skeleton = derived->is_skeleton;
  return std::move(derived->segments);
}

Status find_grasps(const Options& options, TerminalMonitor& monitor, GraspReport& report) {
  Result<Gripper> gripper =
      options.gripper.empty() ? Gripper::of_boxes(options.sizes) : Gripper::read(options.gripper);
  if (!gripper) return gripper.error();
  report.gripper = std::move(*gripper);
  report.gripper_file = options.gripper;
  ReadOptions read;
  if (options.metres_per_unit > 0.0) read.metres_per_unit = options.metres_per_unit;
  read.threads = options.grasp.threads;
  read.monitor = &monitor;
  const Result<LoadedMesh> loaded = read_mesh(options.file, read);
  if (!loaded) return loaded.error();
  report.part = loaded->mesh;
  report.notes = loaded->info.warnings;
  const Result<Model> part = Model::build(loaded->mesh, {.threads = options.grasp.threads});
  if (!part) return about(part.error(), options.file);
  const Result<std::vector<Segment>> wire_frame = wire_frame_of(options, *part, report);
  if (!wire_frame) return wire_frame.error();
  Result<GraspSet> set = generate_grasps(*part, *report.gripper, *wire_frame, options.grasp);
  if (!set) {
    // What is wrong with a wire-frame is in its own file.
    const bool of_frame = set.error().place == "wire-frame" && !options.wire_frame.empty();
    return about(set.error(), of_frame ? options.wire_frame : options.file);
  }
  report.set = std::move(*set);
  return {};
}

bool ends_with(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

Status write_output(const std::string& path, const GraspSet& set) {
  if (ends_with(path, ".cgr")) return write_grasps(path, set);
  return write_file(path, ends_with(path, ".json") ? grasps_as_json(set) : grasps_as_csv(set));
}

Status write_files(const Options& options, GraspReport& report) {
  for (const std::string& path : options.outputs) {
    if (Status status = write_output(path, report.set); !status) return status;
    report.written.push_back(path);
  }
  if (!options.write_wire_frame.empty()) {
    Status status = write_file(options.write_wire_frame, wire_frame_as_json(report.set.wire_frame));
    if (!status) return status;
    report.written.push_back(options.write_wire_frame);
  }
  if (options.picture.empty()) return {};
  Status status =
      draw_grasps(options.picture, {*report.part, report.set.wire_frame, report.set.robust()},
                  report.asked.threads);
  if (!status) return status;
  report.written.push_back(options.picture);
  return {};
}

/// What does not go together; empty when all is well.
std::string contradiction(const Options& options) {
  if (!options.gripper.empty() && options.sizes_given)
    return "--gripper names a file, which has its own sizes: leave out the others";
  for (const std::string& path : options.outputs) {
    if (!ends_with(path, ".cgr") && !ends_with(path, ".json") && !ends_with(path, ".csv"))
      return "--out " + path + ": grasps are written as .cgr, .json or .csv";
  }
  if (!options.picture.empty() && !ends_with(options.picture, ".png"))
    return "--picture " + options.picture + ": pictures are written as .png";
  if (options.limit != "sum" && options.limit != "each")
    return "--limit " + options.limit + ": is neither sum nor each";
  return "";
}

int run(Options options) {
  if (const std::string words = contradiction(options); !words.empty())
    return fail_usage("grasp", words);
  TerminalMonitor monitor;
  monitor.set_subject(options.file);
  options.grasp.threads = Threads{options.threads};
  options.grasp.monitor = &monitor;
  options.grasp.quality.limit = options.limit == "each" ? WrenchLimit::Each : WrenchLimit::Sum;
  GraspReport report;
  report.file = options.file;
  report.wire_frame_file = options.wire_frame;
  report.asked = options.grasp;
  report.best = options.best;
  const auto start = std::chrono::steady_clock::now();
  Status status = find_grasps(options, monitor, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status.ok()) status = write_files(options, report);
  monitor.clear();
  if (!status) return fail(status.error());
  for (const std::string& path : report.written) say("wrote " + path);
  std::cout << (options.json ? json_text(with_unit(grasp_json(report), options.metres_per_unit))
                             : grasp_text(report));
  return report.set.counts.robust > 0 ? kGood : kBad;
}

void add_gripper(Program& program, CLI::App& command, const std::shared_ptr<Options>& options) {
  CLI::Option* gripper = command.add_option(
      "--gripper", options->gripper,
      "A gripper as JSON: sizes, meshes or a URDF; by default one of boxes, 80 mm wide open");
  gripper->option_text("FILE");
  program.hints[gripper] = {{}, {"json"}};
  struct Size {
    const char* name;
    double* target;
    const char* help;
  };
  GripperSizes& sizes = options->sizes;
  for (const Size& size :
       {Size{"--opening", &sizes.opening, "Boxes: between the fingers, fully open (80mm)"},
        Size{"--finger-width", &sizes.finger_width, "Boxes: width of the fingers (12mm)"},
        Size{"--finger-thickness", &sizes.finger_thickness, "Boxes: of the fingers (10mm)"},
        Size{"--finger-length", &sizes.finger_length, "Boxes: from palm to tip (60mm)"},
        Size{"--tip", &sizes.tip, "Boxes: how far the tips reach beyond the contacts (6mm)"}}) {
    add_length_option(command, size.name, *size.target, size.help);
    command.get_option(size.name)->each(
        [options](const std::string&) { options->sizes_given = true; });
  }
}

void add_rating(Program& program, CLI::App& command, Options& options) {
  add_length_option(command, "--step", options.grasp.step,
                    "Between samples, along the wire-frame and as an arc (3mm)");
  add_length_option(command, "--softness", options.grasp.softness,
                    "How far a fingertip gives way (3mm)");
  command
      .add_option("--friction", options.grasp.quality.friction,
                  "Coefficient between finger and part (0.5)")
      ->option_text("MU");
  command
      .add_option("--edges", options.grasp.quality.cone_edges,
                  "Of the pyramid that stands for a friction cone (8)")
      ->option_text("N")
      ->check(CLI::Range(3, 1000));
  CLI::Option* limit = command.add_option(
      "--limit", options.limit,
      "sum: all contact forces together are 1 (L1); each: those of each finger (L-infinity)");
  limit->option_text("NAME");
  program.hints[limit] = {{"sum", "each"}, {}};
  add_length_option(command, "--torsion", options.grasp.quality.torsion,
                    "Soft fingers: torque about the normal that a unit force withstands (0)");
  command.add_option("--alpha", options.grasp.alpha, "Weight of stability over robustness (2)")
      ->option_text("A");
}

}  // namespace

Verb add_grasp(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "grasp",
      "Find every good grasp of a part by a gripper with two fingers.\n"
      "Grasps are sampled along a wire-frame of the part, and rated by how large a disturbance "
      "they "
      "withstand and how little that changes when the gripper is slightly off.");
  auto options = std::make_shared<Options>();
  std::vector<std::string> readable;
  std::string extensions;
  for (const std::string& extension : readable_extensions()) {
    readable.push_back(extension.substr(1));
    extensions += " " + extension;
  }
  CLI::Option* file = command->add_option("PART", options->file, "A closed mesh:" + extensions);
  file->required();
  program.hints[file] = {{}, readable};
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the mesh file (m, mm, cm, um, in, ft), instead of what it declares");
  add_gripper(program, *command, options);
  CLI::Option* frame = command->add_option(
      "--wire-frame", options->wire_frame,
      "Segments along the middle of the part as JSON; by default derived from the mesh");
  frame->option_text("FILE");
  program.hints[frame] = {{}, {"json"}};
  command
      ->add_option("--write-wire-frame", options->write_wire_frame,
                   "Write the wire-frame as JSON, to look at and to change")
      ->option_text("OUT.json");
  add_rating(program, *command, *options);
  CLI::Option* out = command->add_option(
      "-o,--out", options->outputs,
      "Write all stable grasps: .cgr (a database that loads at once), .json or .csv; may be "
      "repeated");
  out->option_text("OUT")->expected(1)->take_all();
  program.hints[out] = {{}, {"cgr", "json", "csv"}};
  CLI::Option* picture = command->add_option(
      "--picture", options->picture, "Draw the robust grasps as T shapes, their size the quality");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  command->add_option("--best", options->best, "How many of the best to print (10)")
      ->option_text("N")
      ->check(count_from(0));
  add_threads_option(*command, options->threads, "Threads to use; by default one per core");
  command->add_flag("--json", options->json, "Result as JSON (schema/grasp.schema.json)");
  command->footer(
      "Lengths are metres, or as written: 3mm.\n"
      "Exit status: 0 there are robust grasps, 1 there are none, 2 the input is wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance grasp conrod.stl --out conrod.cgr --picture conrod.png\n"
      "  clearance grasp screw.step --opening 30mm --friction 0.3 --step 1mm --out screw.csv\n"
      "  clearance grasp bracket.stl --unit mm --gripper gripper.json --wire-frame frame.json");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
