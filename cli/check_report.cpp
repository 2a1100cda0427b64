// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <clearance/picture/plot.h>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Half the side of what the close picture of a contact shows [m].
constexpr double kCloseUp = 0.15;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string move_name(const CheckReport& report, std::uint32_t move) {
  if (move >= report.program.moves.size()) return "start";
  const ProgramMove& one = report.program.moves[move];
  return one.name.empty() ? std::string(name_of(one.kind)) + " " + std::to_string(move + 1)
                          : one.name;
}

std::string seconds(double time) { return format_number("%.3f", time); }
std::string millimetres(double metres) { return format_number("%.4g mm", 1e3 * metres); }

/// "3.1 to 3.3 mm", "1.2 mm away", "up to 4 mm of spheres".
std::string depth_words(const CheckReport& report, const ContactInterval& interval) {
  if (!interval.touches) return millimetres(interval.distance) + " away";
  if (report.options.models == CheckModels::Spheres)
    return millimetres(interval.sphere_overlap) + " of spheres";
  if (!interval.depth || !interval.depth->overlap) return "touch";
  const std::string lower = format_number("%.3g", 1e3 * interval.depth->lower);
  if (!std::isfinite(interval.depth->upper)) return lower + " mm or more";
  const std::string upper = format_number("%.3g", 1e3 * interval.depth->upper);
  return (lower == upper ? upper : lower + " to " + upper) + " mm";
}

}  // namespace

