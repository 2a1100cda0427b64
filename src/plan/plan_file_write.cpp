// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plan files as JSON, as schema/plan.schema.json has it. Numbers are written with as many digits as
// it takes to read the same bits back.
#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include <clearance/plan/plan_file.h>

namespace clearance {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json to_json(const Pose& pose) {
  return {{"xyz", to_json(pose.translation)},
          {"rotation", Json::array({to_json(pose.rotation[0]), to_json(pose.rotation[1]),
                                    to_json(pose.rotation[2])})}};
}
Json to_json(const PathLength& length) {
  return {{"translation", length.translation}, {"rotation", length.rotation}};
}

std::string hexadecimal(std::uint64_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i)
    text[text.size() - 1 - i] = kDigits[value >> (4 * i) & 15U];
  return text;
}

/// A path as seen from a folder. Absolute ones stay as they are, but for files in the folder or
/// below: those can be moved together.
std::string seen_from(const std::filesystem::path& folder, const std::string& path) {
  std::error_code failed;
  const std::filesystem::path relative =
      std::filesystem::relative(path, folder.empty() ? "." : folder, failed);
  if (failed || relative.empty()) return path;
  const bool is_below = *relative.begin() != "..";
  return std::filesystem::path(path).is_absolute() && !is_below ? path : relative.generic_string();
}

class PlanWriter {
 public:
  PlanWriter(const PlanFile& file, const std::string& path)
      : file_(file), folder_(std::filesystem::path(path).parent_path()) {}

  [[nodiscard]] std::string text() const {
    const Plan& plan = file_.plan;
    Json result{{"schema", "clearance.plan"},
                {"version", 1},
                {"status", name_of(plan.status)},
                {"planner", file_.planner},
                {"method", plan.method},
                {"scene", scene()},
                {"pivot", to_json(plan.path.pivot)},
                {"radius", file_.radius},
                {"poses", poses()},
                {"length", to_json(length_of(plan.path))},
                {"length_before", to_json(plan.raw_length)}};
    if (plan.status == PlanStatus::Found)
      result["proof"] = proof();
    else
      result["closest"] = closest();
    result["samples"] = samples();
    result["search"] = {{"resolution", plan.resolution},
                        {"operations", plan.operations},
                        {"nodes", plan.nodes},
                        {"volume_tests", plan.work.volume_tests},
                        {"triangle_tests", plan.work.triangle_tests}};
    result["notes"] = file_.notes;
    return lines(result);
  }

 private:
  [[nodiscard]] Json scene() const {
    const SceneDescription& scene = file_.scene;
    Json result{{"name", scene.name.empty() ? "" : seen_from(folder_, scene.name)},
                {"body", side(scene.body, file_.body)},
                {"obstacles", side(scene.obstacles, file_.obstacles)},
                {"start", to_json(scene.start)},
                {"goal", scene.goal ? to_json(*scene.goal) : Json("out")}};
    if (scene.bounds)
      result["bounds"] = {{"low", to_json(scene.bounds->low)},
                          {"high", to_json(scene.bounds->high)}};
    result["clearance"] = scene.clearance;
    switch (scene.touching.kind) {
      case Touching::Kind::Refused:
        break;
      case Touching::Kind::Auto:
        result["touching"] = "auto";
        break;
      case Touching::Kind::Depth:
        result["touching"] = scene.touching.depth;
        break;
    }
    if (!scene.solid) result["solid"] = false;
    result["relief"] = file_.relief;
    return result;
  }

  [[nodiscard]] Json side(const std::vector<SceneFile>& files, const SceneSide& seen) const {
    Json listed = Json::array();
    for (std::size_t i = 0; i < files.size(); ++i) {
      const SceneFile& file = files[i];
      Json one{{"file", seen_from(folder_, file.path)},
               {"bytes", seen.files[i].bytes},
               {"checksum", hexadecimal(seen.files[i].checksum)}};
      if (!file.parts.empty()) one["parts"] = file.parts;
      if (!file.without.empty()) one["without"] = file.without;
      if (file.metres_per_unit) one["metres_per_unit"] = *file.metres_per_unit;
      one["scale"] = file.scale;
      one["pose"] = to_json(file.pose);
      listed.push_back(std::move(one));
    }
    Json parts = Json::array();
    for (const SceneRange& range : seen.ranges)
      parts.push_back(
          {{"file", range.file}, {"name", range.part}, {"triangles", range.triangle_count}});
    return {{"files", std::move(listed)},
            {"parts", std::move(parts)},
            {"checksum", hexadecimal(seen.checksum)}};
  }

