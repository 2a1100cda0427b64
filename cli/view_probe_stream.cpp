// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance probe --stream --json`: the summary and, when the file holds the answers
// before it, where the closest pair was, distance and latency over time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

constexpr double kMillimetres = 1e3;
/// Moments that a page takes. Of the answers of each, the closest one is shown and the slowest one
/// is in the chart: nothing that matters falls between two.
constexpr std::size_t kMostMoments = 4000;

/// What one moment shows.
struct StreamMoment {
  double time = 0.0;  ///< of the closest answer [s], or its number
  double distance = std::numeric_limits<double>::infinity();  ///< [m]
  double latency = 0.0;                                       ///< the worst [us]
  bool found = false;                                         ///< something is within the range
  Segment pair;                                               ///< on the mesh, on the robot
};

/// "131 µs", "16.8 ms"
std::string short_time(double microseconds) {
  constexpr double kMilli = 1e3;
  const bool small = microseconds < kMilli;
  const double value = small ? microseconds : microseconds / kMilli;
  return format_number(value < 100.0 ? "%.3g" : "%.0f", value) + (small ? " µs" : " ms");
}

struct StreamAnswers {
  std::vector<StreamMoment> moments;
  std::vector<std::string> errors;  ///< lines that were refused, the first few
};

constexpr std::size_t kMostErrors = 5;

/// The answers that stand before the summary. Lines that are none are passed over.
Result<StreamAnswers> read_answers(const std::string& path, double seconds_per_answer,
                                   std::uint64_t expected) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  StreamAnswers answers;
  const std::uint64_t together = 1 + expected / kMostMoments;
  std::uint64_t in_moment = together;
  std::string_view rest = file->text();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("error") && answers.errors.size() < kMostErrors)
      answers.errors.push_back("line " + json.value("line", Json()).dump() + ": " +
                               json.at("error").get<std::string>());
    if (!json.contains("sequence")) continue;
    if (in_moment == together) {
      answers.moments.emplace_back();
      in_moment = 0;
    }
    ++in_moment;
    StreamMoment& moment = answers.moments.back();
    moment.latency = std::max(moment.latency, json.at("latency_us").get<double>());
    const Json& distance = json.at("distance");
    const double now =
        distance.is_null() ? std::numeric_limits<double>::infinity() : distance.get<double>();
    if (in_moment > 1 && now >= moment.distance) continue;
    moment.time = seconds_per_answer * json.at("sequence").get<double>();
    moment.distance = now;
    moment.found = !json.at("on_mesh").is_null() && !json.at("on_contour").is_null();
    if (moment.found)
      moment.pair = {vector_of(json.at("on_mesh")), vector_of(json.at("on_contour"))};
  }
  return answers;
}

/// The closest pair over time (looked at with `reach` around it), the way it took along the mesh,
/// and the charts.
void append_answers(const StreamAnswers& answers, bool timed, const Json& json, double reach,
                    ViewDocument& document) {
  const std::vector<StreamMoment>& moments = answers.moments;
  ViewItem pair;
  pair.name = "closest pair";
  pair.group = "Answers";
  pair.shape = ViewShape::Lines;
  pair.colour = colour_of(ViewState::Bad);
  pair.width = 4.0;
  pair.explodes = false;
  ViewItem way = pair;
  way.name = "its way along the robot";
  way.colour = {0.25, 0.45, 0.80};
  way.width = 1.5;
  ViewMotion ends;
  ViewSeries distance;
  ViewSeries latency;
  const StreamMoment* last = nullptr;
  const StreamMoment* closest = nullptr;
  const StreamMoment* slowest = &moments.front();
  for (const StreamMoment& moment : moments) {
    distance.points.push_back(
        {moment.time, moment.found ? kMillimetres * moment.distance : std::nan("")});
    latency.points.push_back({moment.time, moment.latency});
    if (moment.latency > slowest->latency) slowest = &moment;
    if (moment.found) {
      if (pair.lines.empty()) pair.lines.push_back(moment.pair);
      ends.times.push_back(moment.time);
      ends.points.insert(ends.points.end(), {moment.pair.a, moment.pair.b});
      if (last != nullptr) way.lines.push_back({last->pair.b, moment.pair.b});
      if (closest == nullptr || moment.distance < closest->distance) closest = &moment;
    }
    last = moment.found ? &moment : nullptr;
  }
  ViewTable table{"Findings", {"what", timed ? "at" : "answer", "value"}, {}};
  const auto when = [&](double time) {
    return timed ? format_number("%.3f s", time) : format_number("%.0f", time);
  };
  if (closest != nullptr) {
    const Segment& line = closest->pair;
    ViewFocus focus;
    focus.label = "Closest: " + short_length(closest->distance) + " at " + when(closest->time);
    focus.line = line;
    focus.point = line.a;
    focus.radius = std::max(6.0 * norm(line.b - line.a), reach);
    focus.time = closest->time;
    document.focuses.push_back(std::move(focus));
    table.rows.push_back({{"closest pair", when(closest->time), short_length(closest->distance)},
                          document.state,
                          std::size_t{0}});
  }
  table.rows.push_back({{"worst latency", when(slowest->time), short_time(slowest->latency)},
                        ViewState::Neutral,
                        std::nullopt});
  document.tables.insert(document.tables.begin(), std::move(table));
  if (!pair.lines.empty()) {
    if (ends.times.size() > 1) pair.motion = std::move(ends);
    document.add(std::move(way));
    document.add(std::move(pair));
  }
  if (moments.size() < 2) return;
  document.timeline = ViewTimeline{timed ? "time" : "answer",
                                   timed ? "s" : "",
                                   moments.front().time,
                                   moments.back().time,
                                   closest != nullptr ? closest->time : moments.front().time,
                                   8.0,
                                   {}};
  document.plots.push_back({"least distance [mm]", {std::move(distance)}, {}});
  ViewPlot late{"worst latency [µs]", {std::move(latency)}, {}};
  if (!json.at("deadline_us").is_null()) late.limit = json.at("deadline_us").get<double>();
  document.plots.push_back(std::move(late));
}

