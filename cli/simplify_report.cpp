// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "simplify_shapes.h"
#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json to_json(const Enclosure& e) { return {{"lower", e.lower}, {"upper", e.upper}}; }

Json to_json(const SimplifyDeviation& deviation, bool solid) {
  const SphereVolumes& volumes = deviation.volumes;
  return {{"excess", to_json(deviation.excess)},
          {"volume", to_json(volumes.all)},
          {"false_positive_volume", to_json(volumes.outside)},
          {"covered_volume", solid ? to_json(volumes.covered) : Json()}};
}

Json to_json(const SimplifiedBody& body, bool has_shapes) {
  Json spheres = Json::array();
  for (const Sphere& sphere : body.model.spheres)
    spheres.push_back({{"center", to_json(sphere.center)}, {"radius", sphere.radius}});
  Json capsules = Json::array();
  for (const Capsule& capsule : body.model.capsules) {
    capsules.push_back({{"from", to_json(capsule.axis.a)},
                        {"to", to_json(capsule.axis.b)},
                        {"radius", capsule.radius}});
  }
  Json boxes = Json::array();
  for (const OrientedBox& box : body.model.boxes) {
    const Mat3& turn = box.world_from_box.rotation;
    boxes.push_back(
        {{"center", to_json(box.world_from_box.translation)},
         {"rotation", Json::array({to_json(turn[0]), to_json(turn[1]), to_json(turn[2])})},
         {"half_size", to_json(box.half_size)}});
  }
  return {{"name", body.name},
          {"shapes", body.shapes},
          {"triangles", body.triangles},
          {"solid", body.solid},
          {"error", body.error},
          {"covered", body.covered},
          {"deviation", to_json(body.deviation, body.solid)},
          {"spheres", std::move(spheres)},
          {"capsules", std::move(capsules)},
          {"boxes", std::move(boxes)},
          {"spheres_alone", has_shapes ? Json(body.spheres_alone) : Json()}};
}

const char* unit_of(const Representation& representation) {
  if (representation.mesh.empty()) return "spheres";
  const bool convex = representation.kind == RepresentationKind::ConvexHull ||
                      representation.kind == RepresentationKind::ConvexPieces;
  return convex ? "faces" : "triangles";
}

Json to_json(const Representation& representation) {
  return {{"kind", name_of(representation.kind)},     {"complexity", representation.complexity},
          {"unit", unit_of(representation)},          {"outward", to_json(representation.outward)},
          {"inward", to_json(representation.inward)}, {"can_miss", !representation.covers},
          {"seconds", representation.seconds}};
}

/// A bound with four digits, rounded to the safe side.
double rounded(double value, bool up) {
  if (!(value > 0.0)) return 0.0;
  // What is exact to 15 digits is as it stands, and not the next number.
  constexpr double kExact = 1e-15;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3.0);
  const double units = value / unit;
  return (up ? std::ceil(units * (1.0 - kExact)) : std::floor(units * (1.0 + kExact))) * unit;
}

/// "20.9 mm to 21 mm": a length within bounds.
std::string between(const Enclosure& e) {
  const std::string upper = format_length(rounded(e.upper, true));
  if (!(e.lower > 0.0)) return e.upper > 0.0 ? "at most " + upper : "0";
  const std::string lower = format_length(rounded(e.lower, false));
  return lower == upper ? upper : lower + " to " + upper;
}

std::string volume_between(const Enclosure& e) {
  return format_volume(rounded(e.lower, false)) + " to " + format_volume(rounded(e.upper, true));
}

std::string radii_of(const SimplifyReport& report) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const SimplifiedBody& body : report.bodies) {
    for (const Sphere& sphere : body.model.spheres) {
      least = std::min(least, sphere.radius);
      most = std::max(most, sphere.radius);
    }
  }
  return "radius " + format_length(rounded(least, false)) + " to " +
         format_length(rounded(most, true));
}

std::string input_words(const SimplifyReport& report) {
  std::size_t triangles = 0;
  for (const SimplifiedBody& body : report.bodies) triangles += body.triangles;
  std::string words = report.file + ", ";
  if (report.is_robot) {
    words += count_of(report.links, "link", "links") + ", " + std::to_string(report.bodies.size()) +
             " with " + (report.visual ? "visual" : "collision") + " shapes, ";
  }
  words += count_of(triangles, "triangle", "triangles");
  if (!report.is_robot) words += report.bodies.front().solid ? ", closed" : ", open";
  return words;
}

std::string method_words(const SimplifyReport& report) {
  std::string words = name_of(report.asked.method);
  if (report.asked.error > 0.0) {
    words += ", error " + format_length(report.asked.error);
    if (report.error_is_default) words += " (2 % of the size; --error says otherwise)";
  }
  if (report.asked.most_spheres > 0)
    words += ", at most " + count_of(report.asked.most_spheres, "sphere", "spheres");
  if (report.asked.method != SimplifyMethod::Cover)
    words += ", seed " + std::to_string(report.asked.seed);
  return words;
}

