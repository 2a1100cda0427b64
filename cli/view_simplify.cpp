// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance simplify`: the mesh and its spheres, capsules and boxes, coloured by how
// far they stick out; and where a mesh is not covered, by how far it is out of them.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/ball_mesh.h>
#include <clearance/mesh/inside.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/sphere_robot.h>

#include "simplify_shapes.h"
#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Vertices of the balls of all bodies: what a page still shows fluently.
constexpr std::size_t kMostBallVertices = 400'000;

/// What the spheres were made for.
struct Covered {
  Mesh mesh;
  Pose world_from_body;
};

std::vector<Covered> bodies_of(const ViewSource& source, ViewDocument& document) {
  const Json& json = source.json();
  const std::string path = json.at("input").at("path").get<std::string>();
  std::vector<Covered> out;
  if (json.at("input").at("kind").get<std::string>() == "part") {
    if (std::optional<Mesh> mesh = source.mesh(path, document)) out.push_back({*mesh, {}});
    return out;
  }
  RobotFileOptions read;
  read.visual = json.at("options").at("shapes").get<std::string>() == "visual";
  read.collision = !read.visual;
  read.threads = source.options().threads;
  const Result<RobotFile> file = read_robot(source.find(path), read);
  if (!file) {
    document.warn(file.error().message());
    return out;
  }
  const std::vector<Pose> poses = file->robot.link_poses(file->robot.rest());
  for (const Json& body : json.at("bodies")) {
    const std::string name = body.at("name").get<std::string>();
    for (std::size_t i = 0; i < file->robot.links().size(); ++i) {
      if (file->robot.links()[i].name != name) continue;
      if (const Result<Mesh> mesh = link_mesh(file->robot.links()[i], read.visual); mesh)
        out.push_back({*mesh, poses[i]});
    }
  }
  if (out.size() != json.at("bodies").size()) {
    document.warn("The robot has changed since: its links are not those of the result.");
    out.clear();
  }
  return out;
}

/// How far the points are out of the mesh: 0 inside.
std::vector<float> excess_of(const Model& model, std::span<const Vec3> points, Threads threads) {
  std::vector<Side> sides(points.size(), Side::Outside);
  if (model.is_solid()) sides = InsideTest(model.mesh(), threads).sides(points, threads);
  std::vector<float> values(points.size());
  parallel_for(threads, points.size(), [&](std::size_t i) {
    values[i] = sides[i] == Side::Inside
                    ? 0.0F
                    : static_cast<float>(distance(model.bvh(), points[i]).distance);
  });
  return values;
}

/// How far the points are out of all shapes: 0 inside of one.
std::vector<float> uncovered_of(std::span<const Vec3> points, const PrimitiveSet& model,
                                Threads threads) {
  std::vector<float> values(points.size());
  parallel_for(threads, points.size(), [&](std::size_t i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Sphere& sphere : model.spheres)
      least = std::min(least, norm(points[i] - sphere.center) - sphere.radius);
    for (const Capsule& capsule : model.capsules)
      least =
          std::min(least, std::sqrt(squared_distance(points[i], capsule.axis)) - capsule.radius);
    for (const OrientedBox& box : model.boxes)
      least = std::min(least, std::sqrt(squared_distance(points[i], box)));
    values[i] = static_cast<float>(std::max(0.0, least));
  });
  return values;
}

/// What a body is made of. Results of earlier versions know spheres only.
PrimitiveSet model_of(const Json& body) {
  PrimitiveSet model;
  for (const Json& sphere : body.at("spheres"))
    model.spheres.push_back({vector_of(sphere.at("center")), sphere.at("radius").get<double>()});
  if (body.contains("capsules")) {
    for (const Json& capsule : body.at("capsules")) {
      model.capsules.push_back({{vector_of(capsule.at("from")), vector_of(capsule.at("to"))},
                                capsule.at("radius").get<double>()});
    }
  }
  if (body.contains("boxes")) {
    for (const Json& box : body.at("boxes")) {
      OrientedBox& made = model.boxes.emplace_back();
      made.world_from_box.translation = vector_of(box.at("center"));
      for (std::size_t row = 0; row < 3; ++row)
        made.world_from_box.rotation[row] = vector_of(box.at("rotation").at(row));
      made.half_size = vector_of(box.at("half_size"));
    }
  }
  return model;
}

/// Is it one that can be drawn? Files may hold anything.
bool is_drawable(const PrimitiveSet& model) {
  return std::ranges::all_of(model.boxes,
                             [](const OrientedBox& box) {
                               return checked_pose(box.world_from_box).ok() &&
                                      is_finite(box.half_size);
                             }) &&
         std::ranges::all_of(model.capsules, [](const Capsule& capsule) {
           return is_finite(capsule.axis.a) && is_finite(capsule.axis.b) &&
                  std::isfinite(capsule.radius);
         });
}

}  // namespace

