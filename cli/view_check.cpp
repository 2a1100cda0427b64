// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The views of `clearance check`: the robot moving along its program, contacts on the timeline; and
// of `check --tool-angles`: the robot at one angle of its tool after the other.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <nlohmann/json.hpp>

#include <clearance/check/cell.h>
#include <clearance/check/program.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Moments of the motion that are kept: between them joints turn by so little that a straight blend
/// of poses shows no difference.
constexpr std::size_t kMoments = 600;
/// Around a contact this much is seen [m].
constexpr double kCloseUp = 0.25;

/// Evenly spread moments, and those at which something happens.
std::vector<double> moments_of(const Json& json, const JointPath& path) {
  std::vector<double> times;
  const double duration = path.duration();
  for (std::size_t i = 0; i <= kMoments; ++i)
    times.push_back(duration * static_cast<double>(i) / kMoments);
  for (const PathPiece& piece : path.pieces) times.push_back(piece.from);
  for (const Json& interval : json.at("intervals")) {
    for (const char* name : {"from", "to", "worst_time"})
      times.push_back(std::clamp(interval.at(name).get<double>(), 0.0, duration));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// All bodies of the cell; those that move have the robot's `values` at each moment, and jump from
/// one to the next where they do not follow each other (`steps`).
void append_bodies(const ReadyCell& cell, const std::vector<double>& times,
                   const std::function<std::vector<double>(std::size_t)>& values, bool steps,
                   ViewDocument& document) {
  constexpr Colour kRobot{0.90, 0.68, 0.32};
  constexpr Colour kMounted{0.35, 0.47, 0.66};
  constexpr Colour kStanding{0.70, 0.74, 0.77};
  std::vector<std::vector<Pose>> poses(cell.bodies.size());
  for (std::size_t moment = 0; moment < times.size(); ++moment) {
    const std::vector<Pose> now = cell.body_poses(values(moment));
    for (std::size_t i = 0; i < now.size(); ++i) poses[i].push_back(now[i]);
  }
  const std::size_t links = cell.bodies.size() - cell.cell.bodies.size();
  for (std::size_t i = 0; i < cell.bodies.size(); ++i) {
    const bool stands = cell.bodies[i].link == kNoLink;
    std::size_t number = 0;
    for (const Model& model : cell.bodies[i].models) {
      ViewItem item;
      item.name = cell.bodies[i].name;
      if (cell.bodies[i].models.size() > 1) item.name += " " + std::to_string(++number);
      item.group = stands ? "Cell" : (i < links ? "Robot" : "Tool");
      item.mesh = model.mesh();
      item.colour = stands ? kStanding : (i < links ? kRobot : kMounted);
      item.explodes = false;
      item.world_from_item = poses[i].front();
      if (!stands) item.motion = ViewMotion{times, poses[i], {}, {}, steps};
      document.add(std::move(item));
    }
  }
}

void append_intervals(const Json& json, ViewDocument& document) {
  ViewTable table{"Contacts", {"bodies", "at", "for", "overlap"}, {}};
  ViewItem points;
  points.name = "contact points";
  points.group = "Findings";
  points.shape = ViewShape::Spheres;
  points.colour = colour_of(ViewState::Bad);
  for (const Json& interval : json.at("intervals")) {
    const std::string bodies =
        interval.at("a").get<std::string>() + " – " + interval.at("b").get<std::string>();
    const double from = interval.at("from").get<double>();
    const double to = interval.at("to").get<double>();
    const bool touches = interval.at("touches").get<bool>();
    ViewFocus focus;
    focus.label = bodies + (touches ? " touch" : " are too close") + " from " +
                  format_number("%.3f", from) + " to " + format_number("%.3f s", to);
    focus.point = vector_of(interval.at("point"));
    focus.radius = kCloseUp;
    focus.time = interval.at("worst_time").get<double>();
    document.focuses.push_back(focus);
    const std::size_t number = document.focuses.size() - 1;
    const Json& depth = interval.at("depth");
    const ViewState state = touches ? ViewState::Bad : ViewState::Warning;
    table.rows.push_back(
        {{bodies, format_number("%.2f s", from), format_number("%.2f s", to - from),
          depth.is_null() ? "" : format_number("%.2g mm", 1e3 * depth.at("upper").get<double>())},
         state,
         number});
    document.timeline->marks.push_back({{from, to}, state, focus.label, number});
    constexpr double kMark = 0.006;  // of the ball that marks a contact [m]
    points.spheres.push_back({focus.point, kMark});
  }
  if (!points.spheres.empty()) document.add(std::move(points));
  if (!table.rows.empty()) document.tables.push_back(std::move(table));
}

void append_moves(const Json& json, ViewDocument& document) {
  ViewTable table{"Program", {"move", "kind", "from"}, {}};
  for (const Json& move : json.at("moves")) {
    table.rows.push_back({{move.at("name").get<std::string>(), move.at("kind").get<std::string>(),
                           format_number("%.2f s", move.at("from").get<double>())},
                          ViewState::Neutral,
                          std::nullopt});
  }
  document.tables.push_back(std::move(table));
}

}  // namespace

Result<ViewDocument> view_check(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "check";
  document.title = file_name(json.at("program").get<std::string>());
  const bool free = json.at("free").get<bool>();
  document.state = free ? ViewState::Good : ViewState::Bad;
  document.summary =
      free ? "free, proven" : count_of(json.at("intervals").size(), "contact", "contacts");
  const double duration = json.at("duration").get<double>();
  document.facts = {{"cell", file_name(json.at("cell").get<std::string>())},
                    {"duration", format_number("%.2f s", duration)},
                    {"bodies", std::to_string(json.at("bodies").size())},
                    {"pairs tested", std::to_string(json.at("pairs").at("tested").size())},
                    {"models", json.at("models").get<std::string>()},
                    {"moments looked at", group_digits(json.at("looks").get<std::uint64_t>())}};
  if (free)
    document.facts.push_back({"proven clearance", short_length(json.at("lower").get<double>())});
  for (const Json& note : json.at("notes")) document.warn(note.get<std::string>());

  ViewPlot plot;
  plot.title = "clearance [mm]";
  ViewSeries distance{"measured", {}, false};
  ViewSeries lower{"proven at least", {}, true};
  for (const Json& sample : json.at("samples")) {
    distance.points.push_back(
        {sample.at("time").get<double>(), 1e3 * sample.at("distance").get<double>()});
    lower.points.push_back(
        {sample.at("from").get<double>(), 1e3 * sample.at("lower").get<double>()});
  }
  plot.series = {std::move(distance), std::move(lower)};
  if (const double asked = json.at("clearance").get<double>(); asked > 0.0)
    plot.limit = 1e3 * asked;
  document.plots.push_back(std::move(plot));
  ViewTimeline timeline{"time", "s", 0.0, duration, 0.0, std::clamp(duration, 4.0, 30.0), {}};
  document.timeline = std::move(timeline);

  const Threads threads = source.options().threads;
  const Result<Cell> cell = read_cell(source.find(json.at("cell").get<std::string>()), threads);
  if (!cell) {
    document.warn(cell.error().message());
  } else {
    const auto program = read_program(source.find(json.at("program").get<std::string>()), *cell);
    if (!program) {
      document.warn(program.error().message());
    } else {
      const Result<JointPath> path = plan_path(*cell, *program);
      const Result<ReadyCell> ready = prepare(*cell, threads, source.options().monitor);
      if (!path || !ready) {
        document.warn((path ? ready.error() : path.error()).message());
      } else {
        const std::vector<double> times = moments_of(json, *path);
        append_bodies(
            *ready, times, [&](std::size_t i) { return path->at(times[i]); }, false, document);
      }
    }
  }
  append_intervals(json, document);
  append_moves(json, document);
  return document;
}

Result<ViewDocument> view_check_angles(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "check";
  document.title = file_name(json.at("cell").get<std::string>());
  const auto free = json.at("free").get<std::size_t>();
  const Json& angles = json.at("angles");
  document.state = free > 0 ? ViewState::Good : ViewState::Bad;
  document.summary =
      group_digits(free) + " of " + count_of(angles.size(), "angle is free", "angles are free");

  // One moment for each angle that is reached, in the order of the result.
  std::vector<double> times;
  std::vector<std::vector<double>> values;
  const Vec3 point = vector_of(json.at("point"));
  ViewTimeline timeline{"angle", "", 0.0, 0.0, 0.0, 10.0, {}};
  ViewTable table{"Angles", {"work", "travel", "rotation", ""}, {}};
  std::size_t not_reached = 0;
  bool started = false;
  for (const Json& angle : angles) {
    if (angle.at("values").empty()) {
      ++not_reached;
      continue;
    }
    const bool is_free = angle.at("status").get<std::string>() == "free";
    const ViewState state = is_free ? ViewState::Good : ViewState::Bad;
    const auto moment = static_cast<double>(times.size());
    ViewTable::Row row{{}, state, document.focuses.size()};
    for (const char* name : {"work", "travel", "rotation"}) {
      const double degrees = angle.at(name).get<double>() * 180.0 / std::numbers::pi;
      row.cells.push_back(format_number("%g°", std::round(1e6 * degrees) / 1e6));
    }
    std::string words = "free";
    if (const Json& contact = angle.at("contact"); !contact.is_null()) {
      words = contact.at(0).get<std::string>() + " touches " + contact.at(1).get<std::string>();
    }
    row.cells.push_back(words);
    ViewFocus focus;
    focus.label = "work " + row.cells[0] + ", travel " + row.cells[1] + ", rotation " +
                  row.cells[2] + ": " + words;
    focus.point = point;
    focus.radius = kCloseUp;
    focus.time = moment;
    // A mark is as wide as half a step to either side; nothing lies before the first angle.
    timeline.marks.push_back({{std::max(0.0, moment - 0.45), moment + 0.45},
                              state,
                              focus.label,
                              document.focuses.size()});
    if (is_free && !started) timeline.start = moment, started = true;
    document.focuses.push_back(std::move(focus));
    table.rows.push_back(std::move(row));
    times.push_back(moment);
    values.push_back(angle.at("values").get<std::vector<double>>());
  }
  document.facts = {{"free", group_digits(free)},
                    {"reached, but something touches", group_digits(times.size() - free)},
                    {"not reached", group_digits(not_reached)}};

  const Threads threads = source.options().threads;
  const Result<Cell> cell = read_cell(source.find(json.at("cell").get<std::string>()), threads);
  const Result<ReadyCell> ready =
      cell ? prepare(*cell, threads, source.options().monitor) : Result<ReadyCell>(cell.error());
  const bool fits = ready && std::ranges::all_of(values, [&](const std::vector<double>& v) {
                      return v.size() == ready->cell.robot.degrees_of_freedom();
                    });
  if (!ready) {
    document.warn(ready.error().message());
  } else if (!fits) {
    document.warn("the robot of the cell has another number of joints than the result");
  } else if (!times.empty()) {
    append_bodies(
        *ready, times, [&](std::size_t i) { return values[i]; }, true, document);
  }
  ViewItem mark;
  mark.name = "point of the seam";
  mark.group = "Findings";
  mark.shape = ViewShape::Spheres;
  mark.colour = colour_of(ViewState::Warning);
  mark.explodes = false;
  constexpr double kMark = 0.006;  // [m]
  mark.spheres.push_back({point, kMark});
  document.add(std::move(mark));
  if (times.size() > 1) {
    timeline.high = times.back();
    timeline.marks.back().span.to = timeline.high;
    document.timeline = std::move(timeline);
  }
  if (!table.rows.empty()) document.tables.push_back(std::move(table));
  return document;
}

}  // namespace clearance::cli
