// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours from JSON and back, as schema/contour.schema.json has it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/assert.h>
#include <clearance/base/file.h>
#include <clearance/contour/contour_file.h>
#include <clearance/mesh/read.h>

namespace clearance {
namespace {

using Json = nlohmann::json;

constexpr const char* kKind = "contour";
constexpr int kVersion = 1;
/// What is longer is no length [m]; squares and products of three of them stay finite.
constexpr double kLongest = 1e60;

/// Reads one document; the first error ends it, and what follows reads as zeros.
class JsonContours {
 public:
  JsonContours(const std::string& path, const RobotFileOptions& options)
      : path_(path), options_(options) {}

  Result<ContourRobot> read(const Json& document) {
    read_top(document);
    if (error_) return *error_;
    Result<ContourRobot> made = robot_ ? ContourRobot::on_links(std::move(*robot_), series_)
                                       : ContourRobot::rigid(series_without_links());
    if (!made) return error_at("series", made.error().reason);
    return made;
  }

 private:
  [[nodiscard]] Error error_at(std::string place, std::string reason,
                               std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }
  void fail(const std::string& place, std::string reason, std::string advice = "") {
    if (!error_) error_ = error_at(place, std::move(reason), std::move(advice));
  }
  static std::string join(const std::string& place, const std::string& what) {
    return place.empty() ? what : place + ", " + what;
  }

  /// An object with these keys and no others.
  bool is_object(const Json& json, const std::string& place,
                 std::initializer_list<const char*> keys) {
    if (!json.is_object()) {
      fail(place, "is not a JSON object");
      return false;
    }
    for (auto item = json.begin(); item != json.end(); ++item) {
      const std::string& key = item.key();
      if (std::any_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; })) continue;
      std::string known;
      for (const char* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
      fail(place, "has an unknown key '" + key + "'", "known are: " + known);
      return false;
    }
    return true;
  }
  /// The value of a key, or null with an error.
  const Json* need(const Json& json, const std::string& place, const char* key) {
    const auto found = json.find(key);
    if (found != json.end()) return &*found;
    fail(place, "has no '" + std::string(key) + "'");
    return nullptr;
  }
  std::string text(const Json& json, const std::string& place) {
    if (json.is_string()) return json.get<std::string>();
    fail(place, "is not a text");
    return {};
  }
  double number(const Json& json, const std::string& place) {
    const double value = json.is_number() ? json.get<double>() : 0.0;
    if (!json.is_number() || !std::isfinite(value)) fail(place, "is not a finite number");
    return value;
  }
  double length(const Json& json, const std::string& place) {
    const double value = metres_ * number(json, place);
    if (std::abs(value) > kLongest) fail(place, "is too large");
    return value;
  }
  Vec3 point(const Json& json, const std::string& place, bool is_length) {
    if (!json.is_array() || json.size() != 3) {
      fail(place, "is not an array of three numbers");
      return {};
    }
    Vec3 v;
    for (std::size_t k = 0; k < 3; ++k)
      v[k] = is_length ? length(json[k], place) : number(json[k], place);
    return v;
  }

  void read_top(const Json& top) {
    if (!top.is_object())
      return fail("", "is not a JSON object", R"(contours begin with {"clearance": "contour")");
    const auto kind = top.find("clearance");
    if (kind == top.end() || !kind->is_string() || kind->get<std::string>() != kKind)
      return fail("", "does not say \"clearance\": \"contour\"", "is this another kind of file?");
    if (!is_object(top, "",
                   {"$schema", "clearance", "version", "description", "units", "robot", "series"}))
      return;
    const Json* version = need(top, "", "version");
    if (version == nullptr) return;
    if (!version->is_number_integer() || *version != kVersion)
      // What holds others is not written out: the library would call itself for each level.
      return fail("version", (version->is_structured() ? "" : version->dump() + " ") + "is not 1",
                  "the only version there is, so far");
    if (top.contains("units")) read_units(top["units"]);
    if (top.contains("robot")) read_robot_file(top["robot"]);
    const Json* series = need(top, "", "series");
    if (series == nullptr || error_) return;
    if (!series->is_array()) return fail("series", "is not an array");
    for (std::size_t i = 0; i < series->size() && !error_; ++i) read_series((*series)[i], i);
  }

  void read_units(const Json& json) {
    const std::optional<double> unit = unit_from_name(text(json, "units"));
    if (!unit) return fail("units", "is not a unit of length", "m, mm, cm, um, in or ft");
    metres_ = *unit;
  }

