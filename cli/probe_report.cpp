// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include <clearance/picture/plot.h>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

// Rows of the table for people; the closest are shown when there are more configurations.
constexpr std::size_t kRowsShown = 40;
constexpr double kMillimetres = 1000.0;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const Pose& pose) {
  const Quaternion q = quaternion_from(nearest_rotation(pose.rotation));
  return {{"translation", to_json(pose.translation)},
          {"quaternion", Json::array({q.x, q.y, q.z, q.w})}};
}

/// The closest pair; null beyond the range.
Json to_json(const ProbeHit& hit, const ProbeRobot& robot) {
  if (!hit.found()) return nullptr;
  const std::string link = robot.link_name(hit.segment);
  return {{"distance", hit.distance},
          {"on_contour", to_json(hit.on_contour)},
          {"on_mesh", to_json(hit.on_mesh)},
          {"triangle", hit.triangle},
          {"segment", hit.segment},
          {"series", robot.series_name(hit.segment)},
          {"link", link.empty() ? Json() : Json(link)},
          {"eta", hit.place.eta},
          {"theta", hit.place.theta},
          {"rho", hit.place.rho}};
}

Json to_json(const ProbeRow& row, const ProbeRobot& robot) {
  Json joints;
  for (std::size_t i = 0; i < row.configuration.joints.size(); ++i)
    joints[robot.shape.joints[i]] = row.configuration.joints[i];
  Json result{
      {"time", row.configuration.time ? Json(*row.configuration.time) : Json()},
      {"pose", to_json(row.configuration.world_from_root)},
      {"joints", std::move(joints)},
      {"too_close", row.too_close},
      {"closest", to_json(row.hit, robot)},
      {"work", {{"bounds", row.work.bounds}, {"exact", row.work.exact}}},
  };
  if (!row.each.empty()) {
    result["each"] = Json::array();
    for (const ProbeHit& hit : row.each) result["each"].push_back(to_json(hit, robot));
  }
  return result;
}

std::string format_point(const Vec3& p) {
  return "(" + format_number("%.6g", p.x) + ", " + format_number("%.6g", p.y) + ", " +
         format_number("%.6g", p.z) + ") m";
}

std::string segment_words(const ProbeReport& report, std::size_t segment) {
  return "segment " + std::to_string(segment) + " (" + report.robot->series_name(segment) + ")";
}

std::string distance_words(const ProbeReport& report, const ProbeHit& hit) {
  if (!hit.found()) return "more than " + format_length(report.range.value_or(0.0));
  return hit.distance == 0.0 ? "0, contact" : format_length(hit.distance);
}

std::vector<std::vector<std::string>> heading(const ProbeReport& report) {
  const ProbeRobot& robot = *report.robot;
  std::string words = robot.file + ", " +
                      count_of(robot.contours.segment_count(), "segment", "segments") + " in " +
                      count_of(robot.contours.series().size(), "series", "series");
  if (!robot.shape.joints.empty())
    words += ", " + count_of(robot.shape.joints.size(), "joint", "joints");
  return {{"  robot", words},
          {"  mesh", report.mesh_file + ", " + count_of(report.triangles, "triangle", "triangles")},
          {"  method", report.description}};
}

/// What was fitted to a URDF, worst first: how much more than its hull a link's segments enclose.
std::string fit_table(const ProbeRobot& robot) {
  if (robot.fits.empty()) return "";
  std::vector<std::vector<std::string>> lines{{"link", "segments", "encloses", "hull", "excess"}};
  double enclosed = 0.0;
  double hull = 0.0;
  const auto excess = [](double outer, double inner) {
    return inner > 0.0 ? format_number("%.0f %%", 100.0 * (outer / inner - 1.0)) : "";
  };
  for (const LinkFit& fit : robot.fits) {
    enclosed += fit.enclosed_volume;
    hull += fit.hull_volume;
    lines.push_back({fit.link, std::to_string(fit.segments), format_volume(fit.enclosed_volume),
                     format_volume(fit.hull_volume), excess(fit.enclosed_volume, fit.hull_volume)});
  }
  lines.push_back({"all", std::to_string(robot.contours.segment_count()), format_volume(enclosed),
                   format_volume(hull), excess(enclosed, hull)});
  const std::size_t right[] = {1, 2, 3, 4};
  return align_columns(lines, right) + "\n";
}

