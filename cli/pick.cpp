// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance pick: which part of a pile to take, and with which grasp.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/grasp/choose.h>
#include <clearance/grasp/grasp_file.h>
#include <clearance/grasp/pick.h>
#include <clearance/grasp/points_file.h>
#include <clearance/mesh/read.h>
#include <clearance/robot/robot_file.h>

#include "distance_poses.h"
#include "pick_depth.h"
#include "pick_plan.h"
#include "pick_report.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct Options {
  std::string part;
  std::string grasps;
  double metres_per_unit = 0.0;  ///< 0: as the file says
  std::string gripper;
  std::string top = "10%";
  std::string choose = "spread";
  bool no_rest = false;
  std::size_t simulate = 0;
  PileOptions pile;
  std::string bin;
  std::string pile_file;
  std::vector<std::string> clouds;
  double cloud_radius = 0.001;
  std::vector<std::string> obstacles;
  std::vector<std::string> depths;
  std::string unseen;                ///< empty: blocked
  std::vector<std::string> cameras;  ///< of which an image is written
  std::string candidates = "all";
  PickOptions pick{.approach = 0.1, .retreat = 0.2};
  std::string robot;
  std::vector<std::string> packages;
  std::string link;
  std::string base;
  std::string mount;
  bool plan = false;
  std::uint64_t operations = 300'000'000;
  std::string out;
  std::string picture;
  int threads = 0;
  bool json = false;
};

Error wrong(const std::string& option, std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, {}, option, std::move(reason), std::move(advice)};
}

/// The longest way in or out [m]: more is a slip of units, and as long to check as it is.
constexpr double kLongestWay = 100.0;

/// An error of the library, with the file it is about.
Error about(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "10%", "428" or "all" of so many.
Result<std::size_t> number_of_grasps(const std::string& text, std::size_t all) {
  const Error error = wrong("--top", "'" + text + "' is no number of grasps", "10%, 428 or all");
  if (text == "all") return all;
  if (text.ends_with('%')) {
    double percent = 0.0;
    const char* end = text.data() + text.size() - 1;
    const auto [stop, code] = std::from_chars(text.data(), end, percent);
    if (code != std::errc() || stop != end || !(percent > 0.0 && percent <= 100.0)) return error;
    const auto count = static_cast<double>(all);
    return std::max(std::size_t{1}, static_cast<std::size_t>(std::floor(count * percent / 100.0)));
  }
  const std::optional<std::size_t> count = whole_number(text);
  if (!count || *count == 0) return error;
  return std::min(*count, all);
}

/// "all", "last:15" or "0,3,7".
Result<std::vector<std::size_t>> candidates_of(const std::string& text, std::size_t parts) {
  const Error error =
      wrong("--candidates", "'" + text + "' names no candidates", "all, last:15 or 0,3,7");
  std::vector<std::size_t> list;
  if (text == "all" || text.starts_with("last:")) {
    std::size_t first = 0;
    if (text != "all") {
      const std::optional<std::size_t> last = whole_number(text.substr(5));
      if (!last || *last == 0) return error;
      first = *last < parts ? parts - *last : 0;
    }
    for (std::size_t i = first; i < parts; ++i) list.push_back(i);
    return list;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::optional<std::size_t> part = whole_number(text.substr(at, end - at));
    if (!part) return error;
    list.push_back(*part);
    at = end + 1;
  }
  return list;
}

/// "300mm 200mm 120mm", or "floor 300mm 200mm" without walls.
Result<Bin> bin_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const bool is_floor = !words.empty() && words.front() == "floor";
  if (is_floor) words.erase(words.begin());
  std::vector<double> sizes;
  for (const std::string& word : words)
    if (const std::optional<double> size = length_of(word); size && *size > 0.0)
      sizes.push_back(*size);
  if (sizes.size() != words.size() || sizes.size() != (is_floor ? 2U : 3U)) {
    return wrong("--bin", "'" + text + "' is no bin",
                 "'300mm 200mm 120mm', or 'floor 300mm 200mm' without walls");
  }
  Bin bin{sizes[0], sizes[1], is_floor ? 0.0 : sizes[2], 0.0};
  if (!is_floor) bin.wall_thickness = 0.02 * bin.width;
  return bin;
}

