// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pick_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nlohmann/json.hpp>

#include "grasp_report.h"
#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json to_json(const Pose& pose) {
  return {{"xyz", to_json(pose.translation)},
          {"rotation", Json::array({to_json(pose.rotation[0]), to_json(pose.rotation[1]),
                                    to_json(pose.rotation[2])})}};
}
/// A length, or null where there is none.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// Of a grasp, where it was measured; else infinity.
double clearance_of(const Candidate& candidate, std::uint32_t grasp) {
  for (const FreeGrasp& free : candidate.free)
    if (free.grasp == grasp) return free.clearance;
  return std::numeric_limits<double>::infinity();
}

/// A grasp of a part of the pile.
Json to_json(const PickReport& report, std::size_t part, std::uint32_t number, double clearance) {
  const Grasp& grasp = report.grasps[number];
  return {{"grasp", report.numbers[number]},
          {"quality", grasp.quality},
          {"width", grasp.width},
          {"clearance", finite(clearance)},
          {"world_from_gripper", to_json(report.pile.parts[part] * grasp.part_from_gripper)}};
}

Json to_json(const PickReport& report, const Candidate& candidate, const WayOut& way) {
  Json json{{"status", name_of(way.status)},
            {"relief", way.relief},
            {"resolution", way.resolution > 0.0 ? Json(way.resolution) : Json()},
            {"operations", way.operations},
            {"tried", way.tried},
            {"grasp", nullptr},
            {"path", nullptr}};
  if (way.status != WayOutStatus::Found) return json;
  Json poses = Json::array();
  for (const Pose& pose : way.path.poses) poses.push_back(to_json(pose));
  const PathLength length = length_of(way.path);
  json["grasp"] = to_json(report, candidate.part, way.grasp, clearance_of(candidate, way.grasp));
  json["path"] = {{"pivot", to_json(way.path.pivot)},       {"poses", std::move(poses)},
                  {"length", length.translation},           {"turn", length.rotation},
                  {"clearance", way.proof.clearance_lower}, {"looks", way.proof.looks}};
  return json;
}

Json to_json(const PickReport& report, const Candidate& candidate, bool is_valid) {
  Json fates = Json::object();
  for (std::size_t i = 0; i < kGraspFateCount; ++i)
    fates[name_of(static_cast<GraspFate>(i))] = candidate.fates[i];
  Json free = Json::array();
  for (const FreeGrasp& found : candidate.free)
    free.push_back(to_json(report, candidate.part, found.grasp, found.clearance));
  const WayOut* way = report.way_out(candidate.part);
  return {{"part", candidate.part},
          {"valid", is_valid},
          {"buried", candidate.is_buried},
          {"lift", finite(candidate.lift)},
          {"held_by", candidate.held_by},
          {"load", candidate.load},
          {"rest", candidate.tried_rest},
          {"fates", std::move(fates)},
          {"free", std::move(free)},
          {"way_out", way != nullptr ? to_json(report, candidate, *way) : Json()}};
}

std::string grasps_words(const PickReport& report) {
  const std::string of =
      " of " + report.grasps_file + ", which has " + group_digits(report.robust) + " robust ones";
  const std::string rest =
      report.asked.first.empty() ? "" : "; the rest where none of them is free";
  if (!report.reach) return "the best " + group_digits(report.tried) + of + rest;
  return group_digits(report.tried) + of + ", each within " +
         format_number("%.1f mm", 1e3 * *report.reach) + " of one that is tried and as good" + rest;
}

std::string pile_words(const PickReport& report) {
  std::string words = count_of(report.pile.parts.size(), "part", "parts");
  if (!report.simulated) return words + " of " + report.pile_file;
  words += ", simulated with seed " + std::to_string(report.seed) + ", ";
  words += report.simulated->settled ? "at rest" : "still moving";
  words += " after " + format_number("%.1f s", report.simulated->simulated);
  words += report.simulated->overlap > 0.0
               ? "; meshes overlap by at most " + format_length(report.simulated->overlap)
               : "; no meshes overlap";
  return words;
}

std::string bin_words(const Bin& bin) {
  if (!(bin.height > 0.0)) return "a bare floor";
  return format_size({bin.length, bin.width, bin.height}) + " inside, walls " +
         format_length(bin.wall_thickness);
}

std::string asked_words(const PickOptions& asked) {
  std::string words =
      asked.approach > 0.0 ? "in by " + format_length(asked.approach) : "final pose only";
  if (asked.retreat > 0.0) words += ", straight up by " + format_length(asked.retreat);
  if (asked.clearance > 0.0) words += ", clear of all by " + format_length(asked.clearance);
  return words;
}

