// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance probe`: the mesh coloured by its distance from the robot, the robot's
// segments, the closest pair; over time where there are several configurations.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <clearance/contour/contour_mesh.h>
#include <clearance/contour/prober.h>

#include "probe_input.h"
#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Configurations for which the robot is drawn in a shape of its own, when it has joints.
constexpr std::size_t kMostShapes = 300;

ProbeConfiguration configuration_of(const Json& row, const ProbeRobot& robot) {
  ProbeConfiguration configuration = start_of(robot);
  configuration.world_from_root = pose_of(row.at("pose"));
  const Json& joints = row.at("joints");
  for (std::size_t i = 0; i < robot.shape.joints.size() && joints.is_object(); ++i) {
    if (i < configuration.joints.size() && joints.contains(robot.shape.joints[i]))
      configuration.joints[i] = joints.at(robot.shape.joints[i]).get<double>();
  }
  return configuration;
}

/// The robot at each configuration: one that moves when it is rigid, else one for each stretch.
void append_robot(const ProbeRobot& robot, const Json& rows, const std::vector<double>& times,
                  ViewDocument& document) {
  std::vector<ContourSegment> segments;
  std::vector<Pose> scratch;
  ViewItem item;
  item.name = "robot";
  item.group = "Robot";
  item.colour = kProbeColour;
  item.outlined = false;
  item.explodes = false;
  if (robot.shape.joints.empty()) {
    ProbeConfiguration rest = start_of(robot);
    rest.world_from_root = Pose::identity();
    if (Status placed = place(robot, rest, segments, scratch); !placed) {
      document.warn(placed.error().message());
      return;
    }
    item.mesh = contour_mesh(segments);
    ViewMotion motion;
    motion.times = times;
    for (const Json& row : rows) motion.poses.push_back(pose_of(row.at("pose")));
    item.world_from_item = motion.poses.front();
    if (rows.size() > 1) item.motion = std::move(motion);
    document.add(std::move(item));
    return;
  }
  const std::size_t step = (rows.size() + kMostShapes - 1) / kMostShapes;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    if (!place(robot, configuration_of(rows[i], robot), segments, scratch)) continue;
    ViewItem now = item;
    now.mesh = contour_mesh(segments);
    if (rows.size() > 1) {
      const std::size_t next = i + step;
      const double end = next < rows.size() ? std::nextafter(times[next], times.front())
                                            : std::numeric_limits<double>::max();
      now.name = "robot at " + format_number("%.3g", times[i]);
      now.shown = ViewSpan{times[i], end};
    }
    document.add(std::move(now));
  }
}

}  // namespace

