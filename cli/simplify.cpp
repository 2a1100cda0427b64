// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance simplify: a part or a robot as spheres, and other shapes, that hold all of it.
#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/geometry/mass.h>
#include <clearance/mesh/read.h>
#include <clearance/query/self_contacts.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/comparison.h>
#include <clearance/simplify/primitives.h>
#include <clearance/simplify/simplify.h>
#include <clearance/simplify/sphere_robot.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "distance_poses.h"
#include "session.h"
#include "simplify_files.h"
#include "simplify_report.h"
#include "simplify_shapes.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

constexpr std::array kMethods{SimplifyMethod::Cover, SimplifyMethod::Paper,
                              SimplifyMethod::Packing};
/// Error where neither --error nor --spheres is given, as a fraction of the diagonal of the part or
/// of the largest link.
constexpr double kDefaultError = 0.02;
/// How closely the excess is enclosed, as a fraction of the error, and volumes, as a fraction of
/// themselves; and with how many pieces at most, so that a part or all links together take some
/// seconds.
constexpr double kExcessTolerance = 0.02;
constexpr double kVolumeGap = 0.05;
constexpr std::size_t kMostExcessPieces = 100'000;
constexpr std::size_t kMostVolumePieces = 2'000'000;

struct Options {
  std::string file;
  SimplifyOptions simplify;
  double error = -1.0;  ///< [m]; below 0: not given
  std::string tool;
  std::vector<std::string> turns;  ///< of the tool: roll, pitch, yaw [deg]
  bool visual = false;
  std::vector<std::string> packages;
  double metres_per_unit = 0.0;  ///< 0: as the file says
  double deflection_mm = 0.0;
  double angle_deg = 0.0;
  std::vector<std::string> outputs;
  std::string picture;
  std::string eye;
  bool compare = false;
  int threads = 0;
  bool json = false;
};

bool is_urdf(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".urdf";
}

/// How a model deviates from a mesh, which is one of so many bodies.
SimplifyDeviation deviation_of(const Model& body, const SimplifiedBody& made,
                               const SimplifyOptions& options, std::size_t bodies) {
  CoverOptions cover;
  cover.threads = options.threads;
  cover.monitor = options.monitor;
  cover.most_pieces = kMostExcessPieces;
  const double tolerance =
      kExcessTolerance * std::max(made.error, 1e-3 * body.mesh().bounds().diagonal());
  SimplifyDeviation out;
  out.excess = outward_excess(body, made.model, tolerance, cover);
  // Where nothing is filled, the error is proven for the mesh itself.
  if (options.external_diameter == 0.0 && options.external_tool.empty())
    out.excess.upper = std::max(out.excess.lower, std::min(out.excess.upper, made.error));
  cover.most_pieces = kMostVolumePieces / bodies;
  out.volumes = primitive_volumes(body, made.model, kVolumeGap, cover);
  return out;
}

/// What is simplified, and what became of it.
struct Job {
  SimplifyReport report;
  std::optional<SphereRobotResult> robot;
  SimplifyScene scene;
  std::optional<Model> part;
};

Error cancelled() { return {ErrorCode::Cancelled, {}, {}, {}, {}}; }

