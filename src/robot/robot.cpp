// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <clearance/base/assert.h>
#include <clearance/robot/robot.h>

#include "robot/joint_check.h"

namespace clearance {
namespace {

/// How far a value may be outside its limits [rad, m]: what is left of a limit that went through
/// degrees or a text of ten digits.
constexpr double kLimitTolerance = 1e-9;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Half the range of a joint without limits.
double half_range(JointKind kind) { return kind == JointKind::Prismatic ? 1.0 : std::numbers::pi; }

Error invalid(std::string place, std::string reason) {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), ""};
}
std::string place_of(const RobotLink& link) { return "link '" + link.name + "'"; }
std::string place_of(const RobotJoint& joint) { return "joint '" + joint.name + "'"; }

bool is_size(double size) { return size > 0.0 && size <= kLargestRobotLength; }
bool is_near(const Vec3& p) {
  return is_finite(p) && largest_component(abs(p)) <= kLargestRobotLength;
}

/// The tree: each link hangs on the joint before it in number, and on a link of lower number.
Status check_tree(std::span<const RobotLink> links, std::span<const RobotJoint> joints) {
  if (links.empty()) return invalid("", "the robot has no link");
  if (links[0].parent != kNoLink || links[0].joint != kNoLink)
    return invalid(place_of(links[0]), "is the first link, and yet hangs on a joint");
  if (joints.size() != links.size() - 1) {
    return invalid("", "the robot has " + std::to_string(links.size()) + " links and " +
                           std::to_string(joints.size()) +
                           " joints: a tree has one joint less than links");
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const RobotLink& link = links[i + 1];
    const RobotJoint& joint = joints[i];
    if (joint.child != i + 1 || link.joint != i || link.parent != joint.parent)
      return invalid(place_of(joint), "does not stand before link '" + link.name + "'");
    if (joint.parent > i)
      return invalid(place_of(link), "hangs on a link that does not come before it");
  }
  return {};
}

Status check_mimic(std::span<const RobotJoint> joints, const RobotJoint& joint) {
  const JointMimic& mimic = *joint.mimic;
  if (joint.kind == JointKind::Fixed) return invalid(place_of(joint), "is fixed, and yet mimics");
  if (mimic.joint >= joints.size())
    return invalid(place_of(joint), "mimics a joint that is not there");
  const RobotJoint& other = joints[mimic.joint];
  if (other.mimic)
    return invalid(place_of(joint), "mimics joint '" + other.name + "', which mimics another");
  if (other.kind == JointKind::Fixed)
    return invalid(place_of(joint), "mimics joint '" + other.name + "', which is fixed");
  if (!(std::abs(mimic.multiplier) <= kLargestRobotLength) ||
      !(std::abs(mimic.offset) <= kLargestRobotLength))
    return invalid(place_of(joint), "a number of its mimic is not finite, or too large");
  return {};
}

Status check_joint(std::span<const RobotJoint> joints, const RobotJoint& joint) {
  if (const Result<Pose> pose = checked_pose(joint.parent_from_joint); !pose)
    return invalid(place_of(joint), "its origin: " + pose.error().reason);
  if (!is_near(joint.parent_from_joint.translation))
    return invalid(place_of(joint), "its origin is too far away");
  if (joint.kind != JointKind::Fixed) {
    std::string wrong = detail::wrong_with_joint(joint.unit_axis, joint.lower, joint.upper);
    if (!wrong.empty()) return invalid(place_of(joint), std::move(wrong));
    if (joint.lower > kLargestRobotLength || joint.upper < -kLargestRobotLength)
      return invalid(place_of(joint), "its limits are too far away");
  }
  if (!(joint.velocity > 0.0)) return invalid(place_of(joint), "its velocity is not above 0");
  return joint.mimic ? check_mimic(joints, joint) : Status{};
}

/// What is wrong with a shape, as a phrase; empty when nothing is.
std::string wrong_with(const RobotShape& shape) {
  if (const Result<Pose> pose = checked_pose(shape.link_from_shape); !pose)
    return "the origin of a shape: " + pose.error().reason;
  if (!is_near(shape.link_from_shape.translation)) return "the origin of a shape is too far away";
  if (const auto* box = std::get_if<BoxShape>(&shape.geometry)) {
    const Vec3& half = box->half_size;
    if (!is_size(half.x) || !is_size(half.y) || !is_size(half.z))
      return "a size of a box is not above 0, or too large";
  } else if (const auto* cylinder = std::get_if<CylinderShape>(&shape.geometry)) {
    if (!is_size(cylinder->radius) || !is_size(cylinder->length))
      return "a size of a cylinder is not above 0, or too large";
  } else if (const auto* sphere = std::get_if<SphereShape>(&shape.geometry)) {
    if (!is_size(sphere->radius)) return "the radius of a sphere is not above 0, or too large";
  } else {
    const Mesh& mesh = std::get<MeshShape>(shape.geometry).mesh;
    if (mesh.empty()) return "a mesh has no triangle";
    if (!is_near(mesh.bounds().low) || !is_near(mesh.bounds().high)) return "a mesh is too large";
  }
  return "";
}

Status check_link(const RobotLink& link) {
  for (const std::vector<RobotShape>* shapes : {&link.visual, &link.collision}) {
    for (const RobotShape& shape : *shapes) {
      if (std::string wrong = wrong_with(shape); !wrong.empty())
        return invalid(place_of(link), std::move(wrong));
    }
  }
  return {};
}

