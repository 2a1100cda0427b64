// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance probe: how close a robot, as contour segments, is to a mesh: at one configuration,
// along a path, or a thousand times a second.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/contour/prober.h>
#include <clearance/mesh/read.h>

#include "distance_poses.h"
#include "probe_input.h"
#include "probe_map.h"
#include "probe_report.h"
#include "probe_stream.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

constexpr std::array kMethods{
    ProbeMethod::Tree,   ProbeMethod::Scalar,       ProbeMethod::Simd,       ProbeMethod::Bisection,
    ProbeMethod::OpenCl, ProbeMethod::OpenClCulled, ProbeMethod::KernelOnCpu};

struct Options {
  ProbeRobotOptions robot;
  std::string mesh;
  double metres_per_unit = 0.0;       ///< of the mesh file; 0: as it says
  double metres_per_pose_unit = 1.0;  ///< of --pose, --pose-rpy-deg and --poses
  std::string pose, pose_rpy_deg, poses, joints, path;
  double clearance = -1.0;  ///< [m]; below 0: not given
  double range = -1.0;      ///< [m]; below 0: not given
  bool each = false;
  std::string csv, plot;
  ProbeMapOptions map;
  std::string eye;
  ProberOptions prober;
  int threads = -1;  ///< below 0: not given
  bool list_devices = false;
  bool stream = false;
  double deadline_ms = 0.0;
  int udp_port = -1;  ///< below 0: not given
  ProbeStreamOptions streaming;
  bool json = false;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  names.reserve(kMethods.size());
  for (const ProbeMethod method : kMethods) names.emplace_back(name_of(method));
  return names;
}

int list_devices(bool json) {
  const std::vector<ProbeDevice> devices = probe_devices();
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ProbeDevice& device : devices) {
      list.push_back({{"name", device.name},
                      {"platform", device.platform},
                      {"gpu", device.gpu},
                      {"double_precision", device.double_precision},
                      {"compute_units", device.compute_units},
                      {"memory_bytes", device.memory_bytes}});
    }
    std::cout << json_text(
        {{"schema", "clearance.probe-devices"}, {"version", 1}, {"devices", std::move(list)}});
    return kGood;
  }
  if (devices.empty()) {
    std::cout << "no OpenCL device; the methods tree, scalar, simd and bisection need none\n";
    return kGood;
  }
  std::vector<std::vector<std::string>> lines{{"device", "platform", "", "units", "memory", ""}};
  for (const ProbeDevice& device : devices) {
    lines.push_back({device.name, device.platform, device.gpu ? "GPU" : "CPU",
                     std::to_string(device.compute_units), format_bytes(device.memory_bytes),
                     device.double_precision ? "" : "single precision only"});
  }
  const std::size_t right[] = {3, 4};
  std::cout << align_columns(lines, right);
  return kGood;
}

Error at_option(Error error, const char* option) {
  error.place = option;
  return error;
}

/// Where the robot is asked about: a path, a list of poses, or one configuration.
Result<std::vector<ProbeConfiguration>> configurations(const Options& options,
                                                       const ProbeRobot& robot) {
  if (!options.path.empty()) return read_path(options.path, robot);
  if (options.poses.empty()) return std::vector<ProbeConfiguration>{start_of(robot)};
  const Result<std::vector<Pose>> poses = read_poses(options.poses, options.metres_per_pose_unit);
  if (!poses) return poses.error();
  std::vector<ProbeConfiguration> result;
  for (const Pose& pose : *poses) {
    result.push_back(start_of(robot));
    result.back().world_from_root = pose;
  }
  return result;
}