struct Job {
  PickReport report;
  std::optional<Model> part;
  PickObstacles obstacles;
};

/// So many that are tried with all candidates, the best first; and the rest, unless it is not
/// wanted.
void choose_grasps(const GraspSet& set, const Gripper& gripper, std::size_t count,
                   const Options& options, PickReport& report) {
  const std::span<const Grasp> robust = set.robust();
  report.tried = count;
  report.numbers.resize(robust.size());
  std::iota(report.numbers.begin(), report.numbers.end(), 0U);
  if (count < robust.size()) {
    std::vector<std::uint32_t> chosen(report.numbers.begin(),
                                      report.numbers.begin() + static_cast<std::ptrdiff_t>(count));
    if (options.choose == "spread") {
      SpreadGrasps spread = spread_grasps(robust, count, {mean_radius(set), is_symmetric(gripper)});
      chosen = std::move(spread.chosen);
      report.reach = spread.reach;
    }
    (options.no_rest ? report.numbers : report.asked.first) = std::move(chosen);
  }
  for (const std::uint32_t number : report.numbers) report.grasps.push_back(robust[number]);
}

Status read_part_and_grasps(const Options& options, TerminalMonitor& monitor, Job& job) {
  ReadOptions read;
  if (options.metres_per_unit > 0.0) read.metres_per_unit = options.metres_per_unit;
  read.threads = options.pick.threads;
  read.monitor = &monitor;
  const Result<LoadedMesh> loaded = read_mesh(options.part, read);
  if (!loaded) return loaded.error();
  Result<Model> part = Model::build(loaded->mesh, {.threads = options.pick.threads});
  if (!part) return about(part.error(), options.part);
  Result<GraspSet> set = read_grasps(options.grasps);
  if (!set) return set.error();
  if (options.gripper.empty() && !set->gripper_sizes) {
    return Error{ErrorCode::Invalid, options.grasps, "gripper",
                 "these are grasps by a gripper of meshes, which are not in this file",
                 "name it by --gripper"};
  }
  Result<Gripper> gripper = options.gripper.empty() ? Gripper::of_boxes(*set->gripper_sizes)
                                                    : Gripper::read(options.gripper);
  if (!gripper) return gripper.error();
  if (set->part_fingerprint != fingerprint(loaded->mesh)) {
    return Error{ErrorCode::Invalid, options.grasps, "part",
                 "these are grasps of another part than " + options.part,
                 "the mesh must be the very same, in the same unit"};
  }
  if (set->gripper_fingerprint != gripper->fingerprint()) {
    return Error{ErrorCode::Invalid, options.grasps, "gripper",
                 "these are grasps by another gripper than " + options.gripper,
                 set->gripper_sizes ? "leave out --gripper: the file has the one of its boxes"
                                    : "name the one that they were made with"};
  }
  if (set->counts.robust == 0)
    return Error{ErrorCode::Invalid, options.grasps, {}, "has no robust grasp", {}};
  const Result<std::size_t> count = number_of_grasps(options.top, set->counts.robust);
  if (!count) return count.error();
  job.report.part = loaded->mesh;
  job.report.notes = loaded->info.warnings;
  job.report.robust = set->counts.robust;
  choose_grasps(*set, *gripper, *count, options, job.report);
  job.part = std::move(*part);
  job.report.gripper = std::move(*gripper);
  job.report.gripper_file = options.gripper;
  return {};
}