/// An error of the library, with the file it is about.
Error about(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

Status simplify_part(const Options& options, TerminalMonitor& monitor, Job& job) {
  ReadOptions read;
  if (options.metres_per_unit > 0.0) read.metres_per_unit = options.metres_per_unit;
  if (options.deflection_mm > 0.0) read.step_deflection = 1e-3 * options.deflection_mm;
  if (options.angle_deg > 0.0) read.step_angle = options.angle_deg * std::numbers::pi / 180.0;
  read.threads = options.simplify.threads;
  read.monitor = &monitor;
  const Result<LoadedMesh> loaded = read_mesh(options.file, read);
  if (!loaded) return loaded.error();
  job.report.notes = loaded->info.warnings;
  Result<Model> model = Model::build(loaded->mesh, {.threads = options.simplify.threads});
  if (!model) return about(model.error(), options.file);
  if (!model->is_solid()) {
    job.report.notes.emplace_back(
        "The mesh is not closed, or its triangles do not agree on which side is outside: the "
        "surface is covered; a solid is not defined.");
  }
  const std::size_t crossings = self_contacts(model->bvh()).pairs.size();
  if (crossings > 0) {
    job.report.notes.push_back(
        "The mesh runs through itself (" + count_of(crossings, "pair", "pairs") +
        " of triangles): the solid is not defined there; the whole surface is covered" +
        (model->is_solid() ? ", and with it all that it wraps around." : "."));
  }
  SimplifyOptions& asked = job.report.asked;
  if (asked.error == 0.0 && asked.most_spheres == 0) {
    asked.error = kDefaultError * loaded->mesh.bounds().diagonal();
    job.report.error_is_default = true;
  }
  const Result<Simplification> made = simplify(*model, asked);
  if (!made) return about(made.error(), options.file);
  if (made->kept.has_filled_cavities()) {
    job.report.notes.push_back(
        "There is a cavity that a ball of " + format_length(asked.external_diameter) +
        " fits into but does not get to from outside: it is filled. --keep-cavities leaves it.");
  }
  SimplifiedBody& body = job.report.bodies.emplace_back();
  body.name = std::filesystem::path(options.file).stem().string();
  body.triangles = loaded->mesh.triangle_count();
  body.solid = model->is_solid();
  if (body.solid) {
    body.volume = std::abs(
        solid_properties(loaded->mesh.vertices(), loaded->mesh.faces(), asked.threads).volume);
  }
  // Primitives are made where spheres cover.
  const bool has_shapes = made->primitives.size() > 0;
  body.model = has_shapes ? made->primitives : PrimitiveSet{made->spheres, {}, {}};
  body.spheres_alone = made->spheres.size();
  body.error = made->error;
  body.covered = made->covered;
  body.deviation = deviation_of(*model, body, asked, 1);
  job.scene.meshes.push_back(loaded->mesh);
  job.scene.poses.emplace_back();
  job.part = std::move(*model);
  return {};
}

/// The diagonal of the largest link [m].
Result<double> largest_link(const Robot& robot, bool visual) {
  double diagonal = 0.0;
  for (const RobotLink& link : robot.links()) {
    if ((visual ? link.visual : link.collision).empty()) continue;
    const Result<Mesh> mesh = link_mesh(link, visual);
    if (!mesh) return mesh.error();
    diagonal = std::max(diagonal, mesh->bounds().diagonal());
  }
  return diagonal;
}

Status simplify_robot(const Options& options, Job& job) {
  RobotFileOptions read;
  read.package_folders = options.packages;
  read.visual = options.visual;
  read.collision = !options.visual;
  read.threads = options.simplify.threads;
  const Result<RobotFile> file = read_robot(options.file, read);
  if (!file) return file.error();
  SimplifyOptions& asked = job.report.asked;
  if (asked.error == 0.0 && asked.most_spheres == 0) {
    const Result<double> size = largest_link(file->robot, options.visual);
    if (!size) return about(size.error(), options.file);
    // A robot without shapes is refused below.
    asked.error = kDefaultError * std::max(*size, 1e-3);
    job.report.error_is_default = true;
  }
  Result<SphereRobotResult> made = simplify(file->robot, {asked, options.visual});
  if (!made) return about(made.error(), options.file);
  job.report.is_robot = true;
  job.report.visual = options.visual;
  job.report.links = file->robot.links().size();
  job.report.notes = file->notes;
  job.report.notes.insert(job.report.notes.end(), made->notes.begin(), made->notes.end());
  const std::vector<Pose> poses = file->robot.link_poses(file->robot.rest());
  for (std::size_t i = 0; i < made->links.size(); ++i) {
    const LinkSimplification& link = made->links[i];
    const RobotLink& of_robot = file->robot.links()[link.link];
    SimplifiedBody& body = job.report.bodies.emplace_back();
    body.name = of_robot.name;
    body.shapes = link.shapes;
    body.triangles = link.triangles;
    body.solid = link.solid;
    const std::vector<Sphere>& spheres = made->model.spheres[link.link];
    body.model =
        made->primitives.empty() ? PrimitiveSet{spheres, {}, {}} : made->primitives[link.link];
    body.spheres_alone = spheres.size();
    body.error = link.error;
    body.covered = link.covered;
    const Result<Mesh> mesh = link_mesh(of_robot, options.visual);
    if (!mesh) return about(mesh.error(), options.file);
    const Result<Model> model = Model::build(*mesh, {.threads = asked.threads});
    if (!model) return about(model.error(), options.file);
    report_progress(asked.monitor, "measuring",
                    static_cast<double>(i) / static_cast<double>(made->links.size()));
    body.deviation = deviation_of(*model, body, asked, made->links.size());
    if (is_cancelled(asked.monitor)) return cancelled();
    job.scene.meshes.push_back(transformed(*mesh, poses[link.link]));
    job.scene.poses.push_back(poses[link.link]);
  }
  job.robot = std::move(*made);
  return {};
}

Status compare_part(Job& job) {
  CompareOptions options;
  options.error = std::max(job.report.asked.error, job.report.error());
  options.external_diameter = job.report.asked.external_diameter;
  options.fill_cavities = job.report.asked.fill_cavities;
  options.seed = job.report.asked.seed;
  options.threads = job.report.asked.threads;
  options.monitor = job.report.asked.monitor;
  Result<Comparison> made = compare(*job.part, options);
  if (!made) return about(made.error(), job.report.file);
  job.report.comparison = std::move(*made);
  return {};
}

/// --eye as a direction; the usual one when it is not given.
Result<Vec3> eye_of(const std::string& text) {
  if (text.empty()) return Vec3{1.0, -1.4, 0.9};
  const Result<Pose> pose = parse_pose(text, 1.0);
  if (!pose || pose->rotation != Mat3::identity() || norm(pose->translation) == 0.0)
    return Error{ErrorCode::Invalid, {}, "--eye", "'" + text + "' is not a direction 'x y z'", {}};
  return pose->translation;
}

/// --tool and --tool-turn.
Status read_tool(const Options& options, SimplifyOptions& asked) {
  if (options.tool.empty()) return {};
  const Result<std::vector<NamedSpheres>> read = read_spheres(options.tool);
  if (!read) return read.error();
  for (const NamedSpheres& named : *read) {
    std::vector<Sphere>& spheres = asked.external_tool.spheres;
    spheres.insert(spheres.end(), named.spheres.begin(), named.spheres.end());
  }
  if (asked.external_tool.empty())
    return Error{ErrorCode::Invalid, options.tool, {}, "has no spheres", {}};
  if (options.turns.empty()) asked.external_tool.turns.push_back(Mat3::identity());
  for (const std::string& text : options.turns) {
    std::istringstream stream(text);
    Vec3 degrees;
    if (!(stream >> degrees.x >> degrees.y >> degrees.z) || !(stream >> std::ws).eof() ||
        !is_finite(degrees)) {
      return Error{ErrorCode::Invalid,
                   {},
                   "--tool-turn",
                   "'" + text + "' is not 'ROLL PITCH YAW' in degrees",
                   {}};
    }
    const Vec3 angles = (std::numbers::pi / 180.0) * degrees;
    asked.external_tool.turns.push_back(rotation_from_rpy(angles.x, angles.y, angles.z));
  }
  return {};
}

Status write_files(const Options& options, Job& job) {
  for (const std::string& path : options.outputs) {
    if (Status status = write_model(path, job.scene); !status) return status;
    job.report.written.push_back(path);
  }
  if (options.picture.empty()) return {};
  const Result<Vec3> eye = eye_of(options.eye);
  if (!eye) return eye.error();
  Status drawn = draw_model(options.picture, job.scene, *eye, options.simplify.threads);
  if (!drawn) return drawn;
  job.report.written.push_back(options.picture);
  return {};
}

/// What does not go together; empty when all is well.
std::string contradiction(const Options& options) {
  const bool robot = is_urdf(options.file);
  if (options.error == 0.0)
    return "--error 0: no number of spheres is the part itself; give an error above 0";
  for (const std::string& path : options.outputs)
    if (std::string words = wrong_with_name(path, options.simplify.primitives.any());
        !words.empty())
      return words;
  if (robot && options.compare) return "--compare takes a part, not a robot";
  if (robot &&
      (options.metres_per_unit > 0.0 || options.deflection_mm > 0.0 || options.angle_deg > 0.0))
    return "--unit, --deflection and --angle are for parts: a URDF is in metres";
  if (!robot && (options.visual || !options.packages.empty()))
    return "--visual and --package are for a .urdf";
  if (options.simplify.primitives.any() &&
      (options.simplify.external_diameter > 0.0 || !options.tool.empty())) {
    return "--shapes takes a part as it is: proofs of capsules and boxes in what --external or "
           "--tool fills take too long so far; leave one of them out";
  }
  if (!options.simplify.fill_cavities && options.simplify.external_diameter == 0.0)
    return "--keep-cavities takes --external: nothing is filled without it";
  if (options.tool.empty() && !options.turns.empty()) return "--tool-turn takes a --tool";
  if (!options.tool.empty()) {
    if (robot) return "--tool takes a part: the links of a robot turn";
    if (options.simplify.external_diameter > 0.0)
      return "--tool and --external are two ways to fill: give one of them";
    if (options.simplify.method != SimplifyMethod::Cover) return "--tool is for --method cover";
    if (options.compare) return "--compare takes no --tool";
  }
  if (options.simplify.method != SimplifyMethod::Cover && options.error < 0.0)
    return "--method " + std::string(name_of(options.simplify.method)) + " needs --error";
  return "";
}

int run(Options options) {
  if (const std::string words = contradiction(options); !words.empty())
    return fail_usage("simplify", words);
  if (const Result<Vec3> eye = eye_of(options.eye); !eye) return fail(eye.error());
  TerminalMonitor monitor;
  monitor.set_subject(options.file);
  options.simplify.threads = Threads{options.threads};
  options.simplify.monitor = &monitor;
  options.simplify.error = std::max(options.error, 0.0);

  if (Status status = read_tool(options, options.simplify); !status) return fail(status.error());

  Job job;
  job.report.file = options.file;
  job.report.tool = options.tool;
  job.report.asked = options.simplify;
  const auto start = std::chrono::steady_clock::now();
  Status status =
      is_urdf(options.file) ? simplify_robot(options, job) : simplify_part(options, monitor, job);
  if (status.ok() && options.compare) status = compare_part(job);
  if (status.ok() && monitor.cancelled()) status = cancelled();
  job.report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  job.scene.report = &job.report;
  job.scene.robot = job.robot ? &*job.robot : nullptr;
  if (status.ok()) status = write_files(options, job);
  monitor.clear();
  if (!status) return fail(status.error());
  for (const std::string& path : job.report.written) say("wrote " + path);
  std::cout << (options.json
                    ? json_text(with_unit(simplify_json(job.report), options.metres_per_unit))
                    : simplify_text(job.report));
  return job.report.limits_met() ? kGood : kBad;
}

void add_limits(Program& program, CLI::App& command, Options& options) {
  add_length_option(command, "--error", options.error,
                    "No sphere may stick out by more: 1mm, or 0.001; by default 2 % of the size");
  command
      .add_option("--spheres", options.simplify.most_spheres,
                  "Spheres at most, of all links together; with --error, whichever comes first")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  add_length_option(command, "--external", options.simplify.external_diameter,
                    "Fill what a ball of this diameter cannot reach from outside: bores, slots, "
                    "screw holes, closed cavities");
  command.add_flag_callback(
      "--keep-cavities", [target = &options.simplify.fill_cavities] { *target = false; },
      "With --external: leave cavities that such a ball fits into, but does not get to");
  CLI::Option* tool = command.add_option(
      "--tool", options.tool,
      "Fill what a tool of spheres cannot reach instead: .json or .yaml as --out writes them");
  tool->option_text("FILE");
  program.hints[tool] = {{}, {"json", "yaml", "yml"}};
  command
      .add_option("--tool-turn", options.turns,
                  "How the tool is turned, in degrees; may be repeated, for a tool that is held in "
                  "several ways ('0 0 0')")
      ->option_text("'R P Y'")
      ->expected(1)
      ->take_all();
}

/// --shapes spheres,capsules,boxes.
void add_shapes(Program& program, CLI::App& command, Options& options) {
  const std::vector<std::string> names{"spheres", "capsules", "boxes"};
  CLI::Option* shapes = command.add_option_function<std::vector<std::string>>(
      "--shapes",
      [target = &options.simplify.primitives, names](const std::vector<std::string>& given) {
        for (const std::string& name : given) {
          if (name == "capsules") target->capsules = true;
          if (name == "boxes") target->boxes = true;
          if (std::ranges::find(names, name) != names.end()) continue;
          const std::string near = nearest(name, names);
          throw CLI::ValidationError("--shapes",
                                     "there is no shape '" + name + "': spheres, capsules, boxes" +
                                         (near.empty() ? "" : "; did you mean '" + near + "'?"));
        }
      },
      "What the model may be made of: spheres (the default), and capsules, boxes or both beside "
      "them where that takes fewer");
  shapes->option_text("LIST")->delimiter(',')->expected(1, 3);
  program.hints[shapes] = {{"capsules", "boxes", "capsules,boxes"}, {}};
}

void add_method(Program& program, CLI::App& command, Options& options) {
  std::vector<std::string> names;
  names.reserve(kMethods.size());
  for (const SimplifyMethod method : kMethods) names.emplace_back(name_of(method));
  CLI::Option* method = command.add_option_function<std::string>(
      "--method",
      [target = &options.simplify.method, names](const std::string& name) {
        for (const SimplifyMethod known : kMethods) {
          if (name != name_of(known)) continue;
          *target = known;
          return;
        }
        const std::string near = nearest(name, names);
        throw CLI::ValidationError("--method",
                                   "there is no method '" + name + "'" +
                                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
      },
      "cover (the default, fewest spheres), paper (bounding sphere simplification), packing (its "
      "second stage alone: nothing is filled)");
  method->option_text("NAME");
  program.hints[method] = {names, {}};
  command
      .add_option(
          "--searches", options.simplify.searches,
          "Cover: searches, each beginning with the spheres of the last; the best counts (1)")
      ->option_text("N")
      ->check(CLI::Range(1, 1000));
  add_seed_option(command, options.simplify.seed, "Paper, packing: of random positions (1)");
  command
      .add_option("--trials", options.simplify.external_trials,
                  "Paper, packing: random external spheres tried (20000)")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}));
  command.add_flag_callback(
      "--no-grow", [target = &options.simplify.grow] { *target = false; },
      "Paper, packing: leave the spheres inside, with gaps up to the error; does not cover");
  add_length_option(command, "--internal", options.simplify.least_internal_diameter,
                    "Paper, packing: diameter an internal sphere starts with");
}

}  // namespace