/// The segments of a row, each with its own distance.
std::string each_table(const ProbeReport& report, const ProbeRow& row) {
  if (row.each.empty()) return "";
  std::vector<std::vector<std::string>> lines{
      {"segment", "series", "distance", "triangle", "point on the robot"}};
  for (std::size_t i = 0; i < row.each.size(); ++i) {
    const ProbeHit& hit = row.each[i];
    lines.push_back({std::to_string(i), report.robot->series_name(i), distance_words(report, hit),
                     hit.found() ? std::to_string(hit.triangle) : "",
                     hit.found() ? format_point(hit.on_contour) : ""});
  }
  const std::size_t right[] = {0, 2, 3};
  return "\n" + align_columns(lines, right);
}

std::string limit_words(const ProbeReport& report, const ProbeRow& row) {
  return std::string(row.too_close ? "not kept" : "kept") + ": " + format_length(*report.clearance);
}

std::string paragraph(const ProbeReport& report) {
  const ProbeRow& row = report.rows.front();
  const ProbeHit& hit = row.hit;
  std::vector<std::vector<std::string>> lines = heading(report);
  lines.push_back({"  distance", distance_words(report, hit)});
  if (hit.found()) {
    lines.push_back({"  on robot", format_point(hit.on_contour) + ", " +
                                       segment_words(report, hit.segment) + " at eta " +
                                       format_number("%.4g", hit.place.eta) + ", theta " +
                                       format_number("%.4g", hit.place.theta)});
    lines.push_back(
        {"  on mesh", format_point(hit.on_mesh) + ", triangle " + std::to_string(hit.triangle)});
  }
  if (report.clearance) lines.push_back({"  clearance", limit_words(report, row)});
  return align_columns(lines) + each_table(report, row);
}

std::string table(const ProbeReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = order.size() > kRowsShown;
  if (cut) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return report.rows[i].hit.distance < report.rows[j].hit.distance;
    });
    order.resize(kRowsShown);
  }
  const bool timed = report.rows.front().configuration.time.has_value();
  std::vector<std::vector<std::string>> lines{
      {"", timed ? "time" : "", "distance", "series", "segment", "triangle", "point on the robot"}};
  for (const std::size_t i : order) {
    const ProbeRow& row = report.rows[i];
    const bool found = row.hit.found();
    const std::optional<double>& time = row.configuration.time;
    lines.push_back({std::to_string(i), time ? format_number("%.6g s", *time) : "",
                     distance_words(report, row.hit),
                     found ? report.robot->series_name(row.hit.segment) : "",
                     found ? std::to_string(row.hit.segment) : "",
                     found ? std::to_string(row.hit.triangle) : "",
                     found ? format_point(row.hit.on_contour) : ""});
  }
  const std::size_t right[] = {0, 1, 2, 4, 5};
  std::string text = align_columns(heading(report)) + '\n' + align_columns(lines, right);
  if (cut) {
    text += "the " + std::to_string(kRowsShown) + " closest of " +
            count_of(report.rows.size(), "configuration", "configurations") +
            "; --csv and --json have all\n";
  }
  const std::size_t closest = report.closest();
  text += '\n' + count_of(report.rows.size(), "configuration", "configurations") + ", " +
          count_of(report.contact_count(), "contact", "contacts");
  if (report.clearance) {
    text += ", " + group_digits(report.too_close_count()) + " at " +
            format_length(*report.clearance) + " or closer";
  }
  text += "; closest: " + std::to_string(closest) + ", " +
          distance_words(report, report.rows[closest].hit) + '\n';
  return text + each_table(report, report.rows[closest]);
}

}  // namespace

std::size_t ProbeReport::contact_count() const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const ProbeRow& row) { return row.hit.distance == 0.0; }));
}

std::size_t ProbeReport::too_close_count() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ProbeRow& row) { return row.too_close; }));
}

std::size_t ProbeReport::closest() const {
  const auto nearer = [](const ProbeRow& p, const ProbeRow& q) {
    return p.hit.distance < q.hit.distance;
  };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), nearer) -
                                  rows.begin());
}