Status find_pile(const Options& options, Job& job) {
  PickReport& report = job.report;
  if (options.pile_file.empty()) {
    PileOptions pile = options.pile;
    pile.count = options.simulate;
    pile.monitor = options.pick.monitor;
    if (!options.bin.empty()) {
      const Result<Bin> bin = bin_of(options.bin);
      if (!bin) return bin.error();
      pile.bin = *bin;
    }
    Result<SimulatedPile> simulated = simulate_pile(*job.part, pile);
    if (!simulated) return about(simulated.error(), options.part);
    report.seed = pile.seed;
    report.pile = simulated->pile;
    report.simulated = std::move(*simulated);
    return {};
  }
  Result<Pile> pile = read_pile(options.pile_file);
  if (!pile) return pile.error();
  report.pile = std::move(*pile);
  report.pile_file = options.pile_file;
  report.overlaps = overlaps_of(*job.part, report.pile, options.pick.threads);
  for (const PileOverlap& overlap : report.overlaps) {
    if (overlap.lower <= report.asked.contact) continue;
    return Error{ErrorCode::Invalid, options.pile_file,
                 "parts " + std::to_string(overlap.a) + " and " + std::to_string(overlap.b),
                 "overlap by at least " + format_length(overlap.lower),
                 "--contact allows more than " + format_length(report.asked.contact)};
  }
  return {};
}

Status read_obstacles(const Options& options, Job& job) {
  for (const std::string& path : options.clouds) {
    const double metres = options.metres_per_unit > 0.0 ? options.metres_per_unit : 1.0;
    Result<std::vector<Vec3>> points = read_points(path, metres);
    if (!points) return points.error();
    job.report.clouds.push_back({path, points->size(), options.cloud_radius, metres});
    Result<PointCloud> cloud =
        PointCloud::make(std::move(*points), options.cloud_radius, options.pick.threads);
    if (!cloud) return about(cloud.error(), path);
    job.obstacles.points.push_back(std::move(*cloud));
  }
  for (const std::string& path : options.obstacles) {
    ReadOptions read;
    if (options.metres_per_unit > 0.0) read.metres_per_unit = options.metres_per_unit;
    read.threads = options.pick.threads;
    const Result<LoadedMesh> loaded = read_mesh(path, read);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->info.warnings) {
      job.report.notes.push_back(path);
      job.report.notes.back().append(": ").append(warning);
    }
    Result<Model> model = Model::build(loaded->mesh, {.threads = options.pick.threads});
    if (!model) return about(model.error(), path);
    job.obstacles.models.push_back(std::move(*model));
    job.report.obstacle_meshes.push_back(path);
  }
  const bool is_blocked = options.unseen != "free";
  for (const std::string& path : options.depths) {
    Result<SeenDepth> seen =
        read_seen_depth(path, is_blocked ? UnseenSpace::Solid : UnseenSpace::Free);
    if (!seen) return seen.error();
    job.report.depth_views.push_back({path, seen->map.depth.size(), seen->seen, is_blocked});
    job.obstacles.seen.push_back(std::move(seen->map));
  }
  return {};
}

Status read_robot_of(const Options& options, Job& job) {
  if (options.robot.empty()) return {};
  RobotFileOptions read;
  read.package_folders = options.packages;
  read.visual = false;
  read.threads = options.pick.threads;
  const Result<RobotFile> file = read_robot(options.robot, read);
  if (!file) return file.error();
  PickRobot robot{file->robot, {}, 0, {}};
  robot.link = static_cast<std::uint32_t>(file->robot.links().size() - 1);
  if (!options.link.empty()) {
    const std::optional<std::uint32_t> link = file->robot.link(options.link);
    if (!link)
      return Error{
          ErrorCode::NotFound, options.robot, {}, "has no link '" + options.link + "'", {}};
    robot.link = *link;
  }
  for (const auto& [name, text, pose] :
       {std::tuple("--base", &options.base, &robot.world_from_base),
        std::tuple("--mount", &options.mount, &robot.link_from_gripper)}) {
    if (text->empty()) continue;
    const Result<Pose> parsed = parse_pose_rpy_deg(*text, 1.0);
    if (!parsed) return wrong(name, parsed.error().reason, parsed.error().advice);
    *pose = *parsed;
  }
  job.report.asked.robot = std::move(robot);
  return {};
}

Status evaluate(const Options& options, Job& job) {
  PickReport& report = job.report;
  Result<std::vector<std::size_t>> candidates =
      candidates_of(options.candidates, report.pile.parts.size());
  if (!candidates) return candidates.error();
  report.asked.candidates = std::move(*candidates);
  const Result<Picker> picker = Picker::make(*job.part, *report.gripper, report.grasps);
  if (!picker) return about(picker.error(), options.grasps);
  const auto start = std::chrono::steady_clock::now();
  Result<PickResult> result = picker->evaluate(report.pile, job.obstacles, report.asked);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!result) return about(result.error(), options.pile_file);
  report.result = std::move(*result);
  return {};
}

