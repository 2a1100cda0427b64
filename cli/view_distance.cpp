// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance distance`: two parts and the line between them, pose by pose.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

}  // namespace

Result<ViewDocument> view_distance(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "distance";
  const std::string a = json.at("a").at("path").get<std::string>();
  const std::string b = json.at("b").at("path").get<std::string>();
  document.title = file_name(a) + " – " + file_name(b);
  const Json& summary = json.at("summary");
  const auto contacts = summary.at("contacts").get<std::uint64_t>();
  const double least = summary.at("least_distance").get<double>();
  document.state = contacts > 0 ? ViewState::Bad : ViewState::Good;
  document.summary = contacts > 0 ? "contact" : short_length(least) + " apart";
  document.facts = {{"poses", group_digits(summary.at("poses").get<std::uint64_t>())},
                    {"contacts", group_digits(contacts)},
                    {"least distance", short_length(least)},
                    {"as", json.at("mode").get<std::string>()}};

  const Json& poses = json.at("poses");
  if (poses.empty())
    return Error{ErrorCode::Malformed, source.path(), "poses", "is empty", "run distance again"};
  ViewItem line;
  line.name = "closest points";
  line.group = "Findings";
  line.shape = ViewShape::Lines;
  line.colour = colour_of(ViewState::Bad);
  line.width = 4.0;
  ViewMotion motion;
  ViewMotion ends;
  ViewSeries series{"distance", {}, false};
  ViewTable table{"Poses", {"pose", "distance", ""}, {}};
  constexpr std::size_t kMostRows = 300;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Json& row = poses[i];
    const Json& surface = row.at("surface");
    const Segment between{vector_of(surface.at("on_a")), vector_of(surface.at("on_b"))};
    const auto time = static_cast<double>(i);
    motion.times.push_back(time);
    motion.poses.push_back(pose_of(row.at("pose")));
    ends.times.push_back(time);
    ends.points.insert(ends.points.end(), {between.a, between.b});
    series.points.push_back({time, 1e3 * row.at("distance").get<double>()});
    if (i == 0) line.lines.push_back(between);
    if (i >= kMostRows) continue;
    const bool touches = row.at("touch").get<std::string>() != "none";
    ViewFocus focus;
    focus.label = touches ? "contact" : short_length(row.at("distance").get<double>()) + " apart";
    focus.line = between;
    focus.point = 0.5 * (between.a + between.b);
    focus.radius = std::max(norm(between.b - between.a), 0.02);
    focus.time = time;
    document.focuses.push_back(std::move(focus));
    table.rows.push_back(
        {{std::to_string(i), format_number("%.4g mm", 1e3 * row.at("distance").get<double>()),
          touches ? row.at("touch").get<std::string>() : "free"},
         touches ? ViewState::Bad : ViewState::Good,
         document.focuses.size() - 1});
  }
  motion.steps = true;
  ends.steps = true;
  const bool many = poses.size() > 1;
  for (const bool first : {true, false}) {
    std::optional<Assembly> parts = source.assembly(first ? a : b, document);
    if (!parts) continue;
    for (AssemblyPart& part : parts->parts) {
      ViewItem item;
      item.name = part.name;
      item.group = first ? "A: " + file_name(a) : "B: " + file_name(b);
      item.mesh = part.mesh;
      item.colour = part_colour(first ? 0 : 1);
      item.world_from_item = part.world_from_part;
      item.explodes = false;
      if (!first) {
        const Pose part_pose = part.world_from_part;
        item.world_from_item = motion.poses.front() * part_pose;
        if (many) {
          item.motion = motion;
          for (Pose& pose : item.motion->poses) pose = pose * part_pose;
        }
      }
      document.add(std::move(item));
    }
  }
  if (many) line.motion = std::move(ends);
  document.add(std::move(line));
  if (many) {
    document.timeline =
        ViewTimeline{"pose", "", 0.0, static_cast<double>(poses.size() - 1), 0.0, 8.0, {}};
    ViewPlot plot{"distance [mm]", {std::move(series)}, {}};
    if (!json.at("within").is_null()) plot.limit = 1e3 * json.at("within").get<double>();
    document.plots.push_back(std::move(plot));
  }
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace clearance::cli
