// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres as the JSON of foam.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <clearance/simplify/sphere_robot_file.h>

#include "mesh/json_reader.h"
#include "simplify/sphere_numbers.h"

namespace clearance {
namespace {

using Json = nlohmann::json;
using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;
using detail::shortest;

/// Between the name of a link and that of a mesh in foam's databases.
constexpr std::string_view kMeshMark = "::";

/// Reads one document; the first error ends it. Keys that are not known are no errors: foam writes
/// some, and other programs write more.
class FoamReader {
 public:
  explicit FoamReader(const std::string& path) : in_(path, kLargestRobotLength) {}

  Result<std::vector<NamedSpheres>> read(const JsonNode& top) {
    if (top.is_array() && top.size() == 0) {
      in_.fail(top, "is an empty list of levels");
    } else if (top.is_array()) {
      const std::size_t last = top.size() - 1;
      read_level(top.item(last).called("level " + std::to_string(last)), link(""));
    } else if (top.has("spheres")) {
      read_level(top, link(""));
    } else if (top.is_object()) {
      for (const std::string& key : top.keys()) {
        const std::string name = key.substr(0, key.find(kMeshMark));
        if (name.empty()) in_.fail(top, "names a link ''");
        read_level(top[key].called("'" + key + "'"), link(name));
      }
    } else {
      in_.fail(top, "is neither an object of links nor a list of levels");
    }
    if (in_.failed()) return in_.error();
    return std::move(links_);
  }

 private:
  /// The number of a link; a link of several meshes is put together.
  std::size_t link(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, links_.size());
    if (is_new) links_.push_back({name, {}, std::nullopt});
    return at->second;
  }

  void read_level(const JsonNode& at, std::size_t number) {
    if (!in_.needs(at, "spheres")) return;
    NamedSpheres& out = links_[number];
    in_.each(at["spheres"], [&](const JsonNode& sphere) {
      if (!in_.needs(sphere, "origin") || !in_.needs(sphere, "radius")) return;
      out.spheres.push_back({in_.point(sphere["origin"]), in_.radius(sphere["radius"])});
    });
    if (!at.has("worst") || !at["worst"].is_number()) return;
    const double worst = in_.length(at["worst"]);
    out.error = std::max(worst, out.error.value_or(worst));
  }

  JsonReader in_;
  std::vector<NamedSpheres> links_;
  std::map<std::string, std::size_t> numbers_;
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
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return FoamReader(path).read(document->top());
}

}  // namespace clearance
