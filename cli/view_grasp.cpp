// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The views of `clearance grasp` and `clearance pick`: grasps as T shapes, as large as they are
// good; the pile with its ranked picks, and the gripper at each.
#include <algorithm>

#include <nlohmann/json.hpp>

#include <clearance/grasp/grasp_file.h>
#include <clearance/grasp/gripper.h>
#include <clearance/grasp/pile.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Length of the stem of the best T, as a fraction of the part's diagonal; its bar is as long.
constexpr double kLargestT = 0.22;
constexpr Colour kGripper{0.36, 0.48, 0.66};
/// Picks that are shown with the gripper.
constexpr std::size_t kMostPicks = 40;

struct Shown {
  Pose part_from_gripper;
  double quality = 0.0;
  double width = 0.0;
};

/// All robust grasps where the result wrote a file of them, else the best it lists.
std::vector<Shown> grasps_of(const ViewSource& source) {
  std::vector<Shown> grasps;
  for (const Json& written : source.json().at("written")) {
    const std::string path = written.get<std::string>();
    if (!path.ends_with(".cgr")) continue;
    const Result<GraspSet> set = read_grasps(source.find(path));
    if (!set) continue;
    for (const Grasp& g : set->robust())
      grasps.push_back({g.part_from_gripper, g.quality, g.width});
    return grasps;
  }
  for (const Json& grasp : source.json().at("best")) {
    grasps.push_back({pose_of(grasp.at("part_from_gripper")), grasp.at("quality").get<double>(),
                      grasp.at("width").get<double>()});
  }
  return grasps;
}

/// The gripper closed to a width at a pose.
ViewItem gripper_item(const Gripper& gripper, double width, const Pose& world_from_gripper) {
  ViewItem item;
  item.group = "Gripper";
  item.mesh = gripper.mesh_at(std::min(width, gripper.opening()));
  item.world_from_item = world_from_gripper;
  item.colour = kGripper;
  item.visible = false;
  item.explodes = false;
  return item;
}

/// Planned ways follow each other on the timeline, a unit each; after its own a thing is back where
/// it was, since each way is one out of the whole pile.
ViewMotion motion_of(const std::vector<Pose>& path, const Vec3& pivot, const Pose& path_from_item,
                     double from) {
  constexpr double kBack = 1e-3;
  ViewMotion motion;
  motion.pivot = inverse(path_from_item) * pivot;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(path.size() - 1);
    motion.times.push_back(from + (1.0 - kBack) * at);
    motion.poses.push_back(path[i] * path_from_item);
  }
  motion.times.push_back(from + 1.0);
  motion.poses.push_back(motion.poses.front());
  return motion;
}

/// The ways out that a pick found: parts and grippers move, and the rows of the table lead there.
class PlannedWays {
 public:
  explicit PlannedWays(ViewDocument& document) : document_(document) {}

  /// The way of a part; `part_item` is absent where its mesh was not found.
  void add(const Json& way, const std::optional<Gripper>& gripper,
           std::optional<std::size_t> part_item, ViewFocus& focus) {
    const Json& path = way.at("path");
    std::vector<Pose> poses;
    for (const Json& pose : path.at("poses")) poses.push_back(pose_of(pose));
    if (poses.size() < 2) return;
    const Vec3 pivot = vector_of(path.at("pivot"));
    const auto from = static_cast<double>(count_++);
    if (part_item)
      document_.items[*part_item].motion = motion_of(poses, pivot, Pose::identity(), from);
    if (gripper) {
      const Json& grasp = way.at("grasp");
      const Pose world_from_gripper = pose_of(grasp.at("world_from_gripper"));
      ViewItem item = gripper_item(*gripper, grasp.at("width").get<double>(), world_from_gripper);
      item.name = "planned way " + std::to_string(count_);
      item.motion = motion_of(poses, pivot, inverse(poses.front()) * world_from_gripper, from);
      focus.show.push_back(document_.add(std::move(item)));
    }
    ViewItem line;
    line.name = "way of the pivot " + std::to_string(count_);
    line.group = "Ways";
    line.shape = ViewShape::Lines;
    line.colour = {0.25, 0.45, 0.80};
    for (std::size_t i = 0; i + 1 < poses.size(); ++i)
      line.lines.push_back({poses[i] * pivot, poses[i + 1] * pivot});
    document_.add(std::move(line));
    focus.time = from;
    focus.label += ", planned way of " + short_length(path.at("length").get<double>()) +
                   ", clear by more than " + short_length(path.at("clearance").get<double>());
  }
  void finish() const {
    if (count_ == 0) return;
    ViewTimeline timeline;
    timeline.label = "planned ways";
    timeline.high = static_cast<double>(count_);
    timeline.seconds = 6.0 * timeline.high;
    document_.timeline = timeline;
  }

 private:
  ViewDocument& document_;
  std::size_t count_ = 0;
};

}  // namespace