void append_latencies(const Json& json, ViewDocument& document) {
  ViewTable table{"Latency", {"up to", "answers", "share"}, {}};
  const double all = std::max(1.0, json.at("answers").get<double>());
  const Json& deadline = json.at("deadline_us");
  for (const Json& row : json.at("histogram")) {
    const double high = row.at("high_us").get<double>();
    const auto count = row.at("count").get<std::uint64_t>();
    const bool late = !deadline.is_null() && high > deadline.get<double>();
    table.rows.push_back({{short_time(high), group_digits(count),
                           format_number("%.2g %%", 100.0 * static_cast<double>(count) / all)},
                          late ? ViewState::Warning : ViewState::Good,
                          std::nullopt});
  }
  if (!table.rows.empty()) document.tables.push_back(std::move(table));
}

}  // namespace

Result<ViewDocument> view_probe_stream(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "probe";
  const auto mesh_path = json.at("mesh").at("path").get<std::string>();
  document.title = file_name(mesh_path) + ", stream";
  const auto count = [&](const char* name) { return json.at(name).get<std::uint64_t>(); };
  const Json& least = json.at("least_distance");
  const bool bad = count("too_close") > 0;
  document.state = bad                   ? ViewState::Bad
                   : count("missed") > 0 ? ViewState::Warning
                                         : ViewState::Good;
  document.summary = count("contacts") > 0 ? count_of(count("contacts"), "contact", "contacts")
                     : least.is_null()     ? "nothing within the range"
                                           : "closest " + short_length(least.get<double>());
  if (count("missed") > 0)
    document.summary += ", " + count_of(count("missed"), "deadline", "deadlines") + " missed";
  const Json& latency = json.at("latency_us");
  const auto microseconds = [&](const char* name) {
    return short_time(latency.at(name).get<double>());
  };
  document.facts = {
      {"robot", file_name(json.at("robot").at("path").get<std::string>())},
      {"segments", group_digits(json.at("robot").at("segments").get<std::uint64_t>())},
      {"triangles", group_digits(json.at("mesh").at("triangles").get<std::uint64_t>())},
      {"method", json.at("method").get<std::string>()},
      {"answers", group_digits(count("answers"))},
      {"seconds", format_number("%.1f", json.at("seconds").get<double>())},
      {"deadlines missed", group_digits(count("missed"))},
      {"lines refused", group_digits(count("refused"))},
      {"latency, median", microseconds("median")},
      {"latency, 99 %", microseconds("p99")},
      {"latency, worst", microseconds("worst")}};
  if (!least.is_null())
    document.facts.push_back({"least distance", short_length(least.get<double>())});

  double reach = 0.004;
  if (const std::optional<Mesh> mesh = source.mesh(mesh_path, document)) {
    constexpr double kAround = 0.15;  // of the mesh is seen around the closest pair
    reach = kAround * mesh->bounds().diagonal();
    document.add(mesh_around(mesh_path, *mesh, 0.45));
  }
  append_latencies(json, document);
  const bool timed = !json.at("rate").is_null();
  const Result<StreamAnswers> answers = read_answers(
      source.path(), timed ? 1.0 / json.at("rate").get<double>() : 1.0, count("answers"));
  if (!answers) return answers.error();
  for (const std::string& error : answers->errors) document.warn("refused, " + error);
  if (answers->moments.empty()) {
    document.warn(
        "The file holds the summary alone: keep all that probe --stream --json prints to see the "
        "answers.");
  } else {
    append_answers(*answers, timed, json, reach, document);
  }
  return document;
}

}  // namespace clearance::cli
