// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "robot/urdf_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include <pugixml.hpp>

#include "robot/joint_check.h"

namespace clearance::detail {
namespace {

std::string link_place(const std::string& name) { return "link '" + name + "'"; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Takes a number off the front of a text; false where there is none.
bool take_number(std::string_view& text, double& number) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !std::isfinite(number)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return text.empty() || is_space(text.front());
}

/// Reads one document; the first error ends it.
class DocumentReader {
 public:
  explicit DocumentReader(const std::string& path) : path_(path) {}

  Result<UrdfDocument> read(const pugi::xml_node& robot) {
    document_.name = robot.attribute("name").value();
    check_expanded(robot);
    for (const pugi::xml_node& node : robot.children("link")) read_link(node);
    for (const pugi::xml_node& node : robot.children("joint")) read_joint(node);
    if (!error_ && links_.empty()) fail("", "is not a URDF: it has no link");
    if (!error_) put_in_order();
    if (error_) return *error_;
    return std::move(document_);
  }

 private:
  void fail(std::string place, std::string reason, std::string advice = "") {
    if (error_) return;
    error_ = {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }

  /// What a macro would have made is missing: shapes, links, whole arms.
  void check_expanded(const pugi::xml_node& robot) {
    for (const pugi::xml_node& node : robot.children()) {
      if (std::string_view(node.name()).starts_with("xacro:")) {
        fail("byte " + std::to_string(node.offset_debug()),
             "<" + std::string(node.name()) + "> is a macro that was not expanded",
             "run xacro on the file first");
      }
    }
  }

  /// The name of a link or joint.
  std::string name_of(const pugi::xml_node& node) {
    std::string name = node.attribute("name").value();
    if (name.empty()) {
      fail("byte " + std::to_string(node.offset_debug()),
           "a <" + std::string(node.name()) + "> has no name");
    }
    return name;
  }

  /// A number of an attribute. Without the attribute: as it was.
  void number(const pugi::xml_node& node, const char* attribute, const std::string& place,
              double& out) {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return;
    std::string_view text = found.value();
    if (!take_number(text, out) || !std::ranges::all_of(text, is_space)) refuse(node, found, place);
  }
  /// Three numbers of an attribute. Without the attribute: as they were.
  void vector(const pugi::xml_node& node, const char* attribute, const std::string& place,
              Vec3& out) {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return;
    std::string_view text = found.value();
    for (std::size_t i = 0; i < 3; ++i)
      if (!take_number(text, out[i])) return refuse(node, found, place);
    if (!std::ranges::all_of(text, is_space)) refuse(node, found, place);
  }
  void refuse(const pugi::xml_node& node, const pugi::xml_attribute& found,
              const std::string& place) {
    fail(place, "'" + std::string(found.value()) + "' is not what " + found.name() + " of <" +
                    node.name() + "> may be");
  }
  /// The attributes a shape cannot be without.
  void needs(const pugi::xml_node& node, const std::string& place,
             std::initializer_list<const char*> attributes) {
    for (const char* attribute : attributes) {
      if (!node.attribute(attribute))
        fail(place, "a <" + std::string(node.name()) + "> has no " + attribute);
    }
  }

  /// The pose of the <origin> of an element; the identity without.
  Pose origin_of(const pugi::xml_node& node, const std::string& place) {
    const pugi::xml_node origin = node.child("origin");
    Vec3 xyz;
    Vec3 rpy;
    vector(origin, "xyz", place, xyz);
    vector(origin, "rpy", place, rpy);
    return {rotation_from_rpy(rpy.x, rpy.y, rpy.z), xyz};
  }

  void read_link(const pugi::xml_node& node) {
    const std::string name = name_of(node);
    if (!numbers_.emplace(name, static_cast<std::uint32_t>(links_.size())).second)
      fail(link_place(name), "is there twice");
    UrdfLink& link = links_.emplace_back();
    link.name = name;
    for (const pugi::xml_node& visual : node.children("visual"))
      read_shape(visual, place_of(link), link.visual.emplace_back());
    for (const pugi::xml_node& collision : node.children("collision"))
      read_shape(collision, place_of(link), link.collision.emplace_back());
  }

  void read_shape(const pugi::xml_node& node, const std::string& place, UrdfShape& out) {
    out.name = node.attribute("name").value();
    out.link_from_shape = origin_of(node, place);
    pugi::xml_node shape = node.child("geometry").first_child();
    while (shape && shape.type() != pugi::node_element) shape = shape.next_sibling();
    const std::string_view kind = shape.name();
    if (kind == "box") {
      needs(shape, place, {"size"});
      Vec3 size;
      vector(shape, "size", place, size);
      out.geometry = BoxShape{0.5 * size};
    } else if (kind == "cylinder") {
      needs(shape, place, {"radius", "length"});
      CylinderShape cylinder;
      number(shape, "radius", place, cylinder.radius);
      number(shape, "length", place, cylinder.length);
      out.geometry = cylinder;
    } else if (kind == "sphere") {
      needs(shape, place, {"radius"});
      SphereShape sphere;
      number(shape, "radius", place, sphere.radius);
      out.geometry = sphere;
    } else if (kind == "mesh") {
      needs(shape, place, {"filename"});
      UrdfMesh mesh{shape.attribute("filename").value(), {1.0, 1.0, 1.0}};
      vector(shape, "scale", place, mesh.scale);
      out.geometry = std::move(mesh);
    } else if (kind.empty()) {
      fail(place, "a <" + std::string(node.name()) + "> has no shape");
    } else {
      fail(place, "<" + std::string(kind) + "> is not a shape", "box, cylinder, sphere or mesh");
    }
  }

  void read_joint(const pugi::xml_node& node) {
    UrdfJoint joint;
    joint.name = name_of(node);
    const std::string place = place_of(joint);
    if (!joint_names_.emplace(joint.name).second) fail(place, "is there twice");
    read_motion(node, place, joint);
    joint.parent = link_of(node, "parent", place);
    joint.child = link_of(node, "child", place);
    joint.origin = origin_of(node, place);
    vector(node.child("axis"), "xyz", place, joint.axis);
    if (const pugi::xml_node limit = node.child("limit")) read_limit(limit, place, joint);
    if (const pugi::xml_node mimic = node.child("mimic")) {
      UrdfMimic& out = joint.mimic.emplace();
      out.joint = mimic.attribute("joint").value();
      if (out.joint.empty()) fail(place, "its <mimic> names no joint");
      number(mimic, "multiplier", place, out.multiplier);
      number(mimic, "offset", place, out.offset);
    }
    if (error_) return;
    if (is_movable(joint)) {
      if (std::string wrong = wrong_with_joint(joint.axis, joint.lower, joint.upper);
          !wrong.empty())
        fail(place, std::move(wrong));
    }
    joints_.push_back(std::move(joint));
  }

  void read_motion(const pugi::xml_node& node, const std::string& place, UrdfJoint& joint) {
    static const std::map<std::string_view, UrdfMotion> kMotions{
        {"fixed", UrdfMotion::Fixed},           {"revolute", UrdfMotion::Revolute},
        {"continuous", UrdfMotion::Continuous}, {"prismatic", UrdfMotion::Prismatic},
        {"floating", UrdfMotion::Floating},     {"planar", UrdfMotion::Planar}};
    const std::string_view type = node.attribute("type").value();
    const auto motion = kMotions.find(type);
    if (motion == kMotions.end())
      return fail(place, "'" + std::string(type) + "' is not a type of joint");
    joint.motion = motion->second;
    const bool needs_limit =
        joint.motion == UrdfMotion::Revolute || joint.motion == UrdfMotion::Prismatic;
    if (needs_limit && !node.child("limit")) fail(place, "has no <limit>");
  }

  void read_limit(const pugi::xml_node& limit, const std::string& place, UrdfJoint& joint) {
    double lower = 0.0;
    double upper = 0.0;
    double velocity = 0.0;
    number(limit, "lower", place, lower);
    number(limit, "upper", place, upper);
    number(limit, "velocity", place, velocity);
    if (joint.motion != UrdfMotion::Continuous) {
      joint.lower = lower;
      joint.upper = upper;
    }
    // The element must have a velocity, and many files that know of none write 0.
    if (velocity > 0.0) joint.velocity = velocity;
  }

  /// The number of the link a joint names as its parent or child.
  std::uint32_t link_of(const pugi::xml_node& node, const char* role, const std::string& place) {
    const std::string name = node.child(role).attribute("link").value();
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) {
      fail(place, "its " + std::string(role) + " '" + name + "' is not a link");
      return 0;
    }
    return found->second;
  }