std::string parts_list(const std::vector<std::size_t>& parts) {
  std::string words;
  for (const std::size_t part : parts) words += (words.empty() ? "" : ", ") + std::to_string(part);
  return words;
}

/// What became of the search for a way out.
std::string words_of(const WayOut& way) {
  switch (way.status) {
    case WayOutStatus::Found: {
      const PathLength length = length_of(way.path);
      return "comes out by a planned way: " + format_length(length.translation) + " and " +
             format_number("%.1f°", length.rotation * 180.0 / std::numbers::pi) +
             ", clear by more than " + format_length(way.proof.clearance_lower);
    }
    case WayOutStatus::Locked:
      return "locked: there is no way out that keeps " + format_length(2.0 * way.resolution);
    case WayOutStatus::NotFound:
      return "no way out was found" + (way.resolution > 0.0
                                           ? ", none keeps " + format_length(2.0 * way.resolution)
                                           : std::string());
    case WayOutStatus::GripperStuck:
      return "comes out alone, not with the gripper";
    case WayOutStatus::TooDeep:
      return "touches too deep for a way out to be proven";
    case WayOutStatus::NoRoomAbove:
      break;
  }
  return "an obstacle is above";
}

std::string stopped_words(const Candidate& candidate) {
  if (!candidate.is_buried) {
    if (!candidate.free.empty()) return "can be picked";
    return candidate.retreat_blocked.empty() ? "no free grasp" : "no grasp comes straight up";
  }
  std::string words = candidate.held_by.empty() ? "held by the bin or an obstacle"
                                                : "buried under " + parts_list(candidate.held_by);
  if (candidate.load > candidate.held_by.size())
    words += " (" + std::to_string(candidate.load) + " in all)";
  return words + ", comes " + format_length(std::floor(1e6 * candidate.lift) * 1e-6);
}

std::string state_of(const Candidate& candidate, const WayOut* way) {
  const std::string rest =
      candidate.tried_rest && !candidate.free.empty() ? "; with a grasp of the rest" : "";
  if (way == nullptr) return stopped_words(candidate) + rest;
  if (way->status == WayOutStatus::Found) return words_of(*way) + rest;
  return stopped_words(candidate) + "; " + words_of(*way) + rest;
}

std::string table(const PickReport& report) {
  std::vector<std::vector<std::string>> lines{
      {"", "part", "free", "best grasp", "quality", "clearance", ""}};
  for (std::size_t i = 0; i < report.result.ranked.size(); ++i) {
    const Candidate& candidate = report.result.ranked[i];
    std::vector<std::string> line{i < report.result.valid ? std::to_string(i + 1) : "",
                                  std::to_string(candidate.part),
                                  std::to_string(candidate.free.size())};
    const WayOut* way = report.way_out(candidate.part);
    const bool is_planned = way != nullptr && way->status == WayOutStatus::Found;
    if (candidate.free.empty() && !is_planned) {
      line.insert(line.end(), {"", "", ""});
    } else {
      const FreeGrasp best = is_planned ? FreeGrasp{way->grasp, clearance_of(candidate, way->grasp)}
                                        : candidate.free.front();
      line.push_back(std::to_string(report.numbers[best.grasp]));
      line.push_back(format_number("%.3f", report.grasps[best.grasp].quality));
      line.push_back(std::isfinite(best.clearance) ? format_number("%.2f mm", 1e3 * best.clearance)
                                                   : "");
    }
    line.push_back(state_of(candidate, way));
    lines.push_back(std::move(line));
  }
  const std::size_t right[] = {0, 1, 2, 3, 4, 5};
  return align_columns(lines, right);
}

std::string fates_words(const PickReport& report) {
  std::string words;
  for (std::size_t i = 0; i < kGraspFateCount; ++i) {
    std::size_t count = 0;
    for (const Candidate& candidate : report.result.ranked) count += candidate.fates[i];
    if (count == 0 && i != 0) continue;
    words += (words.empty() ? "" : ", ") + group_digits(count) + " " +
             name_of(static_cast<GraspFate>(i));
  }
  const auto late = std::count_if(report.result.ranked.begin(), report.result.ranked.end(),
                                  [](const Candidate& c) { return c.tried_rest; });
  if (late > 0)
    words += "; " + std::to_string(late) + " with all " + group_digits(report.grasps.size());
  return words;
}

}  // namespace

