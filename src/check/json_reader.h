// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of cells and programs share: values with their place in the document, the first
// error, units. No function here calls itself, so no depth of nesting does harm.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>

namespace clearance::detail {

/// A value and where it stands, for errors: "bodies/0/pose/xyz".
struct JsonNode {
  const nlohmann::json& json;
  std::string place;

  [[nodiscard]] JsonNode operator[](const char* key) const { return {json[key], join(key)}; }
  [[nodiscard]] JsonNode item(std::size_t i) const { return {json[i], join(std::to_string(i))}; }
  [[nodiscard]] bool has(const char* key) const { return json.contains(key); }
  [[nodiscard]] std::string join(const std::string& key) const {
    return place.empty() ? key : place + "/" + key;
  }
};

/// Reads one document; the first error ends it, and what follows reads as zeros.
class JsonReader {
 public:
  explicit JsonReader(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  void fail(const JsonNode& at, std::string reason, std::string advice = "");

  /// {"clearance": kind, "version": 1, ...} with these keys beside and no others.
  bool is_document(const JsonNode& top, const char* kind, std::initializer_list<const char*> keys);
  /// An object with these keys and no others.
  bool is_object(const JsonNode& at, std::initializer_list<const char*> keys);
  bool is_array(const JsonNode& at);
  bool needs(const JsonNode& at, const char* key);
  std::string text(const JsonNode& at);
  bool yes(const JsonNode& at);
  double number(const JsonNode& at);
  /// A number above 0.
  double positive(const JsonNode& at);
  std::uint64_t whole(const JsonNode& at, std::uint64_t most);
  /// In metres, radians.
  double length(const JsonNode& at);
  double size(const JsonNode& at);  ///< a length above 0
  double angle(const JsonNode& at) { return radians_ * number(at); }
  Vec3 point(const JsonNode& at);
  /// {"xyz": [...], "rpy": [...]}, both optional.
  Pose pose(const JsonNode& at);
  Pose pose_of(const JsonNode& at, const char* key);

  /// {"length": "mm", "angle": "deg"}, both optional, for all that follows.
  void read_units(const JsonNode& at);
  [[nodiscard]] double metres() const { return metres_; }
  [[nodiscard]] double radians() const { return radians_; }

 private:
  Vec3 vector(const JsonNode& at, double factor);

  std::string path_;
  double metres_ = 1.0;
  double radians_ = 1.0;
  std::optional<Error> error_;
};

/// Parses text; what is no JSON becomes an error with the byte.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& path);
/// A value as it stands in errors. What holds others is named only.
std::string shown(const nlohmann::json& json);

}  // namespace clearance::detail