/// Ways out for those that do not come straight up. Those found are ranked behind the straight
/// ones, in the order they had.
Status plan_ways_out(const Options& options, Job& job) {
  if (!options.plan) return {};
  PickReport& report = job.report;
  PickResult& result = report.result;
  const auto start = std::chrono::steady_clock::now();
  const WayOutScene scene{*job.part,     *report.gripper, report.grasps,     report.pile,
                          job.obstacles, report.asked,    options.operations};
  report.ways_out.resize(report.pile.parts.size());
  const auto first = result.ranked.begin() + static_cast<std::ptrdiff_t>(result.valid);
  for (auto candidate = first; candidate != result.ranked.end(); ++candidate) {
    if (!may_come_out(*candidate)) continue;
    Result<WayOut> way = find_way_out(scene, *candidate);
    if (!way) return way.error();
    report.ways_out[candidate->part] = *std::move(way);
  }
  const auto last = std::stable_partition(first, result.ranked.end(), [&](const Candidate& c) {
    const std::optional<WayOut>& way = report.ways_out[c.part];
    return way && way->status == WayOutStatus::Found;
  });
  report.planned = static_cast<std::size_t>(last - first);
  result.valid += report.planned;
  report.plan_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

Status write_files(const Options& options, Job& job) {
  PickReport& report = job.report;
  if (!options.out.empty()) {
    if (Status status = write_file(options.out, pile_as_json(report.pile)); !status) return status;
    report.written.push_back(options.out);
  }
  for (const std::string& path : options.cameras) {
    const Result<std::string> image = write_seen_depth(path, report.part, report.pile,
                                                       job.obstacles.models, options.pick.threads);
    if (!image) return image.error();
    report.written.push_back(*image);
  }
  if (!options.picture.empty()) {
    const PilePicture scene{report.part,   report.pile,          report.asked.candidates,
                            report.result, job.obstacles.models, job.obstacles.seen};
    Status status = draw_pile(options.picture, scene, options.pick.threads);
    if (!status) return status;
    report.written.push_back(options.picture);
  }
  return {};
}

int run(Options options) {
  if (options.pile_file.empty() == (options.simulate == 0))
    return fail_usage("pick", "give a pile: either --pile FILE or --simulate N");
  if (!options.pile_file.empty() && !options.bin.empty())
    return fail_usage("pick", "--bin is for --simulate: a pile's file has its own bin");
  if (!options.picture.empty() && !options.picture.ends_with(".png"))
    return fail_usage("pick", "--picture " + options.picture + ": pictures are written as .png");
  if (options.depths.empty() && !options.unseen.empty())
    return fail_usage("pick",
                      "--unseen is for --depth: without a depth image all is free that is "
                      "not named");
  if (options.plan && options.pick.retreat == 0.0)
    return fail_usage("pick", "--plan is for parts that do not come straight up: give a --retreat");
  if (options.robot.empty() &&
      !(options.base.empty() && options.link.empty() && options.mount.empty()))
    return fail_usage("pick", "--base, --link and --mount are about the --robot, which is missing");
  for (const auto& [name, way] : {std::pair("--approach", options.pick.approach),
                                  std::pair("--retreat", options.pick.retreat)}) {
    if (way > kLongestWay)
      return fail_usage("pick",
                        std::string(name) + " is longer than " + format_length(kLongestWay));
  }
  TerminalMonitor monitor;
  monitor.set_subject(options.part);
  options.pick.threads = Threads{options.threads};
  options.pick.monitor = &monitor;
  Job job;
  job.report.part_file = options.part;
  job.report.grasps_file = options.grasps;
  job.report.asked = options.pick;
  Status status = read_part_and_grasps(options, monitor, job);
  if (status.ok() && job.report.asked.contact == 0.0)
    job.report.asked.contact = 0.002 * job.report.part.bounds().diagonal();
  if (status.ok()) status = read_obstacles(options, job);
  if (status.ok()) status = read_robot_of(options, job);
  if (status.ok()) status = find_pile(options, job);
  if (status.ok()) status = evaluate(options, job);
  if (status.ok()) status = plan_ways_out(options, job);
  if (status.ok()) status = write_files(options, job);
  monitor.clear();
  if (!status) return fail(status.error());
  for (const std::string& path : job.report.written) say("wrote " + path);
  std::cout << (options.json ? json_text(with_unit(pick_json(job.report), options.metres_per_unit))
                             : pick_text(job.report));
  return job.report.result.valid > 0 ? kGood : kBad;
}

void add_pile_options(Program& program, CLI::App& command, Options& options) {
  command.add_option("--simulate", options.simulate, "Drop so many parts into a bin")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}));
  add_seed_option(command, options.pile.seed, "Of the simulation (1)");
  command
      .add_option("--bin", options.bin,
                  "Inner length, width and height: '300mm 200mm 120mm'; 'floor 300mm 200mm' for a "
                  "floor without walls; by default one that the parts fill to about half")
      ->option_text("SIZE");
  CLI::Option* pile =
      command.add_option("--pile", options.pile_file, "A pile as JSON (schema/pile.schema.json)");
  pile->option_text("FILE");
  program.hints[pile] = {{}, {"json"}};
  command
      .add_option("--candidates", options.candidates,
                  "Which parts: all, last:15 (those that fell last), or 0,3,7")
      ->option_text("WHICH");
  add_length_option(command, "--contact", options.pick.contact,
                    "Parts this close or deep at the start touch, which is no obstacle to lifting; "
                    "deeper overlaps are refused (0.2 % of the part)");
}

