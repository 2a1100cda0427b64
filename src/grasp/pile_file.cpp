// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Piles from and to JSON, as schema/pile.schema.json has it.
#include <utility>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/grasp/pile.h>
#include <clearance/robot/robot.h>

#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::JsonNode;
using detail::JsonReader;

class PileReader {
 public:
  explicit PileReader(const std::string& path) : in_(path, kLargestRobotLength) {}

  Result<Pile> read(const JsonNode& top) {
    if (in_.is_document(top, "pile", {"units", "bin", "parts"})) {
      if (top.has("units")) in_.read_units(top["units"]);
      if (top.has("bin") && !in_.failed()) read_bin(top["bin"]);
      if (!in_.failed() && in_.needs(top, "parts")) {
        const JsonNode parts = top["parts"];
        if (parts.is_array() && parts.size() == 0)
          in_.fail(parts, "the pile has no parts", "give the pose of each");
        in_.each(parts, [&](const JsonNode& at) { pile_.parts.push_back(pose(at)); });
      }
    }
    if (in_.failed()) return in_.error();
    return std::move(pile_);
  }

 private:
  void read_bin(const JsonNode& at) {
    if (!in_.is_object(at, {"length", "width", "height", "wall_thickness"})) return;
    for (const char* key : {"length", "width"})
      if (!in_.needs(at, key)) return;
    Bin& bin = pile_.bin;
    bin.length = in_.size(at["length"]);
    bin.width = in_.size(at["width"]);
    if (at.has("height")) bin.height = in_.radius(at["height"]);
    if (at.has("wall_thickness")) bin.wall_thickness = in_.radius(at["wall_thickness"]);
    if (!in_.failed() && bin.height > 0.0 && bin.wall_thickness == 0.0)
      in_.fail(at, "has walls without a thickness", "give 'wall_thickness'");
  }

  Pose pose(const JsonNode& at) {
    return !at.is_object() || in_.needs(at, "xyz") ? in_.any_pose(at) : Pose{};
  }

  JsonReader in_;
  Pile pile_;
};

nlohmann::ordered_json row(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

Result<Pile> parse_pile(std::string_view text, const std::string& path) {
  const Result<detail::JsonDocument> document = detail::JsonDocument::parse(text, path);
  if (!document) return document.error();
  return PileReader(path).read(document->top());
}

Result<Pile> read_pile(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_pile(file->text(), path);
}

std::string pile_as_json(const Pile& pile) {
  nlohmann::ordered_json document{{"clearance", "pile"}, {"version", 1}};
  if (pile.bin.length > 0.0) {
    document["bin"] = {{"length", pile.bin.length},
                       {"width", pile.bin.width},
                       {"height", pile.bin.height},
                       {"wall_thickness", pile.bin.wall_thickness}};
  }
  nlohmann::ordered_json& parts = document["parts"] = nlohmann::ordered_json::array();
  for (const Pose& pose : pile.parts) {
    parts.push_back(
        {{"xyz", row(pose.translation)},
         {"rotation", {row(pose.rotation[0]), row(pose.rotation[1]), row(pose.rotation[2])}}});
  }
  return document.dump(2) + "\n";
}

}  // namespace clearance
