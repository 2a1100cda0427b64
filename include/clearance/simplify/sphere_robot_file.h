// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres of robots and parts as files, written and read back without the loss of a bit:
// - URDF with spheres as collision shapes: what VAMP and any simulator take; with boxes, and
//   cylinders for capsules, as well: any simulator.
// - JSON of foam (the tool that makes VAMP's models): {"link": {"mean", "best", "worst", "spheres":
//   [{"origin": [x, y, z], "radius": r}, ...]}}, and the list of levels foam writes for one mesh.
// - YAML of cuRobo: collision_spheres: link: [{center: [x, y, z], radius: r}, ...].
// Numbers are metres in the frame of the link.
//
// Which meshes a URDF with spheres names: it is the URDF the robot came from, whole (joints,
// limits, mimics, inertia, visual shapes, comments), with the collision shapes replaced.
// package:// names stay as they are, since they hold wherever the file lies and the packages are
// known (ROS_PACKAGE_PATH, RobotFileOptions::package_folders); names relative to the URDF are
// rewritten such that they find the same file from where the new one is put.
//
// Errors name the file, the place and the reason. Nothing throws or prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/robot/robot.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/sphere_robot.h>

namespace clearance {

/// The spheres of a link or a part.
struct NamedSpheres {
  std::string name;
  std::vector<Sphere> spheres;
  std::optional<double> error{};  ///< how far they stick out at most [m], where it is known
};

/// Links with spheres, in the order of the robot. `links`: what is known of their errors; may be
/// empty.
[[nodiscard]] std::vector<NamedSpheres> named_spheres(
    const SphereRobot& model, std::span<const LinkSimplification> links = {});
/// Spheres by the names of links. Links that are not named get none. Errors: spheres for a link the
/// robot does not have.
[[nodiscard]] Result<SphereRobot> with_spheres(const Robot& robot,
                                               std::span<const NamedSpheres> spheres);
/// A robot whose collision shapes are spheres already, as read from a URDF with spheres. Errors: a
/// shape that is none.
[[nodiscard]] Result<SphereRobot> with_collision_spheres(const Robot& robot);

/// JSON as foam's decoder reads it: an object by name. "worst" is the error, "mean" and "best" are
/// null, since foam's are averages over samples.
[[nodiscard]] std::string foam_text(std::span<const NamedSpheres> spheres);
/// For one mesh: a list of one level.
[[nodiscard]] std::string foam_text(const NamedSpheres& part);
/// Both forms; a list of levels gives the last, which is the finest, without a name. Names
/// "link::mesh" of foam's databases are put together as "link". Errors: text that is not JSON (with
/// the byte), other forms, numbers that are not finite, radii below 0, names twice.
[[nodiscard]] Result<std::vector<NamedSpheres>> parse_foam(std::string_view text,
                                                           const std::string& path);

/// YAML as cuRobo reads it. Numbers have a point and an exponent with a sign, without which YAML
/// 1.1 takes them for text.
[[nodiscard]] std::string curobo_text(std::span<const NamedSpheres> spheres);
/// A file of spheres, or a whole robot configuration that holds them (robot_cfg: kinematics:
/// collision_spheres:). Spheres with a radius below 0, cuRobo's way to switch them off, are left
/// out. Everything else in the file is not looked at. Errors (with the line): text that is not
/// YAML, anchors and aliases, no collision_spheres, another file in their place, other forms,
/// numbers that are not finite, names twice.
[[nodiscard]] Result<std::vector<NamedSpheres>> parse_curobo(std::string_view text,
                                                             const std::string& path);

/// A URDF of nothing but links, joints, visual shapes without meshes, and spheres: for robots that
/// did not come from a file. Poses pass through roll, pitch and yaw: equal within rounding.
[[nodiscard]] std::string sphere_urdf_text(const SphereRobot& model);
/// `source` with the spheres in the place of its collision shapes. `source_path` and `path` are
/// where it comes from and where it goes to. Errors: not XML; a link of the model that it lacks.
[[nodiscard]] Result<std::string> sphere_urdf_text(const SphereRobot& model,
                                                   std::string_view source,
                                                   const std::string& source_path,
                                                   const std::string& path);

/// The same for links of spheres, capsules and boxes, by link as robot.links(): a capsule is a
/// cylinder and the spheres at its ends. Poses of boxes and cylinders pass through roll, pitch and
/// yaw; both are written larger by what that may round (1e-14 of the coordinates), so that what is
/// read holds all that was written.
[[nodiscard]] std::string primitive_urdf_text(const Robot& robot,
                                              std::span<const PrimitiveSet> primitives);
[[nodiscard]] Result<std::string> primitive_urdf_text(const Robot& robot,
                                                      std::span<const PrimitiveSet> primitives,
                                                      std::string_view source,
                                                      const std::string& source_path,
                                                      const std::string& path);
/// A part as a robot of one link, both of this name.
[[nodiscard]] std::string primitive_urdf_text(const std::string& name, const PrimitiveSet& part);

/// Writes what the extension says: .json foam, .yaml or .yml cuRobo.
Status write_spheres(const std::string& path, std::span<const NamedSpheres> spheres);
/// Reads the same, by the extension.
[[nodiscard]] Result<std::vector<NamedSpheres>> read_spheres(const std::string& path);
/// Writes a URDF. `source_path`: the file the robot was read from; empty for none.
Status write_sphere_urdf(const std::string& path, const SphereRobot& model,
                         const std::string& source_path = {});
/// The same with spheres, capsules and boxes.
Status write_primitive_urdf(const std::string& path, const Robot& robot,
                            std::span<const PrimitiveSet> primitives,
                            const std::string& source_path = {});
/// Reads a URDF whose collision shapes are all spheres. Visual shapes are left out.
[[nodiscard]] Result<SphereRobot> read_sphere_urdf(const std::string& path);

}  // namespace clearance