std::string error_words(const SimplifyReport& report) {
  const char* what = report.is_filled() ? "kept volume" : "mesh";
  const char* shape = report.has_shapes() ? "no shape" : "no sphere";
  std::string words =
      format_length(report.error()) + ": " + shape + " sticks out of the " + what + " by more";
  if (report.asked.error > 0.0 && report.error() > report.asked.error)
    words += "; more than the " + format_length(report.asked.error) + " asked for";
  return words;
}

std::string filled_words(const SimplifyReport& report) {
  const ExternalTool& tool = report.asked.external_tool;
  if (tool.empty()) {
    return "what a ball of " + format_length(report.asked.external_diameter) + " cannot reach" +
           (report.asked.fill_cavities ? " from outside" : "");
  }
  return "what " + report.tool +
         " cannot reach: " + count_of(tool.spheres.size(), "sphere", "spheres") + ", " +
         count_of(tool.turns.size(), "orientation", "orientations");
}

Json tool_json(const SimplifyReport& report) {
  const ExternalTool& tool = report.asked.external_tool;
  if (tool.empty()) return {};
  Json turns = Json::array();
  for (const Mat3& turn : tool.turns)
    turns.push_back(Json::array({to_json(turn[0]), to_json(turn[1]), to_json(turn[2])}));
  return {{"path", report.tool}, {"spheres", tool.spheres.size()}, {"turns", std::move(turns)}};
}

std::string cover_words(const SimplifyReport& report) {
  const bool solid = std::ranges::all_of(report.bodies, &SimplifiedBody::solid);
  if (report.covered()) {
    if (solid) return "yes, proven";
    return std::string("yes, proven; of open meshes the surface") +
           (report.is_filled() ? " and what is filled" : "");
  }
  std::string words = "NO: a collision can be missed";
  std::size_t named = 0;
  for (const SimplifiedBody& body : report.bodies) {
    if (body.covered || !report.is_robot) continue;
    words += (named++ == 0 ? "; not covered: " : ", ") + body.name;
  }
  return words;
}

std::string volume_words(const SimplifyReport& report) {
  const Enclosure outside = report.deviation().volumes.outside;
  std::string words = volume_between(outside) + " outside the mesh";
  const double body = report.bodies.front().volume;
  if (!report.is_robot && body > 0.0) {
    words += ", " + format_number("%.0f", std::floor(100.0 * outside.lower / body)) + " to " +
             format_number("%.0f %%", std::ceil(100.0 * outside.upper / body)) + " of its own " +
             format_volume(body);
  }
  return words;
}

std::string links_table(const SimplifyReport& report) {
  std::vector<std::string> head{"link", "shapes", "triangles"};
  if (report.has_shapes()) {
    head = {"link", "shapes", "triangles", "boxes", "capsules"};
  }
  head.insert(head.end(), {"spheres", "error", "sticks out of the mesh", "covered"});
  std::vector<std::vector<std::string>> lines{head};
  for (const SimplifiedBody& body : report.bodies) {
    std::vector<std::string>& line = lines.emplace_back();
    line = {body.name, std::to_string(body.shapes), group_digits(body.triangles)};
    if (report.has_shapes()) {
      line.push_back(group_digits(body.model.boxes.size()));
      line.push_back(group_digits(body.model.capsules.size()));
    }
    line.push_back(group_digits(body.model.spheres.size()));
    line.push_back(format_length(rounded(body.error, true)));
    line.push_back(between(body.deviation.excess));
    line.emplace_back(body.covered ? (body.solid ? "proven" : "proven (surface)") : "NO");
  }
  std::vector<std::size_t> right(head.size() - 2);
  std::iota(right.begin(), right.end(), 1);
  return "\n" + align_columns(lines, right);
}

/// The line of what the model is made of.
std::vector<std::string> model_line(const SimplifyReport& report) {
  if (!report.has_shapes())
    return {"  spheres", group_digits(report.sphere_count()) + ", " + radii_of(report)};
  const std::size_t alone = report.spheres_alone();
  std::string words = words_of(report.sphere_count(), report.capsule_count(), report.box_count());
  words += report.capsule_count() + report.box_count() > 0
               ? "; spheres alone: " + group_digits(alone)
               : "; other shapes save nothing";
  return {"  shapes", words};
}

std::string comparison_table(const Comparison& comparison) {
  std::vector<std::vector<std::string>> lines{
      {"representation", "", "", "sticks out by", "leaves out by", "can miss", "made in"}};
  for (const Representation& r : comparison.list) {
    lines.push_back({name_of(r.kind), group_digits(r.complexity), unit_of(r), between(r.outward),
                     between(r.inward), r.covers ? "no" : "yes",
                     format_number("%.2f s", r.seconds)});
  }
  const std::size_t right[] = {1, 3, 4, 6};
  std::string text = "\n" + align_columns(lines, right);
  for (const std::string& note : comparison.notes) text += note + '\n';
  return text;
}

}  // namespace

