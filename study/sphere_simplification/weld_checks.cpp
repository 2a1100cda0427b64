// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/weld_checks.h"

#include <algorithm>
#include <string>
#include <utility>

namespace clearance::study {
namespace {

// Beyond any rounding of the poses and radii of this scene.
constexpr double kMargin = 1e-9;  // [m]

bool apart(const Sphere& a, const Sphere& b) {
  const double reach = a.radius + b.radius + kMargin;
  return squared_norm(a.center - b.center) > reach * reach;
}

CellBody body_of(const std::string& name, std::uint32_t link, const Mesh& mesh) {
  RobotShape shape;
  shape.name = name;
  shape.geometry = MeshShape{mesh, name};
  CellBody body;
  body.name = name;
  body.link = link;
  body.shapes.push_back(std::move(shape));
  return body;
}

}  // namespace

Result<ReadyCell> weld_cell(const WeldScene& scene, const Mesh& piece) {
  Cell cell{.robot = scene.robot};
  cell.bodies = {body_of("torch", scene.torch_link, scene.torch), body_of("piece", kNoLink, piece)};
  cell.tool_link = scene.torch_link;
  Result<ReadyCell> ready = prepare(cell);
  if (!ready) return ready.error();
  const std::uint32_t last = static_cast<std::uint32_t>(ready->bodies.size()) - 1;
  std::erase_if(ready->matrix.tested, [&](const BodyPair& pair) { return pair.second != last; });
  return ready;
}

Sphere ball_around(const CheckBody& body) {
  Sphere ball{body.bounds.center(), 0.0};
  for (const Model& model : body.models) {
    for (const Vec3& v : model.mesh().vertices())
      ball.radius = std::max(ball.radius, distance(v, ball.center));
  }
  return ball;
}

Result<SphereChecker> weld_spheres(const WeldScene& scene, const ReadyCell& cell,
                                   const SphereRobot& robot, std::span<const Sphere> torch,
                                   std::span<const Sphere> piece) {
  SphereScene spheres{.robot = scene.robot, .world_from_base = cell.cell.world_from_base};
  // The bodies of the cell one by one: links with shapes, then the torch, then the piece.
  const std::size_t last = cell.bodies.size() - 1;
  for (std::size_t i = 0; i + 1 < last; ++i) {
    const std::uint32_t link = cell.bodies[i].link;
    spheres.bodies.push_back({link, robot.spheres[link]});
  }
  spheres.bodies.push_back({scene.torch_link, {torch.begin(), torch.end()}});
  spheres.bodies.push_back({kNoLink, {piece.begin(), piece.end()}});
  spheres.pairs = cell.matrix.tested;
  return SphereChecker::make(spheres);
}

SphereCheck::SphereCheck(const ReadyCell& cell, SphereTree piece)
    : cell_(cell), piece_(std::move(piece)), poses_(cell.cell.robot.links().size()) {
  for (const CheckBody& body : cell.bodies) {
    if (body.link != kNoLink) moving_.push_back({&body, ball_around(body)});
  }
}

bool SphereCheck::collides(std::span<const double> values) {
  cell_.cell.robot.link_poses(values, cell_.cell.world_from_base, poses_);
  // The torch, the last of them, is what comes near.
  for (std::size_t i = moving_.size(); i-- > 0;) {
    const Moving& moving = moving_[i];
    const Pose& pose = poses_[moving.body->link];
    if (apart({pose * moving.ball.center, moving.ball.radius}, piece_.bounds())) continue;
    for (const Model& model : moving.body->models) {
      if (collide(piece_, model.bvh(), pose).hit) return true;
      // One sphere inside stands for all that hang together with it; the rest would touch.
      if (model.is_solid() &&
          model.side(inverse(pose) * piece_.spheres().front().center) == Side::Inside)
        return true;
    }
  }
  return false;
}

}  // namespace clearance::study
