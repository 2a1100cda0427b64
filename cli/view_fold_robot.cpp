// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance fold` of a robot: its links moving among the obstacles, the boxes of the
// chain's hierarchy level by level, the room that is left over the steps.
#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include <clearance/chain/chain_file.h>

#include "chain_shapes.h"
#include "fold_robot_report.h"
#include "text.h"
#include "view_chain.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

constexpr double kMillimetres = 1e3;
/// Poses of all links at all moments that a page takes.
constexpr std::size_t kMostPoses = 200'000;
/// Poses of links whose points are taken for boxes.
constexpr std::size_t kMostBoxPoses = 20'000;
/// Links that are drawn as bodies of their own; longer chains are drawn as a line with balls.
constexpr std::size_t kMostBodies = 2000;

/// The poses of all links in the world when the joints have the values of a row.
std::vector<Pose> poses_of(const ChainFile& robot, const Pose& world_from_link0,
                           const std::vector<double>& values) {
  std::vector<Pose> joints = robot.chain.joints;
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    joints[robot.joints[i].joint] = pose_at(robot.joints[i], values[i]);
  std::vector<Pose> poses = link_poses(joints);
  for (Pose& pose : poses) pose = world_from_link0 * pose;
  return poses;
}

/// Points that the box of a link goes around: the corners of its mesh, or of a box around them
/// where those are many.
std::vector<Vec3> points_of(const Mesh& mesh) {
  constexpr std::size_t kMostCorners = 600;
  if (mesh.vertex_count() <= kMostCorners) return {mesh.vertices().begin(), mesh.vertices().end()};
  const Box box = mesh.bounds();
  std::vector<Vec3> corners;
  for (unsigned i = 0; i < 8; ++i) {
    corners.push_back({(i & 1) != 0 ? box.high.x : box.low.x, (i & 2) != 0 ? box.high.y : box.low.y,
                       (i & 4) != 0 ? box.high.z : box.low.z});
  }
  return corners;
}

/// A body for each link, which moves as a whole.
void append_bodies(const ChainFile& robot, const std::vector<std::vector<Pose>>& poses,
                   const std::vector<double>& times, const std::set<std::string>& touching,
                   LinkMeshes& meshes, ViewDocument& document) {
  const std::size_t count = robot.chain.links.size();
  for (std::size_t i = 0; i < count; ++i) {
    ViewItem item;
    item.mesh = meshes.of(robot.chain.links[i]);
    if (item.mesh.empty()) continue;
    item.name = robot.body_names[robot.body_of_link[i]];
    item.group = "Robot";
    const double t = static_cast<double>(i) / static_cast<double>(count);
    item.colour = touching.contains(item.name) ? colour_of(ViewState::Bad) : along_chain(t);
    item.outlined = !std::holds_alternative<Capsule>(robot.chain.links[i]) &&
                    !std::holds_alternative<LinkSpheres>(robot.chain.links[i]);
    item.explodes = false;
    item.world_from_item = poses.front()[i];
    if (times.size() > 1) {
      ViewMotion motion;
      motion.times = times;
      for (const std::vector<Pose>& moment : poses) motion.poses.push_back(moment[i]);
      item.motion = std::move(motion);
    }
    document.add(std::move(item));
  }
}

