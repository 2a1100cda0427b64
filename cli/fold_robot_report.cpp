// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_robot_report.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/picture/picture.h>

#include "chain_shapes.h"
#include "fold_charts.h"
#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFirstColumns = "step,acceptance,room_m,self_room_m";
constexpr std::size_t kFirstColumnCount = 4;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const Pose& pose) {
  const Quaternion q = quaternion_from(nearest_rotation(pose.rotation));
  return {{"translation", to_json(pose.translation)},
          {"quaternion", Json::array({q.x, q.y, q.z, q.w})}};
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string room_text(double room, const char* what) {
  return std::isfinite(room) ? format_length(room) + " " + what : std::string();
}

/// From where to look at a robot among obstacles: across its longest direction, so that what lies
/// along it is cut open cleanly.
Vec3 eye_across(const std::vector<Vec3>& points, const Vec3& usual) {
  const Vec3 axis = principal_axes(points).column(0);
  const Vec3 across = usual - dot(usual, axis) * axis;
  constexpr double kLeast = 0.2;  // of the usual direction: else there is no telling
  return norm(across) > kLeast * norm(usual) ? across : usual;
}

/// The triangles that are not between the eye and the plane through a point.
Mesh behind(const Mesh& mesh, const Pose& world_from_mesh, const Vec3& point, const Vec3& eye) {
  std::vector<Face> faces;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const Vec3 middle = world_from_mesh * ((triangle.a + triangle.b + triangle.c) / 3.0);
    if (dot(middle - point, eye) <= 0.0) faces.push_back(mesh.faces()[t]);
  }
  Result<Mesh> rest =
      Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces));
  return rest ? std::move(*rest) : Mesh();
}

}  // namespace

RobotRow row_of(const RobotScene& scene, const Fold& fold) {
  RobotRow row;
  const FoldCounts& counts = fold.counts();
  row.step = counts.steps;
  row.room = distance(fold.tree(), scene.world_from_link0, *scene.obstacles).distance;
  row.self_room = fold.tree().distance_self().distance;
  row.acceptance = counts.steps == 0
                       ? 0.0
                       : static_cast<double>(counts.accepted) / static_cast<double>(counts.steps);
  const FoldState state = fold.state();
  for (std::size_t k = 0; k < scene.robot.joints.size(); ++k)
    row.values.push_back(scene.robot.joints[k].value + state.angles[k]);
  return row;
}

std::string table_head(const RobotScene& scene) {
  std::string text = kFirstColumns;
  for (const MovableJoint& joint : scene.robot.joints) text += "," + csv_field(joint.name);
  return text + "\n";
}

std::string line_of(const RobotRow& row) {
  std::string text = std::to_string(row.step) + "," + format_number("%.4f", row.acceptance) + "," +
                     format_number("%.9g", row.room) + "," + format_number("%.9g", row.self_room);
  for (const double value : row.values) text += "," + format_number("%.9g", value);
  return text + "\n";
}

Result<std::vector<RobotRow>> read_robot_rows(const std::string& path, const ChainFile& robot) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string text(file->text());
  const auto wrong = [&](std::size_t line, const char* reason) {
    return Error{ErrorCode::Malformed, path, "line " + std::to_string(line), reason, ""};
  };
  if (!text.starts_with(kFirstColumns)) return wrong(1, "is not the head of a table of a robot");
  std::vector<RobotRow> rows;
  const std::size_t numbers = kFirstColumnCount + robot.joints.size();
  std::size_t line = 1;
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    ++line;
    const char* cursor = text.c_str() + at + 1;
    std::vector<double> values;
    while (values.size() < numbers) {
      char* end = nullptr;
      values.push_back(std::strtod(cursor, &end));
      const bool last = values.size() == numbers;
      if (end == cursor || (last ? *end != '\n' : *end != ','))
        return wrong(line, "does not hold a number for each joint of the robot");
      cursor = end + 1;
    }
    RobotRow row;
    row.step = static_cast<std::uint64_t>(values[0]);
    row.acceptance = values[1];
    row.room = values[2];
    row.self_room = values[3];
    row.values.assign(values.begin() + kFirstColumnCount, values.end());
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return wrong(1, "no row follows");
  return rows;
}

std::string robot_heading(const RobotScene& scene, const FoldRobotOptions& options) {
  std::string text =
      options.file + ": " + count_of(scene.model.chain.links.size(), "link", "links") + ", " +
      count_of(scene.model.torsions.size() - scene.sliding, "joint that turns", "joints that turn");
  if (scene.sliding > 0) text += ", " + count_of(scene.sliding, "that slides", "that slide");
  if (!scene.obstacle_names.empty()) {
    text += "; " + count_of(scene.obstacle_names.size(), "obstacle", "obstacles") + " of " +
            count_of(scene.triangles, "triangle", "triangles");
  }
  text += "\n";
  for (const std::string& note : scene.robot.notes) text += note + "\n";
  return text;
}

std::string robot_text(const RobotReport& report) {
  const FoldCounts& counts = report.counts;
  std::string text = group_digits(counts.steps) + " steps: " + group_digits(counts.accepted) +
                     " accepted, " + group_digits(counts.clashed) + " touched the robot itself, " +
                     group_digits(counts.forbidden) + " an obstacle or a limit\n";
  if (report.steps_here > 0) {
    text += format_number("%.1f", 1e6 * report.seconds / static_cast<double>(report.steps_here)) +
            " microseconds a step\n";
  }
  const std::string room = room_text(report.last.room, "to the obstacles");
  const std::string self = room_text(report.last.self_room, "between its links");
  if (!room.empty() || !self.empty())
    text += "room in the end: " + room + (!room.empty() && !self.empty() ? ", " : "") + self + "\n";
  for (const std::string& path : report.written) text += "written: " + path + '\n';
  return text;
}

