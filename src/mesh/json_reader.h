// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of chains, contours, cells, programs and grasps share: a JSON document, values
// with their place in it, the first error, units. The JSON library stays behind it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>

namespace clearance::detail {

/// A value and where it stands, for errors: "bodies/0/pose/xyz". Lives as long as its document.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& json, std::string at) : place(std::move(at)), json_(&json) {}

  std::string place;

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_number() const;
  /// Of an object or an array; 0 for anything else.
  [[nodiscard]] std::size_t size() const;
  /// Of an object; none for anything else.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool has(std::string_view key) const;
  /// The value of a key that is there.
  [[nodiscard]] JsonNode operator[](std::string_view key) const;
  /// The i-th value of an array, i < size().
  [[nodiscard]] JsonNode item(std::size_t i) const;
  /// The same value under another name.
  [[nodiscard]] JsonNode called(std::string name) const { return {*json_, std::move(name)}; }

 private:
  friend class JsonReader;
  [[nodiscard]] std::string join(std::string_view key) const;

  const nlohmann::json* json_;
};

class JsonDocument {
 public:
  /// Refuses, besides what is no JSON: nesting too deep for a reader that calls itself, and objects
  /// with the same key twice, of which the library would forget the first without a word.
  static Result<JsonDocument> parse(std::string_view text, const std::string& path);

  [[nodiscard]] JsonNode top() const { return {*json_, ""}; }

 private:
  explicit JsonDocument(std::shared_ptr<const nlohmann::json> json) : json_(std::move(json)) {}
  std::shared_ptr<const nlohmann::json> json_;
};

/// Reads one document; the first error ends it, and what follows reads as zeros and empty texts.
class JsonReader {
 public:
  /// `longest`: coordinates, lengths and components of vectors are refused above it [m].
  JsonReader(std::string path, double longest) : path_(std::move(path)), longest_(longest) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  void fail(const JsonNode& at, std::string reason, std::string advice = "");

  /// {"clearance": kind, "version": 1, ...} with these keys, "$schema", "description" and no
  /// others.
  bool is_document(const JsonNode& top, const char* kind, std::initializer_list<const char*> keys);
  /// An object with these keys and no others.
  bool is_object(const JsonNode& at, std::initializer_list<const char*> keys);
  bool is_array(const JsonNode& at);
  bool needs(const JsonNode& at, const char* key);
  /// Calls read(JsonNode) with the values of an array until one fails.
  template <class Read>
  void each(const JsonNode& at, const Read& read) {
    if (!is_array(at)) return;
    for (std::size_t i = 0; i < at.size() && !failed(); ++i) read(at.item(i));
  }

  std::string text(const JsonNode& at);
  /// Which of these texts it is.
  std::size_t choice(const JsonNode& at, std::initializer_list<const char*> texts);
  /// The path of a file that is named as seen from the document.
  std::string file(const JsonNode& at);
  bool yes(const JsonNode& at);

  double number(const JsonNode& at);
  double number(const JsonNode& at, double least, double most);
  double positive(const JsonNode& at);      ///< above 0
  double not_negative(const JsonNode& at);  ///< 0 or above
  std::uint64_t whole(const JsonNode& at, std::uint64_t least, std::uint64_t most);

  /// {"length": "mm", "angle": "deg"}, both optional, for all that follows.
  void read_units(const JsonNode& at);
  void set_length_unit(double metres) { metres_ = metres; }
  [[nodiscard]] double metres() const { return metres_; }
  [[nodiscard]] double radians() const { return radians_; }
  /// The metres of a unit called by its name ("mm").
  double unit(const JsonNode& at);

  double length(const JsonNode& at);  ///< [m]
  double size(const JsonNode& at);    ///< a length above 0 [m]
  double radius(const JsonNode& at);  ///< a length of 0 or above [m]
  double angle(const JsonNode& at) { return radians_ * number(at); }  ///< [rad]
  Vec3 point(const JsonNode& at) { return vector(at, metres_); }      ///< [m]
  /// Three numbers, times a factor.
  Vec3 vector(const JsonNode& at, double factor = 1.0);
  /// {"xyz": [...], "rpy": [...]}, both optional.
  Pose pose(const JsonNode& at);
  /// The same with the turn as one of "rotation" (a matrix, row after row), "quaternion" (x, y, z,
  /// w) and "rpy". Refused unless rigid.
  Pose any_pose(const JsonNode& at);
  /// The pose under a key, or the identity where there is none.
  Pose pose_of(const JsonNode& at, const char* key);

 private:
  bool has_only(const JsonNode& at, std::span<const char* const> keys);
  Mat3 matrix(const JsonNode& at);
  Quaternion quaternion(const JsonNode& at);

  std::string path_;
  double longest_;
  double metres_ = 1.0;
  double radians_ = 1.0;
  std::optional<Error> error_;
};

}  // namespace clearance::detail