  [[nodiscard]] Json poses() const {
    Json result = Json::array();
    for (const Pose& pose : file_.plan.path.poses) result.push_back(to_json(pose));
    return result;
  }

  /// File, part and number of a triangle within the part.
  [[nodiscard]] static Json triangle(const SceneSide& side, std::uint32_t number) {
    const SceneRange& range = side.range_of(number);
    return {
        {"file", range.file}, {"part", range.part}, {"triangle", number - range.first_triangle}};
  }

  [[nodiscard]] Json proof() const {
    const PathProof& proof = file_.plan.proof;
    Json narrowest{{"piece", proof.narrowest.piece},
                   {"time", proof.narrowest.time},
                   {"distance", proof.narrowest.distance},
                   {"on_obstacle", to_json(proof.on_obstacle)},
                   {"on_body", to_json(proof.on_body)}};
    if (proof.obstacle_triangle != kNoTriangle)
      narrowest["obstacle"] = triangle(file_.obstacles, proof.obstacle_triangle);
    if (proof.body_triangle != kNoTriangle)
      narrowest["body"] = triangle(file_.body, proof.body_triangle);
    return {{"status", name_of(proof.status)},
            {"looks", proof.looks},
            {"clearance_lower", proof.clearance_lower},
            {"clearance_upper", proof.clearance_upper},
            {"narrowest", std::move(narrowest)}};
  }

  [[nodiscard]] Json closest() const {
    // Ascending triangles: those of one part stand together.
    Json blocking = Json::array();
    const SceneRange* last = nullptr;
    for (const std::uint32_t number : file_.plan.blocking_triangles) {
      const SceneRange& range = file_.obstacles.range_of(number);
      if (&range != last)
        blocking.push_back(
            {{"file", range.file}, {"part", range.part}, {"triangles", Json::array()}});
      blocking.back()["triangles"].push_back(number - range.first_triangle);
      last = &range;
    }
    Json result{{"pose", to_json(file_.plan.closest_pose)}};
    if (std::isfinite(file_.plan.closest_distance)) result["left"] = file_.plan.closest_distance;
    result["blocking"] = std::move(blocking);
    return result;
  }

  [[nodiscard]] Json samples() const {
    Json result = Json::array();
    for (const PlanSample& sample : file_.samples) {
      result.push_back({{"at", sample.at},
                        {"piece", sample.piece},
                        {"time", sample.time},
                        {"distance", sample.distance},
                        {"on_obstacle", to_json(sample.on_obstacle)},
                        {"on_body", to_json(sample.on_body)}});
    }
    return result;
  }

  static std::string dumped(const Json& json) {
    // Bytes in names that are not UTF-8 become U+FFFD: JSON takes no others.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  /// A line for each key, and for each value of a list of objects: readable, and short.
  static std::string lines(const Json& top) {
    std::string text = "{\n";
    bool first = true;
    for (const auto& [key, value] : top.items()) {
      text += (first ? "  \"" : ",\n  \"") + key + "\": ";
      first = false;
      if (!value.is_array() || value.empty() || !value.front().is_object()) {
        text += dumped(value);
        continue;
      }
      for (std::size_t i = 0; i < value.size(); ++i)
        text += (i == 0 ? "[\n    " : ",\n    ") + dumped(value[i]);
      text += "\n  ]";
    }
    return text + "\n}\n";
  }

  const PlanFile& file_;
  std::filesystem::path folder_;
};

}  // namespace

std::string plan_json(const PlanFile& file, const std::string& path) {
  return PlanWriter(file, path).text();
}

}  // namespace clearance
