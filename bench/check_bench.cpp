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
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fcl/narrowphase/collision.h>

#include <clearance/base/random.h>
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

/// The pairs of a cell in a loop over FCL's trees: bounding balls first, the pair that touched last
/// before the others, one contact is enough, nothing allocated in the loop.
class FclChecker {
 public:
  explicit FclChecker(const ReadyCell& cell)
      : cell_(cell), pairs_(cell.matrix.tested), links_(cell.cell.robot.links().size()) {
    for (const CheckBody& body : cell.bodies) {
      balls_.push_back(study::ball_around(body));
      trees_.emplace_back();
      for (const Model& model : body.models)
        trees_.back().push_back(FclMesh(model.mesh()).tree<fcl::OBBRSSd>());
    }
    poses_.resize(cell.bodies.size());
    centers_.resize(cell.bodies.size());
  }
  [[nodiscard]] bool collides(std::span<const double> values) {
    cell_.cell.robot.link_poses(values, cell_.cell.world_from_base, links_);
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      const std::uint32_t link = cell_.bodies[i].link;
      poses_[i] = link == kNoLink ? Pose::identity() : links_[link];
      centers_[i] = poses_[i] * balls_[i].center;
    }
    for (BodyPair& pair : pairs_) {
      if (!touch(pair.first, pair.second)) continue;
      std::swap(pair, pairs_.front());
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool touch(std::uint32_t a, std::uint32_t b) const {
    const double reach = balls_[a].radius + balls_[b].radius;
    if (squared_norm(centers_[a] - centers_[b]) > reach * reach) return false;
    const fcl::Transform3d pose_a = fcl_pose(poses_[a]);
    const fcl::Transform3d pose_b = fcl_pose(poses_[b]);
    for (const auto& tree_a : trees_[a]) {
      for (const auto& tree_b : trees_[b]) {
        const fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        if (fcl::collide(tree_a.get(), pose_a, tree_b.get(), pose_b, request, result) > 0)
          return true;
      }
    }
    return false;
  }

  const ReadyCell& cell_;
  std::vector<BodyPair> pairs_;
  std::vector<Sphere> balls_;
  std::vector<std::vector<std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>>> trees_;
  std::vector<Pose> links_;
  std::vector<Pose> poses_;
  std::vector<Vec3> centers_;
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

enum class Order {
  Program,   ///< as the robot runs through it
  Shuffled,  ///< nothing that was found for one configuration holds for the next
};
enum class Asked {
  Together,  ///< the program is there as a whole: one call
  OneByOne,
};

/// Exact meshes. Trees, and on our side patches, are there when the time is taken: the preparation
/// figures are about these.
Row against_fcl(Order order, Asked asked, std::optional<double> bar) {
  const std::shared_ptr<const WeldRun> run = weld_run();
  auto list = std::make_shared<std::vector<std::vector<double>>>(run->scene.configurations);
  if (order == Order::Shuffled) {
    Random random(seed());
    for (std::size_t i = list->size(); i > 1; --i)
      std::swap((*list)[i - 1], (*list)[static_cast<std::size_t>(random.below(i))]);
  }
  auto values = std::make_shared<std::vector<double>>();
  for (const std::vector<double>& configuration : *list)
    values->insert(values->end(), configuration.begin(), configuration.end());
  auto hits = std::make_shared<std::vector<std::uint8_t>>(list->size());
  auto ours = std::make_shared<CellChecker>(run->cell);
  auto theirs = std::make_shared<FclChecker>(run->cell);
  const auto ask = [=] {
    if (asked == Asked::Together) return ours->collides(*values, *hits);
    for (std::size_t i = 0; i < list->size(); ++i) (*hits)[i] = ours->collides((*list)[i]) ? 1 : 0;
  };
  const auto same = [=] {
    ask();
    for (std::size_t i = 0; i < list->size(); ++i)
      if (((*hits)[i] != 0) != theirs->collides((*list)[i])) return false;
    return true;
  };
  return Row{.rival = "fcl OBBRSS",
             .ours =
                 [=] {
                   ask();
                   keep(hits->back());
                 },
             .theirs =
                 [=, run = run] {
                   std::size_t count = 0;
                   for (const std::vector<double>& configuration : *list)
                     count += theirs->collides(configuration) ? 1 : 0;
                   keep(count);
                 },
             .equal = same,
             .bar = bar,
             .items = list->size()};
}

/// From meshes to the first question, one thread: trees, and what else a checker makes [ms].
Figure preparation(const std::function<void(const ReadyCell&)>& make) {
  const std::shared_ptr<const WeldRun> run = weld_run();
  constexpr int kRuns = 11;
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    make(run->cell);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return {.value = 1e3 * median(seconds),
          .unit = "ms",
          .at_most = std::nullopt,
          .at_least = std::nullopt};
}

void prepare_ours(const ReadyCell& cell) {
  for (const CheckBody& body : cell.bodies) {
    for (const Model& model : body.models)
      keep(Model::build(model.mesh(), {.threads = {1}}).value().component_count());
  }
  const CellChecker checker(cell);
  keep(&checker);
}

void prepare_fcl(const ReadyCell& cell) {
  const FclChecker checker(cell);
  keep(&checker);
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

const RowEntry kMeshes{"check/weld_program/meshes",
                       [] { return against_fcl(Order::Program, Asked::Together, 10.0); }};
const RowEntry kOneByOne{"check/weld_program/meshes_one_by_one",
                         [] { return against_fcl(Order::Program, Asked::OneByOne, std::nullopt); }};
const RowEntry kShuffled{"check/weld_program/meshes_shuffled", [] {
                           return against_fcl(Order::Shuffled, Asked::Together, std::nullopt);
                         }};
const FigureEntry kPreparation{"check/weld_program/preparation",
                               [] { return preparation(prepare_ours); }};
const FigureEntry kFclPreparation{"check/weld_program/preparation_fcl",
                                  [] { return preparation(prepare_fcl); }};
const FigureEntry kSpheres{"check/weld_program/spheres", [] { return on_spheres(500'000.0); }};

}  // namespace
}  // namespace clearance::bench
