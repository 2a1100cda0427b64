// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/path_keys.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

/// Keys that one piece is cut into at most: beyond, a clearance of nothing was asked for.
constexpr double kMostCuts = 100'000.0;

double dot(const Quaternion& a, const Quaternion& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

}  // namespace

std::vector<PathKey> path_keys(const PlanPath& path, double radius, double widest) {
  std::vector<PathKey> keys;
  const auto add = [&](double at, const Pose& pose, double angle) {
    Quaternion turn = quaternion_from(pose.rotation);
    if (!keys.empty() && dot(turn, keys.back().turn) < 0.0)
      turn = {-turn.x, -turn.y, -turn.z, -turn.w};
    keys.push_back({at, pose, turn, angle});
  };
  std::vector<double> lengths;
  double whole = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    lengths.push_back(pose_distance(path.poses[i], path.poses[i + 1], path.pivot, radius));
    whole += lengths.back();
  }
  double before = 0.0;
  double turned = 0.0;  // from the last key
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Pose& a = path.poses[i];
    const double angle = length_of({path.pivot, {a, path.poses[i + 1]}}).rotation;
    const double cuts = std::clamp(std::ceil(angle / widest), 1.0, kMostCuts);
    const RigidMotion motion = path.motion(i);
    for (double cut = 0.0; cut < cuts; cut += 1.0) {
      const double time = cut / cuts;
      const double at = whole > 0.0 ? (before + time * lengths[i]) / whole : 0.0;
      add(std::min(at, 1.0), cut == 0.0 ? a : motion.at(time), turned);
      turned = angle / cuts;
    }
    before += lengths[i];
  }
  if (!path.poses.empty()) add(whole > 0.0 ? 1.0 : 0.0, path.poses.back(), turned);
  return keys;
}

}  // namespace clearance::detail