std::string check_text(const CheckReport& report) {
  const CheckResult& result = report.result;
  std::string text;
  if (!result.intervals.empty()) {
    std::vector<std::vector<std::string>> lines{{"from", "to", "move", "body A", "body B", "deep"}};
    for (const ContactInterval& interval : result.intervals) {
      lines.push_back({seconds(interval.from), seconds(interval.to) + " s",
                       move_name(report, interval.move), report.name(interval.bodies.first),
                       report.name(interval.bodies.second), depth_words(report, interval)});
    }
    const std::size_t right[] = {0, 1, 5};
    text += align_columns(lines, right) + "\n";
  }
  const CollisionMatrix& matrix = report.cell.matrix;
  text += count_of(report.program.moves.size(), "move", "moves") + ", " +
          seconds(report.path.duration()) + " s; " +
          count_of(matrix.tested.size(), "pair", "pairs") + " of bodies checked, " +
          group_digits(matrix.left_out.size()) + " left out (--pairs lists them)\n";
  const double deviation =
      report.path.deviations.empty() ? 0.0 : std::ranges::max(report.path.deviations);
  if (deviation > 0.0) text += "lines are followed to " + format_length(deviation) + "\n";
  if (result.least && std::isfinite(result.least->distance) && result.least->distance > 0.0) {
    text += "least clearance: " + millimetres(result.least->distance) + " at " +
            seconds(result.least->time) + " s, " + report.name(result.least->nearest.first) +
            " and " + report.name(result.least->nearest.second) +
            "; proven: " + millimetres(result.lower) + " or more\n";
  }
  const std::size_t contacts =
      static_cast<std::size_t>(std::ranges::count_if(result.intervals, &ContactInterval::touches));
  const std::size_t near = result.intervals.size() - contacts;
  if (result.is_free()) {
    text += "free: proven for the whole motion\n";
  } else {
    text += count_of(contacts, "contact", "contacts");
    if (near > 0)
      text += ", " + group_digits(near) + " below " + millimetres(report.options.clearance);
    if (report.options.models == CheckModels::Spheres)
      text += " (of spheres around the bodies: some may be false alarms)";
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json pairs_json(const ReadyCell& cell) {
  const auto names = [&](const BodyPair& pair) {
    return Json::array({cell.bodies[pair.first].name, cell.bodies[pair.second].name});
  };
  Json left_out = Json::array();
  for (const PairRule& rule : cell.matrix.left_out) {
    left_out.push_back(
        {{"bodies", names(rule.pair)}, {"reason", name_of(rule.reason)}, {"note", rule.note}});
  }
  Json tested = Json::array();
  for (const BodyPair& pair : cell.matrix.tested) tested.push_back(names(pair));
  Json never = Json::array();
  for (const BodyPair& pair : cell.matrix.never_found) never.push_back(names(pair));
  return {{"tested", std::move(tested)},
          {"left_out", std::move(left_out)},
          {"never_found", std::move(never)},
          {"samples", cell.matrix.samples},
          {"seed", cell.matrix.seed}};
}

std::string pairs_text(const ReadyCell& cell) {
  std::vector<std::vector<std::string>> lines{{"body A", "body B", "left out because"}};
  const std::map<PairReason, std::string> words{
      {PairReason::Rigid, "they do not move against each other"},
      {PairReason::Adjacent, "one follows the other along the robot"},
      {PairReason::AtRest, "they touch where the robot rests"},
      {PairReason::Srdf, "the SRDF says so"},
      {PairReason::Allowed, "the cell allows it"},
      {PairReason::Always, "they touch in all samples"},
      {PairReason::Never, "no sample found them touching: not a proof"}};
  for (const PairRule& rule : cell.matrix.left_out) {
    lines.push_back({cell.bodies[rule.pair.first].name, cell.bodies[rule.pair.second].name,
                     words.at(rule.reason) + (rule.note.empty() ? "" : " (" + rule.note + ")")});
  }
  std::string text = align_columns(lines);
  if (cell.matrix.samples > 0) {
    text += count_of(cell.matrix.samples, "sample", "samples") + ", seed " +
            std::to_string(cell.matrix.seed) + ": " +
            count_of(cell.matrix.never_found.size(), "tested pair was", "tested pairs were") +
            " never found touching\n";
  }
  return text + "\n";
}

nlohmann::ordered_json check_json(const CheckReport& report) {
  const CheckResult& result = report.result;
  Json bodies = Json::array();
  for (const CheckBody& body : report.cell.bodies) {
    bodies.push_back(
        {{"name", body.name},
         {"link", body.link == kNoLink ? Json(nullptr)
                                       : Json(report.cell.cell.robot.links()[body.link].name)},
         {"triangles", body.triangle_count()},
         {"spheres", body.spheres.size()},
         {"solid", body.is_solid()}});
  }
  Json moves = Json::array();
  for (std::size_t i = 0; i < report.program.moves.size(); ++i) {
    const ProgramMove& move = report.program.moves[i];
    moves.push_back({{"name", move_name(report, static_cast<std::uint32_t>(i))},
                     {"kind", name_of(move.kind)},
                     {"from", i == 0 ? 0.0 : report.path.ends[i - 1]},
                     {"to", report.path.ends[i]},
                     {"deviation", report.path.deviations[i]}});
  }
  Json intervals = Json::array();
  for (std::size_t i = 0; i < result.intervals.size(); ++i) {
    const ContactInterval& one = result.intervals[i];
    Json interval{{"a", report.name(one.bodies.first)},
                  {"b", report.name(one.bodies.second)},
                  {"from", one.from},
                  {"to", one.to},
                  {"move", one.move},
                  {"touches", one.touches},
                  {"worst_time", one.worst_time},
                  {"values", one.values},
                  {"distance", one.distance},
                  {"depth", nullptr},
                  {"sphere_overlap", one.sphere_overlap},
                  {"point", to_json(one.point)},
                  {"picture", nullptr}};
    if (one.depth) {
      interval["depth"] = {{"lower", one.depth->lower},
                           {"upper", number_or_null(one.depth->upper)}};
    }
    if (i < report.pictures.size()) interval["picture"] = report.pictures[i];
    intervals.push_back(std::move(interval));
  }
  Json samples = Json::array();
  const auto sample_json = [&](const ClearanceSample& sample) {
    const bool has_pair = std::isfinite(sample.distance);
    return Json{{"from", sample.from},
                {"to", sample.to},
                {"time", sample.time},
                {"distance", number_or_null(sample.distance)},
                {"a", has_pair ? Json(report.name(sample.nearest.first)) : Json(nullptr)},
                {"b", has_pair ? Json(report.name(sample.nearest.second)) : Json(nullptr)},
                {"lower", number_or_null(sample.lower)}};
  };
  for (const ClearanceSample& sample : result.samples) samples.push_back(sample_json(sample));
  return {{"schema", "clearance.check"},
          {"version", 1},
          {"cell", report.cell_file},
          {"program", report.program_file},
          {"notes", report.cell.cell.notes},
          {"models", name_of(report.options.models)},
          {"free", result.is_free()},
          {"duration", report.path.duration()},
          {"tolerance", result.tolerance},
          {"time_tolerance", report.options.time_tolerance},
          {"clearance", report.options.clearance},
          {"bodies", std::move(bodies)},
          {"pairs", pairs_json(report.cell)},
          {"moves", std::move(moves)},
          {"intervals", std::move(intervals)},
          {"least", result.least ? sample_json(*result.least) : Json(nullptr)},
          {"lower", number_or_null(result.lower)},
          {"samples", std::move(samples)},
          {"looks", result.looks}};
}

std::string check_csv(const CheckReport& report) {
  std::string text = "from_s,to_s,time_s,clearance_m,proven_m,body_a,body_b,move\n";
  const auto number = [](double v) { return std::isfinite(v) ? format_number("%.9g", v) : ""; };
  for (const ClearanceSample& sample : report.result.samples) {
    const bool has_pair = std::isfinite(sample.distance);
    text +=
        number(sample.from) + ',' + number(sample.to) + ',' + number(sample.time) + ',' +
        number(sample.distance) + ',' + number(sample.lower) + ',' +
        (has_pair ? csv_field(report.name(sample.nearest.first)) : "") + ',' +
        (has_pair ? csv_field(report.name(sample.nearest.second)) : "") + ',' +
        csv_field(move_name(report, report.path.pieces[report.path.piece_at(sample.time)].move)) +
        '\n';
  }
  return text;
}

std::string check_chart(const CheckReport& report) {
  LineChart chart{.title = "Least clearance over the program",
                  .subtitle = report.program_file,
                  .x = {"time [s]"},
                  .y = {"clearance [mm]"}};
  LineSeries distances{.name = "nearest pair", .points = {}, .marks = false};
  LineSeries lowers{.name = "proven: nothing is nearer", .points = {}, .reference = true};
  LineSeries contacts{"contact", {}};
  for (const ClearanceSample& sample : report.result.samples) {
    distances.points.push_back({sample.time, 1e3 * sample.distance});
    lowers.points.push_back({sample.from, 1e3 * sample.lower});
    lowers.points.push_back({sample.to, 1e3 * sample.lower});
  }
  for (const ContactInterval& interval : report.result.intervals) {
    // A gap in the line between two intervals.
    if (!contacts.points.empty())
      contacts.points.push_back({interval.from, std::numeric_limits<double>::quiet_NaN()});
    contacts.points.push_back({interval.from, 0.0});
    contacts.points.push_back({interval.to, 0.0});
  }
  chart.series = {std::move(distances), std::move(lowers)};
  if (!contacts.points.empty()) chart.series.push_back(std::move(contacts));
  return svg(chart);
}

std::vector<PictureItem> cell_items(const ReadyCell& cell, const std::vector<double>& values,
                                    const BodyPair& red) {
  constexpr Colour kRobot{0.90, 0.68, 0.32};
  constexpr Colour kMounted{0.35, 0.45, 0.62};
  constexpr Colour kStanding{0.72, 0.76, 0.78};
  constexpr Colour kHit{0.82, 0.20, 0.16};
  const std::vector<Pose> poses = cell.body_poses(values);
  const std::size_t links = cell.bodies.size() - cell.cell.bodies.size();
  std::vector<PictureItem> items;
  for (std::uint32_t i = 0; i < cell.bodies.size(); ++i) {
    Colour colour = cell.bodies[i].link == kNoLink ? kStanding : (i < links ? kRobot : kMounted);
    if (i == red.first || i == red.second) colour = kHit;
    for (const Model& model : cell.bodies[i].models)
      items.push_back({model.mesh(), poses[i], colour});
  }
  return items;
}

Image side_by_side(const Image& left, const Image& right) {
  Image both{left.width + right.width, std::min(left.height, right.height), {}};
  both.rgb.reserve(3 * static_cast<std::size_t>(both.width) *
                   static_cast<std::size_t>(both.height));
  for (int row = 0; row < both.height; ++row) {
    for (const Image* image : {&left, &right}) {
      const auto begin = image->rgb.begin() + 3 * static_cast<std::ptrdiff_t>(row) * image->width;
      both.rgb.insert(both.rgb.end(), begin, begin + 3 * static_cast<std::ptrdiff_t>(image->width));
    }
  }
  return both;
}

Image check_picture(const CheckReport& report, const ContactInterval& interval) {
  const std::vector<PictureItem> items = cell_items(report.cell, interval.values, interval.bodies);
  PictureOptions options;
  options.width = 640;
  options.height = 560;
  options.threads = report.options.threads;
  const Image whole = render(items, {}, options);
  const Vec3 half{kCloseUp, kCloseUp, kCloseUp};
  options.region = Box{interval.point - half, interval.point + half};
  return side_by_side(whole, render(items, {}, options));
}

}  // namespace clearance::cli
