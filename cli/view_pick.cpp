// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance pick`: the pile with its ranked picks and the gripper at each, planned
// ways, and what else was in the way.
#include <algorithm>

#include <nlohmann/json.hpp>

#include <clearance/grasp/pile.h>
#include <clearance/grasp/points_file.h>

#include "pick_depth.h"
#include "text.h"
#include "view_grasp.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Picks that are shown with the gripper.
constexpr std::size_t kMostPicks = 40;
constexpr Colour kFixture{0.70, 0.66, 0.60};
constexpr Colour kSeen{0.55, 0.66, 0.72};

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

/// Fixtures, and what cameras saw.
void add_obstacles(const ViewSource& source, ViewDocument& document) {
  const Json& obstacles = source.json().at("obstacles");
  for (const Json& path : obstacles.at("meshes")) {
    std::optional<Mesh> mesh = source.mesh(path.get<std::string>(), document);
    if (!mesh) continue;
    ViewItem item;
    item.name = file_name(path.get<std::string>());
    item.group = "Obstacles";
    item.mesh = *std::move(mesh);
    item.colour = kFixture;
    item.explodes = false;
    document.add(std::move(item));
  }
  for (const Json& view : obstacles.at("depth")) {
    const std::string path = view.at("path").get<std::string>();
    const Result<SeenDepth> seen = read_seen_depth(source.find(path), UnseenSpace::Solid);
    if (!seen) {
      document.warn("a depth image is not shown: " + seen.error().message());
      continue;
    }
    document.facts.push_back({"space not seen", view.at("unseen").get<std::string>()});
    ViewItem item;
    item.name = file_name(path);
    item.group = "Seen";
    item.mesh = seen_surface(seen->map);
    item.colour = kSeen;
    item.explodes = false;
    item.outlined = false;
    if (!item.mesh.empty()) document.add(std::move(item));
  }
  for (const Json& cloud : obstacles.at("clouds")) {
    const std::string path = cloud.at("path").get<std::string>();
    const Result<std::vector<Vec3>> points =
        read_points(source.find(path), cloud.at("metres_per_unit").get<double>());
    if (!points) {
      document.warn("a point cloud is not shown: " + points.error().message());
      continue;
    }
    ViewItem item;
    item.name = file_name(path);
    item.group = "Seen";
    item.shape = ViewShape::Spheres;
    for (const Vec3& point : *points)
      item.spheres.push_back({point, cloud.at("radius").get<double>()});
    item.colour = kSeen;
    item.explodes = false;
    document.add(std::move(item));
  }
}

}  // namespace

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

  add_obstacles(source, document);
  const std::optional<Gripper> gripper = gripper_of(source, input.at("gripper"), document);
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
      if (candidate.at("rest").get<bool>() && !free.empty())
        focus.label += ", with a grasp of the rest";
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
