// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "robot/urdf_document.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <set>

#include <console_bridge/console.h>
#include <pugixml.hpp>
#include <urdf_parser/urdf_parser.h>

#include "robot/joint_check.h"

namespace clearance::detail {
namespace {

/// Elements within elements. A URDF needs five; the XML library calls itself for each, and a file
/// of nothing but opening tags would end the program.
constexpr int kDeepestXml = 64;

/// Takes what urdfdom would print, for the time it exists. The handler is one for the whole
/// program, so readers wait for each other.
class Messages final : public console_bridge::OutputHandler {
 public:
  Messages() : lock_(mutex()), previous_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~Messages() override { console_bridge::useOutputHandler(previous_); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first_.empty()) first_ = text;
  }
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* previous_;
  std::string first_;
};

/// Stops a walk over all elements below those that are nested too deeply.
class DepthCheck final : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node&) override { return depth() < kDeepestXml; }
};

std::size_t count_of(const pugi::xml_node& node, const char* name) {
  const auto children = node.children(name);
  return static_cast<std::size_t>(std::distance(children.begin(), children.end()));
}

Vec3 vec3(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return {rotation_from(Quaternion{q.x, q.y, q.z, q.w}), vec3(pose.position)};
}

UrdfMotion motion_of(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return UrdfMotion::Revolute;
    case urdf::Joint::CONTINUOUS:
      return UrdfMotion::Continuous;
    case urdf::Joint::PRISMATIC:
      return UrdfMotion::Prismatic;
    case urdf::Joint::FLOATING:
      return UrdfMotion::Floating;
    case urdf::Joint::PLANAR:
      return UrdfMotion::Planar;
    default:
      return UrdfMotion::Fixed;
  }
}

UrdfJoint joint_of(const urdf::Joint& joint) {
  UrdfJoint out;
  out.name = joint.name;
  out.motion = motion_of(joint);
  out.origin = pose_of(joint.parent_to_joint_origin_transform);
  out.axis = vec3(joint.axis);
  if (joint.limits) {
    if (out.motion != UrdfMotion::Continuous) {
      out.lower = joint.limits->lower;
      out.upper = joint.limits->upper;
    }
    // The element must have a velocity, and many files that know of none write 0.
    if (joint.limits->velocity > 0.0) out.velocity = joint.limits->velocity;
  }
  if (joint.mimic)
    out.mimic = UrdfMimic{joint.mimic->joint_name, joint.mimic->multiplier, joint.mimic->offset};
  return out;
}

/// The shapes of a link's visual or collision elements.
template <class Element>
std::vector<UrdfShape> shapes_of(const std::vector<Element>& elements) {
  std::vector<UrdfShape> out;
  for (const auto& element : elements) {
    UrdfShape& shape = out.emplace_back();
    shape.name = element->name;
    shape.link_from_shape = pose_of(element->origin);
    const urdf::Geometry& geometry = *element->geometry;
    switch (geometry.type) {
      case urdf::Geometry::SPHERE:
        shape.geometry = SphereShape{static_cast<const urdf::Sphere&>(geometry).radius};
        break;
      case urdf::Geometry::BOX:
        shape.geometry = BoxShape{0.5 * vec3(static_cast<const urdf::Box&>(geometry).dim)};
        break;
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
        shape.geometry = CylinderShape{cylinder.radius, cylinder.length};
        break;
      }
      case urdf::Geometry::MESH: {
        const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
        shape.geometry = UrdfMesh{mesh.filename, vec3(mesh.scale)};
        break;
      }
    }
  }
  return out;
}

class DocumentBuilder {
 public:
  /// `problem`: the first error urdfdom told of.
  DocumentBuilder(const urdf::ModelInterface& model, const pugi::xml_node& robot,
                  const std::string& problem, const std::string& path)
      : model_(model), problem_(problem), path_(path) {
    for (const pugi::xml_node& link : robot.children("link"))
      elements_.emplace(link.attribute("name").value(), link);
  }

  Result<UrdfDocument> build() {
    if (Status status = check_joints(); !status) return status.error();
    document_.name = model_.getName();
    if (Status status = add_link(*model_.getRoot()); !status) return status.error();
    while (!next_.empty()) {
      const auto [joint, parent] = next_.back();
      next_.pop_back();
      const auto number = static_cast<std::uint32_t>(document_.joints.size());
      UrdfJoint& added = document_.joints.emplace_back(joint_of(*joint));
      added.parent = parent;
      added.child = number + 1;
      document_.links[parent].child_joints.push_back(number);
      if (Status status = add_link(*model_.getLink(joint->child_link_name)); !status)
        return status.error();
    }
    if (Status status = check_all_reached(); !status) return status.error();
    return std::move(document_);
  }

