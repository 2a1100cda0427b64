// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chains from files: snake robots and cables as JSON (schema/chain.schema.json, docs/snake.md), and
// the serial chain of a URDF from its root to a tip.
//
// A body of a file may have several shapes, while a link of a Chain has one. All spheres of a body
// become one link, all meshes of it one (a surface of all their triangles), and each capsule or
// convex piece one; the links of one body are joined by joints that never move and are not tested
// against each other. `neighbours` counts bodies that have a shape.
//
// Units: metres and radians, as everywhere. JSON may declare others; URDF has no others.
//
// What is approximated, always to the outside: a cylinder of a URDF becomes the prism of
// kCylinderSides sides around it. Meshes are surfaces: what is wholly inside touches nothing.
//
// Errors name the file, the place in it and the reason: text that is not JSON or XML (with the
// byte), unknown or missing keys, numbers out of range, axes of no length, limits that do not hold
// the value, joints that mimic others or move in more than one way, loops, files of meshes that are
// not there. Nothing throws or prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/chain.h>
#include <clearance/geometry/pose.h>

namespace clearance {

/// A cylinder's prism is wider than it by less than half a percent of its radius.
inline constexpr int kCylinderSides = 32;
/// More bodies than this are taken for a mistake in "repeat".
inline constexpr std::size_t kMostChainBodies = 10'000'000;

enum class JointMotion : std::uint8_t {
  Turn,   ///< about the axis [rad]
  Slide,  ///< along the axis [m]
};

/// A joint of a file that can move. Joints that cannot are in the chain only.
struct MovableJoint {
  std::string name;
  std::uint32_t joint = 0;  ///< its number in Chain::joints
  JointMotion motion = JointMotion::Turn;
  Pose base;       ///< the pose of the joint at value 0
  Vec3 point;      ///< on the axis, in the frame of the link before the joint
  Vec3 unit_axis;  ///< in the same frame
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double value = 0.0;  ///< at which Chain::joints[joint] stands
};

/// The pose of a joint at another value: from the base, so that nothing drifts.
[[nodiscard]] Pose pose_at(const MovableJoint& joint, double value);

struct ChainFile {
  Chain chain;
  /// For each link of the chain the body it belongs to, and the names of the bodies.
  std::vector<std::uint32_t> body_of_link;
  std::vector<std::string> body_names;
  std::vector<MovableJoint> joints;  ///< in the order of the chain
  /// Whole sentences about what was left out, merged or added.
  std::vector<std::string> notes;
};

struct ChainFileOptions {
  /// URDF: the last link of the chain. Empty: the link with the most movable joints before it (the
  /// first by name of equals) and none that mimics another.
  std::string tip;
  /// URDF: bodies this near along the chain are not tested against each other.
  std::uint32_t neighbours = 1;
};

/// Reads a chain by the extension of the file: .json or .urdf.
[[nodiscard]] Result<ChainFile> read_chain(const std::string& path,
                                           const ChainFileOptions& options = {});

/// The same from memory; `path` stands in errors, and files are looked for beside it.
[[nodiscard]] Result<ChainFile> parse_chain_json(std::string_view text, const std::string& path);
[[nodiscard]] Result<ChainFile> parse_chain_urdf(std::string_view text, const std::string& path,
                                                 const ChainFileOptions& options = {});

}  // namespace clearance
