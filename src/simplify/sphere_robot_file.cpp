// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robots of spheres as URDF, and the files of spheres by their extensions.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <pugixml.hpp>

#include <clearance/base/assert.h>
#include <clearance/base/file.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "simplify/sphere_numbers.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using detail::shortest;

constexpr std::string_view kPackage = "package://";
constexpr std::string_view kFile = "file://";

void set(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute).set_value(value.c_str());
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream stream;
  document.save(stream, "  ");
  return stream.str();
}

/// Roll, pitch and yaw of a rotation, as rotation_from_rpy() takes them.
Vec3 rpy_from(const Mat3& m) {
  const double across = std::hypot(m[0].x, m[1].x);
  // Pitch of 90 degrees: roll and yaw turn about the same axis, and yaw is taken as 0.
  constexpr double kUpright = 1e-12;
  if (across < kUpright) return {std::atan2(-m[1].z, m[1].y), std::atan2(-m[2].x, across), 0.0};
  return {std::atan2(m[2].y, m[2].z), std::atan2(-m[2].x, across), std::atan2(m[1].x, m[0].x)};
}

void add_origin(pugi::xml_node node, const Pose& pose) {
  if (pose == Pose::identity()) return;
  pugi::xml_node origin = node.append_child("origin");
  set(origin, "xyz", shortest(pose.translation, " "));
  set(origin, "rpy", shortest(rpy_from(pose.rotation), " "));
}

/// What poses lose on their way through roll, pitch and yaw, as a fraction of the coordinates: some
/// ten operations of 1.1e-16. Boxes and cylinders are written larger by it.
constexpr double kAngleRounding = 1e-14;

/// A collision shape behind everything else of a link.
pugi::xml_node add_collision(pugi::xml_node link, const Vec3& xyz, const Vec3& rpy) {
  pugi::xml_node collision = link.append_child("collision");
  pugi::xml_node origin = collision.append_child("origin");
  set(origin, "xyz", shortest(xyz, " "));
  set(origin, "rpy", rpy == Vec3{} ? "0 0 0" : shortest(rpy, " "));
  return collision.append_child("geometry");
}

void add_sphere(pugi::xml_node link, const Sphere& sphere) {
  set(add_collision(link, sphere.center, {}).append_child("sphere"), "radius",
      shortest(sphere.radius));
}

/// A cylinder and the spheres at its ends.
void add_capsule(pugi::xml_node link, const Capsule& capsule) {
  const Vec3 way = capsule.axis.b - capsule.axis.a;
  const double length = norm(way);
  if (length > 0.0) {
    // Yaw and pitch turn z to the axis.
    const Vec3 rpy{0.0, std::atan2(std::hypot(way.x, way.y), way.z), std::atan2(way.y, way.x)};
    const Vec3 center = 0.5 * (capsule.axis.a + capsule.axis.b);
    const double more = kAngleRounding * (norm(center) + length + capsule.radius);
    pugi::xml_node cylinder = add_collision(link, center, rpy).append_child("cylinder");
    set(cylinder, "radius", shortest(capsule.radius + more));
    set(cylinder, "length", shortest(length + more));
    add_sphere(link, {capsule.axis.a, capsule.radius});
  }
  add_sphere(link, {capsule.axis.b, capsule.radius});
}

void add_box(pugi::xml_node link, const OrientedBox& box) {
  const Pose& pose = box.world_from_box;
  const double more = kAngleRounding * (norm(pose.translation) + norm(box.half_size));
  set(add_collision(link, pose.translation, rpy_from(pose.rotation)).append_child("box"), "size",
      shortest(2.0 * (box.half_size + Vec3{more, more, more}), " "));
}

void add_primitives(pugi::xml_node link, const PrimitiveSet& primitives) {
  for (const Sphere& sphere : primitives.spheres) add_sphere(link, sphere);
  for (const Capsule& capsule : primitives.capsules) add_capsule(link, capsule);
  for (const OrientedBox& box : primitives.boxes) add_box(link, box);
}

std::vector<PrimitiveSet> sets_of(const SphereRobot& model) {
  std::vector<PrimitiveSet> out;
  for (const std::vector<Sphere>& spheres : model.spheres) out.push_back({spheres, {}, {}});
  return out;
}

/// A visual shape; meshes are left out, since the file and the scale they were read with are not
/// known.
void add_visual(pugi::xml_node link, const RobotShape& shape) {
  if (std::holds_alternative<MeshShape>(shape.geometry)) return;
  pugi::xml_node visual = link.append_child("visual");
  if (!shape.name.empty()) set(visual, "name", shape.name);
  add_origin(visual, shape.link_from_shape);
  pugi::xml_node geometry = visual.append_child("geometry");
  if (const auto* box = std::get_if<BoxShape>(&shape.geometry)) {
    set(geometry.append_child("box"), "size", shortest(2.0 * box->half_size, " "));
  } else if (const auto* cylinder = std::get_if<CylinderShape>(&shape.geometry)) {
    pugi::xml_node node = geometry.append_child("cylinder");
    set(node, "radius", shortest(cylinder->radius));
    set(node, "length", shortest(cylinder->length));
  } else {
    set(geometry.append_child("sphere"), "radius",
        shortest(std::get<SphereShape>(shape.geometry).radius));
  }
}