/// --pose and --joints: where the robot is when nothing else is said.
Status set_start(const Options& options, ProbeRobot& robot) {
  const double unit = options.metres_per_pose_unit;
  if (!options.pose.empty()) {
    const Result<Pose> pose = parse_pose(options.pose, unit);
    if (!pose) return at_option(pose.error(), "--pose");
    robot.world_from_root = *pose;
  } else if (!options.pose_rpy_deg.empty()) {
    const Result<Pose> pose = parse_pose_rpy_deg(options.pose_rpy_deg, unit);
    if (!pose) return at_option(pose.error(), "--pose-rpy-deg");
    robot.world_from_root = *pose;
  }
  return options.joints.empty() ? Status{} : set_joints(robot, options.joints);
}

Result<Vec3> eye_of(const std::string& text) {
  const Result<Pose> pose = parse_pose(text, 1.0);
  if (!pose || pose->rotation != Mat3::identity() || norm(pose->translation) == 0.0) {
    return Error{ErrorCode::Invalid, {}, "--eye", "'" + text + "' is not a direction 'x y z'", {}};
  }
  return pose->translation;
}

/// What does not go together; empty when all is well.
std::string contradiction(const Options& options) {
  const auto given = [](const std::string& text) { return text.empty() ? 0 : 1; };
  if (given(options.pose) + given(options.pose_rpy_deg) + given(options.poses) > 1)
    return "--pose, --pose-rpy-deg and --poses exclude each other";
  if (given(options.path) + given(options.poses) > 1)
    return "--path and --poses exclude each other";
  const ProbeStreamOptions& s = options.streaming;
  if (options.stream) {
    if (given(options.path) + given(options.poses) > 0)
      return "a stream brings its own poses: --path and --poses are not for --stream (but "
             "--synthetic is)";
    if (given(options.csv) + given(options.plot) + given(options.map.map) +
                given(options.map.picture) >
            0 ||
        options.each)
      return "--csv, --plot, --map, --picture and --each are not for --stream";
    if (options.udp_port >= 0 && !s.synthetic.empty())
      return "--udp and --synthetic exclude each other";
    if (s.view_port > 0 && !s.view) return "--view-port is for --view";
    return "";
  }
  if (s.rate > 0.0 || options.deadline_ms > 0.0 || s.seconds > 0.0 || options.udp_port >= 0 ||
      !s.synthetic.empty() || !s.move_mesh.empty() || s.view || s.view_port > 0 || s.spin ||
      s.realtime || s.fixture.stiffness > 0.0 || s.fixture.margin > 0.0)
    return "--rate, --deadline, --seconds, --udp, --synthetic, --move-mesh, --view, --spin, "
           "--realtime, --stiffness and --margin are for --stream";
  return "";
}

/// Fills the rows of the report. Errors name the configuration.
Status measure(const std::vector<ProbeConfiguration>& asked, const Options& options, double slack,
               Prober& prober, ProbeReport& report, Monitor& monitor) {
  // --clearance is looked at even where --range is smaller.
  double range = std::numeric_limits<double>::infinity();
  if (report.range) range = std::max(*report.range, report.clearance.value_or(0.0) + slack);
  std::vector<ContourSegment> segments;
  std::vector<Pose> scratch;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    report_progress(&monitor, "measuring",
                    static_cast<double>(i) / static_cast<double>(asked.size()));
    if (monitor.cancelled()) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
    const auto named = [&](Error error) {
      if (asked.size() > 1)
        error.place =
            "configuration " + std::to_string(i) + (error.place.empty() ? "" : ": " + error.place);
      if (error.file.empty()) error.file = options.path.empty() ? options.robot.file : options.path;
      return error;
    };
    if (Status status = place(*report.robot, asked[i], segments, scratch); !status)
      return named(status.error());
    const Result<ProbeHit> hit = prober.closest(segments, range);
    if (!hit) return named(hit.error());
    ProbeRow row{asked[i], *hit, prober.work(), false, {}};
    row.too_close =
        hit->distance == 0.0 || (report.clearance && hit->distance <= *report.clearance + slack);
    if (options.each) {
      Result<std::vector<ProbeHit>> each = prober.closest_of_each(segments, range);
      if (!each) return named(each.error());
      row.each = std::move(*each);
    }
    report.rows.push_back(std::move(row));
  }
  return {};
}

