// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <clearance/chain/chain.h>

#include "chain/link_pair.h"

namespace clearance {
namespace {

Error invalid(std::string place, std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), std::move(advice)};
}

/// What is wrong with a length of a shape; empty when nothing is.
std::string wrong_with_radius(double radius) {
  if (!std::isfinite(radius)) return "a radius is not a finite number";
  if (radius < 0.0) return "a radius is negative (" + std::to_string(radius) + ")";
  return "";
}

std::string wrong_with(const LinkShape& link) {
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    for (const Sphere& s : *spheres) {
      if (!is_finite(s.center)) return "a coordinate is not a finite number";
      if (std::string wrong = wrong_with_radius(s.radius); !wrong.empty()) return wrong;
    }
    if (spheres->empty()) return "";
  } else if (const auto* capsule = std::get_if<Capsule>(&link)) {
    if (!is_finite(capsule->axis.a) || !is_finite(capsule->axis.b))
      return "a coordinate is not a finite number";
    if (std::string wrong = wrong_with_radius(capsule->radius); !wrong.empty()) return wrong;
  } else if (const auto* mesh = std::get_if<Bvh>(&link)) {
    if (mesh->wide() == nullptr) return "its tree is not a wide one";
  }
  const Box bounds = detail::bounds_of(link);
  const double farthest = largest_component(max(abs(bounds.low), abs(bounds.high)));
  if (!(farthest <= kLargestTranslation)) return "it reaches farther than 1e15";
  return "";
}

}  // namespace

Status check(const Chain& chain) {
  if (chain.links.empty()) return invalid("", "the chain has no link");
  if (chain.links.size() >= kNoTriangle) return invalid("", "the chain has 2^32 links or more");
  if (chain.joints.size() + 1 != chain.links.size()) {
    return invalid("", std::to_string(chain.links.size()) + " links need " +
                           std::to_string(chain.links.size() - 1) + " joints, and there are " +
                           std::to_string(chain.joints.size()));
  }
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    if (std::string wrong = wrong_with(chain.links[i]); !wrong.empty())
      return invalid("link " + std::to_string(i), std::move(wrong));
  }
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const Pose& joint = chain.joints[i];
    const std::string place = "joint " + std::to_string(i);
    if (const Result<Pose> pose = checked_pose(joint); !pose)
      return invalid(place, pose.error().reason, pose.error().advice);
    if (largest_component(abs(joint.translation)) > kLargestTranslation)
      return invalid(place, "it reaches farther than 1e15");
  }
  for (const LinkPair& pair : chain.ignored) {
    if (pair.a >= chain.links.size() || pair.b >= chain.links.size() || pair.a == pair.b) {
      return invalid(
          "ignored pair " + std::to_string(pair.a) + ", " + std::to_string(pair.b),
          "is not a pair of two of the " + std::to_string(chain.links.size()) + " links");
    }
  }
  return {};
}

std::vector<Pose> link_poses(std::span<const Pose> joints) {
  std::vector<Pose> poses{Pose::identity()};
  poses.reserve(joints.size() + 1);
  for (const Pose& joint : joints) poses.push_back(poses.back() * joint);
  return poses;
}

Pose turned(const Pose& joint, const Vec3& point, const Vec3& unit_axis, double angle) {
  const Mat3 turn = rotation_about(unit_axis, angle);
  return {turn * joint.rotation, turn * (joint.translation - point) + point};
}

}  // namespace clearance