const char* type_of(const RobotJoint& joint) {
  switch (joint.kind) {
    case JointKind::Fixed:
      return "fixed";
    case JointKind::Revolute:
      return "revolute";
    case JointKind::Continuous:
      return "continuous";
    case JointKind::Prismatic:
      break;
  }
  return "prismatic";
}

void add_joint(pugi::xml_node robot, const Robot& model, const RobotJoint& joint) {
  pugi::xml_node node = robot.append_child("joint");
  set(node, "name", joint.name);
  set(node, "type", type_of(joint));
  add_origin(node, joint.parent_from_joint);
  set(node.append_child("parent"), "link", model.links()[joint.parent].name);
  set(node.append_child("child"), "link", model.links()[joint.child].name);
  if (joint.kind == JointKind::Fixed) return;
  set(node.append_child("axis"), "xyz", shortest(joint.unit_axis, " "));
  // A limit is required of joints with two ends; a velocity of 0 stands for none.
  pugi::xml_node limit = node.append_child("limit");
  if (joint.kind != JointKind::Continuous) {
    const auto bounded = [](double v) {
      return std::clamp(v, -kLargestRobotLength, kLargestRobotLength);
    };
    set(limit, "lower", shortest(bounded(joint.lower)));
    set(limit, "upper", shortest(bounded(joint.upper)));
  }
  set(limit, "effort", "0");
  set(limit, "velocity", shortest(std::isfinite(joint.velocity) ? joint.velocity : 0.0));
  if (joint.mimic) {
    pugi::xml_node mimic = node.append_child("mimic");
    set(mimic, "joint", model.joints()[joint.mimic->joint].name);
    set(mimic, "multiplier", shortest(joint.mimic->multiplier));
    set(mimic, "offset", shortest(joint.mimic->offset));
  }
}

/// The name of a file beside `from`, as it is found from beside `to`.
std::string moved_name(const std::string& name, const fs::path& from, const fs::path& to) {
  if (name.starts_with(kPackage)) return name;
  const bool has_scheme = name.starts_with(kFile);
  const fs::path file = has_scheme ? name.substr(kFile.size()) : name;
  if (file.is_absolute() || from == to) return name;
  const fs::path there = (from / file).lexically_normal();
  const fs::path relative = there.lexically_relative(to);
  return (has_scheme ? std::string(kFile) : "") + (relative.empty() ? there : relative).string();
}

fs::path folder_of(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(fs::path(path), ignored).lexically_normal().parent_path();
}

/// The extension of a path in lower case, with the dot.
std::string extension_of(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

enum class Format { Foam, Curobo };

Result<Format> format_of(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == ".json") return Format::Foam;
  if (extension == ".yaml" || extension == ".yml") return Format::Curobo;
  return Error{ErrorCode::Unsupported, path, "", "is not a file of spheres by its extension",
               ".json (foam, VAMP) or .yaml (cuRobo)"};
}

}  // namespace

std::vector<NamedSpheres> named_spheres(const SphereRobot& model,
                                        std::span<const LinkSimplification> links) {
  std::vector<NamedSpheres> out;
  for (std::size_t i = 0; i < model.spheres.size(); ++i) {
    if (model.spheres[i].empty()) continue;
    NamedSpheres& named = out.emplace_back();
    named.name = model.robot.links()[i].name;
    named.spheres = model.spheres[i];
    for (const LinkSimplification& link : links)
      if (link.link == i) named.error = link.error;
  }
  return out;
}

Result<SphereRobot> with_spheres(const Robot& robot, std::span<const NamedSpheres> spheres) {
  SphereRobot model{robot, std::vector<std::vector<Sphere>>(robot.links().size())};
  for (const NamedSpheres& named : spheres) {
    const std::optional<std::uint32_t> link = robot.link(named.name);
    // Places for things to be held, as cuRobo's attached_object, have no spheres yet.
    if (!link && named.spheres.empty()) continue;
    if (!link) {
      return Error{ErrorCode::Invalid, "", "link '" + named.name + "'",
                   "robot '" + robot.name() + "' has no such link", ""};
    }
    std::vector<Sphere>& out = model.spheres[*link];
    out.insert(out.end(), named.spheres.begin(), named.spheres.end());
  }
  return model;
}

