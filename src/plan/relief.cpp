// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that touch when assembled, made a hair smaller. See problem.h.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <clearance/geometry/mass.h>
#include <clearance/plan/problem.h>

#include "plan/look_at.h"
#include "plan/scene_size.h"
#include "plan/solid_query.h"

namespace clearance {
namespace {

// Every face moves in by this part of the depth, where a vertex can do that for all its faces
// within the depth itself: 1/sqrt(3) is what the corner of a cube can.
constexpr double kFaceShare = 0.57735026918962573;
// Steps towards the middle of the normals at a vertex; the direction is right to about 1 / steps.
constexpr int kMiddleSteps = 100;
// Below this cosine between the middle of the normals and the normals themselves there is no
// direction that moves all faces in: the faces' mean normal is taken.
constexpr double kLeastCosine = 0.05;
// Above it the faces are as good as one plane, and their mean will do.
constexpr double kFlatCosine = 0.999;
// The least relief is found to this factor.
constexpr double kReliefStep = 1.25;
// Reliefs below this part of the coordinates drown in their rounding.
constexpr double kLeastRelief = 1e-13;
// The depth of a contact is reported to a digit: contacts are allowed here, not judged.
constexpr PenetrationOptions kRoughDepth{.relative_gap = 0.1, .translations = 300, .points = 200};
// Limits tried when the largest relief frees nothing (fine features turn over): halves of it.
constexpr int kSmallerLimits = 6;

/// The middle of unit vectors: the direction whose largest angle to any of them is least. The
/// centre of their smallest enclosing ball points there; stepping towards the farthest with ever
/// smaller steps converges to it (Badoiu and Clarkson). Zero when no half space holds them all.
Vec3 middle_of(std::span<const Vec3> normals, const Vec3& mean) {
  if (std::all_of(normals.begin(), normals.end(),
                  [&](const Vec3& n) { return dot(n, mean) > kFlatCosine; })) {
    return mean;
  }
  Vec3 centre = mean;
  for (int step = 1; step <= kMiddleSteps; ++step) {
    std::size_t farthest = 0;
    for (std::size_t i = 1; i < normals.size(); ++i) {
      if (squared_norm(normals[i] - centre) > squared_norm(normals[farthest] - centre)) {
        farthest = i;
      }
    }
    centre += (1.0 / (step + 1.0)) * (normals[farthest] - centre);
  }
  const Vec3 direction = normalized(centre);
  for (const Vec3& n : normals) {
    if (dot(n, direction) < kLeastCosine) return {};
  }
  return direction;
}

double angle_at(const Vec3& corner, const Vec3& p, const Vec3& q) {
  const Vec3 u = p - corner;
  const Vec3 v = q - corner;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

bool is_free(const PlanProblem& problem, const Model& body, Coherence& coherence) {
  return !detail::is_within(problem, body, problem.start, problem.clearance, &coherence);
}

}  // namespace

Mesh relieved(const Mesh& body, double depth) {
  if (!(depth > 0.0)) return body;
  const Mesh joined = welded(body);
  const std::size_t count = joined.vertex_count();

  // The normals at each vertex, listed by vertex.
  std::vector<std::uint32_t> first(count + 1, 0);
  for (const Face& face : joined.faces()) {
    for (const std::uint32_t i : face) ++first[i + 1];
  }
  for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<Vec3> normals(first[count]);
  std::vector<Vec3> means(count);
  std::vector<std::uint32_t> used(count, 0);
  for (std::size_t t = 0; t < joined.triangle_count(); ++t) {
    const Triangle triangle = joined.triangle(t);
    const Vec3 normal = triangle_normal(triangle);
    if (!(norm(normal) > 0.5)) continue;  // no area, no side
    const Face& face = joined.faces()[t];
    const Vec3 angles{angle_at(triangle.a, triangle.b, triangle.c),
                      angle_at(triangle.b, triangle.c, triangle.a),
                      angle_at(triangle.c, triangle.a, triangle.b)};
    for (std::size_t k = 0; k < 3; ++k) {
      normals[first[face[k]] + used[face[k]]++] = normal;
      means[face[k]] += angles[k] * normal;
    }
  }

  std::vector<Vec3> vertices(joined.vertices().begin(), joined.vertices().end());
  for (std::size_t i = 0; i < count; ++i) {
    if (used[i] == 0) continue;
    const std::span<const Vec3> here(&normals[first[i]], used[i]);
    const Vec3 mean = normalized(means[i]);
    const Vec3 middle = middle_of(here, mean);
    if (middle == Vec3{}) {
      vertices[i] -= kFaceShare * depth * mean;
      continue;
    }
    double least = 1.0;
    for (const Vec3& n : here) least = std::min(least, dot(n, middle));
    vertices[i] -= std::min(depth, kFaceShare * depth / least) * middle;
  }
  Result<Mesh> result =
      Mesh::make(std::move(vertices), {joined.faces().begin(), joined.faces().end()},
                 {body.parts().begin(), body.parts().end()});
  CLEARANCE_ASSERT(result.ok());
  return result.ok() ? std::move(result).value() : body;
}

Result<Relief> relieve_start(const PlanProblem& problem, double limit) {
  const Result<Pose> rigid = checked_pose(problem.start);
  if (!rigid) {
    return Error{ErrorCode::Invalid, {}, "start", rigid.error().reason, rigid.error().advice};
  }
  if (!(limit >= 0.0) || !std::isfinite(limit)) {
    return Error{ErrorCode::Invalid,
                 {},
                 "relief",
                 std::to_string(limit) + " m is not a depth of 0 or more",
                 {}};
  }
  Coherence coherence;
  if (is_free(problem, problem.body, coherence)) {
    return Relief{0.0, problem.body, detail::look_at(problem, problem.start, kRoughDepth, false)};
  }
  const PoseReport before = detail::look_at(problem, problem.start, kRoughDepth, false);
  BvhOptions options;
  options.volume = problem.body.bvh().volume();
  options.fitter = problem.body.bvh().fitter();
  std::optional<Model> body;
  const auto frees = [&](double depth) {
    Result<Model> smaller = Model::build(relieved(problem.body.mesh(), depth), options);
    if (!smaller.ok() || !is_free(problem, smaller.value(), coherence)) return false;
    body = std::move(smaller).value();
    return true;
  };

  double free = limit;
  for (int i = 0; i < kSmallerLimits && free > 0.0 && !body; ++i) {
    if (!frees(free)) free *= 0.5;
  }
  if (!body) {
    char reason[200];
    std::snprintf(reason, sizeof reason,
                  "the parts overlap by %.4g to %.4g mm, and relieving the body by up to %.4g mm"
                  " does not free it",
                  1e3 * before.depth_lower, 1e3 * before.depth_upper, 1e3 * limit);
    return Error{
        ErrorCode::Invalid, {}, "start", reason, "allow a deeper contact, or mend the parts"};
  }
  // Halves of the exponent between what is too little and what is enough.
  double blocked = std::min(0.5 * free, kLeastRelief * detail::scene_size(problem, problem.start));
  while (free > kReliefStep * blocked) {
    const double middle = std::sqrt(blocked * free);
    (frees(middle) ? free : blocked) = middle;
  }
  return Relief{free, *body, before};
}

}  // namespace clearance