Result<ViewDocument> view_grasp(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "grasp";
  const std::string path = json.at("part").at("path").get<std::string>();
  document.title = file_name(path);
  const Json& counts = json.at("counts");
  const std::uint64_t robust = counts.at("robust").get<std::uint64_t>();
  document.state = robust > 0 ? ViewState::Good : ViewState::Bad;
  document.summary = robust > 0 ? count_of(robust, "robust grasp", "robust grasps") : "no grasp";
  for (const char* name : {"sampled", "free", "feasible", "stable", "robust"})
    document.facts.push_back({name, group_digits(counts.at(name).get<std::uint64_t>())});
  const Json& hand = json.at("gripper");
  document.facts.push_back({"gripper", hand.at("name").get<std::string>()});
  document.facts.push_back({"opening", short_length(hand.at("opening").get<double>())});
  document.facts.push_back(
      {"friction", format_number("%.3g", json.at("options").at("friction").get<double>())});
  if (!json.at("why_none").is_null()) document.warn(json.at("why_none").get<std::string>());
  for (const Json& note : json.at("notes")) document.warn(note.get<std::string>());

  double size = 0.1;
  if (const std::optional<Mesh> part = source.mesh(path, document)) {
    size = part->bounds().diagonal();
    ViewItem item;
    item.name = document.title;
    item.group = "Part";
    item.mesh = *part;
    document.add(std::move(item));
  }
  ViewItem frame;
  frame.name = "wire-frame";
  frame.group = "Part";
  frame.shape = ViewShape::Lines;
  frame.colour = {0.1, 0.1, 0.15};
  frame.width = 3.0;
  for (const Json& s : json.at("wire_frame").at("segments"))
    frame.lines.push_back({vector_of(s.at(0)), vector_of(s.at(1))});
  document.add(std::move(frame));

  std::vector<Shown> grasps = grasps_of(source);
  std::stable_sort(grasps.begin(), grasps.end(),
                   [](const Shown& a, const Shown& b) { return a.quality > b.quality; });
  if (grasps.empty()) return document;
  const double best = std::max(grasps.front().quality, 1e-12);
  document.legends.push_back({"quality Q", 0.0, best, 1.0, true});
  ViewItem shapes;
  shapes.name = "grasps";
  shapes.group = "Grasps";
  shapes.shape = ViewShape::Lines;
  shapes.width = 1.6;
  shapes.legend = 0;
  for (const Shown& g : grasps) {
    const double length = kLargestT * size * g.quality / best;
    const Vec3& at = g.part_from_gripper.translation;
    const Vec3 bar = 0.5 * length * g.part_from_gripper.rotation.column(0);
    shapes.lines.push_back({at, at - length * g.part_from_gripper.rotation.column(2)});
    shapes.lines.push_back({at - bar, at + bar});
    shapes.values.insert(shapes.values.end(), 2, static_cast<float>(g.quality));
  }
  document.filter = ViewFilter{"Quality", {document.add(std::move(shapes))}, 0.0, best};

  GripperSizes sizes;
  sizes.opening = hand.at("opening").get<double>();
  sizes.finger_width = hand.at("finger_width").get<double>();
  const Result<Gripper> gripper = Gripper::of_boxes(sizes);
  ViewTable table{"Best grasps", {"", "quality", "width"}, {}};
  for (std::size_t i = 0; i < std::min(grasps.size(), kMostPicks); ++i) {
    ViewFocus focus;
    focus.label =
        "Grasp " + std::to_string(i + 1) + ": quality " + format_number("%.3f", grasps[i].quality);
    focus.point = grasps[i].part_from_gripper.translation;
    focus.radius = 0.6 * size;
    if (gripper && hand.at("name").get<std::string>() == "boxes") {
      ViewItem item = gripper_item(*gripper, grasps[i].width, grasps[i].part_from_gripper);
      item.name = "grasp " + std::to_string(i + 1);
      focus.show.push_back(document.add(std::move(item)));
    }
    document.focuses.push_back(std::move(focus));
    table.rows.push_back({{std::to_string(i + 1), format_number("%.4f", grasps[i].quality),
                           format_number("%.2f mm", 1e3 * grasps[i].width)},
                          ViewState::Neutral,
                          document.focuses.size() - 1});
  }
  document.tables.push_back(std::move(table));
  return document;
}

