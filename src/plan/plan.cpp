// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/plan/improve.h>
#include <clearance/plan/plan.h>

#include "plan/portfolio.h"

namespace clearance {
namespace {

// What stands in the way of the closest pose is looked for within this part of the size of the
// body.
constexpr double kBlockingReach = 0.02;
constexpr std::size_t kMostBlocking = 1000;

/// The triangles of the obstacles that the body would run into, were it pushed on from its pose.
std::vector<std::uint32_t> blocking(const PlanProblem& problem, const Pose& pose,
                                    const Vec3& towards) {
  const Pose pushed{pose.rotation, pose.translation + towards};
  const Contacts found =
      contacts(problem.obstacles.bvh(), problem.body.bvh(), pushed, kMostBlocking);
  std::vector<std::uint32_t> triangles;
  for (const Contact& pair : found.pairs) triangles.push_back(pair.triangle_a);
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
  return triangles;
}

}  // namespace

const char* name_of(PlanStatus status) {
  switch (status) {
    case PlanStatus::Found:
      return "found";
    case PlanStatus::NoPath:
      return "no_path";
    case PlanStatus::OutOfBudget:
      return "out_of_budget";
    case PlanStatus::OutOfTime:
      return "out_of_time";
    case PlanStatus::Cancelled:
      return "cancelled";
  }
  return "unknown";
}

Plan plan_path(const PlanProblem& problem, const PlanOptions& options) {
  Plan plan;
  if (!check_problem(problem)) {
    plan.status = PlanStatus::NoPath;
    return plan;
  }
  const detail::PortfolioResult found = detail::run_portfolio(problem, options);
  plan.status = found.status;
  plan.method = found.method;
  plan.resolution = found.resolution;
  plan.nodes = found.nodes;
  plan.operations = found.operations;
  if (found.status != PlanStatus::Found) {
    const Vec3 pivot = pivot_of(problem.body);
    plan.closest_pose = detail::pose_of(found.closest, pivot);
    const double radius = gyration_radius(problem.body.mesh(), pivot);
    const Vec3 here = plan.closest_pose * pivot;
    const Box box = problem.obstacles.mesh().bounds();
    const Vec3 there =
        problem.goal ? *problem.goal * pivot : here + (here - 0.5 * (box.low + box.high));
    plan.closest_distance =
        problem.goal ? pose_distance(plan.closest_pose, *problem.goal, pivot, radius) : 0.0;
    const Box body = problem.body.mesh().bounds();
    plan.blocking_triangles =
        blocking(problem, plan.closest_pose,
                 kBlockingReach * distance(body.low, body.high) * normalized(there - here));
    return plan;
  }
  plan.path = detail::path_along(problem, found.way.places);
  plan.raw_length = length_of(plan.path);
  const bool improve = options.improve && !found.way.along_thread;
  if (improve) {
    const Improved better =
        improve_path(problem, plan.path, {.threads = options.threads, .monitor = options.monitor});
    plan.path = better.path;
    plan.operations += better.operations;
  }
  // The way is proven as it was found; what was improved is proven again, and looked at everywhere.
  plan.proof = improve ? prove_path(problem, plan.path,
                                    {.threads = options.threads, .monitor = options.monitor})
                       : found.way.proof;
  if (plan.proof.status == ProofStatus::Cancelled)
    plan.status = PlanStatus::Cancelled;
  else if (plan.proof.status != ProofStatus::Free)
    plan.status = PlanStatus::OutOfBudget;
  plan.work += plan.proof.work;
  return plan;
}

}  // namespace clearance
