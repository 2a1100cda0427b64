// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A URDF as it stands in the file, its links and joints put in order and found to be a tree. What
// robots and chains are made of; the only place that knows the XML and the library that reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/robot/robot.h>

namespace clearance::detail {

struct UrdfMesh {
  std::string file;  // as the URDF names it
  Vec3 scale;
};

/// Sizes and poses are as the file has them, not checked: not every caller reads every shape.
struct UrdfShape {
  std::string name;
  Pose link_from_shape;
  std::variant<BoxShape, CylinderShape, SphereShape, UrdfMesh> geometry;
};

struct UrdfLink {
  std::string name;
  std::vector<UrdfShape> visual;
  std::vector<UrdfShape> collision;
  std::vector<std::uint32_t> child_joints;
};

enum class UrdfMotion : std::uint8_t { Fixed, Revolute, Continuous, Prismatic, Floating, Planar };

struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// Its origin is a rigid pose, and where it moves, wrong_with_joint() found nothing.
struct UrdfJoint {
  std::string name;
  UrdfMotion motion = UrdfMotion::Fixed;
  std::uint32_t parent = 0;  // link
  std::uint32_t child = 0;   // link
  Pose origin;
  Vec3 axis{1.0, 0.0, 0.0};  // of any length but 0
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  std::optional<UrdfMimic> mimic{};
};

/// Moves in one way: neither fixed nor floating nor planar.
[[nodiscard]] bool is_movable(const UrdfJoint& joint);

/// Links from the root outward, each branch to its end before the next, branches by the name of
/// their joint; joint i is that before link i + 1. At least one link.
struct UrdfDocument {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

[[nodiscard]] std::string place_of(const UrdfLink& link);
[[nodiscard]] std::string place_of(const UrdfJoint& joint);

/// Errors (Malformed): no XML, no URDF, no tree, names twice, joints that cannot be. `path` stands
/// in them.
[[nodiscard]] Result<UrdfDocument> parse_urdf(std::string_view text, const std::string& path);

}  // namespace clearance::detail