Result<ViewDocument> view_probe(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "probe";
  const std::string mesh_path = json.at("mesh").at("path").get<std::string>();
  document.title = file_name(mesh_path);
  const Json& summary = json.at("summary");
  const Json& least = summary.at("least_distance");
  const auto contacts = summary.at("contacts").get<std::uint64_t>();
  document.state = contacts > 0 || summary.at("too_close").get<std::uint64_t>() > 0
                       ? ViewState::Bad
                       : ViewState::Good;
  document.summary = contacts > 0      ? count_of(contacts, "contact", "contacts")
                     : least.is_null() ? "nothing within the range"
                                       : "closest " + short_length(least.get<double>());
  const Json& hand = json.at("robot");
  document.facts = {
      {"robot", file_name(hand.at("path").get<std::string>())},
      {"segments", std::to_string(hand.at("segments").get<std::uint64_t>())},
      {"triangles", group_digits(json.at("mesh").at("triangles").get<std::uint64_t>())},
      {"configurations", group_digits(summary.at("configurations").get<std::uint64_t>())},
      {"contacts", group_digits(contacts)},
      {"method", json.at("method").get<std::string>()}};
  if (!least.is_null())
    document.facts.push_back({"least distance", short_length(least.get<double>())});

  const Json& rows = json.at("configurations");
  const bool timed =
      std::ranges::all_of(rows, [](const Json& r) { return !r.at("time").is_null(); });
  std::vector<double> times;
  for (std::size_t i = 0; i < rows.size(); ++i)
    times.push_back(timed ? rows[i].at("time").get<double>() : static_cast<double>(i));
  const auto closest = summary.at("closest_configuration").get<std::size_t>();
  if (closest >= rows.size()) {
    return Error{ErrorCode::Malformed, source.path(), "closest_configuration",
                 "is none of the configurations", "run probe again"};
  }

  ProbeRobotOptions robot_options;
  robot_options.file = source.find(hand.at("path").get<std::string>());
  robot_options.ignore_limits = true;
  robot_options.threads = source.options().threads;
  const Result<ProbeRobot> robot = load_robot(robot_options, *source.options().monitor);
  if (!robot) document.warn(robot.error().message());
  const std::optional<Mesh> mesh = source.mesh(mesh_path, document);
  if (mesh) {
    ViewItem item = mesh_around(mesh_path, *mesh, 0.6);
    std::vector<ContourSegment> segments;
    std::vector<Pose> scratch;
    if (robot && place(*robot, configuration_of(rows.at(closest), *robot), segments, scratch)) {
      const Result<std::unique_ptr<Prober>> prober =
          make_prober(*mesh, {.threads = source.options().threads});
      if (!prober) return prober.error();
      const double range = json.at("range").is_null() ? std::numeric_limits<double>::infinity()
                                                      : json.at("range").get<double>();
      const auto distances = (*prober)->vertex_distances(segments, range);
      if (!distances) return distances.error();
      double far = 0.0;
      for (const double d : *distances) {
        item.values.push_back(static_cast<float>(d));
        if (std::isfinite(d)) far = std::max(far, d);
      }
      item.legend = 0;
      document.legends.push_back({"distance [mm]", 0.0, std::max(far, 1e-9), 1e3, false});
    }
    document.add(std::move(item));
  }
  if (robot) append_robot(*robot, rows, times, document);

  ViewItem pair;
  pair.name = "closest pair";
  pair.group = "Robot";
  pair.shape = ViewShape::Lines;
  pair.colour = colour_of(ViewState::Bad);
  pair.width = 4.0;
  ViewMotion ends;
  ViewSeries series{"distance", {}, false};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& hit = rows[i].at("closest");
    if (hit.is_null()) {
      series.points.push_back({times[i], std::nan("")});
      continue;
    }
    const Segment line{vector_of(hit.at("on_mesh")), vector_of(hit.at("on_contour"))};
    ends.times.push_back(times[i]);
    ends.points.insert(ends.points.end(), {line.a, line.b});
    series.points.push_back({times[i], 1e3 * hit.at("distance").get<double>()});
    if (pair.lines.empty()) pair.lines.push_back(line);
    if (i == closest) {
      ViewFocus focus;
      focus.label = "Closest: " + short_length(hit.at("distance").get<double>());
      focus.line = line;
      focus.point = line.a;
      focus.radius = std::max(6.0 * norm(line.b - line.a), 0.004);
      focus.time = times[i];
      document.focuses.push_back(focus);
      document.tables.push_back({"Findings",
                                 {"what", "distance", "segment"},
                                 {{{"closest pair", short_length(hit.at("distance").get<double>()),
                                    std::to_string(hit.at("segment").get<std::uint64_t>())},
                                   document.state,
                                   std::size_t{0}}}});
    }
  }
  if (!pair.lines.empty()) {
    if (rows.size() > 1) pair.motion = std::move(ends);
    document.add(std::move(pair));
  }
  if (rows.size() > 1) {
    ViewTimeline timeline{timed ? "time" : "configuration",
                          timed ? "s" : "",
                          times.front(),
                          times.back(),
                          times[closest],
                          8.0,
                          {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].at("too_close").get<bool>()) continue;
      const double next = i + 1 < rows.size() ? times[i + 1] : times[i];
      if (!timeline.marks.empty() && timeline.marks.back().span.to == times[i])
        timeline.marks.back().span.to = next;
      else
        timeline.marks.push_back({{times[i], next}, ViewState::Bad, "too close", std::nullopt});
    }
    document.timeline = std::move(timeline);
    ViewPlot plot{"distance [mm]", {std::move(series)}, {}};
    if (!json.at("clearance").is_null()) plot.limit = 1e3 * json.at("clearance").get<double>();
    document.plots.push_back(std::move(plot));
  }
  return document;
}

}  // namespace clearance::cli