nlohmann::ordered_json probe_json(const ProbeReport& report) {
  const ProbeRobot& robot = *report.robot;
  Json rows = Json::array();
  for (const ProbeRow& row : report.rows) rows.push_back(to_json(row, robot));
  const std::size_t closest = report.closest();
  const ProbeHit& least = report.rows[closest].hit;
  Json fits = Json::array();
  for (const LinkFit& fit : robot.fits) {
    fits.push_back({{"link", fit.link},
                    {"segments", fit.segments},
                    {"enclosed_volume", fit.enclosed_volume},
                    {"hull_volume", fit.hull_volume}});
  }
  return {{"schema", "clearance.probe"},
          {"version", 1},
          {"robot",
           {{"path", robot.file},
            {"series", robot.contours.series().size()},
            {"segments", robot.contours.segment_count()},
            {"joints", robot.shape.joints},
            {"fitted", std::move(fits)},
            {"notes", robot.notes}}},
          {"mesh", {{"path", report.mesh_file}, {"triangles", report.triangles}}},
          {"method", report.method},
          {"clearance", report.clearance ? Json(*report.clearance) : Json()},
          {"range", report.range ? Json(*report.range) : Json()},
          {"summary",
           {{"configurations", report.rows.size()},
            {"contacts", report.contact_count()},
            {"too_close", report.too_close_count()},
            {"closest_configuration", closest},
            {"least_distance", least.found() ? Json(least.distance) : Json()}}},
          {"configurations", std::move(rows)}};
}

std::string probe_text(const ProbeReport& report) {
  std::string notes;
  for (const std::string& note : report.robot->notes) notes += note + '\n';
  return notes + fit_table(*report.robot) +
         (report.rows.size() == 1 ? paragraph(report) : table(report));
}

std::string probe_csv(const ProbeReport& report) {
  const ProbeRobot& robot = *report.robot;
  std::string text = "configuration,time,x,y,z,qx,qy,qz,qw";
  for (const std::string& name : robot.shape.joints) text += "," + csv_field(name);
  text +=
      ",distance,too_close,series,segment,triangle,robot_x,robot_y,robot_z,mesh_x,mesh_y,mesh_z,"
      "eta,theta,rho\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const ProbeRow& row = report.rows[i];
    const ProbeHit& hit = row.hit;
    const Pose& pose = row.configuration.world_from_root;
    const Quaternion q = quaternion_from(nearest_rotation(pose.rotation));
    const auto add = [&](double value) { text += format_number(",%.17g", value); };
    text += std::to_string(i) + ",";
    if (row.configuration.time) text += format_number("%.17g", *row.configuration.time);
    const Vec3& t = pose.translation;
    for (const double value : {t.x, t.y, t.z, q.x, q.y, q.z, q.w}) add(value);
    for (const double value : row.configuration.joints) add(value);
    if (!hit.found()) {
      text += ",,0,,,,,,,,,,,,\n";
      continue;
    }
    add(hit.distance);
    text += row.too_close ? ",1," : ",0,";
    text += csv_field(robot.series_name(hit.segment)) + "," + std::to_string(hit.segment) + "," +
            std::to_string(hit.triangle);
    for (const double value :
         {hit.on_contour.x, hit.on_contour.y, hit.on_contour.z, hit.on_mesh.x, hit.on_mesh.y,
          hit.on_mesh.z, hit.place.eta, hit.place.theta, hit.place.rho})
      add(value);
    text += '\n';
  }
  return text;
}

std::string probe_plot(const ProbeReport& report) {
  const bool timed = std::all_of(report.rows.begin(), report.rows.end(), [](const ProbeRow& row) {
    return row.configuration.time.has_value();
  });
  LineChart chart;
  chart.title = "Distance of the robot from the mesh";
  chart.subtitle = report.robot->file + " and " + report.mesh_file;
  chart.x.title = timed ? "time [s]" : "configuration";
  chart.y.title = "distance [mm]";
  chart.y.low = 0.0;
  LineSeries line{"distance", {}};
  LineSeries limit{"clearance", {}, true};
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const ProbeRow& row = report.rows[i];
    const double x = timed ? *row.configuration.time : static_cast<double>(i);
    line.points.push_back({x, kMillimetres * row.hit.distance});
    if (report.clearance) limit.points.push_back({x, kMillimetres * *report.clearance});
  }
  chart.series.push_back(std::move(line));
  if (report.clearance) chart.series.push_back(std::move(limit));
  return svg(chart);
}

}  // namespace clearance::cli
