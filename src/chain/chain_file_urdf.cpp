// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The serial chain of a URDF.
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include "chain/chain_file_build.h"

namespace clearance {
namespace {

using detail::FileBody;
using detail::FileChain;
using detail::FileJoint;

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

/// The deepest nesting of tags, comments left out.
int depth_of(std::string_view xml) {
  int depth = 0;
  int deepest = 0;
  for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    if (xml.substr(at, 4) == "<!--") {
      at = xml.find("-->", at);
      if (at == std::string_view::npos) break;
    } else if (xml.substr(at, 2) == "</") {
      --depth;
    } else if (xml.substr(at, 2) != "<?" && xml.substr(at, 2) != "<!") {
      deepest = std::max(deepest, ++depth);
      const std::size_t end = xml.find('>', at);
      if (end == std::string_view::npos) break;
      if (xml[end - 1] == '/') --depth;
    }
  }
  return deepest;
}

Vec3 vec3(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return {rotation_from(Quaternion{q.x, q.y, q.z, q.w}), vec3(pose.position)};
}

bool is_movable(const urdf::Joint& joint) {
  return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
         joint.type == urdf::Joint::PRISMATIC;
}

/// Why a joint cannot be part of a chain; empty when it can.
std::string why_not(const urdf::Joint& joint) {
  if (joint.mimic) return "it mimics joint '" + joint.mimic->joint_name + "'";
  if (joint.type != urdf::Joint::FIXED && !is_movable(joint))
    return "it moves in more than one way (floating or planar)";
  return "";
}

FileJoint file_joint(const urdf::Joint& joint) {
  FileJoint out;
  out.name = joint.name;
  out.origin = pose_of(joint.parent_to_joint_origin_transform);
  out.axis = vec3(joint.axis);
  if (joint.type == urdf::Joint::PRISMATIC) out.type = FileJoint::Type::Prismatic;
  if (joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS)
    out.type = FileJoint::Type::Revolute;
  if (joint.limits && joint.type != urdf::Joint::CONTINUOUS) {
    out.lower = joint.limits->lower;
    out.upper = joint.limits->upper;
  }
  // 0 unless the limits forbid it.
  if (out.lower <= out.upper) out.value = std::clamp(0.0, out.lower, out.upper);
  return out;
}

/// The pose of the body behind a joint at its value.
Pose posed(const FileJoint& joint) {
  if (joint.type == FileJoint::Type::Fixed) return joint.origin;
  const Vec3 axis = normalized(joint.axis);
  if (joint.type == FileJoint::Type::Prismatic)
    return joint.origin * Pose::translate(joint.value * axis);
  return joint.origin * Pose{rotation_about(axis, joint.value), {}};
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

class UrdfChain {
 public:
  UrdfChain(const urdf::ModelInterface& model, const std::string& path,
            const ChainFileOptions& options)
      : model_(model), path_(path), options_(options) {}

  Result<ChainFile> read() {
    if (Status status = check_tree(); !status) return status.error();
    const Result<std::string> tip = choose_tip();
    if (!tip) return tip.error();
    if (Status status = walk(*tip); !status) return status.error();
    chain_.neighbours = options_.neighbours;
    add_notes(*tip);
    return detail::chain_of(std::move(chain_), path_);
  }

 private:
  Error error(std::string place, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }
  static std::string place_of(const urdf::Joint& joint) { return "joint '" + joint.name + "'"; }
  static std::string place_of(const urdf::Link& link) { return "link '" + link.name + "'"; }

  /// urdfdom takes links with two parents, and loops beside the tree, without a word.
  [[nodiscard]] Status check_tree() const {
    std::map<std::string, std::string> parent;  // joint by child
    for (const auto& [name, joint] : model_.joints_) {
      const auto [at, added] = parent.emplace(joint->child_link_name, name);
      if (!added) {
        return error("link '" + joint->child_link_name + "'",
                     "hangs on two joints, '" + at->second + "' and '" + name + "': a loop",
                     "Clearance reads trees only; cut the loop at one of them");
      }
      const FileJoint read = file_joint(*joint);
      if (!is_finite(read.origin.translation) ||
          rigidity_error(read.origin.rotation) > kRigidTolerance)
        return error(place_of(*joint), "its origin is not a finite pose");
      if (!is_movable(*joint)) continue;
      if (std::string wrong = detail::wrong_with(read); !wrong.empty())
        return error(place_of(*joint), std::move(wrong));
    }
    std::set<std::string> seen;
    std::vector<const urdf::Link*> next{model_.getRoot().get()};
    while (!next.empty()) {
      const urdf::Link* link = next.back();
      next.pop_back();
      seen.insert(link->name);
      for (const auto& child : link->child_links) next.push_back(child.get());
    }
    for (const auto& [name, link] : model_.links_) {
      if (!seen.contains(name))
        return error("link '" + name + "'", "does not hang on the root: it is part of a loop");
    }
    return {};
  }

  /// The joints from the root to a link.
  [[nodiscard]] std::vector<const urdf::Joint*> way_to(const std::string& link) const {
    std::vector<const urdf::Joint*> way;
    for (auto at = model_.getLink(link); at && at->parent_joint;) {
      way.push_back(at->parent_joint.get());
      at = model_.getLink(at->parent_joint->parent_link_name);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  [[nodiscard]] Result<std::string> choose_tip() const {
    if (!options_.tip.empty()) {
      if (!model_.getLink(options_.tip)) {
        return Error{ErrorCode::NotFound, path_, "", "has no link '" + options_.tip + "'", ""};
      }
      for (const urdf::Joint* joint : way_to(options_.tip)) {
        if (const std::string why = why_not(*joint); !why.empty()) {
          return error(place_of(*joint), "is on the way to '" + options_.tip + "', and " + why,
                       "choose a tip before it");
        }
      }
      return options_.tip;
    }
    struct Way {
      const urdf::Link* link;
      int movable;
    };
    std::string best = model_.getRoot()->name;
    int most = 0;
    const urdf::Joint* refused = nullptr;
    std::vector<Way> next{{model_.getRoot().get(), 0}};
    while (!next.empty()) {
      const auto [link, movable] = next.back();
      next.pop_back();
      if (movable > most || (movable == most && movable > 0 && link->name < best)) {
        most = movable;
        best = link->name;
      }
      for (const auto& joint : link->child_joints) {
        if (!why_not(*joint).empty()) {
          refused = joint.get();
        } else {
          next.push_back({model_.getLink(joint->child_link_name).get(),
                          movable + (is_movable(*joint) ? 1 : 0)});
        }
      }
    }
    if (most == 0 && refused != nullptr)
      return error(place_of(*refused), "cannot be part of a chain: " + why_not(*refused));
    return best;
  }

  Status walk(const std::string& tip) {
    const std::vector<const urdf::Joint*> way = way_to(tip);
    for (const urdf::Joint* joint : way) on_way_.insert(joint->name);
    chain_.bodies.emplace_back().name = model_.getRoot()->name;
    Pose body_from_link;
    if (Status status = add_link(*model_.getRoot(), body_from_link); !status) return status;
    for (const urdf::Joint* joint : way) {
      FileJoint next = file_joint(*joint);
      const urdf::Link& link = *model_.getLink(joint->child_link_name);
      if (next.type == FileJoint::Type::Fixed) {
        ++merged_;
        body_from_link = body_from_link * next.origin;
      } else {
        next.origin = body_from_link * next.origin;
        chain_.joints.push_back(std::move(next));
        chain_.bodies.emplace_back().name = link.name;
        body_from_link = Pose::identity();
      }
      if (Status status = add_link(link, body_from_link); !status) return status;
    }
    return {};
  }

  /// The shapes of a link and of all that hangs on it beside the chain.
  Status add_link(const urdf::Link& first, const Pose& body_from_first) {
    struct Placed {
      const urdf::Link* link;
      Pose body_from_link;
    };
    std::vector<Placed> next{{&first, body_from_first}};
    while (!next.empty()) {
      const auto [link, body_from_link] = next.back();
      next.pop_back();
      if (Status status = add_shapes(*link, body_from_link); !status) return status;
      for (const auto& joint : link->child_joints) {
        if (on_way_.contains(joint->name)) continue;
        ++attached_;
        if (is_movable(*joint)) ++held_;
        next.push_back({model_.getLink(joint->child_link_name).get(),
                        body_from_link * posed(file_joint(*joint))});
      }
    }
    return {};
  }

  Status add_shapes(const urdf::Link& link, const Pose& body_from_link) {
    if (link.collision_array.empty() && !link.visual_array.empty()) ++only_visual_;
    for (const auto& collision : link.collision_array) {
      if (!collision || !collision->geometry)
        return error(place_of(link), "has a collision element without a shape");
      const Pose pose = body_from_link * pose_of(collision->origin);
      if (!is_finite(pose.translation) || rigidity_error(pose.rotation) > kRigidTolerance)
        return error(place_of(link), "the origin of a collision element is not a finite pose");
      if (Status status = add_shape(link, *collision->geometry, pose, chain_.bodies.back());
          !status)
        return status;
    }
    return {};
  }

  Status add_shape(const urdf::Link& link, const urdf::Geometry& shape, const Pose& pose,
                   FileBody& body) {
    std::vector<Vec3> points;
    if (shape.type == urdf::Geometry::SPHERE) {
      const double radius = static_cast<const urdf::Sphere&>(shape).radius;
      if (!(radius >= 0.0 && std::isfinite(radius)))
        return error(place_of(link), "the radius of a sphere is not a number from 0 on");
      body.spheres.push_back({pose.translation, radius});
      return {};
    }
    if (shape.type == urdf::Geometry::MESH)
      return add_mesh(link, static_cast<const urdf::Mesh&>(shape), pose, body);
    if (shape.type == urdf::Geometry::BOX) {
      const Vec3 size = vec3(static_cast<const urdf::Box&>(shape).dim);
      if (!(is_finite(size) && size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0))
        return error(place_of(link), "a size of a box is not a number from 0 on");
      points = detail::box_corners(size);
    } else {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(shape);
      if (!(cylinder.radius >= 0.0 && cylinder.length >= 0.0 && std::isfinite(cylinder.radius) &&
            std::isfinite(cylinder.length)))
        return error(place_of(link), "a size of a cylinder is not a number from 0 on");
      points = detail::prism_corners(cylinder.radius, cylinder.length);
      ++cylinders_;
    }
    for (Vec3& p : points) p = pose * p;
    const Result<ConvexBody> convex = ConvexBody::around(points);
    if (!convex) return error(place_of(link), convex.error().reason, convex.error().advice);
    body.convex.push_back(*convex);
    return {};
  }

  Status add_mesh(const urdf::Link& link, const urdf::Mesh& mesh, const Pose& pose,
                  FileBody& body) {
    const Vec3 scale = vec3(mesh.scale);
    if (!is_finite(scale) || scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
      return error(place_of(link), "the scale of mesh '" + mesh.filename + "' is 0 or not finite");
    const Result<std::string> file = find_mesh(link, mesh.filename);
    if (!file) return file.error();
    const Result<Mesh> read = meshes_.read(*file, 0.0);
    if (!read) return Error{read.error().code, path_, place_of(link), read.error().message(), ""};
    detail::add_mesh(body, *read, scale, pose);
    return {};
  }

  /// package://NAME/REST is looked for as NAME/REST in all folders above the URDF, and as REST in
  /// one that is called NAME.
  [[nodiscard]] Result<std::string> find_mesh(const urdf::Link& link,
                                              const std::string& name) const {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path folder = fs::absolute(fs::path(path_), ignored).lexically_normal().parent_path();
    constexpr std::string_view kPackage = "package://";
    constexpr std::string_view kFile = "file://";
    if (name.starts_with(kPackage)) {
      const fs::path rest = name.substr(kPackage.size());
      fs::path inside;
      for (auto part = rest.begin(); part != rest.end(); ++part)
        if (part != rest.begin()) inside /= *part;
      for (fs::path at = folder;; at = at.parent_path()) {
        if (fs::exists(at / rest, ignored)) return (at / rest).string();
        if (!rest.empty() && at.filename() == *rest.begin() && fs::exists(at / inside, ignored))
          return (at / inside).string();
        if (at == at.parent_path()) break;
      }
    } else {
      const fs::path file =
          name.starts_with(kFile) ? fs::path(name.substr(kFile.size())) : folder / name;
      if (fs::exists(file, ignored)) return file.string();
    }
    return Error{ErrorCode::NotFound, path_, place_of(link), "mesh '" + name + "' was not found",
                 name.starts_with(kPackage)
                     ? "packages are looked for in the folders above the URDF"
                     : "meshes are looked for beside the URDF"};
  }

  void add_notes(const std::string& tip) {
    auto& notes = chain_.notes;
    notes.push_back("The chain runs from '" + model_.getRoot()->name + "' to '" + tip + "'.");
    if (merged_ > 0) {
      notes.push_back(counted(merged_, "fixed joint was", "fixed joints were") +
                      " merged into the body before.");
    }
    if (attached_ > 0) {
      notes.push_back(counted(attached_, "link", "links") + " beside the chain " +
                      (attached_ == 1 ? "is" : "are") + " attached rigidly, " +
                      counted(held_, "movable joint", "movable joints") + " held at 0.");
    }
    if (cylinders_ > 0) {
      notes.push_back(counted(cylinders_, "cylinder is a prism", "cylinders are prisms") + " of " +
                      std::to_string(kCylinderSides) + " sides around it.");
    }
    if (only_visual_ > 0) {
      notes.push_back(counted(only_visual_, "link has", "links have") +
                      " a visual shape and none for collisions: never tested.");
    }
  }

  const urdf::ModelInterface& model_;
  std::string path_;
  const ChainFileOptions& options_;
  FileChain chain_;
  detail::MeshFiles meshes_;
  std::set<std::string> on_way_;  // joints
  std::size_t merged_ = 0;
  std::size_t attached_ = 0;
  std::size_t held_ = 0;
  std::size_t cylinders_ = 0;
  std::size_t only_visual_ = 0;
};

}  // namespace

Result<ChainFile> parse_chain_urdf(std::string_view text, const std::string& path,
                                   const ChainFileOptions& options) {
  const auto malformed = [&](std::string reason) {
    return Error{ErrorCode::Malformed, path, "", std::move(reason), "check_urdf may tell more"};
  };
  if (depth_of(text) > kDeepestXml) return malformed("its elements are nested too deeply");
  try {
    urdf::ModelInterfaceSharedPtr model;
    std::string problem;
    {
      Messages messages;
      model = urdf::parseURDF(std::string(text));
      problem = messages.first();
    }
    if (!model || !model->getRoot())
      return malformed("is not a URDF" + (problem.empty() ? "" : ": " + problem));
    return UrdfChain(*model, path, options).read();
  } catch (const std::exception& exception) {
    return malformed(std::string("cannot be read: ") + exception.what());
  }
}

}  // namespace clearance