/// The files asked for beside the answer.
Status write_files(const Options& options, const ProbeReport& report, const Mesh& mesh,
                   Prober& prober) {
  if (!options.csv.empty())
    if (Status status = write_file(options.csv, probe_csv(report)); !status) return status;
  if (!options.plot.empty())
    if (Status status = write_file(options.plot, probe_plot(report)); !status) return status;
  if (options.map.map.empty() && options.map.picture.empty()) return {};
  const ProbeRow& row = report.rows[report.closest()];
  std::vector<ContourSegment> segments;
  std::vector<Pose> scratch;
  if (Status status = place(*report.robot, row.configuration, segments, scratch); !status)
    return status;
  ProbeMapOptions map = options.map;
  if (report.range) map.range = *report.range;
  if (!options.eye.empty()) {
    const Result<Vec3> eye = eye_of(options.eye);
    if (!eye) return eye.error();
    map.towards_eye = *eye;
  }
  const Result<std::vector<std::string>> written =
      write_maps(map, mesh, prober, options.prober, segments, row.hit);
  if (!written) return written.error();
  for (const std::string& path : *written) say("wrote " + path);
  return {};
}

int run(Options options) {
  if (options.list_devices) return list_devices(options.json);
  if (options.robot.file.empty() || options.mesh.empty())
    return fail_usage("probe", "ROBOT and MESH are needed");
  if (const std::string words = contradiction(options); !words.empty())
    return fail_usage("probe", words);

  // All cores for what is asked once; one for a stream, where waking others up takes longer.
  const Threads threads{options.threads >= 0 ? options.threads : 0};
  options.prober.threads = Threads{options.threads >= 0 ? options.threads : options.stream ? 1 : 0};
  // A stream pays for its tree before it begins.
  if (!options.stream) options.prober.tree = ProbeTree::AsNeeded;
  options.robot.threads = options.map.threads = threads;

  TerminalMonitor monitor;
  monitor.set_subject(options.robot.file);
  Result<ProbeRobot> robot = load_robot(options.robot, monitor);
  if (!robot) return monitor.clear(), fail(robot.error());
  if (Status status = set_start(options, *robot); !status)
    return monitor.clear(), fail(status.error());
  const Result<std::vector<ProbeConfiguration>> asked = configurations(options, *robot);
  if (!asked) return monitor.clear(), fail(asked.error());

  monitor.set_subject(options.mesh);
  ReadOptions read_options;
  if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
  read_options.threads = threads;
  read_options.monitor = &monitor;
  const Result<LoadedMesh> loaded = read_mesh(options.mesh, read_options);
  if (!loaded) return monitor.clear(), fail(loaded.error());
  const Mesh& mesh = loaded->mesh;
  Result<std::unique_ptr<Prober>> prober = make_prober(mesh, options.prober);
  if (!prober) {
    monitor.clear();
    Error error = prober.error();
    if (error.file.empty() && error.place.empty())
      error.place = std::string("--method ") + name_of(options.prober.method);
    return fail(error);
  }
  for (const std::string& warning : loaded->info.warnings) say(warning);

  if (options.stream) {
    monitor.clear();
    ProbeStreamOptions& streaming = options.streaming;
    streaming.mesh_file = options.mesh;
    streaming.deadline = 1e-3 * options.deadline_ms;
    if (options.range >= 0.0) streaming.range = options.range;
    if (options.clearance >= 0.0) streaming.clearance = options.clearance;
    if (options.udp_port >= 0) streaming.udp_port = options.udp_port;
    streaming.json = options.json;
    streaming.metres_per_unit = options.metres_per_unit;
    streaming.one_thread = options.prober.threads.resolved() == 1;
    return probe_stream(streaming, *robot, mesh, **prober, monitor);
  }

  ProbeReport report;
  report.robot = &*robot;
  report.mesh_file = options.mesh;
  report.triangles = mesh.triangle_count();
  report.method = name_of((*prober)->method());
  report.description = (*prober)->description();
  if (options.clearance >= 0.0) report.clearance = options.clearance;
  if (options.range >= 0.0) report.range = options.range;
  // What rounding may have added to a distance (segment_distance.h).
  const Box box = mesh.bounds();
  const double slack = kSegmentDistanceError *
                       (norm(box.size()) + largest_component(max(abs(box.low), abs(box.high))));
  monitor.set_subject("configurations");
  const Status measured = measure(*asked, options, slack, **prober, report, monitor);
  monitor.clear();
  if (!measured) return fail(measured.error());
  if (Status status = write_files(options, report, mesh, **prober); !status)
    return fail(status.error());
  std::cout << (options.json ? json_text(with_unit(probe_json(report), options.metres_per_unit))
                             : probe_text(report));
  return report.too_close_count() > 0 ? kBad : kGood;
}

