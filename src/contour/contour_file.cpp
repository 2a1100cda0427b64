// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours from JSON and back, as schema/contour.schema.json has it.
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/assert.h>
#include <clearance/base/file.h>
#include <clearance/contour/contour_file.h>

#include "mesh/json_reader.h"

namespace clearance {
namespace {

using Json = nlohmann::json;
using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

/// What is longer is no length [m]; squares and products of three of them stay finite.
constexpr double kLongest = 1e60;

/// Reads one document; the first error ends it. Series and nodes are called in errors what the
/// checks of contours call them.
class ContourReader {
 public:
  ContourReader(const std::string& path, const RobotFileOptions& options)
      : in_(path, kLongest), options_(options) {}

  Result<ContourRobot> read(const JsonNode& top) {
    if (in_.is_document(top, "contour", {"units", "robot", "series"})) read_top(top);
    if (in_.failed()) return in_.error();
    Result<ContourRobot> made = robot_ ? ContourRobot::on_links(std::move(*robot_), series_)
                                       : ContourRobot::rigid(series_without_links());
    if (!made) in_.fail(top["series"], made.error().reason);
    if (in_.failed()) return in_.error();
    return made;
  }

 private:
  void read_top(const JsonNode& top) {
    if (top.has("units")) in_.set_length_unit(in_.unit(top["units"]));
    if (top.has("robot")) read_robot_file(top["robot"]);
    if (!in_.needs(top, "series") || in_.failed()) return;
    in_.each(top["series"], [&](const JsonNode& series) { read_series(series); });
  }

  void read_robot_file(const JsonNode& at) {
    const std::string file = in_.file(at);
    if (in_.failed()) return;
    Result<RobotFile> read = read_robot(file, options_);
    if (!read) return in_.fail(at, read.error().message());
    robot_ = std::move(read->robot);
  }

  void read_series(JsonNode at) {
    at.place = "series " + std::to_string(series_.size());
    if (!in_.is_object(at, {"name", "link", "nodes", "line", "radii", "radius"})) return;
    const std::string name = at.has("name") ? in_.text(part(at, "name")) : "";
    if (!name.empty()) at.place += " \"" + name + "\"";
    const std::uint32_t link = read_link(at);
    if (at.has("nodes") == at.has("line")) return in_.fail(at, "needs either 'nodes' or 'line'");
    Result<Contour> contour = at.has("nodes") ? from_nodes(at, name) : from_line(at, name);
    if (in_.failed()) return;
    if (!contour) {
      const std::string& place = contour.error().place;
      return in_.fail(place.empty() ? at : at.called(at.place + ", " + place),
                      contour.error().reason);
    }
    series_.push_back({.link = link, .contour = std::move(*contour)});
  }

  static JsonNode part(const JsonNode& at, const char* key) {
    return at[key].called(at.place + ", " + key);
  }

  std::uint32_t read_link(const JsonNode& at) {
    if (!robot_) {
      if (at.has("link"))
        in_.fail(at, "is on a link, but the file names no robot", R"(add "robot": "FILE.urdf")");
      return 0;
    }
    if (!in_.needs(at, "link")) return 0;
    const std::string name = in_.text(part(at, "link"));
    const std::optional<std::uint32_t> found = robot_->link(name);
    if (!found) in_.fail(at, "the robot " + robot_->name() + " has no link '" + name + "'");
    return found.value_or(0);
  }

  Result<Contour> from_nodes(const JsonNode& at, const std::string& name) {
    for (const char* key : {"radii", "radius"})
      if (at.has(key)) in_.fail(at, "'" + std::string(key) + "' goes with 'line' only");
    std::vector<ContourNode> nodes;
    in_.each(part(at, "nodes"), [&](JsonNode node) {
      node.place = at.place + ", node " + std::to_string(nodes.size());
      if (!in_.is_object(node, {"position", "tangent", "radius"}) || !in_.needs(node, "position") ||
          !in_.needs(node, "tangent") || !in_.needs(node, "radius"))
        return;
      nodes.push_back({.position = in_.point(part(node, "position")),
                       .tangent = in_.vector(part(node, "tangent")),
                       .radius = in_.length(part(node, "radius"))});
    });
    return Contour::make(std::move(nodes), name);
  }

  Result<Contour> from_line(const JsonNode& at, const std::string& name) {
    if (at.has("radii") == at.has("radius")) in_.fail(at, "needs either 'radii' or 'radius'");
    std::vector<Vec3> points;
    in_.each(part(at, "line"), [&](const JsonNode& point) {
      points.push_back(
          in_.point(point.called(at.place + ", node " + std::to_string(points.size()))));
    });
    std::vector<double> radii;
    if (at.has("radius")) radii.assign(points.size(), in_.length(part(at, "radius")));
    if (at.has("radii")) {
      in_.each(part(at, "radii"), [&](const JsonNode& radius) {
        radii.push_back(
            in_.length(radius.called(at.place + ", radius " + std::to_string(radii.size()))));
      });
    }
    return Contour::along(points, radii, name);
  }

  std::vector<Contour> series_without_links() {
    std::vector<Contour> contours;
    contours.reserve(series_.size());
    for (LinkContour& series : series_) contours.push_back(std::move(series.contour));
    return contours;
  }

  JsonReader in_;
  const RobotFileOptions& options_;
  std::optional<Robot> robot_;
  std::vector<LinkContour> series_;
};

/// JSON of one value on one line. Names are as they came: what is not UTF-8 is replaced.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string line_of(const Vec3& v) {
  return "[" + line_of(v.x) + ", " + line_of(v.y) + ", " + line_of(v.z) + "]";
}

}  // namespace

Result<ContourRobot> parse_contours(std::string_view text, const std::string& path,
                                    const RobotFileOptions& robot) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return ContourReader(path, robot).read(document->top());
}

Result<ContourRobot> read_contours(const std::string& path, const RobotFileOptions& robot) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_contours(file->text(), path, robot);
}

std::string contours_to_json(const ContourRobot& contours, const std::string& robot_path) {
  CLEARANCE_ASSERT(!contours.robot() || !robot_path.empty());
  std::string text = "{\n  \"clearance\": \"contour\",\n  \"version\": 1,\n  \"units\": \"m\",\n";
  if (contours.robot()) text += "  \"robot\": " + line_of(robot_path) + ",\n";
  text += "  \"series\": [";
  const char* before_series = "\n";
  for (const LinkContour& series : contours.series()) {
    text += before_series;
    before_series = ",\n";
    text += "    {\"name\": " + line_of(series.contour.name());
    if (contours.robot())
      text += ", \"link\": " + line_of(contours.robot()->links()[series.link].name);
    text += ", \"nodes\": [";
    const char* before_node = "\n";
    for (const ContourNode& node : series.contour.nodes()) {
      text += before_node;
      before_node = ",\n";
      text += "      {\"position\": " + line_of(node.position) +
              ", \"tangent\": " + line_of(node.tangent) + ", \"radius\": " + line_of(node.radius) +
              "}";
    }
    text += "]}";
  }
  return text + "]\n}\n";
}

Status write_contours(const std::string& path, const ContourRobot& contours,
                      const std::string& robot_path) {
  if (contours.robot() && robot_path.empty())
    return Error{.code = ErrorCode::Invalid,
                 .file = path,
                 .reason = "contours on the links of a robot need the name of its file"};
  return write_file(path, contours_to_json(contours, robot_path));
}

}  // namespace clearance
