// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wire-frames as JSON, as schema/wire-frame.schema.json has it.
#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/grasp/wire_frame.h>
#include <clearance/robot/robot.h>

#include "mesh/json_reader.h"

namespace clearance {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

Result<std::vector<Segment>> parse_wire_frame(std::string_view text, const std::string& path) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  const JsonNode top = document->top();
  JsonReader in(path, kLargestRobotLength);
  std::vector<Segment> segments;
  if (in.is_document(top, "wire-frame", {"units", "segments"}) && in.needs(top, "segments")) {
    if (top.has("units")) in.read_units(top["units"]);
    if (top["segments"].is_array() && top["segments"].size() == 0)
      in.fail(top["segments"], "is empty");
    in.each(top["segments"], [&](const JsonNode& at) {
      if (!at.is_array() || at.size() != 2) return in.fail(at, "is not an array of two points");
      const Segment s{in.point(at.item(0)), in.point(at.item(1))};
      if (!in.failed() && s.a == s.b) in.fail(at, "has no length");
      segments.push_back(s);
    });
  }
  if (in.failed()) return in.error();
  return segments;
}

Result<std::vector<Segment>> read_wire_frame(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_wire_frame(file->text(), path);
}

std::string wire_frame_as_json(std::span<const Segment> segments) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Segment& s : segments) list.push_back({{s.a.x, s.a.y, s.a.z}, {s.b.x, s.b.y, s.b.z}});
  const nlohmann::ordered_json json{
      {"clearance", "wire-frame"}, {"version", 1}, {"segments", std::move(list)}};
  return json.dump(2) + "\n";
}

}  // namespace clearance
