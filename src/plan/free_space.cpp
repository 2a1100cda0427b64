// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/free_space.h"

#include <algorithm>
#include <cmath>

#include <clearance/plan/path.h>

#include "plan/solid_query.h"

namespace clearance::detail {
namespace {

// What a look costs beside its tests, the steps that lead to it included: between small meshes that
// is most of it.
constexpr std::uint64_t kOperationsOfLook = 1000;
constexpr std::uint64_t kOperationsOfTouch = 300;

}  // namespace
BodyMeasures::BodyMeasures(const Model& body) : pivot(pivot_of(body)) {
  radius = gyration_radius(body.mesh(), pivot);
  double farthest = 0.0;
  for (const Vec3& vertex : body.mesh().vertices()) {
    farthest = std::max(farthest, squared_norm(vertex - pivot));
  }
  reach = std::sqrt(farthest);
}

FreeSpace::FreeSpace(const PlanProblem& problem, const BodyMeasures& measures)
    : problem_(problem), measures_(measures) {}

Near FreeSpace::look(const Place& place, double bound) {
  const Pose pose = pose_of(place, measures_.pivot);
  const Distance found = distance(problem_.obstacles.bvh(), problem_.body.bvh(), pose,
                                  {.upper_bound = bound + problem_.clearance}, &coherence_);
  count(found.work);
  count(kOperationsOfLook);
  ++looks_;
  Near near;
  if (found.beyond) {
    near.room = bound;
    near.beyond = true;
    return near;
  }
  near.room = found.lower - problem_.clearance;
  near.on_obstacle = found.on_a;
  near.on_body = found.on_b;
  if (found.distance > 0.0) near.normal = found.normal;
  return near;
}

bool FreeSpace::is_clear(const Place& place) {
  if (!(problem_.clearance > 0.0)) return !touches(place);
  const Within found = within(problem_.obstacles.bvh(), problem_.body.bvh(),
                              pose_of(place, measures_.pivot), problem_.clearance, &coherence_);
  count(found.work);
  count(kOperationsOfTouch);
  return !found.within;
}

bool FreeSpace::touches(const Place& place) {
  const Collision found = collide(problem_.obstacles.bvh(), problem_.body.bvh(),
                                  pose_of(place, measures_.pivot), &coherence_);
  count(found.work);
  count(kOperationsOfTouch);
  return found.hit;
}

bool FreeSpace::is_free(const Place& place) {
  Work work;
  const bool found = is_within(problem_, problem_.body, pose_of(place, measures_.pivot),
                               problem_.clearance, work, &coherence_);
  count(work);
  count(kOperationsOfLook);
  ++looks_;
  return !found;
}

}  // namespace clearance::detail
