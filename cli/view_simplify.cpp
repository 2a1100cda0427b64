// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance simplify`: the mesh and its spheres, coloured by how far they stick out;
// and where a mesh is not covered, by how far it is out of the spheres.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <clearance/mesh/ball_mesh.h>
#include <clearance/mesh/inside.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/sphere_robot.h>

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

/// All shapes of a link in one mesh.
Result<Mesh> mesh_of(const RobotLink& link, bool visual) {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const RobotShape& shape : visual ? link.visual : link.collision) {
    meshes.push_back(surface_of(shape));
    names.push_back("shape " + std::to_string(names.size()));
  }
  return merged(meshes, names);
}

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
      if (const Result<Mesh> mesh = mesh_of(file->robot.links()[i], read.visual); mesh)
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

/// How far the points are out of all spheres: 0 inside of one.
std::vector<float> uncovered_of(std::span<const Vec3> points, std::span<const Sphere> spheres,
                                Threads threads) {
  std::vector<float> values(points.size());
  parallel_for(threads, points.size(), [&](std::size_t i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Sphere& sphere : spheres)
      least = std::min(least, norm(points[i] - sphere.center) - sphere.radius);
    values[i] = static_cast<float>(std::max(0.0, least));
  });
  return values;
}

}  // namespace

Result<ViewDocument> view_simplify(const ViewSource& source) {
  const Json& json = source.json();
  const Threads threads = source.options().threads;
  ViewDocument document;
  document.kind = "simplify";
  document.title = file_name(json.at("input").at("path").get<std::string>());
  const bool covered = json.at("covered").get<bool>();
  const std::uint64_t count = json.at("spheres").get<std::uint64_t>();
  document.state = covered ? ViewState::Good : ViewState::Bad;
  document.summary =
      count_of(count, "sphere", "spheres") + (covered ? ", proven to cover" : ": NOT covered");
  const Json& deviation = json.at("deviation");
  const double excess = deviation.at("excess").at("upper").get<double>();
  document.facts = {{"spheres", group_digits(count)},
                    {"method", json.at("options").at("method").get<std::string>()},
                    {"error, proven", short_length(json.at("error").get<double>())},
                    {"covered", covered ? "yes, proven" : "no"},
                    {"sticks out of the mesh by", "at most " + short_length(excess)}};
  if (const double ball = json.at("options").at("external_diameter").get<double>(); ball > 0.0)
    document.facts.push_back({"filled: out of reach of a ball of", short_length(ball)});
  for (const Json& note : json.at("notes")) document.warn(note.get<std::string>());

  const std::vector<Covered> bodies = bodies_of(source, document);
  document.legends.push_back({"sticks out [mm]", 0.0, std::max(excess, 1e-9), 1e3, true});
  ViewTable table{"Bodies", {"name", "spheres", "sticks out by", "covered"}, {}};
  double farthest = 0.0;
  std::vector<ViewItem> balls;
  std::vector<ViewItem> meshes;
  for (std::size_t i = 0; i < json.at("bodies").size(); ++i) {
    const Json& body = json.at("bodies")[i];
    std::vector<Sphere> spheres;
    for (const Json& sphere : body.at("spheres"))
      spheres.push_back({vector_of(sphere.at("center")), sphere.at("radius").get<double>()});
    const bool body_covered = body.at("covered").get<bool>();
    table.rows.push_back(
        {{body.at("name").get<std::string>(), std::to_string(spheres.size()),
          format_number("%.3g mm",
                        1e3 * body.at("deviation").at("excess").at("upper").get<double>()),
          body_covered ? "proven" : "no"},
         body_covered ? ViewState::Good : ViewState::Bad,
         std::nullopt});
    ViewItem cover;
    cover.name = body.at("name").get<std::string>();
    cover.group = "Spheres";
    cover.opacity = 0.55;
    cover.outlined = false;
    cover.explodes = false;
    if (i >= bodies.size()) {
      cover.shape = ViewShape::Spheres;
      cover.spheres = spheres;
      balls.push_back(std::move(cover));
      continue;
    }
    const Result<Model> model = Model::build(bodies[i].mesh, {.threads = threads});
    if (!model) return model.error();
    int times = 4;
    while (times > 1 && ball_vertex_count(times) * count > kMostBallVertices) --times;
    cover.mesh = ball_mesh(spheres, times);
    if (!cover.mesh.empty()) {
      cover.world_from_item = bodies[i].world_from_body;
      cover.values = excess_of(*model, cover.mesh.vertices(), threads);
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
      mesh.values = uncovered_of(bodies[i].mesh.vertices(), spheres, threads);
      for (const float value : mesh.values) farthest = std::max(farthest, double{value});
      mesh.legend = 1;
    }
    meshes.push_back(std::move(mesh));
  }
  if (!covered) {
    document.legends.push_back(
        {"mesh out of spheres [mm]", 0.0, std::max(farthest, 1e-9), 1e3, true});
  }
  for (std::vector<ViewItem>* list : {&meshes, &balls})
    for (ViewItem& item : *list) document.add(std::move(item));
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace clearance::cli