template <class Named>
Status check_names(std::span<const Named> all) {
  std::set<std::string_view> seen;
  for (const Named& one : all) {
    if (one.name.empty()) return invalid("", "a link or joint has no name");
    if (!seen.insert(one.name).second) return invalid(place_of(one), "is there twice");
  }
  return {};
}

template <class Named>
std::optional<std::uint32_t> number_of(std::span<const Named> all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &Named::name);
  if (at == all.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - all.begin());
}

}  // namespace

Pose pose_at(const RobotJoint& joint, double value) {
  switch (joint.kind) {
    case JointKind::Revolute:
    case JointKind::Continuous:
      return {joint.parent_from_joint.rotation * rotation_about(joint.unit_axis, value),
              joint.parent_from_joint.translation};
    case JointKind::Prismatic:
      return {joint.parent_from_joint.rotation,
              joint.parent_from_joint * (value * joint.unit_axis)};
    case JointKind::Fixed:
      break;
  }
  return joint.parent_from_joint;
}

Result<Robot> Robot::make(std::string name, std::vector<RobotLink> links,
                          std::vector<RobotJoint> joints) {
  if (Status status = check_names<RobotLink>(links); !status) return status.error();
  if (Status status = check_names<RobotJoint>(joints); !status) return status.error();
  if (Status status = check_tree(links, joints); !status) return status.error();
  for (const RobotLink& link : links)
    if (Status status = check_link(link); !status) return status.error();
  for (const RobotJoint& joint : joints)
    if (Status status = check_joint(joints, joint); !status) return status.error();

  auto data = std::make_shared<Data>();
  data->drives.resize(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    RobotJoint& joint = joints[i];
    if (joint.kind == JointKind::Fixed) continue;
    joint.unit_axis = detail::direction_of(joint.unit_axis);
    if (joint.lower < -kLargestRobotLength) joint.lower = -kInfinity;
    if (joint.upper > kLargestRobotLength) joint.upper = kInfinity;
    if (joint.mimic) continue;
    data->drives[i].value = static_cast<std::uint32_t>(data->free_joints.size());
    data->free_joints.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!joints[i].mimic) continue;
    const JointMimic& mimic = *joints[i].mimic;
    data->drives[i] = {data->drives[mimic.joint].value, mimic.multiplier, mimic.offset};
  }
  data->name = std::move(name);
  data->links = std::move(links);
  data->joints = std::move(joints);
  return Robot(std::move(data));
}

std::optional<std::uint32_t> Robot::link(std::string_view name) const {
  return number_of(links(), name);
}
std::optional<std::uint32_t> Robot::joint(std::string_view name) const {
  return number_of(joints(), name);
}

std::vector<double> Robot::rest() const {
  std::vector<double> values;
  values.reserve(degrees_of_freedom());
  for (const std::uint32_t i : free_joints()) {
    const double lower = joints()[i].lower;
    const double upper = joints()[i].upper;
    if (lower <= 0.0 && 0.0 <= upper) {
      values.push_back(0.0);
    } else if (std::isfinite(lower) && std::isfinite(upper)) {
      values.push_back(0.5 * (lower + upper));
    } else {
      values.push_back(std::isfinite(lower) ? lower : upper);
    }
  }
  return values;
}

std::vector<double> Robot::random(Random& random) const {
  std::vector<double> values;
  values.reserve(degrees_of_freedom());
  for (const std::uint32_t i : free_joints()) {
    const RobotJoint& joint = joints()[i];
    const double half = half_range(joint.kind);
    double lower = joint.lower;
    double upper = joint.upper;
    if (!std::isfinite(lower)) lower = std::isfinite(upper) ? upper - 2.0 * half : -half;
    if (!std::isfinite(upper)) upper = std::isfinite(joint.lower) ? lower + 2.0 * half : half;
    values.push_back(random.uniform(lower, upper));
  }
  return values;
}

Status Robot::check(std::span<const double> values) const {
  if (values.size() != degrees_of_freedom()) {
    return invalid("", "the robot has " + std::to_string(degrees_of_freedom()) +
                           " joints to set, not " + std::to_string(values.size()));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const RobotJoint& joint = joints()[free_joints()[k]];
    if (!std::isfinite(values[k])) return invalid(place_of(joint), "its value is not finite");
    if (values[k] < joint.lower - kLimitTolerance || values[k] > joint.upper + kLimitTolerance) {
      return invalid(place_of(joint),
                     "its value (" + std::to_string(values[k]) + ") is not within the limits (" +
                         std::to_string(joint.lower) + " to " + std::to_string(joint.upper) + ")");
    }
  }
  return {};
}

std::vector<Pose> Robot::link_poses(std::span<const double> values,
                                    const Pose& world_from_root) const {
  std::vector<Pose> poses(links().size());
  link_poses(values, world_from_root, poses);
  return poses;
}

void Robot::link_poses(std::span<const double> values, const Pose& world_from_root,
                       std::span<Pose> poses) const {
  CLEARANCE_ASSERT(values.size() == degrees_of_freedom());
  CLEARANCE_ASSERT(poses.size() == links().size());
  poses[0] = world_from_root;
  for (std::size_t i = 0; i < data_->joints.size(); ++i) {
    const RobotJoint& joint = data_->joints[i];
    const Drive& drive = data_->drives[i];
    const double value = joint.kind == JointKind::Fixed
                             ? 0.0
                             : drive.multiplier * values[drive.value] + drive.offset;
    poses[i + 1] = poses[joint.parent] * pose_at(joint, value);
  }
}

}  // namespace clearance