std::size_t SimplifyReport::sphere_count() const {
  std::size_t count = 0;
  for (const SimplifiedBody& body : bodies) count += body.model.spheres.size();
  return count;
}

std::size_t SimplifyReport::capsule_count() const {
  std::size_t count = 0;
  for (const SimplifiedBody& body : bodies) count += body.model.capsules.size();
  return count;
}

std::size_t SimplifyReport::box_count() const {
  std::size_t count = 0;
  for (const SimplifiedBody& body : bodies) count += body.model.boxes.size();
  return count;
}

std::size_t SimplifyReport::spheres_alone() const {
  std::size_t count = 0;
  for (const SimplifiedBody& body : bodies) count += body.spheres_alone;
  return count;
}

double SimplifyReport::error() const {
  double error = 0.0;
  for (const SimplifiedBody& body : bodies) error = std::max(error, body.error);
  return error;
}

bool SimplifyReport::covered() const {
  return std::ranges::all_of(bodies, &SimplifiedBody::covered);
}

bool SimplifyReport::limits_met() const {
  return covered() && (asked.error == 0.0 || error() <= asked.error);
}

SimplifyDeviation SimplifyReport::deviation() const {
  SimplifyDeviation out;
  const auto add = [](Enclosure& sum, const Enclosure& e) {
    sum.lower += e.lower;
    sum.upper += e.upper;
  };
  for (const SimplifiedBody& body : bodies) {
    out.excess.lower = std::max(out.excess.lower, body.deviation.excess.lower);
    out.excess.upper = std::max(out.excess.upper, body.deviation.excess.upper);
    add(out.volumes.all, body.deviation.volumes.all);
    add(out.volumes.outside, body.deviation.volumes.outside);
    add(out.volumes.covered, body.deviation.volumes.covered);
  }
  return out;
}

nlohmann::ordered_json simplify_json(const SimplifyReport& report) {
  const bool solid = std::ranges::all_of(report.bodies, &SimplifiedBody::solid);
  Json bodies = Json::array();
  for (const SimplifiedBody& body : report.bodies)
    bodies.push_back(to_json(body, report.has_shapes()));
  Json comparison;
  if (report.comparison) {
    comparison = Json::array();
    for (const Representation& r : report.comparison->list) comparison.push_back(to_json(r));
  }
  std::vector<std::string> notes = report.notes;
  if (report.comparison)
    notes.insert(notes.end(), report.comparison->notes.begin(), report.comparison->notes.end());
  const SimplifyOptions& asked = report.asked;
  Json made_of = Json::array({"spheres"});
  if (asked.primitives.capsules) made_of.push_back("capsules");
  if (asked.primitives.boxes) made_of.push_back("boxes");
  return {{"schema", "clearance.simplify"},
          {"version", 1},
          {"input", {{"path", report.file}, {"kind", report.is_robot ? "robot" : "part"}}},
          {"options",
           {{"method", name_of(asked.method)},
            {"error", asked.error > 0.0 ? Json(asked.error) : Json()},
            {"spheres", asked.most_spheres > 0 ? Json(asked.most_spheres) : Json()},
            {"external_diameter", asked.external_diameter},
            {"fill_cavities", asked.fill_cavities},
            {"external_tool", tool_json(report)},
            {"seed", asked.seed},
            {"made_of", std::move(made_of)},
            {"shapes", report.visual ? "visual" : "collision"}}},
          {"spheres", report.sphere_count()},
          {"capsules", report.capsule_count()},
          {"boxes", report.box_count()},
          {"spheres_alone", report.has_shapes() ? Json(report.spheres_alone()) : Json()},
          {"error", report.error()},
          {"covered", report.covered()},
          {"limits_met", report.limits_met()},
          {"deviation", to_json(report.deviation(), solid)},
          {"bodies", std::move(bodies)},
          {"comparison", std::move(comparison)},
          {"notes", std::move(notes)},
          {"written", report.written},
          {"seconds", report.seconds}};
}

std::string simplify_text(const SimplifyReport& report) {
  std::vector<std::vector<std::string>> lines{
      {report.is_robot ? "  robot" : "  part", input_words(report)},
      {"  method", method_words(report)},
      model_line(report),
      {"  error", error_words(report)},
      {"  covered", cover_words(report)}};
  if (report.is_filled()) lines.push_back({"  filled", filled_words(report)});
  lines.push_back({"  sticks out", between(report.deviation().excess) + " of the mesh" +
                                       (report.is_filled() ? ", what was filled included" : "")});
  lines.push_back({"  adds", volume_words(report)});
  std::string text;
  for (const std::string& note : report.notes) text += note + '\n';
  text += align_columns(lines);
  if (report.is_robot) text += links_table(report);
  if (report.comparison) text += comparison_table(*report.comparison);
  return text;
}

}  // namespace clearance::cli