/// Too many links for bodies: a line from link to link, and a ball at each.
void append_line(const ChainFile& robot, const std::vector<std::vector<Pose>>& poses,
                 const std::vector<double>& times, LinkMeshes& meshes, ViewDocument& document) {
  const std::size_t count = robot.chain.links.size();
  ViewItem balls;
  balls.name = "links";
  balls.group = "Robot";
  balls.shape = ViewShape::Spheres;
  balls.explodes = false;
  ViewMotion motion;
  motion.times = times;
  std::vector<Vec3> centers;
  for (std::size_t i = 0; i < count; ++i) {
    const Box box = meshes.of(robot.chain.links[i]).bounds();
    const Vec3 size = box.empty() ? Vec3{} : box.size();
    centers.push_back(box.empty() ? Vec3{} : box.center());
    balls.spheres.push_back(
        {poses.front()[i] * centers.back(), 0.5 * std::min({size.x, size.y, size.z})});
    balls.colours.push_back(along_chain(static_cast<double>(i) / static_cast<double>(count)));
  }
  for (const std::vector<Pose>& moment : poses)
    for (std::size_t i = 0; i < count; ++i) motion.points.push_back(moment[i] * centers[i]);
  if (times.size() > 1) balls.motion = std::move(motion);
  document.warn("The robot has " + group_digits(count) +
                " links: each is drawn as a ball in its middle.");
  document.add(std::move(balls));
}

void append_obstacles(const ViewSource& source, ViewDocument& document) {
  const Json& json = source.json();
  const Json& names = json.at("obstacles");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto path = names[i].get<std::string>();
    std::optional<Mesh> mesh = source.mesh(path, document);
    if (!mesh) continue;
    ViewItem item;
    item.name = file_name(path);
    item.group = "Obstacles";
    item.mesh = std::move(*mesh);
    item.world_from_item = pose_of(json.at("world_from_obstacles").at(i));
    // Robots writhe inside of pipes: they must be seen through them.
    item.opacity = 0.28;
    item.explodes = false;
    document.add(std::move(item));
  }
}

void append_plots(const std::vector<RobotRow>& rows, bool obstacles, ViewDocument& document) {
  const auto series = [&](auto value) {
    ViewSeries line;
    for (const RobotRow& row : rows)
      line.points.push_back({static_cast<double>(row.step), value(row)});
    return line;
  };
  if (obstacles) {
    document.plots.push_back({"room to the obstacles [mm]",
                              {series([](const RobotRow& r) { return kMillimetres * r.room; })},
                              {}});
  }
  document.plots.push_back({"room between links [mm]",
                            {series([](const RobotRow& r) { return kMillimetres * r.self_room; })},
                            {}});
  document.plots.push_back(
      {"accepted so far", {series([](const RobotRow& r) { return r.acceptance; })}, {}});
  // The first row has no steps before it.
  document.plots.back().series.front().points.front().y = std::nan("");
}

/// The boxes of the chain's hierarchy, and the place that the robot takes.
void append_tree(const ChainFile& robot, const std::vector<std::vector<Pose>>& poses,
                 const std::vector<double>& times, LinkMeshes& meshes, ViewDocument& document) {
  // Of many links every few moments: the boxes are made of all their points.
  const std::size_t links = robot.chain.links.size();
  const std::size_t step = 1 + links * poses.size() / kMostBoxPoses;
  std::vector<double> moments;
  std::vector<std::vector<Vec3>> points;
  for (std::size_t m = 0; m < poses.size(); m += step) moments.push_back(times[m]);
  points.resize(moments.size());
  std::vector<std::uint32_t> first{0};
  for (std::size_t i = 0; i < links; ++i) {
    const std::vector<Vec3> own = points_of(meshes.of(robot.chain.links[i]));
    first.push_back(first.back() + static_cast<std::uint32_t>(own.size()));
    for (std::size_t m = 0; m < points.size(); ++m)
      for (const Vec3& p : own) points[m].push_back(poses[m * step][i] * p);
  }
  append_boxes(first, points, moments, 0.0, document);
  // All of the robot stays in the picture, wherever it goes; obstacles may be larger.
  Box region;
  for (const std::vector<Vec3>& moment : points)
    for (const Vec3& p : moment) region.include(p);
  if (!region.empty()) document.region = region;
}