 private:
  [[nodiscard]] Error error(std::string place, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }

  /// urdfdom takes links with two parents, and loops beside the tree, without a word.
  [[nodiscard]] Status check_joints() const {
    std::map<std::string, std::string> parent;  // joint by child
    for (const auto& [name, joint] : model_.joints_) {
      const auto [at, added] = parent.emplace(joint->child_link_name, name);
      if (!added) {
        return error("link '" + joint->child_link_name + "'",
                     "hangs on two joints, '" + at->second + "' and '" + name + "': a loop",
                     "Clearance reads trees only; cut the loop at one of them");
      }
      const UrdfJoint read = joint_of(*joint);
      if (!checked_pose(read.origin))
        return error(place_of(read), "its origin is not a finite pose");
      if (!is_movable(read)) continue;
      if (std::string wrong = wrong_with_joint(read.axis, read.lower, read.upper); !wrong.empty())
        return error(place_of(read), std::move(wrong));
    }
    return {};
  }

  Status add_link(const urdf::Link& link) {
    const auto number = static_cast<std::uint32_t>(document_.links.size());
    UrdfLink& added = document_.links.emplace_back();
    added.name = link.name;
    // urdfdom gives up a link where it cannot read an element of it (an inertia without a number, a
    // shape it does not know), and returns it without the shapes that follow. Those would then be
    // free to pass through everything.
    const pugi::xml_node& element = elements_[link.name];
    const auto has_shape = [](const auto& shape) { return shape && shape->geometry; };
    if (link.visual_array.size() != count_of(element, "visual") ||
        link.collision_array.size() != count_of(element, "collision") ||
        !std::ranges::all_of(link.visual_array, has_shape) ||
        !std::ranges::all_of(link.collision_array, has_shape))
      return error(place_of(added), "cannot be read: " + problem_);
    added.visual = shapes_of(link.visual_array);
    added.collision = shapes_of(link.collision_array);
    // The last to be put there is the first to be taken.
    for (std::size_t i = link.child_joints.size(); i-- > 0;)
      next_.push_back({link.child_joints[i].get(), number});
    return {};
  }

  [[nodiscard]] Status check_all_reached() const {
    std::set<std::string_view> seen;
    for (const UrdfLink& link : document_.links) seen.insert(link.name);
    for (const auto& [name, link] : model_.links_) {
      if (!seen.contains(name))
        return error("link '" + name + "'", "does not hang on the root: it is part of a loop");
    }
    return {};
  }

  struct Branch {
    const urdf::Joint* joint;
    std::uint32_t parent;  // link
  };
  const urdf::ModelInterface& model_;
  const std::string& problem_;
  const std::string& path_;
  std::map<std::string, pugi::xml_node> elements_;  // of links, by name
  UrdfDocument document_;
  std::vector<Branch> next_;
};

}  // namespace

bool is_movable(const UrdfJoint& joint) {
  return joint.motion == UrdfMotion::Revolute || joint.motion == UrdfMotion::Continuous ||
         joint.motion == UrdfMotion::Prismatic;
}

std::string place_of(const UrdfLink& link) { return "link '" + link.name + "'"; }
std::string place_of(const UrdfJoint& joint) { return "joint '" + joint.name + "'"; }

Result<UrdfDocument> parse_urdf(std::string_view text, const std::string& path) {
  const auto malformed = [&](std::string place, std::string reason) {
    return Error{ErrorCode::Malformed, path, std::move(place), std::move(reason), ""};
  };
  // urdfdom takes what it understood of a text that breaks off for the whole of it.
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  if (!parsed) {
    return malformed("byte " + std::to_string(parsed.offset),
                     std::string("is not a URDF, since it is not XML: ") + parsed.description());
  }
  if (DepthCheck check; !xml.traverse(check))
    return malformed("", "its elements are nested too deeply");
  try {
    urdf::ModelInterfaceSharedPtr model;
    std::string problem;
    {
      Messages messages;
      model = urdf::parseURDF(std::string(text));
      problem = messages.first();
    }
    if (!model || !model->getRoot())
      return malformed("", "is not a URDF" + (problem.empty() ? "" : ": " + problem));
    return DocumentBuilder(*model, xml.child("robot"), problem, path).build();
  } catch (const std::exception& exception) {
    return malformed("", std::string("cannot be read: ") + exception.what());
  }
}

}  // namespace clearance::detail
