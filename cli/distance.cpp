// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance distance: how far apart two parts are, at one pose or at many.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>
#include <clearance/picture/picture.h>
#include <clearance/query/batch.h>
#include <clearance/query/solid.h>

#include "distance_poses.h"
#include "distance_report.h"
#include "session.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

// Poses between two looks at Ctrl-C.
constexpr std::size_t kPosesAtOnce = 512;

struct Options {
  std::string a, b;
  std::string pose, pose_rpy_deg, poses;
  std::string within;  ///< empty: not given
  std::string csv, picture;
  double metres_per_unit = 0.0;       ///< of the files; 0: as they say
  double metres_per_pose_unit = 1.0;  ///< of poses and --within
  int threads = 0;
  bool solid = false;
  bool surface = false;
  bool penetration = false;
  bool json = false;
};

struct Loaded {
  Model model;
  DistanceBody body;
  std::vector<std::string> warnings;  ///< of the reader, with the file's name
};

Result<Loaded> load(const std::string& path, const Options& options, Monitor& monitor) {
  ReadOptions read_options;
  if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
  read_options.threads = Threads{options.threads};
  read_options.monitor = &monitor;
  const Result<LoadedMesh> mesh = read_mesh(path, read_options);
  if (!mesh) return mesh.error();
  BvhOptions bvh_options;
  bvh_options.threads = read_options.threads;
  Result<Model> model = Model::build(mesh->mesh, bvh_options);
  if (!model) {
    Error error = model.error();
    error.file = path;
    return error;
  }
  const DistanceBody body{path, model->mesh().triangle_count(), model->is_solid()};
  Loaded loaded{std::move(*model), body, {}};
  for (const std::string& warning : mesh->info.warnings) {
    loaded.warnings.push_back(path);
    loaded.warnings.back().append(": ").append(warning);
  }
  return loaded;
}

/// The poses asked for; one, the identity, when none is.
Result<std::vector<Pose>> chosen_poses(const Options& options) {
  const double unit = options.metres_per_pose_unit;
  if (!options.poses.empty()) return read_poses(options.poses, unit);
  if (options.pose.empty() && options.pose_rpy_deg.empty()) return std::vector<Pose>{Pose{}};
  Result<Pose> pose = options.pose.empty() ? parse_pose_rpy_deg(options.pose_rpy_deg, unit)
                                           : parse_pose(options.pose, unit);
  if (!pose) {
    Error error = pose.error();
    error.place = options.pose.empty() ? "--pose-rpy-deg" : "--pose";
    return error;
  }
  return std::vector<Pose>{*pose};
}

/// The answers at some poses; those of surfaces take the form of those of solids.
std::vector<SolidDistance> answers(const Model& a, const Model& b, std::span<const Pose> poses,
                                   const Options& options) {
  const Threads threads{options.threads};
  if (!options.surface) return distances(a, b, poses, {}, threads);
  std::vector<SolidDistance> result;
  for (const Distance& d : distances(a.bvh(), b.bvh(), poses, {}, threads)) {
    SolidDistance answer;
    answer.distance = d.distance;
    answer.lower = d.lower;
    answer.upper = d.upper;
    answer.touch = d.distance == 0.0 ? Touch::Surfaces : Touch::None;
    answer.surface = d;
    answer.work = d.work;
    result.push_back(answer);
  }
  return result;
}

/// Whether the parts are at the limit or closer. Where rounding of the distance might decide, the
/// question is asked by itself: within() never says a false no.
bool is_within(const Model& a, const Model& b, const DistanceRow& row, double limit, bool solid) {
  constexpr double kNear = 1e-8;  // ten times what a distance is off, as a fraction
  if (row.answer.distance <= limit) return true;
  if (row.answer.distance > limit * (1.0 + kNear)) return false;
  return solid ? within(a, b, row.a_from_b, limit).within
               : within(a.bvh(), b.bvh(), row.a_from_b, limit).within;
}

/// Both bodies and the line between the closest points, drawn thick enough to be seen.
Status draw(const Options& options, const Model& a, const Model& b, const DistanceRow& row) {
  const std::vector<PictureItem> items{{a.mesh(), Pose{}, {0.62, 0.68, 0.75}, false},
                                       {b.mesh(), row.a_from_b, {0.93, 0.62, 0.25}, false}};
  const Distance& d = row.answer.surface;
  const std::vector<PictureLine> lines{{{d.on_a, d.on_b}, {0.8, 0.1, 0.1}, 3.0}};
  PictureOptions picture_options;
  picture_options.threads = Threads{options.threads};
  return write_png(options.picture, render(items, lines, picture_options));
}

/// --within [m]: in its own unit, else in that of the poses.
std::optional<double> limit_of(const Options& options) {
  std::optional<double> limit = length_of(options.within);
  if (limit && std::isdigit(static_cast<unsigned char>(options.within.back())) != 0)
    *limit *= options.metres_per_pose_unit;
  return limit;
}

