// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/json_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include <nlohmann/json.hpp>

#include <clearance/base/assert.h>
#include <clearance/mesh/read.h>

namespace clearance::detail {
namespace {

using Json = nlohmann::json;

/// Arrays and objects within each other. Chains, the deepest of the documents, need 40.
constexpr int kDeepest = 256;

/// Watches a document being parsed.
class DocumentWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    too_deep_ = too_deep_ || depth > kDeepest;
    if (too_deep_) return false;
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      // Its keys come one level below.
      if (keys_.size() < level + 2) keys_.resize(level + 2);
      keys_[level + 1].clear();
    } else if (event == Json::parse_event_t::key && !twice_) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_[level].insert(key).second) twice_ = key;
    }
    return true;
  }
  [[nodiscard]] bool too_deep() const { return too_deep_; }
  [[nodiscard]] const std::optional<std::string>& twice() const { return twice_; }

 private:
  bool too_deep_ = false;
  std::vector<std::set<std::string>> keys_;  // of the object being read on each level
  std::optional<std::string> twice_;
};

/// A value as it stands in errors. What holds others is named only.
std::string shown(const Json& json) {
  if (json.is_structured()) return std::string("an ") + json.type_name();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string quoted(const char* text) { return '"' + std::string(text) + '"'; }

}  // namespace

bool JsonNode::is_object() const { return json_->is_object(); }
bool JsonNode::is_array() const { return json_->is_array(); }
bool JsonNode::is_text() const { return json_->is_string(); }
bool JsonNode::is_number() const { return json_->is_number(); }
std::size_t JsonNode::size() const { return json_->is_structured() ? json_->size() : 0; }
bool JsonNode::has(std::string_view key) const { return json_->contains(key); }

std::vector<std::string> JsonNode::keys() const {
  std::vector<std::string> keys;
  if (!is_object()) return keys;
  for (auto item = json_->begin(); item != json_->end(); ++item) keys.push_back(item.key());
  return keys;
}

JsonNode JsonNode::operator[](std::string_view key) const {
  const auto found = json_->find(key);
  CLEARANCE_ASSERT(found != json_->end());
  return {*found, join(key)};
}

JsonNode JsonNode::item(std::size_t i) const {
  CLEARANCE_ASSERT(is_array() && i < size());
  return {(*json_)[i], join(std::to_string(i))};
}

std::string JsonNode::join(std::string_view key) const {
  return place.empty() ? std::string(key) : place + "/" + std::string(key);
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& path) {
  try {
    DocumentWatch watch;
    auto json = std::make_shared<const Json>(
        Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
          return watch(depth, event, parsed);
        }));
    if (watch.too_deep()) return Error{ErrorCode::Malformed, path, "", "is nested too deeply", ""};
    if (watch.twice()) {
      return Error{ErrorCode::Malformed, path, "'" + *watch.twice() + "'", "is there twice",
                   "an object has each of its keys once"};
    }
    return JsonDocument(std::move(json));
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(error.byte), "is not JSON",
                 ""};
  } catch (const Json::exception&) {
    // A number too large for a double, or text that is not UTF-8.
    return Error{ErrorCode::Malformed, path, "", "holds a number or a text that cannot be read",
                 ""};
  }
}

void JsonReader::fail(const JsonNode& at, std::string reason, std::string advice) {
  if (error_) return;
  error_ = Error{ErrorCode::Malformed, path_, at.place, std::move(reason), std::move(advice)};
}

bool JsonReader::is_document(const JsonNode& top, const char* kind,
                             std::initializer_list<const char*> keys) {
  const std::string mark = R"("clearance": )" + quoted(kind);
  if (!top.is_object()) {
    fail(top, "is not a JSON object", "it should begin with {" + mark);
    return false;
  }
  if (!top.has("clearance") || *top["clearance"].json_ != kind) {
    fail(top, "does not say " + mark, "is this another kind of file?");
    return false;
  }
  if (!needs(top, "version")) return false;
  const JsonNode version = top["version"];
  if (!version.json_->is_number_integer() || *version.json_ != 1) {
    fail(version, shown(*version.json_) + " is not 1", "the only version there is, so far");
    return false;
  }
  std::vector<const char*> all{"$schema", "clearance", "version", "description"};
  all.insert(all.end(), keys.begin(), keys.end());
  if (!has_only(top, all)) return false;
  if (top.has("description")) text(top["description"]);
  return !failed();
}

bool JsonReader::is_object(const JsonNode& at, std::initializer_list<const char*> keys) {
  if (at.is_object()) return has_only(at, {keys.begin(), keys.size()});
  fail(at, "is not an object");
  return false;
}