nlohmann::ordered_json robot_json(const RobotScene& scene, const FoldRobotOptions& options,
                                  const RobotTouching& touching, const RobotReport* report) {
  Json poses = Json::array();
  for (const Pose& pose : scene.world_from_obstacle) poses.push_back(to_json(pose));
  Json result{
      {"schema", "clearance.fold-robot"},
      {"version", 1},
      {"file", options.file},
      {"tip", options.tip},
      {"neighbours", options.neighbours},
      {"notes", scene.robot.notes},
      {"links", scene.model.chain.links.size()},
      {"turning_joints", scene.model.torsions.size() - scene.sliding},
      {"sliding_joints", scene.sliding},
      {"world_from_robot", to_json(scene.world_from_link0)},
      {"obstacles", scene.obstacle_names},
      {"world_from_obstacles", std::move(poses)},
      {"metres_per_unit", options.metres_per_unit > 0.0 ? Json(options.metres_per_unit) : Json()},
      {"obstacle_triangles", scene.triangles},
      {"seed", options.fold.seed},
      {"start_free", touching.none()},
      {"touching", Json::array()}};
  for (const LinkPair& pair : touching.links)
    result["touching"].push_back({scene.link_name(pair.a), scene.link_name(pair.b)});
  for (const ObstacleContact& pair : touching.obstacles) {
    result["touching"].push_back({scene.link_name(pair.link), scene.obstacle_names[pair.obstacle]});
  }
  if (report == nullptr) return result;
  const FoldCounts& counts = report->counts;
  result["ended"] =
      report->interrupted ? "interrupted" : (report->out_of_time ? "time_limit" : "done");
  result["every"] = report->every;
  result["steps"] = counts.steps;
  result["accepted"] = counts.accepted;
  result["clashed"] = counts.clashed;
  result["forbidden"] = counts.forbidden;
  result["audits"] = report->audits;
  result["room"] = number_or_null(report->last.room);
  result["self_room"] = number_or_null(report->last.self_room);
  result["seconds"] = report->seconds;
  result["written"] = report->written;
  return result;
}

std::string robot_charts(const std::vector<RobotRow>& rows, const RobotScene& scene) {
  constexpr double kMillimetres = 1e3;
  const auto series = [&](const char* name, auto value) {
    LineSeries line{name, {}, false};
    for (const RobotRow& row : rows)
      line.points.push_back({static_cast<double>(row.step), value(row)});
    return line;
  };
  std::vector<LineSeries> rooms;
  if (!scene.obstacle_names.empty()) {
    rooms.push_back(
        series("to the obstacles", [](const RobotRow& row) { return kMillimetres * row.room; }));
  }
  rooms.push_back(
      series("between links", [](const RobotRow& row) { return kMillimetres * row.self_room; }));
  LineSeries accepted = series("accepted", [](const RobotRow& row) { return row.acceptance; });
  // The first row has no steps before it.
  if (!accepted.points.empty()) accepted.points.erase(accepted.points.begin());
  PlotAxis from_zero;
  from_zero.low = 0.0;
  PlotAxis rates = from_zero;
  rates.high = 1.0;
  return stacked_charts(
      {step_chart(std::filesystem::path(scene.name).filename().string() + ": room left", "[mm]",
                  std::move(rooms), std::move(from_zero)),
       step_chart("Share of the steps accepted so far", "fraction", {std::move(accepted)},
                  std::move(rates))});
}

Status draw_robot(const std::string& path, const RobotScene& scene, const Fold& fold) {
  const std::vector<Pose> first = link_poses(scene.model.chain.joints);
  const std::vector<Pose> last = fold.tree().poses();
  std::vector<Vec3> places;
  std::vector<PictureItem> items;
  std::vector<PictureLine> lines;
  LinkMeshes meshes;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Pose pose = scene.world_from_link0 * last[i];
    places.push_back(pose.translation);
    const double t = static_cast<double>(i) / static_cast<double>(last.size());
    if (const Mesh& mesh = meshes.of(scene.model.chain.links[i]); !mesh.empty())
      items.push_back({mesh, pose, along_chain(t), false});
    if (i > 0) {
      constexpr Colour kBefore{0.45, 0.48, 0.53};
      lines.push_back({{(scene.world_from_link0 * first[i - 1]).translation,
                        (scene.world_from_link0 * first[i]).translation},
                       kBefore,
                       1.5});
    }
  }
  PictureOptions options;
  options.width = 1200;
  options.height = 700;
  if (!scene.obstacle_meshes.empty()) {
    options.towards_eye = eye_across(places, options.towards_eye);
    Vec3 middle;
    for (const Vec3& p : places) middle += p;
    middle = middle / static_cast<double>(places.size());
    constexpr Colour kObstacle{0.74, 0.76, 0.80};
    for (std::size_t i = 0; i < scene.obstacle_meshes.size(); ++i) {
      const Pose& pose = scene.world_from_obstacle[i];
      Mesh rest = behind(scene.obstacle_meshes[i], pose, middle, options.towards_eye);
      if (!rest.empty()) items.push_back({std::move(rest), pose, kObstacle, false});
    }
  }
  return write_png(path, render(items, lines, options), {256});
}

}  // namespace clearance::cli
