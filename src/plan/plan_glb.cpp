// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The path as an animated binary glTF: a node for each part of the obstacles, and one for the body,
// moved by keyframes.
#include <string>
#include <vector>

#include <clearance/plan/plan_file.h>

#include "plan/animated_glb.h"
#include "plan/path_keys.h"

namespace clearance {

Status write_plan_glb(const std::string& path, const PlanScene& scene, const PlanPath& plan,
                      double radius, double seconds) {
  if (plan.poses.empty())
    return Error{ErrorCode::Invalid, path, "", "there is no path to write", ""};
  using Material = detail::AnimatedGlb::Material;
  detail::AnimatedGlb glb(path);
  // About the middle of all, for the sake of single precision.
  const Mesh& obstacles = scene.problem.obstacles.mesh();
  const Result<std::size_t> standing =
      glb.add("obstacles", obstacles, obstacles.bounds().center(), Material::Standing);
  if (!standing) return standing.error();
  // About the pivot: turning the node turns the body as the path does. The body as given: what the
  // relief took away is for the proof, not for the eye.
  const Result<std::size_t> body = glb.add("body", scene.body_mesh, plan.pivot, Material::Moving);
  if (!body) return body.error();
  std::vector<detail::GlbKey> keys;
  for (const detail::PathKey& key : detail::path_keys(plan, radius, detail::kWidestTurn)) {
    keys.push_back({seconds * key.at, key.world_from_body * plan.pivot, key.turn});
  }
  glb.animate(*body, keys);
  return glb.save("path");
}

}  // namespace clearance