bool JsonReader::has_only(const JsonNode& at, std::span<const char* const> keys) {
  for (auto item = at.json_->begin(); item != at.json_->end(); ++item) {
    if (std::ranges::any_of(keys, [&](const char* k) { return item.key() == k; })) continue;
    std::string known;
    for (const char* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    fail(at, "has an unknown key '" + item.key() + "'", "known are: " + known);
    return false;
  }
  return true;
}

bool JsonReader::is_array(const JsonNode& at) {
  if (!at.is_array()) fail(at, "is not an array");
  return at.is_array();
}

bool JsonReader::needs(const JsonNode& at, const char* key) {
  if (!at.has(key)) fail(at, "has no '" + std::string(key) + "'");
  return at.has(key);
}

std::string JsonReader::text(const JsonNode& at) {
  if (at.is_text()) return at.json_->get<std::string>();
  fail(at, "is not a text");
  return "";
}

std::size_t JsonReader::choice(const JsonNode& at, std::initializer_list<const char*> texts) {
  const std::string given = text(at);
  const auto* const found =
      std::ranges::find_if(texts, [&](const char* known) { return given == known; });
  if (found != texts.end()) return static_cast<std::size_t>(found - texts.begin());
  std::string known = texts.size() == 2 ? "is neither " : "is none of ";
  for (const auto* name = texts.begin(); name != texts.end(); ++name) {
    const bool last = name + 1 == texts.end();
    if (name != texts.begin()) known += !last ? ", " : texts.size() == 2 ? " nor " : " and ";
    known += quoted(*name);
  }
  fail(at, std::move(known));
  return 0;
}

std::string JsonReader::file(const JsonNode& at) {
  return (std::filesystem::path(path_).parent_path() / text(at)).string();
}

bool JsonReader::yes(const JsonNode& at) {
  if (at.json_->is_boolean()) return at.json_->get<bool>();
  fail(at, "is neither true nor false");
  return false;
}

double JsonReader::number(const JsonNode& at) {
  if (!at.is_number()) {
    fail(at, shown(*at.json_) + " is not a number");
    return 0.0;
  }
  const auto value = at.json_->get<double>();
  if (!std::isfinite(value)) fail(at, "is not a finite number");
  return value;
}

double JsonReader::number(const JsonNode& at, double least, double most) {
  const double value = number(at);
  if (!(value >= least && value <= most)) {
    fail(at, shown(*at.json_) + " is not from " + shown(Json(least)) + " to " + shown(Json(most)));
    return least;
  }
  return value;
}

double JsonReader::positive(const JsonNode& at) {
  const double value = number(at);
  if (!(value > 0.0)) fail(at, shown(*at.json_) + " is not above 0");
  return value;
}

double JsonReader::not_negative(const JsonNode& at) {
  const double value = number(at);
  if (!(value >= 0.0)) fail(at, "is negative");
  return value;
}

std::uint64_t JsonReader::whole(const JsonNode& at, std::uint64_t least, std::uint64_t most) {
  const Json& json = *at.json_;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >= least &&
      json.get<std::uint64_t>() <= most)
    return json.get<std::uint64_t>();
  fail(at, shown(json) + " is not a whole number from " + std::to_string(least) + " to " +
               std::to_string(most));
  return least;
}

double JsonReader::length(const JsonNode& at) {
  const double value = metres_ * number(at);
  if (!(std::abs(value) <= longest_)) fail(at, "is too large");
  return value;
}

double JsonReader::size(const JsonNode& at) {
  const double value = length(at);
  if (!(value > 0.0)) fail(at, shown(*at.json_) + " is not above 0");
  return value;
}

double JsonReader::radius(const JsonNode& at) {
  const double value = length(at);
  if (!(value >= 0.0)) fail(at, "is negative");
  return value;
}

Vec3 JsonReader::vector(const JsonNode& at, double factor) {
  if (!at.is_array() || at.size() != 3) {
    fail(at, "is not an array of three numbers");
    return {};
  }
  const Vec3 v = factor * Vec3{number(at.item(0)), number(at.item(1)), number(at.item(2))};
  if (!(largest_component(abs(v)) <= longest_)) fail(at, "is too large");
  return v;
}

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

Pose JsonReader::any_pose(const JsonNode& at) {
  Pose pose;
  if (!is_object(at, {"xyz", "rotation", "quaternion", "rpy"})) return pose;
  int turns = 0;
  for (const char* key : {"rotation", "quaternion", "rpy"}) turns += at.has(key) ? 1 : 0;
  if (turns > 1) {
    fail(at, "has more than one of 'rotation', 'quaternion' and 'rpy'");
    return pose;
  }
  if (at.has("xyz")) pose.translation = point(at["xyz"]);
  if (at.has("rotation")) {
    pose.rotation = matrix(at["rotation"]);
  } else if (at.has("quaternion")) {
    pose.rotation = rotation_from(quaternion(at["quaternion"]));
  } else if (at.has("rpy")) {
    const Vec3 angles = vector(at["rpy"], radians_);
    pose.rotation = rotation_from_rpy(angles.x, angles.y, angles.z);
  }
  if (failed()) return {};
  const Result<Pose> checked = checked_pose(pose);
  if (!checked) fail(at, checked.error().reason, checked.error().advice);
  return pose;
}

Mat3 JsonReader::matrix(const JsonNode& at) {
  Mat3 rotation;
  if (!is_array(at)) return rotation;
  if (at.size() != 3) {
    fail(at, "is not three rows");
    return rotation;
  }
  for (std::size_t row = 0; row < 3 && !failed(); ++row) rotation[row] = vector(at.item(row));
  return rotation;
}

Quaternion JsonReader::quaternion(const JsonNode& at) {
  if (!is_array(at)) return {};
  if (at.size() != 4) {
    fail(at, "is not four numbers", "x, y, z and w");
    return {};
  }
  const Quaternion q{number(at.item(0)), number(at.item(1)), number(at.item(2)),
                     number(at.item(3))};
  const double length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!failed() && !(std::abs(length_sq - 1.0) <= kRigidTolerance)) fail(at, "is not of length 1");
  return q;
}

Pose JsonReader::pose_of(const JsonNode& at, const char* key) {
  return at.has(key) ? pose(at[key]) : Pose::identity();
}

void JsonReader::read_units(const JsonNode& at) {
  if (!is_object(at, {"length", "angle"})) return;
  if (at.has("length")) metres_ = unit(at["length"]);
  if (at.has("angle"))
    radians_ = choice(at["angle"], {"rad", "deg"}) == 1 ? std::numbers::pi / 180.0 : 1.0;
}

double JsonReader::unit(const JsonNode& at) {
  const std::optional<double> metres = unit_from_name(text(at));
  if (!metres) fail(at, "is not a unit of length", "m, mm, cm, um, in or ft");
  return metres.value_or(1.0);
}

}  // namespace clearance::detail
