// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan_report.h"

#include <cmath>
#include <map>
#include <numbers>

#include <clearance/picture/plot.h>

#include "text.h"

namespace clearance::cli {
namespace {

std::string degrees(double radians) {
  return format_number("%.4g°", radians * 180.0 / std::numbers::pi);
}

std::string length_words(const PathLength& length) {
  return format_length(length.translation) + " and " + degrees(length.rotation);
}

std::string side_words(const SceneSide& side, const Mesh& mesh) {
  std::string words = side.files.front().path;
  if (side.files.size() > 1) words += " and " + std::to_string(side.files.size() - 1) + " more";
  words += ", ";
  words += side.ranges.size() == 1 ? "" : group_digits(side.ranges.size()) + " parts, ";
  return words + count_of(mesh.triangle_count(), "triangle", "triangles");
}

/// At which part of the whole path a moment of it is.
double place_of(const PlanFile& file, const ProofSample& moment) {
  for (const PlanSample& sample : file.samples)
    if (sample.piece == moment.piece && sample.time >= moment.time) return sample.at;
  return 1.0;
}

using Lines = std::vector<std::vector<std::string>>;

void add_found(const PlanReport& report, Lines& lines) {
  const PlanFile& file = report.file;
  const PathProof& proof = file.plan.proof;
  lines.push_back({"  path", count_of(file.plan.path.poses.size(), "pose", "poses") + ", " +
                                 length_words(length_of(file.plan.path)) +
                                 " (as found: " + length_words(file.plan.raw_length) + ")"});
  std::string nearest = format_length(proof.clearance_upper) + " at " +
                        format_number("%.1f %%", 100.0 * place_of(file, proof.narrowest)) +
                        " of the way";
  if (proof.body_triangle != kNoTriangle && proof.obstacle_triangle != kNoTriangle) {
    nearest += ", '" + file.body.range_of(proof.body_triangle).part + "' and '" +
               file.obstacles.range_of(proof.obstacle_triangle).part + "'";
  }
  lines.push_back({"  clearance", nearest});
  lines.push_back({"  proven", "more than " + format_length(proof.clearance_lower) +
                                   " over the whole path, by " +
                                   count_of(proof.looks, "look", "looks")});
}

void add_not_found(const PlanReport& report, Lines& lines) {
  const Plan& plan = report.file.plan;
  if (std::isfinite(plan.closest_distance)) {
    lines.push_back({"  closest", "came within " + format_length(plan.closest_distance) +
                                      (report.file.scene.goal ? " of the goal" : " of being out")});
  }
  std::map<std::string, std::size_t> parts;
  for (const std::uint32_t triangle : plan.blocking_triangles)
    ++parts[report.file.obstacles.range_of(triangle).part];
  std::string blocking;
  for (const auto& [part, count] : parts) {
    blocking += (blocking.empty() ? "'" : ", '") + part + "' (" +
                count_of(count, "triangle", "triangles") + ")";
  }
  if (!blocking.empty()) lines.push_back({"  blocked by", blocking});
}

std::string verdict(const PlanReport& report) {
  const Plan& plan = report.file.plan;
  switch (plan.status) {
    case PlanStatus::Found:
      return "a path was found, and is proven free\n";
    case PlanStatus::NoPath:
      return "there is no path: none that keeps twice " + format_length(plan.resolution) +
             ", the resolution\n";
    case PlanStatus::OutOfBudget:
      return "no path was found within the operations allowed (--operations); there may be one\n";
    case PlanStatus::OutOfTime:
      return "no path was found within the time allowed (--seconds); there may be one\n";
    case PlanStatus::Cancelled:
      return "cancelled\n";
  }
  return "";
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  const PlanFile& file = report.file;
  const Plan& plan = file.plan;
  Lines lines{{"  body", side_words(file.body, report.scene.body_mesh)},
              {"  obstacles", side_words(file.obstacles, report.scene.problem.obstacles.mesh())},
              {"  asked for", std::string(file.scene.goal ? "a pose" : "out") +
                                  (file.scene.clearance > 0.0
                                       ? ", clear of all by " + format_length(file.scene.clearance)
                                       : ", without touching")}};
  if (file.relief > 0.0) {
    lines.push_back({"  relief", "the surface of the body is moved inward by up to " +
                                     format_length(file.relief) +
                                     ", since the parts touch at the start"});
  }
  if (plan.status == PlanStatus::Found)
    add_found(report, lines);
  else
    add_not_found(report, lines);
  lines.push_back({"  search", (plan.method.empty() ? "" : plan.method + ", ") +
                                   count_of(plan.nodes, "pose", "poses") + " kept, " +
                                   group_digits(plan.operations) + " operations"});
  std::string text = align_columns(lines);
  for (const std::string& line : report.written) text += line + '\n';
  return text + verdict(report);
}

std::string plan_chart(const PlanFile& file) {
  // Millimetres suit parts, metres buildings.
  double most = 0.0;
  for (const PlanSample& sample : file.samples) most = std::max(most, sample.distance);
  const bool large = most >= 10.0;
  const double unit = large ? 1.0 : 1e3;
  const char* name = large ? "m" : "mm";
  LineChart chart{.title = "Clearance along the path",
                  .subtitle = file.plan.status == PlanStatus::Found
                                  ? "proven over the whole path: more than " +
                                        format_length(file.plan.proof.clearance_lower)
                                  : "the way to the closest approach: no path was found",
                  .x = {"part of the way [%]", AxisScale::Linear, 0.0, 100.0},
                  .y = {std::string("clearance [") + name + "]", AxisScale::Linear, 0.0}};
  LineSeries line{"", {}};
  line.marks = false;
  for (const PlanSample& sample : file.samples)
    line.points.push_back({100.0 * sample.at, unit * sample.distance});
  chart.series.push_back(std::move(line));
  if (file.scene.clearance > 0.0) {
    const double asked = unit * file.scene.clearance;
    LineSeries reference{"asked for", {{0.0, asked}, {100.0, asked}}};
    reference.reference = true;
    chart.series.push_back(std::move(reference));
  }
  return svg(chart);
}

}  // namespace clearance::cli