void add_obstacle_options(Program& program, CLI::App& command, Options& options) {
  CLI::Option* cloud =
      command.add_option("--cloud", options.clouds,
                         "Points a camera saw, in the world: .ply, or text; may be repeated");
  cloud->option_text("FILE")->expected(1)->take_all();
  program.hints[cloud] = {{}, {"ply", "xyz", "csv", "txt"}};
  add_length_option(command, "--cloud-radius", options.cloud_radius,
                    "Each point stands for a ball of this radius (1mm)");
  CLI::Option* depth = command.add_option(
      "--depth", options.depths,
      "What a depth camera saw: a view as JSON (schema/depth-view.schema.json) that names an image "
      "(PNG or PGM of 16 bits, .npy); may be repeated");
  depth->option_text("FILE")->expected(1)->take_all();
  program.hints[depth] = {{}, {"json"}};
  CLI::Option* unseen = command.add_option("--unseen", options.unseen,
                                           "Space behind what a depth camera saw, and where it saw "
                                           "nothing: blocked (the default), free");
  unseen->option_text("WHAT")->check(CLI::IsMember({"blocked", "free"}));
  program.hints[unseen] = {{"blocked", "free"}, {}};
  CLI::Option* camera = command.add_option(
      "--see", options.cameras,
      "Write the depth image that the camera of a view would take of the pile; may be repeated");
  camera->option_text("FILE")->expected(1)->take_all();
  program.hints[camera] = {{}, {"json"}};
  command.add_option("--obstacle", options.obstacles, "A mesh in the world; may be repeated")
      ->option_text("FILE")
      ->expected(1)
      ->take_all();
}

void add_robot_options(Program& program, CLI::App& command, Options& options) {
  CLI::Option* robot =
      command.add_option("--robot", options.robot, "A robot that must reach, as URDF");
  robot->option_text("FILE");
  program.hints[robot] = {{}, {"urdf"}};
  command
      .add_option("--package,--package-path", options.packages,
                  "URDF: folder that holds the packages of package:// names; may be repeated")
      ->option_text("DIR")
      ->expected(1)
      ->take_all();
  command
      .add_option("--base", options.base,
                  "Where the robot stands in the world: x y z [m] and "
                  "roll pitch yaw [deg]")
      ->option_text("'X Y Z R P Y'");
  command.add_option("--link", options.link, "The link that holds the gripper (the last)")
      ->option_text("NAME");
  command.add_option("--mount", options.mount, "Where the gripper's origin is in that link")
      ->option_text("'X Y Z R P Y'");
}

}  // namespace

