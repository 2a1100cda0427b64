// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/json_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <clearance/mesh/read.h>
#include <clearance/robot/robot.h>

namespace clearance::detail {

using Json = nlohmann::json;

Result<Json> parse_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(error.byte), "is not JSON",
                 ""};
  } catch (const Json::exception&) {
    // A number too large for a double, or text that is not UTF-8.
    return Error{ErrorCode::Malformed, path, "", "holds a number or a text that cannot be read",
                 ""};
  }
}

std::string shown(const Json& json) {
  if (json.is_structured()) return std::string("an ") + json.type_name();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonReader::fail(const JsonNode& at, std::string reason, std::string advice) {
  if (error_) return;
  error_ = Error{ErrorCode::Malformed, path_, at.place, std::move(reason), std::move(advice)};
}

bool JsonReader::is_document(const JsonNode& top, const char* kind,
                             std::initializer_list<const char*> keys) {
  if (!top.json.is_object()) {
    fail(top, "is not a JSON object");
    return false;
  }
  const auto says = top.json.find("clearance");
  if (says == top.json.end() || !says->is_string() || says->get<std::string>() != kind) {
    fail(top, R"(does not say "clearance": ")" + std::string(kind) + "\"",
         "is this another kind of file?");
    return false;
  }
  if (!needs(top, "version")) return false;
  if (!top.json["version"].is_number_integer() || top.json["version"] != 1) {
    fail(top["version"], shown(top.json["version"]) + " is not 1",
         "the only version there is, so far");
    return false;
  }
  std::vector<const char*> all{"$schema", "clearance", "version", "description", "units"};
  all.insert(all.end(), keys.begin(), keys.end());
  for (auto item = top.json.begin(); item != top.json.end(); ++item) {
    if (std::ranges::none_of(all, [&](const char* k) { return item.key() == k; })) {
      fail(top, "has an unknown key '" + item.key() + "'");
      return false;
    }
  }
  if (top.has("description")) text(top["description"]);
  if (top.has("units")) read_units(top["units"]);
  return !failed();
}

bool JsonReader::is_object(const JsonNode& at, std::initializer_list<const char*> keys) {
  if (!at.json.is_object()) {
    fail(at, "is not an object");
    return false;
  }
  for (auto item = at.json.begin(); item != at.json.end(); ++item) {
    const std::string& key = item.key();
    if (std::any_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; })) continue;
    std::string known;
    for (const char* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    fail(at, "has an unknown key '" + key + "'", "known are: " + known);
    return false;
  }
  return true;
}

bool JsonReader::is_array(const JsonNode& at) {
  if (!at.json.is_array()) fail(at, "is not an array");
  return at.json.is_array();
}

bool JsonReader::needs(const JsonNode& at, const char* key) {
  if (!at.has(key)) fail(at, "has no '" + std::string(key) + "'");
  return at.has(key);
}

std::string JsonReader::text(const JsonNode& at) {
  if (at.json.is_string()) return at.json.get<std::string>();
  fail(at, "is not a text");
  return "";
}

bool JsonReader::yes(const JsonNode& at) {
  if (at.json.is_boolean()) return at.json.get<bool>();
  fail(at, "is neither true nor false");
  return false;
}

double JsonReader::number(const JsonNode& at) {
  if (!at.json.is_number()) {
    fail(at, shown(at.json) + " is not a number");
    return 0.0;
  }
  const auto value = at.json.get<double>();
  if (!std::isfinite(value)) fail(at, "is not a finite number");
  return value;
}

double JsonReader::positive(const JsonNode& at) {
  const double value = number(at);
  if (!(value > 0.0)) fail(at, shown(at.json) + " is not above 0");
  return value;
}

std::uint64_t JsonReader::whole(const JsonNode& at, std::uint64_t most) {
  if (!at.json.is_number_unsigned() || at.json.get<std::uint64_t>() > most) {
    fail(at, shown(at.json) + " is not a whole number from 0 to " + std::to_string(most));
    return 0;
  }
  return at.json.get<std::uint64_t>();
}

double JsonReader::length(const JsonNode& at) {
  const double value = metres_ * number(at);
  if (!(std::abs(value) <= kLargestRobotLength)) fail(at, "is too large");
  return value;
}

double JsonReader::size(const JsonNode& at) {
  const double value = length(at);
  if (!(value > 0.0)) fail(at, shown(at.json) + " is not above 0");
  return value;
}

Vec3 JsonReader::vector(const JsonNode& at, double factor) {
  if (!at.json.is_array() || at.json.size() != 3) {
    fail(at, "is not an array of three numbers");
    return {};
  }
  const Vec3 v = factor * Vec3{number(at.item(0)), number(at.item(1)), number(at.item(2))};
  if (!(largest_component(abs(v)) <= kLargestRobotLength)) fail(at, "is too large");
  return v;
}

Vec3 JsonReader::point(const JsonNode& at) { return vector(at, metres_); }

Pose JsonReader::pose(const JsonNode& at) {
  Pose pose;
  if (!is_object(at, {"xyz", "rpy"})) return pose;
  if (at.has("xyz")) pose.translation = point(at["xyz"]);
  if (at.has("rpy")) {
    const Vec3 rpy = vector(at["rpy"], radians_);
    pose.rotation = rotation_from_rpy(rpy.x, rpy.y, rpy.z);
  }
  return pose;
}

Pose JsonReader::pose_of(const JsonNode& at, const char* key) {
  return at.has(key) ? pose(at[key]) : Pose::identity();
}

void JsonReader::read_units(const JsonNode& at) {
  if (!is_object(at, {"length", "angle"})) return;
  if (at.has("length")) {
    const std::optional<double> unit = unit_from_name(text(at["length"]));
    if (!unit) fail(at["length"], "is not a unit of length", "m, mm, cm, um, in or ft");
    metres_ = unit.value_or(1.0);
  }
  if (at.has("angle")) {
    const std::string name = text(at["angle"]);
    if (name != "rad" && name != "deg") fail(at["angle"], "is neither \"rad\" nor \"deg\"");
    radians_ = name == "deg" ? std::numbers::pi / 180.0 : 1.0;
  }
}

}  // namespace clearance::detail