Result<ViewDocument> view_pick(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "pick";
  const Json& input = json.at("input");
  const std::string part_path = input.at("part").get<std::string>();
  document.title = file_name(part_path);
  const std::uint64_t valid = json.at("valid").get<std::uint64_t>();
  document.state = valid > 0 ? ViewState::Good : ViewState::Bad;
  document.summary = std::to_string(valid) + " of " +
                     std::to_string(json.at("pile").at("parts").get<std::uint64_t>()) +
                     " parts can be picked";
  const Json& options = json.at("options");
  document.facts = {{"parts", std::to_string(json.at("pile").at("parts").get<std::uint64_t>())},
                    {"can be picked", std::to_string(valid)},
                    {"grasps tried", group_digits(input.at("tried").get<std::uint64_t>())},
                    {"approach", short_length(options.at("approach").get<double>())},
                    {"retreat", short_length(options.at("retreat").get<double>())},
                    {"clearance asked for", short_length(options.at("clearance").get<double>())}};
  for (const Json& note : json.at("notes")) document.warn(note.get<std::string>());

  if (json.at("options").at("plan").get<bool>())
    document.facts.push_back(
        {"by a planned way", std::to_string(json.at("planned").get<std::uint64_t>())});

  const std::optional<Mesh> part = source.mesh(part_path, document);
  const Json& pile = json.at("pile");
  std::vector<std::size_t> part_items;  // by part of the pile
  std::vector<Pose> poses;
  for (const Json& pose : pile.at("poses")) poses.push_back(pose_of(pose));
  if (part) {
    std::vector<ViewState> states(poses.size(), ViewState::Neutral);
    for (const Json& candidate : json.at("ranked")) {
      const auto number = candidate.at("part").get<std::size_t>();
      if (number < states.size())
        states[number] = candidate.at("valid").get<bool>() ? ViewState::Good : ViewState::Neutral;
    }
    for (std::size_t i = 0; i < poses.size(); ++i) {
      ViewItem item;
      item.name = "part " + std::to_string(i);
      item.group = "Pile";
      item.mesh = *part;
      item.world_from_item = poses[i];
      item.colour = states[i] == ViewState::Good ? Colour{0.42, 0.68, 0.50} : part_colour(0);
      item.explodes = false;
      part_items.push_back(document.add(std::move(item)));
    }
  }
  const Json& given = pile.at("bin");
  const Bin bin{given.at("length").get<double>(), given.at("width").get<double>(),
                given.at("height").get<double>(), given.at("wall_thickness").get<double>()};
  const std::vector<Box> walls = walls_of(bin);
  if (Mesh mesh = mesh_of(walls); !mesh.empty()) {
    ViewItem item;
    item.name = "bin";
    item.group = "Bin";
    item.mesh = std::move(mesh);
    item.colour = {0.80, 0.82, 0.84};
    item.opacity = bin.height > 0.0 ? 0.35 : 1.0;
    item.explodes = false;
    document.add(std::move(item));
  }

  // The gripper the grasps are for: known when it is the one of boxes.
  const Result<GraspSet> set = read_grasps(source.find(input.at("grasps").get<std::string>()));
  std::optional<Gripper> gripper;
  if (Result<Gripper> boxes = Gripper::of_boxes({});
      boxes && set && set->gripper_fingerprint == boxes->fingerprint())
    gripper = std::move(*boxes);
  const double size = part ? part->bounds().diagonal() : 0.1;
  ViewTable table{"Ranked", {"", "part", "free", "quality", "clearance"}, {}};
  std::size_t rank = 0;
  PlannedWays ways(document);
  for (const Json& candidate : json.at("ranked")) {
    const auto number = candidate.at("part").get<std::size_t>();
    const Json& free = candidate.at("free");
    const bool is_valid = candidate.at("valid").get<bool>();
    ViewTable::Row row{{is_valid ? std::to_string(++rank) : "", std::to_string(number),
                        std::to_string(free.size()), "", ""},
                       is_valid ? ViewState::Good : ViewState::Neutral,
                       std::nullopt};
    ViewFocus focus;
    focus.label = "Part " + std::to_string(number);
    if (number < poses.size() && part) focus.point = poses[number] * part->bounds().center();
    focus.radius = 0.9 * size;
    const Json& way = candidate.at("way_out");
    const bool is_planned = !way.is_null() && !way.at("path").is_null();
    if (is_planned || !free.empty()) {
      const Json& best = is_planned ? way.at("grasp") : free.front();
      row.cells[3] = format_number("%.3f", best.at("quality").get<double>());
      if (!best.at("clearance").is_null())
        row.cells[4] = format_number("%.2f mm", 1e3 * best.at("clearance").get<double>());
      focus.label += ": " + count_of(free.size(), "free grasp", "free grasps") + ", best quality " +
                     row.cells[3];
      if (is_planned) {
        ways.add(way, gripper,
                 number < part_items.size() ? std::optional(part_items[number]) : std::nullopt,
                 focus);
      } else if (gripper && is_valid && rank <= kMostPicks) {
        ViewItem item = gripper_item(*gripper, best.at("width").get<double>(),
                                     pose_of(best.at("world_from_gripper")));
        item.name = "pick " + std::to_string(rank);
        focus.show.push_back(document.add(std::move(item)));
        if (rank == 1) document.items.back().visible = true;
      }
    } else {
      focus.label += candidate.at("buried").get<bool>() ? ": buried" : ": no free grasp";
    }
    document.focuses.push_back(std::move(focus));
    row.focus = document.focuses.size() - 1;
    table.rows.push_back(std::move(row));
  }
  document.tables.push_back(std::move(table));
  ways.finish();
  return document;
}

}  // namespace clearance::cli
