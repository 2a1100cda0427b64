// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A robot: links with shapes, joined by joints into a tree, and where everything is for given joint
// values. Read from URDF by read_robot() (robot_file.h).
//
// Links are sorted such that a parent comes before its children: link 0 is the root. A joint
// belongs to the link behind it. A configuration is one number for each *free* joint, in the order
// of Robot::free_joints(): radians for joints that turn, metres for those that slide. Joints that
// mimic others follow them and have no number of their own.
//
// A Robot is an immutable value; copies share their data and any number of threads may read it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

inline constexpr std::uint32_t kNoLink = 0xffffffffU;
/// Sizes, coordinates and distances beyond this are refused [m], as in queries. Limits of joints
/// beyond it are none: files write 1e16 where they mean infinity.
inline constexpr double kLargestRobotLength = 1e15;

/// About the origin, edges along the axes.
struct BoxShape {
  Vec3 half_size;  ///< [m]
};
/// About the origin, along z.
struct CylinderShape {
  double radius = 0.0;  ///< [m]
  double length = 0.0;  ///< [m]
};
struct SphereShape {
  double radius = 0.0;  ///< [m]
};
/// Scaled already: metres.
struct MeshShape {
  Mesh mesh;
  std::string file;  ///< as found, for messages
};

/// A shape of a link, where it stands in the frame of the link.
struct RobotShape {
  std::string name;
  Pose link_from_shape;
  std::variant<BoxShape, CylinderShape, SphereShape, MeshShape> geometry;
};

/// The surface of a shape as a mesh, in the frame of the link. Boxes and meshes are exact;
/// cylinders and spheres become polyhedra that hold the whole of them (kRoundSides sides).
inline constexpr int kRoundSides = 32;
[[nodiscard]] Mesh surface_of(const RobotShape& shape);

struct RobotLink {
  std::string name;
  std::vector<RobotShape> visual;
  std::vector<RobotShape> collision;
  std::uint32_t parent = kNoLink;  ///< link; kNoLink for the root
  std::uint32_t joint = kNoLink;   ///< to the parent; kNoLink for the root
};

enum class JointKind : std::uint8_t {
  Fixed,       ///< does not move
  Revolute,    ///< turns about the axis, within limits
  Continuous,  ///< turns about the axis without limits
  Prismatic,   ///< slides along the axis
};

/// This joint's value is multiplier * the other's + offset.
struct JointMimic {
  std::uint32_t joint = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

struct RobotJoint {
  std::string name;
  JointKind kind = JointKind::Fixed;
  std::uint32_t parent = 0;       ///< link
  std::uint32_t child = 0;        ///< link
  Pose parent_from_joint;         ///< at value 0
  Vec3 unit_axis{1.0, 0.0, 0.0};  ///< in the frame of the joint
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();  ///< largest [rad/s], [m/s]
  std::optional<JointMimic> mimic{};
};

/// parent_from_child at a value.
[[nodiscard]] Pose pose_at(const RobotJoint& joint, double value);

class Robot {
 public:
  /// Joint i is that before link i + 1, and the links name the same parents and joints as the
  /// joints do. Axes are brought to length 1. Errors (Invalid, naming the link or joint): links or
  /// joints out of order, more than one root, a loop, mimics of mimics, of fixed joints or of
  /// joints that are not there, axes without length, limits upside down, poses that are not rigid,
  /// sizes of shapes that are not above 0, empty meshes, names twice.
  static Result<Robot> make(std::string name, std::vector<RobotLink> links,
                            std::vector<RobotJoint> joints);

  [[nodiscard]] const std::string& name() const { return data_->name; }
  [[nodiscard]] std::span<const RobotLink> links() const { return data_->links; }
  [[nodiscard]] std::span<const RobotJoint> joints() const { return data_->joints; }
  /// The joints a configuration has a number for, as numbers of joints().
  [[nodiscard]] std::span<const std::uint32_t> free_joints() const { return data_->free_joints; }
  [[nodiscard]] std::size_t degrees_of_freedom() const { return data_->free_joints.size(); }
  /// Number of a link or joint; absent when there is none of that name.
  [[nodiscard]] std::optional<std::uint32_t> link(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> joint(std::string_view name) const;

  /// All zero; where the limits do not hold zero their middle, or the only limit there is.
  [[nodiscard]] std::vector<double> rest() const;
  /// Uniform within the limits; joints without limits in [-pi, pi], sliding ones in [-1, 1] m.
  [[nodiscard]] std::vector<double> random(Random& random) const;
  /// Errors: another number of values, one that is not finite, one outside its limits (by more
  /// than 1e-9), named.
  [[nodiscard]] Status check(std::span<const double> values) const;

  /// world_from_link of every link. `values` has degrees_of_freedom() numbers: asserted. Limits are
  /// not looked at. Cost: about 50 ns a link.
  [[nodiscard]] std::vector<Pose> link_poses(std::span<const double> values,
                                             const Pose& world_from_root = Pose::identity()) const;
  /// The same without allocation: `poses` has as many entries as there are links.
  void link_poses(std::span<const double> values, const Pose& world_from_root,
                  std::span<Pose> poses) const;

 private:
  /// Where a joint takes its value from: a number of the configuration, changed for mimics.
  struct Drive {
    std::uint32_t value = 0;
    double multiplier = 1.0;
    double offset = 0.0;
  };
  struct Data {
    std::string name;
    std::vector<RobotLink> links;
    std::vector<RobotJoint> joints;
    std::vector<std::uint32_t> free_joints;
    std::vector<Drive> drives;  // by joint; of no meaning for fixed ones
  };
  explicit Robot(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
