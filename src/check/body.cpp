// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include <clearance/check/body.h>
#include <clearance/mesh/health.h>

namespace clearance {
namespace {

Mesh turned_round(const Mesh& mesh) {
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  for (Face& face : faces) std::swap(face[1], face[2]);
  return std::move(
      Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces)).value());
}

Status add_model(CheckBody& body, const std::vector<Mesh>& meshes, Threads threads) {
  if (meshes.empty()) return {};
  const std::vector<std::string> names(meshes.size(), body.name);
  Result<Mesh> mesh = meshes.size() == 1 ? Result<Mesh>(meshes[0]) : merged(meshes, names);
  if (!mesh) return mesh.error();
  Result<Model> model = Model::build(*mesh, {.threads = threads});
  if (!model) return model.error();
  body.bounds.include(mesh->bounds());
  body.models.push_back(std::move(*model));
  return {};
}

}  // namespace

std::size_t CheckBody::triangle_count() const {
  std::size_t count = 0;
  for (const Model& model : models) count += model.mesh().triangle_count();
  return count;
}

bool CheckBody::is_solid() const {
  return std::ranges::all_of(models, [](const Model& model) { return model.is_solid(); });
}

Result<CheckBody> make_body(std::string name, std::uint32_t link,
                            std::span<const RobotShape> shapes, Threads threads) {
  CheckBody body{.name = std::move(name), .link = link, .models = {}, .bounds = {}};
  std::vector<Mesh> closed;
  std::vector<Mesh> open;
  for (const RobotShape& shape : shapes) {
    const Mesh mesh = surface_of(shape);
    const MeshHealth health = examine(mesh, {.threads = threads});
    if (health.closed && health.consistently_oriented) {
      // Closed shapes that overlap would cancel each other if one faced inward.
      closed.push_back(health.inside_out ? turned_round(mesh) : mesh);
    } else {
      open.push_back(mesh);
    }
  }
  if (closed.empty() && open.empty())
    return Error{ErrorCode::Invalid, "", "body '" + body.name + "'", "has no shape", ""};
  for (const std::vector<Mesh>* meshes : {&closed, &open}) {
    if (Status status = add_model(body, *meshes, threads); !status) {
      Error error = status.error();
      error.place = "body '" + body.name + "'";
      return error;
    }
  }
  return body;
}

Result<std::vector<CheckBody>> robot_bodies(const Robot& robot, bool visual, Threads threads) {
  std::vector<CheckBody> bodies;
  for (std::uint32_t i = 0; i < robot.links().size(); ++i) {
    const RobotLink& link = robot.links()[i];
    const std::vector<RobotShape>& shapes = visual ? link.visual : link.collision;
    if (shapes.empty()) continue;
    Result<CheckBody> body = make_body(link.name, i, shapes, threads);
    if (!body) return body.error();
    bodies.push_back(std::move(*body));
  }
  if (bodies.empty()) {
    return Error{ErrorCode::Invalid, "", "robot '" + robot.name() + "'",
                 std::string("has no ") + (visual ? "visual" : "collision") + " shape",
                 visual ? "take its collision shapes" : "take its visual shapes"};
  }
  return bodies;
}

}  // namespace clearance
