// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres as the JSON of foam.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <clearance/simplify/sphere_robot_file.h>

#include "simplify/sphere_numbers.h"

namespace clearance {
namespace {

using Json = nlohmann::json;
using detail::is_length;
using detail::shortest;

/// Between the name of a link and that of a mesh in foam's databases.
constexpr std::string_view kMeshMark = "::";

/// Reads one document; the first error ends it.
class FoamReader {
 public:
  explicit FoamReader(const std::string& path) : path_(path) {}

  Result<std::vector<NamedSpheres>> read(const Json& top) {
    if (top.is_array()) {
      if (top.empty()) fail("", "is an empty list of levels");
      if (!error_) read_level(top.back(), "level " + std::to_string(top.size() - 1), link(""));
    } else if (top.is_object() && top.contains("spheres")) {
      read_level(top, "", link(""));
    } else if (top.is_object()) {
      for (auto item = top.begin(); item != top.end() && !error_; ++item) {
        const std::string name = item.key().substr(0, item.key().find(kMeshMark));
        if (name.empty()) fail("", "names a link ''");
        read_level(*item, "'" + item.key() + "'", link(name));
      }
    } else {
      fail("", "is neither an object of links nor a list of levels");
    }
    if (error_) return *error_;
    return std::move(links_);
  }

 private:
  void fail(const std::string& place, std::string reason) {
    if (!error_) error_ = Error{ErrorCode::Malformed, path_, place, std::move(reason), ""};
  }

  /// The number of a link; a link of several meshes is put together.
  std::size_t link(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, links_.size());
    if (is_new) links_.push_back({name, {}, std::nullopt});
    return at->second;
  }

  static std::string join(const std::string& place, const std::string& what) {
    return place.empty() ? what : place + ", " + what;
  }

  void read_level(const Json& json, const std::string& place, std::size_t number) {
    if (!json.is_object() || !json.contains("spheres"))
      return fail(place, "is not an object with 'spheres'");
    const Json& list = json["spheres"];
    if (!list.is_array()) return fail(join(place, "spheres"), "is not a list");
    NamedSpheres& out = links_[number];
    for (std::size_t i = 0; i < list.size() && !error_; ++i)
      out.spheres.push_back(sphere(list[i], join(place, "sphere " + std::to_string(i))));
    if (json.contains("worst") && json["worst"].is_number()) {
      const double worst = json["worst"].get<double>();
      if (!is_length(worst)) return fail(join(place, "worst"), "is not a finite length");
      out.error = std::max(worst, out.error.value_or(worst));
    }
  }

  Sphere sphere(const Json& json, const std::string& place) {
    Sphere out;
    if (!json.is_object() || !json.contains("origin") || !json.contains("radius")) {
      fail(place, "is not an object with 'origin' and 'radius'");
      return out;
    }
    const Json& origin = json["origin"];
    if (!origin.is_array() || origin.size() != 3) {
      fail(place, "'origin' is not a list of three numbers");
      return out;
    }
    for (std::size_t k = 0; k < 3; ++k) out.center[k] = length(origin[k], place + ", origin");
    out.radius = length(json["radius"], place + ", radius");
    if (out.radius < 0.0) fail(place, "has a radius below 0");
    return out;
  }

  double length(const Json& json, const std::string& place) {
    const double value = json.is_number() ? json.get<double>() : 0.0;
    if (!json.is_number() || !is_length(value)) fail(place, "is not a finite length");
    return value;
  }

  const std::string& path_;
  std::vector<NamedSpheres> links_;
  std::map<std::string, std::size_t> numbers_;
  std::optional<Error> error_;
};

/// Objects of JSON keep the last of two equal keys; here they are an error, since spheres would be
/// lost. Remembers the keys of the outermost object.
class KeyWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && twice_.empty()) {
      std::string key = parsed.get<std::string>();
      if (!keys_.emplace(key, 0).second) twice_ = std::move(key);
    }
    return true;
  }
  [[nodiscard]] const std::string& twice() const { return twice_; }

 private:
  std::map<std::string, int> keys_;
  std::string twice_;
};

/// A name as JSON: what is not UTF-8 is replaced.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string level_text(const NamedSpheres& part, const std::string& indent) {
  std::string text = "{\n" + indent + "  \"mean\": null,\n" + indent + "  \"best\": null,\n" +
                     indent + "  \"worst\": " + (part.error ? shortest(*part.error) : "null") +
                     ",\n" + indent + "  \"spheres\": [";
  const char* before = "\n";
  for (const Sphere& sphere : part.spheres) {
    text += before + indent + "    {\"origin\": [" + shortest(sphere.center, ", ") +
            "], \"radius\": " + shortest(sphere.radius) + "}";
    before = ",\n";
  }
  return text + "]\n" + indent + "}";
}

}  // namespace

std::string foam_text(std::span<const NamedSpheres> spheres) {
  std::string text = "{";
  const char* before = "\n";
  for (const NamedSpheres& part : spheres) {
    text += before + ("  " + quoted(part.name)) + ": " + level_text(part, "  ");
    before = ",\n";
  }
  return text + "\n}\n";
}

std::string foam_text(const NamedSpheres& part) {
  return "[\n  " + level_text(part, "  ") + "\n]\n";
}

Result<std::vector<NamedSpheres>> parse_foam(std::string_view text, const std::string& path) {
  try {
    KeyWatch keys;
    const Json top = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return keys(depth, event, parsed);
    });
    if (!keys.twice().empty())
      return Error{ErrorCode::Malformed, path, "'" + keys.twice() + "'", "is there twice", ""};
    return FoamReader(path).read(top);
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(error.byte), "is not JSON",
                 ""};
  } catch (const Json::exception&) {
    return Error{ErrorCode::Malformed, path, "", "holds a number or a text that cannot be read",
                 ""};
  }
}

}  // namespace clearance