CLI::Option* add_file(Program& program, CLI::App& command, const char* name, std::string& path,
                      const char* words, const char* text, std::vector<std::string> extensions) {
  CLI::Option* option = command.add_option(name, path, words);
  option->option_text(text);
  program.hints[option] = {{}, std::move(extensions)};
  return option;
}

void add_robot_options(Program& program, CLI::App& command, Options& options) {
  command
      .add_option(
          "--pose", options.pose,
          "Where the robot's root is in the frame of the mesh: 'x y z qx qy qz qw', or 'x y "
          "z' without turning")
      ->option_text("POSE");
  command
      .add_option("--pose-rpy-deg", options.pose_rpy_deg,
                  "The same as 'x y z roll pitch yaw', in degrees about the fixed axes x, y, z")
      ->option_text("POSE");
  add_file(program, command, "--poses", options.poses,
           "File of poses: one a line as for --pose, with # comments; or .json", "FILE",
           {"txt", "json", "path"});
  command
      .add_option("--joints", options.joints,
                  "Joint values [rad, m]: 'shoulder=0.5, elbow=-1'; zero (or the middle of the "
                  "limits) where not given. Or one number for each, from the root on, where the "
                  "robot branches each branch to its end (a wrong number of them lists the names)")
      ->option_text("VALUES");
  add_file(program, command, "--path", options.path,
           "File of configurations, one a row: .csv with a header (time, x, y, z, qx, qy, qz, qw, "
           "joint names), or JSON lines as for --stream",
           "FILE", {"csv", "jsonl"});
  add_unit_option(program, command, "--pose-unit", options.metres_per_pose_unit,
                  "Unit of the lengths in --pose, --pose-rpy-deg and --poses; metres by default");
  command.add_flag("--ignore-limits", options.robot.ignore_limits,
                   "Take joint values outside their limits");
  command
      .add_option("--segments", options.robot.segments,
                  "URDF: segments of all links together, at most; by default as many as pay off")
      ->option_text("N")
      ->check(number_from(1, 1e6));
  add_length_option(command, "--fit-margin", options.robot.fit_margin,
                    "URDF: how much wider and longer to make the segments");
  command.add_flag("--visual", options.robot.visual,
                   "URDF: fit to the visual shapes, not the collision shapes");
  command
      .add_option("--package", options.robot.packages,
                  "Folder that holds the packages of package:// names; may be repeated")
      ->option_text("DIR")
      ->expected(1)
      ->take_all();
  add_file(program, command, "--save-contours", options.robot.save_contours,
           "URDF: write the fitted segments, to be used as ROBOT", "OUT.json", {"json"});
  add_unit_option(program, command, options.metres_per_unit,
                  "Unit of the mesh file (m, mm, cm, um, in, ft), instead of what it declares");
}

