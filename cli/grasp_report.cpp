// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

double wire_frame_length(const GraspSet& set) {
  double sum = 0.0;
  for (const Segment& s : set.wire_frame) sum += norm(s.b - s.a);
  return sum;
}

const char* source_of(const GraspReport& report) {
  if (!report.wire_frame_file.empty()) return "file";
  return report.is_skeleton ? "skeleton" : "principal_axes";
}

Json grasp_json(const GraspSet& set, const Grasp& g) {
  const Quaternion q = quaternion_from(g.part_from_gripper.rotation);
  Json contacts = Json::array();
  for (const GraspContact& c : set.contacts_of(g)) {
    contacts.push_back(
        {{"finger", c.finger}, {"point", to_json(c.point)}, {"inward", to_json(c.inward)}});
  }
  return {{"part_from_gripper",
           {{"xyz", to_json(g.part_from_gripper.translation)},
            {"quaternion", Json::array({q.x, q.y, q.z, q.w})}}},
          {"approach", to_json(g.part_from_gripper.rotation.column(2))},
          {"width", g.width},
          {"stability", g.stability},
          {"robustness", g.robustness},
          {"quality", g.quality},
          {"contacts", std::move(contacts)}};
}

std::string share(std::size_t count, std::size_t of) {
  return format_number(
      "%.1f %%", of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string degrees(double radians) {
  return format_number("%.4g", radians * 180.0 / std::numbers::pi) + "°";
}

/// "(0.12, -0.5, 0)": a direction with two digits.
std::string direction(const Vec3& v) {
  std::string text = "(";
  for (std::size_t k = 0; k < 3; ++k) {
    // No -0.00.
    const double rounded = std::round(100.0 * v[k]) / 100.0 + 0.0;
    text += (k == 0 ? "" : ", ") + format_number("%.2f", rounded);
  }
  return text + ")";
}
std::string place(const Vec3& v) {
  std::string text = "(";
  for (std::size_t k = 0; k < 3; ++k) {
    const double rounded = std::round(1e5 * v[k]) / 1e2 + 0.0;
    text += (k == 0 ? "" : ", ") + format_number("%.5g", rounded);
  }
  return text + ")";
}

std::string best_table(const GraspReport& report) {
  std::vector<std::vector<std::string>> lines{
      {"  quality", "q", "r", "width", "at [mm]", "approach", "pinch"}};
  const std::size_t shown = std::min(report.best, report.set.counts.robust);
  for (std::size_t i = 0; i < shown; ++i) {
    const Grasp& g = report.set.grasps[i];
    const Mat3& rotation = g.part_from_gripper.rotation;
    lines.push_back({"  " + format_number("%.4f", g.quality), format_number("%.5f", g.stability),
                     format_number("%.4g", g.robustness),
                     format_length(std::round(g.width * 1e5) / 1e5),
                     place(g.part_from_gripper.translation), direction(rotation.column(2)),
                     direction(rotation.column(0))});
  }
  return "best of them\n" + align_columns(lines);
}

std::string wire_frame_words(const GraspReport& report) {
  std::string text = count_of(report.set.wire_frame.size(), "segment", "segments") + ", " +
                     format_length(std::round(1e5 * wire_frame_length(report.set)) / 1e5);
  if (!report.wire_frame_file.empty()) return text + ", from " + report.wire_frame_file;
  return text + (report.is_skeleton ? ", a skeleton of the part" : ", the principal axes");
}

}  // namespace

Json gripper_json(const Gripper& gripper, const std::string& file) {
  const GripperSizes sizes = gripper.sizes().value_or(GripperSizes{});
  const Json boxes{{"opening", sizes.opening},
                   {"finger_width", sizes.finger_width},
                   {"finger_thickness", sizes.finger_thickness},
                   {"finger_length", sizes.finger_length},
                   {"tip", sizes.tip},
                   {"palm", to_json(sizes.palm)}};
  return {
      {"name", gripper.name()},       {"path", file.empty() ? Json() : Json(file)},
      {"opening", gripper.opening()}, {"finger_width", gripper.finger_width()},
      {"tip", gripper.tip()},         {"sizes", gripper.sizes() && file.empty() ? boxes : Json()}};
}

std::string GraspReport::why_none() const {
  const GraspCounts& n = set.counts;
  if (n.robust > 0) return "";
  if (n.free == 0) {
    const Vec3 size = part->bounds().size();
    return "the open gripper hits the part at every sample: it opens " +
           format_length(gripper->opening()) + ", and the part is " + format_size(size);
  }
  if (n.feasible == 0)
    return "where the open gripper is free, its fingers close on nothing: does the wire-frame run "
           "inside the part?";
  if (n.stable == 0)
    return "no grasp holds against every push and turn: more friction (--friction), wider fingers, "
           "or soft ones (--torsion) would";
  return "no grasp has only stable neighbours, one step away each: a smaller --step, more friction "
         "or a smaller gripper would leave some";
}

Json grasp_json(const GraspReport& report) {
  const GraspSet& set = report.set;
  Json segments = Json::array();
  for (const Segment& s : set.wire_frame)
    segments.push_back(Json::array({to_json(s.a), to_json(s.b)}));
  Json best = Json::array();
  for (std::size_t i = 0; i < std::min(report.best, set.counts.robust); ++i)
    best.push_back(grasp_json(set, set.grasps[i]));
  const QualityOptions& quality = report.asked.quality;
  const std::string why = report.why_none();
  return {{"schema", "clearance.grasp"},
          {"version", 1},
          {"part", {{"path", report.file}, {"triangles", report.part->triangle_count()}}},
          {"gripper", gripper_json(*report.gripper, report.gripper_file)},
          {"options",
           {{"step", report.asked.step},
            {"softness", report.asked.softness},
            {"friction", quality.friction},
            {"cone_edges", quality.cone_edges},
            {"limit", quality.limit == WrenchLimit::Sum ? "sum" : "each"},
            {"torsion", quality.torsion},
            {"alpha", report.asked.alpha}}},
          {"wire_frame", {{"source", source_of(report)}, {"segments", std::move(segments)}}},
          {"theta_step", set.theta_step},
          {"phi_step", set.phi_step},
          {"mass_center", to_json(set.mass_center)},
          {"largest_radius", set.largest_radius},
          {"counts",
           {{"sampled", set.counts.sampled},
            {"free", set.counts.free},
            {"feasible", set.counts.feasible},
            {"stable", set.counts.stable},
            {"robust", set.counts.robust}}},
          {"why_none", why.empty() ? Json(nullptr) : Json(why)},
          {"best", std::move(best)},
          {"notes", report.notes},
          {"written", report.written},
          {"seconds", report.seconds}};
}

std::string grasp_text(const GraspReport& report) {
  const GraspSet& set = report.set;
  const GraspCounts& n = set.counts;
  const Gripper& gripper = *report.gripper;
  std::string text = align_columns(
      {{"  part", report.file + ", " + group_digits(report.part->triangle_count()) +
                      " triangles, " + format_size(report.part->bounds().size())},
       {"  gripper", gripper.name() + ": opens " + format_length(gripper.opening()) + ", fingers " +
                         format_length(gripper.finger_width()) + " wide"},
       {"  wire-frame", wire_frame_words(report)},
       {"  steps", format_length(set.step) + " along, turns of " + degrees(set.theta_step) +
                       " about and " + degrees(set.phi_step) + " across it"}});
  const std::array<std::size_t, 2> right{1, 2};
  text += align_columns({{"  sampled", group_digits(n.sampled), "", ""},
                         {"  free", group_digits(n.free), share(n.free, n.sampled),
                          "the open gripper does not touch the part"},
                         {"  feasible", group_digits(n.feasible), share(n.feasible, n.sampled),
                          "both fingers meet it when they close"},
                         {"  stable", group_digits(n.stable), share(n.stable, n.sampled),
                          "holds against every push and turn"},
                         {"  robust", group_digits(n.robust), share(n.robust, n.sampled),
                          "and so do all neighbours, one step away"}},
                        right);
  if (const std::string why = report.why_none(); !why.empty()) {
    text += "no grasp: " + why + '\n';
  } else if (report.best > 0) {
    text += best_table(report);
  }
  for (const std::string& note : report.notes) text += note + '\n';
  return text;
}

}  // namespace clearance::cli
