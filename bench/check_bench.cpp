// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Table I of the sphere-simplification paper: a robot with a torch around three pipes, on exact
// meshes against FCL in the same loop, and on spheres. The same pairs, the same answers, one
// thread. Robot files from CLEARANCE_DATA or ../shared/data; an arm of ours without.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fcl/narrowphase/collision.h>

#include <clearance/check/cell_checker.h>
#include <clearance/check/sphere_checker.h>
#include <clearance/simplify/simplify.h>
#include <clearance/simplify/sphere_robot.h>

#include "fcl_mesh.h"
#include "harness.h"
#include "sphere_simplification/weld_checks.h"
#include "sphere_simplification/weld_scene.h"

namespace clearance::bench {
namespace {

/// The pairs of a cell in a loop over FCL's trees, bounding balls first.
class FclChecker {
 public:
  explicit FclChecker(const ReadyCell& cell) : cell_(cell) {
    for (const CheckBody& body : cell.bodies) {
      balls_.push_back(study::ball_around(body));
      trees_.emplace_back();
      for (const Model& model : body.models)
        trees_.back().push_back(FclMesh(model.mesh()).tree<fcl::OBBRSSd>());
    }
  }
  [[nodiscard]] bool collides(std::span<const double> values) const {
    const std::vector<Pose> poses = cell_.body_poses(values);
    for (const auto& [a, b] : cell_.matrix.tested) {
      if (distance(poses[a] * balls_[a].center, poses[b] * balls_[b].center) >
          balls_[a].radius + balls_[b].radius)
        continue;
      const fcl::Transform3d pose_a = fcl_pose(poses[a]);
      const fcl::Transform3d pose_b = fcl_pose(poses[b]);
      for (const auto& tree_a : trees_[a]) {
        for (const auto& tree_b : trees_[b]) {
          const fcl::CollisionRequestd request;
          fcl::CollisionResultd result;
          if (fcl::collide(tree_a.get(), pose_a, tree_b.get(), pose_b, request, result) > 0)
            return true;
        }
      }
    }
    return false;
  }

 private:
  const ReadyCell& cell_;
  std::vector<Sphere> balls_;
  std::vector<std::vector<std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>>> trees_;
};

/// The cell and the program of Table I.
struct WeldRun {
  study::WeldScene scene;
  ReadyCell cell;
};

std::shared_ptr<const WeldRun> weld_run() {
  study::WeldProgramOptions options;
  const char* named = std::getenv("CLEARANCE_DATA");
  options.data = named != nullptr ? named : CLEARANCE_BESIDE_SOURCE "/shared/data";
  study::WeldScene scene = study::weld_scene(options).value();
  ReadyCell cell = study::weld_cell(scene, scene.section).value();
  return std::make_shared<WeldRun>(WeldRun{std::move(scene), std::move(cell)});
}

Row against_fcl(double bar) {
  const std::shared_ptr<const WeldRun> run = weld_run();
  auto ours = std::make_shared<CellChecker>(run->cell);
  auto theirs = std::make_shared<FclChecker>(run->cell);
  const auto count = [run](auto& checker) {
    std::size_t hits = 0;
    for (const std::vector<double>& values : run->scene.configurations)
      hits += checker.collides(values) ? 1 : 0;
    return hits;
  };
  const auto same = [=] {
    return std::all_of(run->scene.configurations.begin(), run->scene.configurations.end(),
                       [&](const std::vector<double>& values) {
                         return ours->collides(values) == theirs->collides(values);
                       });
  };
  return Row{.rival = "fcl OBBRSS",
             .ours = [=] { keep(count(*ours)); },
             .theirs = [=] { keep(count(*theirs)); },
             .equal = same,
             .bar = bar,
             .items = run->scene.configurations.size()};
}

/// A part as spheres, proven to be inside.
std::vector<Sphere> spheres_of(const Mesh& mesh, double error, double external_diameter) {
  SimplifyOptions options;
  options.error = error;
  options.external_diameter = external_diameter;
  return simplify(Model::build(mesh).value(), options).value().spheres;
}

/// Configurations a second on spheres alone, one thread: robot, torch and pipes as the study of the
/// paper has them, pipes and torch coarser, since few of them are looked at in a check.
Figure on_spheres(double bar) {
  constexpr double kRobotError = 0.020;        // [m], of the paper
  constexpr double kPartError = 0.006;         // [m]
  constexpr double kExternalDiameter = 0.100;  // [m], of the paper
  const std::shared_ptr<const WeldRun> run = weld_run();
  SphereRobotOptions options;
  options.link.error = kRobotError;
  options.link.external_diameter = kExternalDiameter;
  const SphereRobotResult robot = simplify(run->scene.robot, options).value();
  const SphereChecker checker =
      study::weld_spheres(run->scene, run->cell, robot.model,
                          spheres_of(run->scene.torch, kPartError, 0.0),
                          spheres_of(run->scene.section, kPartError, kExternalDiameter))
          .value();
  const std::vector<double> values = run->scene.all_values();
  std::vector<std::uint8_t> hits(run->scene.configurations.size());
  SphereChecker::Scratch scratch;
  constexpr int kRuns = 101;
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    checker.collides(values, hits, scratch);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return {.value = static_cast<double>(hits.size()) / median(seconds),
          .unit = "checks/s",
          .at_most = std::nullopt,
          .at_least = bar};
}

const RowEntry kMeshes{"check/weld_program/meshes", [] { return against_fcl(10.0); }};
const FigureEntry kSpheres{"check/weld_program/spheres", [] { return on_spheres(500'000.0); }};

}  // namespace
}  // namespace clearance::bench