void add_answer_options(Program& program, CLI::App& command, Options& options) {
  add_length_option(command, "--clearance", options.clearance,
                    "Exit with status 1 when the robot is this close or closer: 2mm, or 0.002");
  add_length_option(command, "--range", options.range,
                    "Look no farther than this; maps show what is farther grey");
  command.add_flag("--each", options.each, "The distance of each segment as well");
  add_file(program, command, "--map", options.map.map,
           "Write the mesh coloured by distance, and the robot, at the closest configuration; the "
           "legend beside it as .legend.svg",
           "OUT.ply|OUT.glb", {"ply", "glb"});
  add_file(program, command, "--picture", options.map.picture, "Draw the same, with the legend",
           "OUT.png", {"png"});
  add_length_option(command, "--map-detail", options.map.detail,
                    "Cut triangles for the map until no edge is longer; by default a 24th of the "
                    "farthest distance shown, 0: as they are");
  command.add_option("--eye", options.eye, "Direction from the scene to the eye ('1 -1.4 0.9')")
      ->option_text("'X Y Z'");
  command.add_flag("--cut-away", options.map.cut_away,
                   "Leave out of the picture what is before the robot");
  add_file(program, command, "--csv", options.csv, "Write a table, one row a configuration",
           "OUT.csv", {"csv"});
  add_file(program, command, "--plot", options.plot, "Draw the distance over time", "OUT.svg",
           {"svg"});
}

void add_method_options(Program& program, CLI::App& command, Options& options) {
  CLI::Option* method = command.add_option_function<std::string>(
      "--method",
      [target = &options.prober.method](const std::string& name) {
        for (const ProbeMethod known : kMethods) {
          if (name != name_of(known)) continue;
          *target = known;
          return;
        }
        const std::vector<std::string> names = method_names();
        const std::string near = nearest(name, names);
        std::string words = "there is no method '" + name + "'";
        if (!near.empty()) words += "; did you mean '" + near + "'?";
        throw CLI::ValidationError("--method", words);
      },
      "How to compute it: tree (the default), scalar, simd, bisection, opencl, opencl-culled, "
      "kernel-on-cpu; all give the same answer");
  method->option_text("NAME");
  program.hints[method] = {method_names(), {}};
  command
      .add_option("--bisections", options.prober.bisections,
                  "Bisection: layers, giving 2^N sub-meshes (3)")
      ->option_text("N")
      ->check(number_from(1, 10));
  command
      .add_option("--device", options.prober.device,
                  "OpenCL: part of the name of a device; by default the first GPU, else any")
      ->option_text("NAME");
  command.add_flag("--list-devices", options.list_devices, "List the OpenCL devices and stop");
  add_threads_option(command, options.threads,
                     "Threads to use; by default one per core, and one with --stream");
}