Result<SphereRobot> with_collision_spheres(const Robot& robot) {
  SphereRobot model{robot, std::vector<std::vector<Sphere>>(robot.links().size())};
  for (std::size_t i = 0; i < model.spheres.size(); ++i) {
    const RobotLink& link = robot.links()[i];
    for (const RobotShape& shape : link.collision) {
      const auto* sphere = std::get_if<SphereShape>(&shape.geometry);
      if (sphere == nullptr) {
        return Error{ErrorCode::Invalid, "", "link '" + link.name + "'",
                     "has a collision shape that is not a sphere", "simplify the robot first"};
      }
      model.spheres[i].push_back({shape.link_from_shape.translation, sphere->radius});
    }
  }
  return model;
}

std::string sphere_urdf_text(const SphereRobot& model) {
  return primitive_urdf_text(model.robot, sets_of(model));
}

Result<std::string> sphere_urdf_text(const SphereRobot& model, std::string_view source,
                                     const std::string& source_path, const std::string& path) {
  return primitive_urdf_text(model.robot, sets_of(model), source, source_path, path);
}

std::string primitive_urdf_text(const Robot& model, std::span<const PrimitiveSet> primitives) {
  CLEARANCE_ASSERT(primitives.size() == model.links().size());
  pugi::xml_document document;
  pugi::xml_node robot = document.append_child("robot");
  set(robot, "name", model.name());
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const RobotLink& link = model.links()[i];
    pugi::xml_node node = robot.append_child("link");
    set(node, "name", link.name);
    for (const RobotShape& shape : link.visual) add_visual(node, shape);
    add_primitives(node, primitives[i]);
  }
  for (const RobotJoint& joint : model.joints()) add_joint(robot, model, joint);
  return text_of(document);
}

std::string primitive_urdf_text(const std::string& name, const PrimitiveSet& part) {
  pugi::xml_document document;
  pugi::xml_node robot = document.append_child("robot");
  set(robot, "name", name);
  pugi::xml_node link = robot.append_child("link");
  set(link, "name", name);
  add_primitives(link, part);
  return text_of(document);
}

Result<std::string> primitive_urdf_text(const Robot& model,
                                        std::span<const PrimitiveSet> primitives,
                                        std::string_view source, const std::string& source_path,
                                        const std::string& path) {
  CLEARANCE_ASSERT(primitives.size() == model.links().size());
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(
      source.data(), source.size(), pugi::parse_default | pugi::parse_comments);
  if (!parsed) {
    return Error{ErrorCode::Malformed, source_path, "byte " + std::to_string(parsed.offset),
                 std::string("is not XML: ") + parsed.description(), ""};
  }
  pugi::xml_node robot = document.child("robot");
  const fs::path from = folder_of(source_path);
  const fs::path to = folder_of(path);
  for (pugi::xml_node link : robot.children("link")) {
    while (link.remove_child("collision")) {
    }
    for (pugi::xml_node visual : link.children("visual")) {
      pugi::xml_attribute file = visual.child("geometry").child("mesh").attribute("filename");
      if (file) file.set_value(moved_name(file.value(), from, to).c_str());
    }
  }
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const std::string& name = model.links()[i].name;
    pugi::xml_node link = robot.find_child_by_attribute("link", "name", name.c_str());
    if (!link) {
      return Error{ErrorCode::Invalid, source_path, "link '" + name + "'",
                   "is in the model, but not in this file", "is it the file the robot is from?"};
    }
    add_primitives(link, primitives[i]);
  }
  return text_of(document);
}

Status write_spheres(const std::string& path, std::span<const NamedSpheres> spheres) {
  const Result<Format> format = format_of(path);
  if (!format) return format.error();
  return write_file(path, *format == Format::Foam ? foam_text(spheres) : curobo_text(spheres));
}

Result<std::vector<NamedSpheres>> read_spheres(const std::string& path) {
  const Result<Format> format = format_of(path);
  if (!format) return format.error();
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return *format == Format::Foam ? parse_foam(file->text(), path)
                                 : parse_curobo(file->text(), path);
}

Status write_sphere_urdf(const std::string& path, const SphereRobot& model,
                         const std::string& source_path) {
  return write_primitive_urdf(path, model.robot, sets_of(model), source_path);
}

Status write_primitive_urdf(const std::string& path, const Robot& robot,
                            std::span<const PrimitiveSet> primitives,
                            const std::string& source_path) {
  if (source_path.empty()) return write_file(path, primitive_urdf_text(robot, primitives));
  const Result<MappedFile> source = MappedFile::open(source_path);
  if (!source) return source.error();
  const Result<std::string> text =
      primitive_urdf_text(robot, primitives, source->text(), source_path, path);
  if (!text) return text.error();
  return write_file(path, *text);
}

Result<SphereRobot> read_sphere_urdf(const std::string& path) {
  RobotFileOptions options;
  options.visual = false;
  const Result<RobotFile> file = read_robot(path, options);
  if (!file) return file.error();
  Result<SphereRobot> model = with_collision_spheres(file->robot);
  if (model) return model;
  Error error = model.error();
  error.file = path;
  return error;
}

}  // namespace clearance