/// The rows of the table that the page takes, those of an even spread when they are too many; the
/// values of the file alone when there is no table.
std::vector<RobotRow> rows_of(const ViewSource& source, const ChainFile& robot,
                              ViewDocument& document) {
  const Json& json = source.json();
  std::string table;
  for (const Json& written : json.value("written", Json::array())) {
    const auto path = written.get<std::string>();
    if (path.ends_with(".csv")) table = path;
  }
  if (!table.empty()) {
    Result<std::vector<RobotRow>> rows = read_robot_rows(source.find(table), robot);
    if (rows) return std::move(*rows);
    document.warn(rows.error().message());
  } else if (json.contains("steps")) {
    document.warn(
        "The walk kept no table, so that this is its start: fold with --out or --csv to see it "
        "move.");
  }
  RobotRow start;
  for (const MovableJoint& joint : robot.joints) start.values.push_back(joint.value);
  return {start};
}

void append_summary(const Json& json, ViewDocument& document) {
  const bool ran = json.contains("steps");
  const auto count = [&](const char* name) {
    return group_digits(json.at(name).get<std::uint64_t>());
  };
  document.state = ran ? ViewState::Good : ViewState::Bad;
  document.summary = ran ? count("steps") + " steps, none that touches" : "the start touches";
  document.facts = {{"links", count("links")}, {"joints that turn", count("turning_joints")}};
  if (json.at("sliding_joints").get<std::uint64_t>() > 0)
    document.facts.push_back({"joints that slide", count("sliding_joints")});
  if (!json.at("obstacles").empty())
    document.facts.push_back({"triangles of obstacles", count("obstacle_triangles")});
  if (ran) {
    document.facts.push_back({"accepted", count("accepted")});
    document.facts.push_back({"touched itself", count("clashed")});
    document.facts.push_back({"touched an obstacle or limit", count("forbidden")});
    for (const auto& [name, words] :
         {std::pair{"room", "room in the end"}, std::pair{"self_room", "room between links"}}) {
      if (!json.at(name).is_null())
        document.facts.push_back({words, short_length(json.at(name).get<double>())});
    }
  }
  for (const Json& note : json.at("notes"))
    document.messages.push_back({ViewState::Neutral, note.get<std::string>()});
}

}  // namespace

Result<ViewDocument> view_fold_robot(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "fold";
  const auto file = json.at("file").get<std::string>();
  document.title = file_name(file);
  append_summary(json, document);
  std::set<std::string> touching;
  if (!json.at("touching").empty()) {
    ViewTable table{"Touching at the start", {"link", "touches"}, {}};
    for (const Json& pair : json.at("touching")) {
      const auto a = pair.at(0).get<std::string>();
      const auto b = pair.at(1).get<std::string>();
      table.rows.push_back({{a, file_name(b)}, ViewState::Bad, std::nullopt});
      touching.insert({a, b});
    }
    document.tables.push_back(std::move(table));
  }
  append_obstacles(source, document);
  const Result<ChainFile> robot =
      read_chain(source.find(file), {.tip = json.at("tip").get<std::string>(),
                                     .neighbours = json.at("neighbours").get<std::uint32_t>()});
  if (!robot) {
    document.warn(robot.error().message());
    return document;
  }
  const std::vector<RobotRow> rows = rows_of(source, *robot, document);
  const std::size_t links = robot->chain.links.size();
  const std::size_t step = 1 + links * rows.size() / kMostPoses;
  const Pose world_from_link0 = pose_of(json.at("world_from_robot"));
  std::vector<double> times;
  std::vector<std::vector<Pose>> poses;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    times.push_back(static_cast<double>(rows[i].step));
    poses.push_back(poses_of(*robot, world_from_link0, rows[i].values));
  }
  if (times.size() > 1) {
    document.timeline = ViewTimeline{"step", "", times.front(), times.back(), 0.0, 10.0, {}};
    append_plots(rows, !json.at("obstacles").empty(), document);
  }
  LinkMeshes meshes;
  if (links <= kMostBodies) {
    append_bodies(*robot, poses, times, touching, meshes, document);
  } else {
    append_line(*robot, poses, times, meshes, document);
  }
  append_tree(*robot, poses, times, meshes, document);
  return document;
}

}  // namespace clearance::cli
