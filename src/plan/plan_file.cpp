// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <clearance/plan/plan_file.h>
#include <clearance/query/batch.h>

#include "plan/scene_load.h"

namespace clearance {
namespace {

/// Moments of the clearance along a path that a plan file holds: enough for a smooth plot.
constexpr std::size_t kSamples = 400;

/// The same file, part for part?
Status check_side(const SceneSide& then, const SceneSide& now) {
  for (std::size_t i = 0; i < then.files.size(); ++i) {
    if (then.files[i].bytes == now.files[i].bytes &&
        then.files[i].checksum == now.files[i].checksum)
      continue;
    return Error{ErrorCode::Invalid, now.files[i].path, "",
                 "is not the file that the plan was made with: its content has changed",
                 "plan again"};
  }
  if (then.checksum != now.checksum) {
    return Error{ErrorCode::Invalid, now.files.front().path, "",
                 "gives other triangles than those the plan was made with", "plan again"};
  }
  return {};
}

/// Is the body relieved by no more than the scene allows? A file that was changed by hand would
/// otherwise have the path of a smaller body proven.
Status check_relief(const PlanFile& file, const PlanScene& scene) {
  const Touching& touching = file.scene.touching;
  double most = 0.0;
  if (touching.kind == Touching::Kind::Depth) most = touching.depth;
  if (touching.kind == Touching::Kind::Auto)
    most = kMostAutomaticRelief * scene.body_mesh.bounds().diagonal();
  if (file.relief <= most) return {};
  return Error{ErrorCode::Invalid,
               {},
               "scene/relief",
               "moves the surface of the body inward by more than 'touching' of the scene allows",
               "plan again"};
}

}  // namespace

std::vector<PlanSample> sample_clearance(const PlanProblem& problem, const PlanPath& path,
                                         const PathProof& proof, std::size_t count,
                                         Threads threads) {
  std::vector<PlanSample> samples;
  if (path.poses.empty()) return samples;
  const double radius = gyration_radius(problem.body.mesh(), path.pivot);
  std::vector<double> lengths;
  double whole = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    lengths.push_back(pose_distance(path.poses[i], path.poses[i + 1], path.pivot, radius));
    whole += lengths.back();
  }
  double before = 0.0;
  const auto add = [&](std::size_t piece, double time, double at) {
    samples.push_back({std::clamp(at, 0.0, 1.0), piece, time, 0.0, {}, {}});
  };
  for (std::size_t piece = 0; piece < path.size(); ++piece) {
    const double share = whole > 0.0 ? lengths[piece] / whole : 0.0;
    const double steps = std::max(1.0, std::round(share * static_cast<double>(count)));
    const auto at = [&](double time) {
      return whole > 0.0 ? (before + time * lengths[piece]) / whole : 0.0;
    };
    for (double step = 0.0; step < steps; step += 1.0) {
      add(piece, step / steps, at(step / steps));
      const double next = (step + 1.0) / steps;
      const ProofSample& narrowest = proof.narrowest;
      if (proof.status == ProofStatus::Free && narrowest.piece == piece &&
          narrowest.time > step / steps && narrowest.time < next)
        add(piece, narrowest.time, at(narrowest.time));
    }
    before += lengths[piece];
  }
  if (path.size() == 0)
    add(0, 0.0, 0.0);
  else
    add(path.size() - 1, 1.0, 1.0);

  std::vector<Pose> poses;
  poses.reserve(samples.size());
  for (const PlanSample& sample : samples)
    poses.push_back(path.size() == 0 ? path.poses.front()
                                     : path.motion(sample.piece).at(sample.time));
  const std::vector<Distance> found =
      distances(problem.obstacles.bvh(), problem.body.bvh(), poses, {}, threads);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].distance = found[i].distance;
    samples[i].on_obstacle = found[i].on_a;
    samples[i].on_body = found[i].on_b;
  }
  return samples;
}

PlanFile plan_file(const PlanScene& scene, Plan plan, std::string planner, Threads threads) {
  PlanFile file;
  file.scene = scene.description;
  file.body = scene.body;
  file.obstacles = scene.obstacles;
  file.relief = scene.relief;
  file.planner = std::move(planner);
  file.radius = gyration_radius(scene.problem.body.mesh(), plan.path.pivot);
  file.samples = sample_clearance(scene.problem, plan.path, plan.proof, kSamples, threads);
  file.notes = scene.notes;
  file.plan = std::move(plan);
  return file;
}

Result<PlanScene> load_scene_of(const PlanFile& file, const SceneLoadOptions& options) {
  Result<PlanScene> scene = detail::load_scene_relieved(file.scene, file.relief, options);
  if (!scene) return scene;
  for (const auto& [then, now] :
       {std::pair(&file.body, &scene->body), std::pair(&file.obstacles, &scene->obstacles)})
    if (Status same = check_side(*then, *now); !same) return same.error();
  if (Status relief = check_relief(file, *scene); !relief) return relief.error();
  return scene;
}

}  // namespace clearance