Verb add_pick(Program& program) {
  CLI::App* command = program.app.add_subcommand(
      "pick",
      "Find the best part of a pile to take, and the grasps that are free.\n"
      "Each candidate is tried with the best grasps of its part: the gripper must touch nothing at "
      "the grasp, on the way in and out, and the part must come out.");
  auto options = std::make_shared<Options>();
  std::vector<std::string> readable;
  for (const std::string& extension : readable_extensions())
    readable.push_back(extension.substr(1));
  CLI::Option* part = command->add_option("PART", options->part, "The part, as a closed mesh");
  part->required();
  program.hints[part] = {{}, readable};
  CLI::Option* grasps = command->add_option("GRASPS", options->grasps,
                                            "Its grasps, as `clearance grasp --out` writes them");
  grasps->required();
  program.hints[grasps] = {{}, {"cgr"}};
  CLI::Option* gripper = command->add_option("--gripper", options->gripper,
                                             "The gripper as JSON; one of boxes is in GRASPS");
  gripper->option_text("FILE");
  program.hints[gripper] = {{}, {"json"}};
  command
      ->add_option("--top", options->top,
                   "How many of the robust grasps are tried with each part: 10% (the default), "
                   "428, all")
      ->option_text("N");
  CLI::Option* choose = command->add_option(
      "--choose", options->choose,
      "Which: spread (the default), good ones that differ; best, those of the best quality");
  choose->option_text("HOW")->check(CLI::IsMember({"spread", "best"}));
  program.hints[choose] = {{"spread", "best"}, {}};
  command->add_flag("--no-rest", options->no_rest,
                    "Leave it at those: by default a part that has no free grasp among them is "
                    "tried with all others too");
  add_pile_options(program, *command, *options);
  add_obstacle_options(program, *command, *options);
  add_length_option(*command, "--clearance", options->pick.clearance,
                    "Stay this far away from everything else (0)");
  add_length_option(*command, "--approach", options->pick.approach,
                    "The way in is checked from this far back; 0: only its end (100mm)");
  add_length_option(*command, "--retreat", options->pick.retreat,
                    "The way straight up that is checked, of gripper and part; 0: none (200mm)");
  command->add_flag("--plan", options->plan,
                    "For parts that a grasp holds but that do not come straight up: look for "
                    "another way out, and prove it");
  command
      ->add_option("--operations", options->operations,
                   "--plan: work at most for each search, in pairs of volumes and triangles (3e8: "
                   "some seconds)")
      ->option_text("N")
      ->check(count_from(1));
  add_robot_options(program, *command, *options);
  add_unit_option(program, *command, options->metres_per_unit,
                  "Unit of the files of part, obstacles and point clouds (m, mm, cm, um, in, ft), "
                  "instead of what they declare");
  command->add_option("-o,--out", options->out, "Write the pile as JSON")->option_text("OUT.json");
  CLI::Option* picture = command->add_option(
      "--picture", options->picture, "Draw the pile, its candidates numbered by their rating");
  picture->option_text("OUT.png");
  program.hints[picture] = {{}, {"png"}};
  add_threads_option(*command, options->threads, "Threads to use; by default one per core");
  command->add_flag("--json", options->json, "Result as JSON (schema/pick.schema.json)");
  command->footer(
      "Lengths are metres, or as written: 2mm.\n"
      "Exit status: 0 something can be picked, 1 nothing, 2 the input is wrong.\n"
      "\n"
      "Examples:\n"
      "  clearance pick conrod.stl conrod.cgr --simulate 25 --candidates last:15\n"
      "  clearance pick part.stl part.cgr --pile seen.json --plan\n"
      "  clearance pick part.stl part.cgr --pile seen.json --cloud scan.ply --clearance 2mm\n"
      "  clearance pick part.stl part.cgr --pile seen.json --depth view.json --unseen free");
  return {command, [options] { return run(*options); }};
}

}  // namespace clearance::cli