int run(const Options& options) {
  const int given = (options.pose.empty() ? 0 : 1) + (options.pose_rpy_deg.empty() ? 0 : 1) +
                    (options.poses.empty() ? 0 : 1);
  if (given > 1)
    return fail_usage("distance", "--pose, --pose-rpy-deg and --poses exclude each other");
  if (options.solid && options.surface)
    return fail_usage("distance", "--solid and --surface exclude each other");
  const Result<std::vector<Pose>> poses = chosen_poses(options);
  if (!poses) return fail(poses.error());

  TerminalMonitor monitor;
  monitor.set_subject(options.a);
  const Result<Loaded> a = load(options.a, options, monitor);
  monitor.set_subject(options.b);
  const Result<Loaded> b = a ? load(options.b, options, monitor) : a;
  monitor.clear();
  if (!b) return fail(b.error());

  DistanceReport report;
  report.a = a->body;
  report.b = b->body;
  report.warnings = a->warnings;
  report.warnings.insert(report.warnings.end(), b->warnings.begin(), b->warnings.end());
  report.solid = !options.surface;
  report.within = limit_of(options);
  monitor.set_subject("poses");
  for (std::size_t first = 0; first < poses->size(); first += kPosesAtOnce) {
    monitor.progress("measuring", static_cast<double>(first) / static_cast<double>(poses->size()));
    const auto some =
        std::span(*poses).subspan(first, std::min(kPosesAtOnce, poses->size() - first));
    const std::vector<SolidDistance> found = answers(a->model, b->model, some, options);
    for (std::size_t i = 0; i < some.size(); ++i) {
      DistanceRow row{some[i], found[i], std::nullopt, false};
      const bool contact = row.answer.touch != Touch::None;
      row.too_close = contact || (report.within &&
                                  is_within(a->model, b->model, row, *report.within, report.solid));
      const bool wanted = options.penetration || poses->size() == 1;
      if (contact && wanted && report.solid && (a->body.closed || b->body.closed))
        row.penetration = penetration(a->model, b->model, row.a_from_b);
      report.rows.push_back(row);
      if (monitor.cancelled()) break;
    }
    if (monitor.cancelled()) {
      monitor.clear();
      return fail({ErrorCode::Cancelled, {}, {}, {}, {}});
    }
  }
  monitor.clear();

  if (!options.csv.empty()) {
    const Status written = write_file(options.csv, distance_csv(report));
    if (!written) return fail(written.error());
  }
  if (!options.picture.empty()) {
    const Status written = draw(options, a->model, b->model, report.rows[report.worst()]);
    if (!written) return fail(written.error());
  }
  for (const std::string& warning : report.warnings) say("warning: " + warning);
  std::cout << (options.json ? json_text(with_unit(distance_json(report), options.metres_per_unit))
                             : distance_text(report));
  return report.too_close_count() > 0 ? kBad : kGood;
}

}  // namespace

Verb add_distance(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "distance",
      "Measure how far apart two parts are.\n"
      "The exact distance with the closest points and triangles, at one pose of B or at many. A "
      "closed mesh is a solid: a part inside another is in contact with it, and where solids "
      "overlap, the depth is enclosed by proven bounds.");
  auto options = std::make_shared<Options>();

  std::vector<std::string> bare;
  for (const std::string& extension : readable_extensions()) bare.push_back(extension.substr(1));
  for (auto [name, target, words] :
       {std::tuple{"A", &options->a, "The part that stays; its frame is that of all points"},
        std::tuple{"B", &options->b, "The part that is moved by the pose"}}) {
    CLI::Option* file = command->add_option(name, *target, words);
    file->required();
    program.hints[file] = {{}, bare};
  }
  command
      ->add_option("--pose", options->pose,
                   "Pose of B in A's frame: 'x y z qx qy qz qw', or 'x y z' without turning")
      ->option_text("POSE");
  command
      ->add_option("--pose-rpy-deg", options->pose_rpy_deg,
                   "The same as 'x y z roll pitch yaw', in degrees about the fixed axes x, y, z")
      ->option_text("POSE");
  CLI::Option* poses = command->add_option(
      "--poses", options->poses,
      "File of poses: one a line as for --pose, with # comments; or .json, an array of arrays of "
      "3 or 7 numbers or of 4 x 4 matrices");
  poses->option_text("FILE");
  program.hints[poses] = {{}, {"txt", "json", "path"}};
  command->add_flag("--solid", options->solid, "Closed meshes are solid bodies (the default)");
  command->add_flag("--surface", options->surface,
                    "All meshes are surfaces: nothing has an inside");
  command
      ->add_option(
          "--within", options->within,
          "Exit with status 1 when the parts are at this distance or closer: 5mm, or 0.005")
      ->option_text("LENGTH")
      ->check([](const std::string& text) {
        const std::optional<double> value = length_of(text);
        return value && *value < 1e30 ? std::string() : "'" + text + "' is not a distance";
      });
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the numbers in both files (m, mm, cm, um, in, ft), instead of what they "
                  "declare");
  add_unit_option(program, *command, "--pose-unit", options->metres_per_pose_unit,
                  "Unit of the lengths in poses and --within; metres by default");
  command->add_flag("--penetration", options->penetration,
                    "Enclose the depth at every pose in contact, not only at a single one");
  CLI::Option* csv = command->add_option("--csv", options->csv, "Write a table, one row a pose");
  csv->option_text("OUT.csv");
  program.hints[csv] = {{}, {"csv"}};
  CLI::Option* picture = command->add_option(
      "--picture", options->picture, "Draw both parts and the closest points, at the closest pose");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  add_threads_option(*command, options->threads, "Threads to use; one per core by default");
  command->add_flag("--json", options->json, "Result as JSON (schema/distance.schema.json)");
  command->footer(
      "Lengths are metres. Points and triangles: on A and B, in A's frame; triangles count from 0 "
      "in "
      "the\norder of the file.\n"
      "Exit status: 0 free at every pose, 1 in contact (or at --within or closer) at one of them, "
      "2 the\ninput is wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance distance hole.obj peg.obj --pose '0 0 0.001'\n"
      "  clearance distance cell.stl tool.stl --unit mm --poses path.txt --within 0.005\n"
      "  clearance distance a.stl b.stl --pose-rpy-deg '0 0 0.1 0 0 90' --json | jq "
      "'.poses[0].distance'");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