Json pick_json(const PickReport& report) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < report.result.ranked.size(); ++i)
    candidates.push_back(to_json(report, report.result.ranked[i], i < report.result.valid));
  Json poses = Json::array();
  for (const Pose& pose : report.pile.parts) poses.push_back(to_json(pose));
  Json views = Json::array();
  for (const DepthReport& view : report.depth_views) {
    views.push_back({{"path", view.path},
                     {"pixels", view.pixels},
                     {"seen", view.seen},
                     {"unseen", view.is_blocked ? "blocked" : "free"}});
  }
  Json clouds = Json::array();
  std::size_t points = 0;
  for (const CloudReport& cloud : report.clouds) {
    points += cloud.points;
    clouds.push_back({{"path", cloud.path},
                      {"points", cloud.points},
                      {"radius", cloud.radius},
                      {"metres_per_unit", cloud.metres_per_unit}});
  }
  const Bin& bin = report.pile.bin;
  Json pile{{"path", report.pile_file.empty() ? Json() : Json(report.pile_file)},
            {"parts", report.pile.parts.size()},
            {"seed", report.simulated ? Json(report.seed) : Json()},
            {"settled", report.simulated ? Json(report.simulated->settled) : Json()},
            {"overlap", report.simulated
                            ? Json(report.simulated->overlap)
                            : Json(report.overlaps.empty() ? 0.0 : report.overlaps.front().upper)},
            {"bin",
             {{"length", bin.length},
              {"width", bin.width},
              {"height", bin.height},
              {"wall_thickness", bin.wall_thickness}}},
            {"poses", std::move(poses)}};
  return {{"schema", "clearance.pick"},
          {"version", 1},
          {"input",
           {{"part", report.part_file},
            {"grasps", report.grasps_file},
            {"gripper", gripper_json(*report.gripper, report.gripper_file)},
            {"tried", report.tried},
            {"rest", !report.asked.first.empty()},
            {"robust", report.robust},
            {"choose", report.reach ? "spread" : "best"},
            {"reach", report.reach ? Json(*report.reach) : Json()}}},
          {"pile", std::move(pile)},
          {"options",
           {{"clearance", report.asked.clearance},
            {"approach", report.asked.approach},
            {"retreat", report.asked.retreat},
            {"contact", report.asked.contact},
            {"plan", !report.ways_out.empty()}}},
          {"obstacles",
           {{"points", points},
            {"models", report.obstacle_meshes.size()},
            {"meshes", report.obstacle_meshes},
            {"clouds", std::move(clouds)},
            {"depth", std::move(views)}}},
          {"valid", report.result.valid},
          {"planned", report.planned},
          {"ranked", std::move(candidates)},
          {"notes", report.notes},
          {"written", report.written},
          {"seconds", report.seconds},
          {"plan_seconds", report.plan_seconds}};
}

std::string pick_text(const PickReport& report) {
  std::vector<std::vector<std::string>> lines{
      {"  part",
       report.part_file + ", " + count_of(report.part.triangle_count(), "triangle", "triangles")},
      {"  grasps", grasps_words(report)},
      {"  pile", pile_words(report)},
      {"  bin", bin_words(report.pile.bin)},
      {"  ways", asked_words(report.asked)}};
  std::size_t points = 0;
  for (const CloudReport& cloud : report.clouds) points += cloud.points;
  if (points + report.obstacle_meshes.size() > 0) {
    lines.push_back({"  obstacles", count_of(points, "point", "points") + ", " +
                                        count_of(report.obstacle_meshes.size(), "mesh", "meshes")});
  }
  for (const DepthReport& view : report.depth_views) {
    lines.push_back({"  depth", view.path + ", " + group_digits(view.seen) + " of " +
                                    count_of(view.pixels, "pixel", "pixels") + " seen, the rest " +
                                    (view.is_blocked ? "blocked" : "free")});
  }
  lines.push_back({"  tried", count_of(report.result.ranked.size(), "candidate", "candidates") +
                                  ": " + fates_words(report)});
  std::string text;
  for (const std::string& note : report.notes) text += note + '\n';
  text += align_columns(lines) + "\n" + table(report) + "\n";
  const std::string more =
      report.grasps.size() < report.robust
          ? " with these grasps; --top all tries all " + group_digits(report.robust)
          : "";
  text += report.result.valid == 0
              ? "nothing can be picked" + more + "\n"
              : count_of(report.result.valid, "part", "parts") + " can be picked" +
                    (report.planned > 0
                         ? ", " + std::to_string(report.planned) + " of them by a planned way"
                         : "") +
                    "\n";
  return text;
}

}  // namespace clearance::cli