  /// The tree from the root outward, or what keeps the links from being one.
  void put_in_order() {
    constexpr std::uint32_t kNone = kNoLink;
    std::vector<std::uint32_t> joint_before(links_.size(), kNone);
    std::vector<std::vector<std::uint32_t>> joints_behind(links_.size());
    for (std::uint32_t i = 0; i < joints_.size(); ++i) {
      std::uint32_t& before = joint_before[joints_[i].child];
      if (before != kNone) {
        return fail(place_of(links_[joints_[i].child]),
                    "hangs on two joints, '" + joints_[before].name + "' and '" + joints_[i].name +
                        "': a loop",
                    "Clearance reads trees only; cut the loop at one of them");
      }
      before = i;
      joints_behind[joints_[i].parent].push_back(i);
    }
    const auto root = std::find(joint_before.begin(), joint_before.end(), kNone);
    if (root == joint_before.end()) return fail("", "every link hangs on a joint: a loop");
    const auto second = std::find(root + 1, joint_before.end(), kNone);
    if (second != joint_before.end()) {
      return fail(place_of(links_[static_cast<std::size_t>(second - joint_before.begin())]),
                  "hangs on no joint, as does '" +
                      links_[static_cast<std::size_t>(root - joint_before.begin())].name + "'",
                  "a robot has one root");
    }

    // The last to be put on the stack is the first to be taken.
    const auto by_name_backward = [&](std::uint32_t a, std::uint32_t b) {
      return joints_[b].name < joints_[a].name;
    };
    std::vector<std::uint32_t> place(links_.size(), kNone);  // in the order, by link
    std::vector<std::uint32_t> next;                         // joints
    const auto take = [&](std::uint32_t link) {
      place[link] = static_cast<std::uint32_t>(document_.links.size());
      document_.links.push_back(std::move(links_[link]));
      std::sort(joints_behind[link].begin(), joints_behind[link].end(), by_name_backward);
      next.insert(next.end(), joints_behind[link].begin(), joints_behind[link].end());
    };
    take(static_cast<std::uint32_t>(root - joint_before.begin()));
    while (!next.empty()) {
      UrdfJoint joint = joints_[next.back()];
      next.pop_back();
      const auto number = static_cast<std::uint32_t>(document_.joints.size());
      take(joint.child);
      joint.parent = place[joint.parent];
      joint.child = number + 1;
      document_.links[joint.parent].child_joints.push_back(number);
      document_.joints.push_back(std::move(joint));
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (place[i] == kNone)
        return fail(place_of(links_[i]), "does not hang on the root: it is part of a loop");
    }
  }

  const std::string& path_;
  std::optional<Error> error_;
  // In the order of the file.
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::uint32_t> numbers_;  // of links, by name
  std::set<std::string> joint_names_;
  UrdfDocument document_;
};

}  // namespace

bool is_movable(const UrdfJoint& joint) {
  return joint.motion == UrdfMotion::Revolute || joint.motion == UrdfMotion::Continuous ||
         joint.motion == UrdfMotion::Prismatic;
}

std::string place_of(const UrdfLink& link) { return link_place(link.name); }
std::string place_of(const UrdfJoint& joint) { return "joint '" + joint.name + "'"; }

Result<UrdfDocument> parse_urdf(std::string_view text, const std::string& path) {
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  if (!parsed) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(parsed.offset),
                 std::string("is not a URDF, since it is not XML: ") + parsed.description(), ""};
  }
  const pugi::xml_node robot = xml.child("robot");
  if (!robot) return Error{ErrorCode::Malformed, path, "", "is not a URDF: it has no <robot>", ""};
  return DocumentReader(path).read(robot);
}

}  // namespace clearance::detail