void add_stream_options(Program& program, CLI::App& command, Options& options) {
  ProbeStreamOptions& stream = options.streaming;
  command.add_flag("--stream", options.stream,
                   "Take poses as JSON lines on standard input, and write an answer for each: "
                   "{\"pose\": [x, y, z, qx, qy, qz, qw]}, {\"joints\": [...]} or {\"nodes\": [[x, "
                   "y, z, tx, ty, tz, r], ...]}");
  command
      .add_option("--rate", stream.rate,
                  "Answers a second, each for the newest pose; by default one for each line")
      ->option_text("HZ")
      ->check(number_from(0.001, 1e6));
  command
      .add_option("--deadline", options.deadline_ms,
                  "What counts as late, in milliseconds; the period of --rate by default")
      ->option_text("MS")
      ->check(number_from(1e-6, 1e9));
  command.add_option("--seconds", stream.seconds, "End after so many seconds")
      ->option_text("S")
      ->check(number_from(1e-3, 1e9));
  command
      .add_option("--udp", options.udp_port,
                  "Take the lines as UDP datagrams, and answer to their senders; 0: any free port")
      ->option_text("PORT")
      ->check(number_from(0, 65535));
  command.add_option("--bind", stream.bind, "Address to listen on (127.0.0.1: this machine only)")
      ->option_text("ADDRESS");
  command
      .add_option("--stiffness", stream.fixture.stiffness,
                  "Virtual fixture: force per metre inside the margin, N/m (0)")
      ->option_text("K")
      ->check(number_from(0, 1e12));
  add_length_option(command, "--margin", stream.fixture.margin,
                    "Virtual fixture: distance at which the force begins");
  CLI::Option* synthetic = command.add_option(
      "--synthetic", stream.synthetic,
      "Make up the lines: orbit[:RADIUS] of the root, sway[:SWING] of the joints, or a file as for "
      "--path, to and fro");
  synthetic->option_text("WHAT");
  program.hints[synthetic] = {{"orbit", "sway"}, {}};
  CLI::Option* move_mesh = command.add_option(
      "--move-mesh", stream.move_mesh, "Move all vertices for every answer: breathing:AMPLITUDE");
  move_mesh->option_text("HOW");
  program.hints[move_mesh] = {{"breathing:1mm"}, {}};
  command.add_flag("--view", stream.view,
                   "Serve a page to this machine alone that follows the stream, and open it where "
                   "there is a screen");
  command.add_option("--view-port", stream.view_port, "Port of that page; a free one by default")
      ->option_text("PORT")
      ->check(number_from(1, 65535));
  command.add_flag("--spin", stream.spin,
                   "Keep the processor busy just before each tick: less latency, more power");
  command.add_flag(
      "--realtime", stream.realtime,
      "Lock memory, ask for a real-time priority (says so when refused), and write answers "
      "by another thread");
}

}  // namespace

Verb add_probe(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "probe",
      "Measure how close a robot is to a mesh, once or a thousand times a second.\n"
      "The robot is a series of contour segments: solids between circles along a centre line, from "
      "a "
      "file or fitted around the links of a URDF. The mesh may be any: open, moving, with "
      "millions of triangles. The distance is exact.");
  auto options = std::make_shared<Options>();
  CLI::Option* robot = command->add_option(
      "ROBOT", options->robot.file,
      "Contours as JSON (docs/contour.md), or a URDF, whose links get segments fitted");
  program.hints[robot] = {{}, {"json", "urdf"}};
  std::vector<std::string> bare;
  std::string extensions;
  for (const std::string& extension : readable_extensions()) {
    bare.push_back(extension.substr(1));
    extensions += " " + extension;
  }
  CLI::Option* mesh =
      command->add_option("MESH", options->mesh, "What must not be touched:" + extensions);
  program.hints[mesh] = {{}, bare};
  add_robot_options(program, *command, *options);
  add_answer_options(program, *command, *options);
  add_method_options(program, *command, *options);
  add_stream_options(program, *command, *options);
  command->add_flag(
      "--json", options->json,
      "Result as JSON (schema/probe.schema.json); with --stream a summary as the last "
      "line");
  command->footer(
      "Lengths are metres, or as written: 2mm. Points are in the frame of the mesh; triangles and "
      "segments\ncount from 0.\n"
      "Exit status: 0 free, 1 in contact (or at --clearance or closer, or a deadline missed), 2 "
      "the\ninput is wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance probe catheter.json atrium.stl --pose '0 0 -0.02' --clearance 2mm\n"
      "  clearance probe arm.urdf wall.stl --joints 'elbow=0.5' --map map.glb --picture map.png\n"
      "  clearance probe hand.json wall.stl --path grasp.csv --csv out.csv --plot out.svg\n"
      "  clearance probe hand.json wall.stl --stream --udp 5005 --rate 1000 --margin 5mm\n"
      "  clearance probe hand.json wall.stl --stream --synthetic sway --rate 1000 --view "
      ">/dev/null");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
