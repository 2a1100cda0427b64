// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance grasp`: grasps as T shapes, as large as they are good, and the gripper at
// the best of them.
#include "view_grasp.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <clearance/grasp/grasp_file.h>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Length of the stem of the best T, as a fraction of the part's diagonal; its bar is as long.
constexpr double kLargestT = 0.22;
constexpr Colour kGripper{0.36, 0.48, 0.66};
/// Grasps that are shown with the gripper.
constexpr std::size_t kMostShown = 40;

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

}  // namespace

std::optional<Gripper> gripper_of(const ViewSource& source, const Json& hand,
                                  ViewDocument& document) {
  if (!hand.at("path").is_null()) {
    Result<Gripper> gripper = Gripper::read(source.find(hand.at("path").get<std::string>()));
    if (gripper) return *std::move(gripper);
    document.warn("the gripper is not shown: " + gripper.error().message());
    return std::nullopt;
  }
  const Json& given = hand.at("sizes");
  GripperSizes sizes;
  sizes.opening = given.at("opening").get<double>();
  sizes.finger_width = given.at("finger_width").get<double>();
  sizes.finger_thickness = given.at("finger_thickness").get<double>();
  sizes.finger_length = given.at("finger_length").get<double>();
  sizes.tip = given.at("tip").get<double>();
  sizes.palm = vector_of(given.at("palm"));
  Result<Gripper> gripper = Gripper::of_boxes(sizes);
  return gripper ? std::optional(*std::move(gripper)) : std::nullopt;
}

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

  const std::optional<Gripper> gripper = gripper_of(source, hand, document);
  ViewTable table{"Best grasps", {"", "quality", "width"}, {}};
  for (std::size_t i = 0; i < std::min(grasps.size(), kMostShown); ++i) {
    ViewFocus focus;
    focus.label =
        "Grasp " + std::to_string(i + 1) + ": quality " + format_number("%.3f", grasps[i].quality);
    focus.point = grasps[i].part_from_gripper.translation;
    focus.radius = 0.6 * size;
    if (gripper) {
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

}  // namespace clearance::cli