  void read_robot_file(const Json& json) {
    const std::string name = text(json, "robot");
    if (error_) return;
    const std::string file = (std::filesystem::path(path_).parent_path() / name).string();
    Result<RobotFile> read = read_robot(file, options_);
    if (!read) return fail("robot", read.error().message());
    robot_ = std::move(read->robot);
  }

  void read_series(const Json& json, std::size_t index) {
    std::string place = "series " + std::to_string(index);
    if (!is_object(json, place, {"name", "link", "nodes", "line", "radii", "radius"})) return;
    const std::string name = json.contains("name") ? text(json["name"], place + ", name") : "";
    if (!name.empty()) place += " \"" + name + "\"";
    const std::uint32_t link = read_link(json, place);
    if (json.contains("nodes") == json.contains("line"))
      return fail(place, "needs either 'nodes' or 'line'");
    Result<Contour> contour =
        json.contains("nodes") ? from_nodes(json, place, name) : from_line(json, place, name);
    if (error_) return;
    if (!contour) return fail(join(place, contour.error().place), contour.error().reason);
    series_.push_back({.link = link, .contour = std::move(*contour)});
  }

  std::uint32_t read_link(const Json& json, const std::string& place) {
    if (!robot_) {
      if (json.contains("link"))
        fail(place, "is on a link, but the file names no robot", R"(add "robot": "FILE.urdf")");
      return 0;
    }
    const Json* link = need(json, place, "link");
    if (link == nullptr) return 0;
    const std::string name = text(*link, place + ", link");
    const std::optional<std::uint32_t> found = robot_->link(name);
    if (!found) fail(place, "the robot " + robot_->name() + " has no link '" + name + "'");
    return found.value_or(0);
  }

  Result<Contour> from_nodes(const Json& json, const std::string& place, const std::string& name) {
    for (const char* key : {"radii", "radius"})
      if (json.contains(key)) fail(place, "'" + std::string(key) + "' goes with 'line' only");
    const Json& list = json["nodes"];
    if (!list.is_array()) fail(place + ", nodes", "is not an array");
    std::vector<ContourNode> nodes;
    for (std::size_t i = 0; i < list.size() && !error_; ++i) {
      const std::string at = place + ", node " + std::to_string(i);
      if (!is_object(list[i], at, {"position", "tangent", "radius"})) break;
      const Json* position = need(list[i], at, "position");
      const Json* tangent = need(list[i], at, "tangent");
      const Json* radius = need(list[i], at, "radius");
      if (error_) break;
      nodes.push_back({.position = point(*position, at + ", position", true),
                       .tangent = point(*tangent, at + ", tangent", false),
                       .radius = length(*radius, at + ", radius")});
    }
    return Contour::make(std::move(nodes), name);
  }

  Result<Contour> from_line(const Json& json, const std::string& place, const std::string& name) {
    const Json& line = json["line"];
    if (!line.is_array()) fail(place + ", line", "is not an array");
    if (json.contains("radii") == json.contains("radius"))
      fail(place, "needs either 'radii' or 'radius'");
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < line.size() && !error_; ++i)
      points.push_back(point(line[i], place + ", node " + std::to_string(i), true));
    std::vector<double> radii;
    if (!error_ && json.contains("radius"))
      radii.assign(points.size(), length(json["radius"], place + ", radius"));
    if (!error_ && json.contains("radii")) {
      const Json& list = json["radii"];
      if (!list.is_array()) fail(place + ", radii", "is not an array");
      for (std::size_t i = 0; i < list.size() && !error_; ++i)
        radii.push_back(length(list[i], place + ", radius " + std::to_string(i)));
    }
    return Contour::along(points, radii, name);
  }

  std::vector<Contour> series_without_links() {
    std::vector<Contour> contours;
    contours.reserve(series_.size());
    for (LinkContour& series : series_) contours.push_back(std::move(series.contour));
    return contours;
  }

  std::string path_;
  const RobotFileOptions& options_;
  double metres_ = 1.0;
  std::optional<Robot> robot_;
  std::vector<LinkContour> series_;
  std::optional<Error> error_;
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
  try {
    return JsonContours(path, robot).read(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(error.byte), "is not JSON",
                 ""};
  } catch (const Json::exception&) {
    return Error{ErrorCode::Malformed, path, "", "holds a number or a text that cannot be read",
                 ""};
  }
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
