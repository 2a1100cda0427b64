// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning: plan_path() against the best of OMPL's RRTConnect, KPIECE1, BiEST and PDST on each
// scene. OMPL gets FCL's collision test (OBBRSS trees), OMPL.app's resolution of 1 % and its own
// default settings; the same bounds, start and goal; the median over seeds counts, and a run that
// is given up counts as the limit. Both are timed until they have a path, neither betters it: ours
// includes its proof. Ours is wall-clock, OMPL's (one thread) processor time, so that a busy
// machine is not held against it. What OMPL finds is proven as well, outside of its time, and the
// row says how many of its paths are not really free.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcl/narrowphase/collision.h>

#include <clearance/plan/plan.h>
#include <clearance/plan/yardstick.h>

#include "fcl_mesh.h"
#include "harness.h"
#include "planning.h"

namespace clearance::bench {
namespace {

/// The bar: a median this many times as fast as the best of OMPL.
constexpr double kBar = 5.0;
/// Ours is timed this often, unless it takes long.
constexpr int kOurRuns = 3;
constexpr double kLong = 5.0;  // [s]
/// OMPL's planners all get a hundredth of the limit first, then a tenth, then all of it.
constexpr std::array<double, 3> kStages{0.01, 0.1, 1.0};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string data_folder() {
  const char* named = std::getenv("CLEARANCE_DATA");
  return named != nullptr ? named : CLEARANCE_BESIDE_SOURCE "/shared/data";
}

/// FCL's answer to "is the body free here?"; of surfaces, as OMPL.app asks it.
std::function<bool(const Pose&)> fcl_checker(const PlanProblem& problem) {
  const auto body = FclMesh(problem.body.mesh()).tree<fcl::OBBRSSd>();
  const auto obstacles = FclMesh(problem.obstacles.mesh()).tree<fcl::OBBRSSd>();
  return [body, obstacles](const Pose& pose) {
    const fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(obstacles.get(), fcl::Transform3d::Identity(), body.get(), fcl_pose(pose),
                        request, result) == 0;
  };
}

/// One planner on one scene.
struct Runs {
  std::string planner;
  std::vector<double> seconds;  ///< of each seed; the limit where it was given up
  int solved = 0;
  int not_free = 0;  ///< of those solved
};

/// Runs over the seeds, each as long as `limit`, until more than half of them have failed: the
/// median is settled then.
Runs run_planner(const std::string& planner, const PlanProblem& problem,
                 const std::function<bool(const Pose&)>& is_free, int seeds, double limit) {
  Runs runs;
  runs.planner = planner;
  int failed = 0;
  for (int i = 0; i < seeds && 2 * failed <= seeds; ++i) {
    YardstickOptions options;
    options.planner = planner;
    options.seed = static_cast<std::uint32_t>(seed() % 1'000'000) + static_cast<std::uint32_t>(i);
    options.seconds = limit;
    options.is_free = is_free;
    options.processor_time = true;
    const Result<Yardstick> result = plan_with_ompl(problem, options);
    const bool solved = result.ok() && result->solved && result->seconds <= limit;
    runs.seconds.push_back(solved ? result->seconds : limit);
    if (!solved) {
      ++failed;
      continue;
    }
    ++runs.solved;
    if (result->plan.status != PlanStatus::Found) ++runs.not_free;
  }
  // Seeds that were not run would have had to make up for the failures.
  runs.seconds.resize(static_cast<std::size_t>(seeds), limit);
  return runs;
}

/// The planner with the lowest median. Those after the first need not run longer than it took: what
/// is slower in more than half of its runs has a higher median. For the same reason the first stage
/// with a median below its limit says which it is: seeds start again in each.
Runs best_of_ompl(const std::string& scene, const PlanProblem& problem, const Effort& effort) {
  const auto is_free = fcl_checker(problem);
  Runs best;
  for (const double stage : kStages) {
    best = {};
    double limit = stage * effort.limit_s;
    bool settled = false;
    for (const char* planner : {"rrtconnect", "kpiece", "biest", "pdst"}) {
      Runs runs = run_planner(planner, problem, is_free, effort.seeds, limit);
      const double middle = median(runs.seconds);
      // Half of the seeds within the limit of a stage say nothing of the other half.
      const bool lower = middle < limit && (settled || 2 * runs.solved > effort.seeds);
      std::fprintf(stderr, "  %s: %s solved %d, %d of them not free, median %s%.3f s\n",
                   scene.c_str(), planner, runs.solved, runs.not_free, lower ? "" : ">= ", middle);
      if (best.planner.empty() || lower) best = std::move(runs);
      settled = settled || lower;
      limit = std::min(limit, std::max(middle, 1e-3));
    }
    if (settled) break;
  }
  return best;
}

std::optional<Measurement> measure_scene(const std::string& name, const Effort& effort) {
  const Result<scenes::PlanningScene> scene = scenes::planning_scene(name, data_folder());
  if (!scene) {
    std::fprintf(stderr, "  %s\n", scene.error().message().c_str());
    return std::nullopt;
  }
  // Ours first: it says how good the scene is for anything.
  PlanOptions options;
  options.seconds = effort.limit_s;
  options.improve = false;
  std::vector<double> ours;
  bool found = false;
  std::string method;
  while (static_cast<int>(ours.size()) < kOurRuns && (ours.empty() || ours.front() < kLong)) {
    const auto start = std::chrono::steady_clock::now();
    const Plan plan = plan_path(scene->problem, options);
    ours.push_back(seconds_since(start));
    found = plan.status == PlanStatus::Found && plan.proof.status == ProofStatus::Free;
    method = plan.method;
  }
  const double our_median = found ? median(ours) : effort.limit_s;
  std::fprintf(stderr, "  %s: ours %s (%s), %.3f s\n", name.c_str(), found ? "found" : "not found",
               method.c_str(), median(ours));
  // A rival stopped for that counts as having taken so long: the ratio is one from below.
  Effort rival_effort = effort;
  if (found && effort.enough > 0.0)
    rival_effort.limit_s = std::min(effort.limit_s, effort.enough * our_median);
  const bool is_cut = rival_effort.limit_s < effort.limit_s;
  const Runs rival = best_of_ompl(name, scene->problem, rival_effort);
  const double rival_median = median(rival.seconds);
  const bool rival_solves = 2 * rival.solved > effort.seeds;
  const char* given_up = rival_solves || !is_cut ? "" : "; given up early: at least";

  Measurement row;
  row.name = "plan/" + name;
  row.rival = "ompl " + rival.planner + " + fcl: solved " + std::to_string(rival.solved) + "/" +
              std::to_string(effort.seeds) +
              (rival.not_free > 0 ? ", not free " + std::to_string(rival.not_free) : "") +
              (found ? "" : "; ours not found") + given_up;
  std::replace(row.rival.begin(), row.rival.end(), ',', ';');
  row.ours_ns = 1e9 * our_median;
  row.rival_ns = 1e9 * rival_median;
  row.ratio = rival_median / our_median;
  row.ratio_low = quantile(rival.seconds, 0.25) / our_median;
  row.ratio_high = quantile(rival.seconds, 0.75) / our_median;
  row.block_count = rival.seconds.size();
  row.compared = true;
  // Equal: what the rival solves, we solve.
  row.equal = found || !rival_solves;
  if (rival_solves || is_cut) row.bar = kBar;
  return row;
}

const bool kRegistered = [] {
  if (!has_ompl()) return false;
  for (const scenes::PlanningSceneInfo& info : scenes::planning_scenes()) {
    TimedEntry("plan/" + info.name,
               [name = info.name](const Effort& effort) { return measure_scene(name, effort); });
  }
  return true;
}();

}  // namespace
}  // namespace clearance::bench