Result<ViewDocument> view_simplify(const ViewSource& source) {
  const Json& json = source.json();
  const Threads threads = source.options().threads;
  ViewDocument document;
  document.kind = "simplify";
  document.title = file_name(json.at("input").at("path").get<std::string>());
  const bool covered = json.at("covered").get<bool>();
  std::vector<PrimitiveSet> models;
  PrimitiveSet all;
  for (const Json& body : json.at("bodies")) {
    models.push_back(model_of(body));
    if (!is_drawable(models.back()))
      return Error{ErrorCode::Malformed, {}, "bodies", "a capsule or a box is not one", {}};
    append(models.back(), all);
  }
  const bool has_shapes = all.size() > all.spheres.size();
  const std::string made_of = words_of(all.spheres.size(), all.capsules.size(), all.boxes.size());
  document.state = covered ? ViewState::Good : ViewState::Bad;
  document.summary = made_of + (covered ? ", proven to cover" : ": NOT covered");
  const Json& deviation = json.at("deviation");
  const double excess = deviation.at("excess").at("upper").get<double>();
  document.facts = {
      {has_shapes ? "shapes" : "spheres", has_shapes ? made_of : group_digits(all.spheres.size())},
      {"method", json.at("options").at("method").get<std::string>()},
      {"error, proven", short_length(json.at("error").get<double>())},
      {"covered", covered ? "yes, proven" : "no"},
      {"sticks out of the mesh by", "at most " + short_length(excess)}};
  if (has_shapes)
    document.facts.push_back(
        {"spheres alone", group_digits(json.at("spheres_alone").get<std::uint64_t>())});
  if (const double ball = json.at("options").at("external_diameter").get<double>(); ball > 0.0)
    document.facts.push_back({"filled: out of reach of a ball of", short_length(ball)});
  if (const Json tool = json.at("options").value("external_tool", Json()); tool.is_object())
    document.facts.push_back(
        {"filled: out of reach of", file_name(tool.at("path").get<std::string>())});
  for (const Json& note : json.at("notes")) document.warn(note.get<std::string>());

  const std::vector<Covered> bodies = bodies_of(source, document);
  document.legends.push_back({"sticks out [mm]", 0.0, std::max(excess, 1e-9), 1e3, true});
  ViewTable table{
      "Bodies", {"name", has_shapes ? "shapes" : "spheres", "sticks out by", "covered"}, {}};
  double farthest = 0.0;
  std::vector<ViewItem> balls;
  std::vector<ViewItem> meshes;
  for (std::size_t i = 0; i < json.at("bodies").size(); ++i) {
    const Json& body = json.at("bodies")[i];
    const PrimitiveSet& model = models[i];
    const bool body_covered = body.at("covered").get<bool>();
    table.rows.push_back(
        {{body.at("name").get<std::string>(),
          has_shapes ? words_of(model.spheres.size(), model.capsules.size(), model.boxes.size())
                     : std::to_string(model.spheres.size()),
          format_number("%.3g mm",
                        1e3 * body.at("deviation").at("excess").at("upper").get<double>()),
          body_covered ? "proven" : "no"},
         body_covered ? ViewState::Good : ViewState::Bad,
         std::nullopt});
    ViewItem cover;
    cover.name = body.at("name").get<std::string>();
    cover.group = has_shapes ? "Shapes" : "Spheres";
    cover.opacity = 0.55;
    cover.outlined = false;
    cover.explodes = false;
    int times = 4;
    while (times > 1 && ball_vertex_count(times) * all.size() > kMostBallVertices) --times;
    if (i >= bodies.size()) {
      if (has_shapes) {
        cover.mesh = shape_mesh(model, times).mesh;
      } else {
        cover.shape = ViewShape::Spheres;
        cover.spheres = model.spheres;
      }
      balls.push_back(std::move(cover));
      continue;
    }
    const Result<Model> mesh_model = Model::build(bodies[i].mesh, {.threads = threads});
    if (!mesh_model) return mesh_model.error();
    cover.mesh = shape_mesh(model, times).mesh;
    if (!cover.mesh.empty()) {
      cover.world_from_item = bodies[i].world_from_body;
      cover.values = excess_of(*mesh_model, cover.mesh.vertices(), threads);
      cover.legend = 0;
      balls.push_back(std::move(cover));
    }
    ViewItem mesh;
    mesh.name = body.at("name").get<std::string>();
    mesh.group = "Mesh";
    mesh.mesh = bodies[i].mesh;
    mesh.world_from_item = bodies[i].world_from_body;
    mesh.colour = {0.30, 0.42, 0.58};
    mesh.explodes = false;
    if (!body_covered) {
      mesh.values = uncovered_of(bodies[i].mesh.vertices(), model, threads);
      for (const float value : mesh.values) farthest = std::max(farthest, double{value});
      mesh.legend = 1;
    }
    meshes.push_back(std::move(mesh));
  }
  if (!covered) {
    document.legends.push_back({has_shapes ? "mesh out of shapes [mm]" : "mesh out of spheres [mm]",
                                0.0, std::max(farthest, 1e-9), 1e3, true});
  }
  for (std::vector<ViewItem>* list : {&meshes, &balls})
    for (ViewItem& item : *list) document.add(std::move(item));
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace clearance::cli