Verb add_simplify(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "simplify",
      "Make a few spheres of a part or of the links of a robot, which hold all of it.\n"
      "A check against them never says free where the part itself is hit: that they cover it, and "
      "by how much they stick out, is proven.");
  auto options = std::make_shared<Options>();
  std::vector<std::string> readable{"urdf"};
  std::string extensions = " .urdf";
  for (const std::string& extension : readable_extensions()) {
    readable.push_back(extension.substr(1));
    extensions += " " + extension;
  }
  CLI::Option* file = command->add_option("FILE", options->file, "A robot or a mesh:" + extensions);
  file->required();
  program.hints[file] = {{}, readable};
  add_limits(program, *command, *options);
  add_shapes(program, *command, *options);
  add_method(program, *command, *options);
  command->add_flag("--visual", options->visual,
                    "URDF: cover the visual shapes, not the collision shapes");
  command
      ->add_option("--package,--package-path", options->packages,
                   "URDF: folder that holds the packages of package:// names; may be repeated")
      ->option_text("DIR")
      ->expected(1)
      ->take_all();
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of a mesh file (m, mm, cm, um, in, ft), instead of what it declares");
  add_step_options(*command, options->deflection_mm, options->angle_deg);
  CLI::Option* out =
      command->add_option("-o,--out", options->outputs,
                          "Write the model, as the extension says: .urdf, .json (foam, VAMP), "
                          ".yaml (cuRobo), .csv, or "
                          "meshes to look at: .stl, .obj, .ply, .glb; may be repeated");
  out->option_text("OUT")->expected(1)->take_all();
  program.hints[out] = {{}, model_extensions(false)};
  CLI::Option* picture = command->add_option("--picture", options->picture,
                                             "Draw the part, and beside it the spheres by radius");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  command->add_option("--eye", options->eye, "Direction from the scene to the eye ('1 -1.4 0.9')")
      ->option_text("'X Y Z'");
  command->add_flag("--compare", options->compare,
                    "Compare with other ways to simplify a part: decimation, hulls, voxels, ...");
  add_threads_option(*command, options->threads, "Threads to use; by default one per core");
  command->add_flag("--json", options->json, "Result as JSON (schema/simplify.schema.json)");
  command->footer(
      "Lengths are metres, or as written: 1mm.\n"
      "Exit status: 0 covered within the limits, 1 not covered or a limit not met, 2 the input is "
      "wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance simplify pipe.stl --error 1mm --external 100mm --out pipe.csv\n"
      "  clearance simplify bracket.step --spheres 64 --picture bracket.png\n"
      "  clearance simplify bracket.step --error 4mm --shapes capsules,boxes --out bracket.urdf\n"
      "  clearance simplify arm.urdf --error 5mm --out arm_spheres.urdf --out arm.yaml\n"
      "  clearance simplify part.stl --error 2mm --tool torch.json --tool-turn '0 30 0'\n"
      "  clearance simplify pipe.stl --error 1mm --compare");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
