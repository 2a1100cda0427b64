// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The serial chain of a URDF.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "chain/chain_file_build.h"
#include "robot/joint_check.h"
#include "robot/package_path.h"
#include "robot/urdf_document.h"

namespace clearance {
namespace {

using detail::FileBody;
using detail::FileChain;
using detail::FileJoint;
using detail::UrdfDocument;
using detail::UrdfJoint;
using detail::UrdfLink;
using detail::UrdfMesh;
using detail::UrdfMotion;
using detail::UrdfShape;

/// Why a joint cannot be part of a chain; empty when it can.
std::string why_not(const UrdfJoint& joint) {
  if (joint.mimic) return "it mimics joint '" + joint.mimic->joint + "'";
  if (joint.motion == UrdfMotion::Floating || joint.motion == UrdfMotion::Planar)
    return "it moves in more than one way (floating or planar)";
  return "";
}

FileJoint file_joint(const UrdfJoint& joint) {
  FileJoint out;
  out.name = joint.name;
  out.origin = joint.origin;
  out.axis = joint.axis;
  if (joint.motion == UrdfMotion::Prismatic) out.type = FileJoint::Type::Prismatic;
  if (joint.motion == UrdfMotion::Revolute || joint.motion == UrdfMotion::Continuous)
    out.type = FileJoint::Type::Revolute;
  out.lower = joint.lower;
  out.upper = joint.upper;
  // 0 unless the limits forbid it.
  if (is_movable(joint)) out.value = std::clamp(0.0, out.lower, out.upper);
  return out;
}

/// The pose of the body behind a joint at its value.
Pose posed(const FileJoint& joint) {
  if (joint.type == FileJoint::Type::Fixed) return joint.origin;
  const Vec3 axis = detail::direction_of(joint.axis);
  if (joint.type == FileJoint::Type::Prismatic)
    return joint.origin * Pose::translate(joint.value * axis);
  return joint.origin * Pose{rotation_about(axis, joint.value), {}};
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

bool is_size(double size) { return size >= 0.0 && std::isfinite(size); }

class UrdfChain {
 public:
  UrdfChain(const UrdfDocument& document, const std::string& path, const ChainFileOptions& options)
      : document_(document), path_(path), options_(options) {}

  Result<ChainFile> read() {
    const Result<std::uint32_t> tip = choose_tip();
    if (!tip) return tip.error();
    if (Status status = walk(*tip); !status) return status.error();
    chain_.neighbours = options_.neighbours;
    add_notes(document_.links[*tip].name);
    return detail::chain_of(std::move(chain_), path_);
  }

 private:
  Error error(std::string place, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }

  /// The joints from the root to a link.
  [[nodiscard]] std::vector<std::uint32_t> way_to(std::uint32_t link) const {
    std::vector<std::uint32_t> way;
    for (std::uint32_t at = link; at > 0; at = document_.joints[at - 1].parent)
      way.push_back(at - 1);
    std::reverse(way.begin(), way.end());
    return way;
  }

  [[nodiscard]] Result<std::uint32_t> choose_tip() const {
    if (!options_.tip.empty()) {
      const auto tip = std::ranges::find(document_.links, options_.tip, &UrdfLink::name);
      if (tip == document_.links.end())
        return Error{ErrorCode::NotFound, path_, "", "has no link '" + options_.tip + "'", ""};
      const auto number = static_cast<std::uint32_t>(tip - document_.links.begin());
      for (const std::uint32_t i : way_to(number)) {
        const UrdfJoint& joint = document_.joints[i];
        if (const std::string why = why_not(joint); !why.empty()) {
          return error(place_of(joint), "is on the way to '" + options_.tip + "', and " + why,
                       "choose a tip before it");
        }
      }
      return number;
    }
    return longest_way();
  }

  /// The link with the most movable joints before it; of equals, the first by name.
  [[nodiscard]] Result<std::uint32_t> longest_way() const {
    std::uint32_t best = 0;
    const UrdfJoint* refused = nullptr;
    // By link: the movable joints before it, and -1 behind a joint that cannot be in a chain.
    std::vector<int> movable(document_.links.size(), 0);
    for (const UrdfJoint& joint : document_.joints) {
      if (movable[joint.parent] < 0) {
        movable[joint.child] = -1;
        continue;
      }
      if (!why_not(joint).empty()) {
        refused = &joint;
        movable[joint.child] = -1;
        continue;
      }
      const int count = movable[joint.parent] + (is_movable(joint) ? 1 : 0);
      movable[joint.child] = count;
      if (count > movable[best] || (count == movable[best] && count > 0 &&
                                    document_.links[joint.child].name < document_.links[best].name))
        best = joint.child;
    }
    if (movable[best] == 0 && refused != nullptr)
      return error(place_of(*refused), "cannot be part of a chain: " + why_not(*refused));
    return best;
  }

  Status walk(std::uint32_t tip) {
    const std::vector<std::uint32_t> way = way_to(tip);
    on_way_.insert(way.begin(), way.end());
    const UrdfLink& root = document_.links.front();
    chain_.bodies.emplace_back().name = root.name;
    Pose body_from_link;
    if (Status status = add_link(root, body_from_link); !status) return status;
    for (const std::uint32_t i : way) {
      FileJoint next = file_joint(document_.joints[i]);
      const UrdfLink& link = document_.links[i + 1];
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
  Status add_link(const UrdfLink& first, const Pose& body_from_first) {
    struct Placed {
      const UrdfLink* link;
      Pose body_from_link;
    };
    std::vector<Placed> next{{&first, body_from_first}};
    while (!next.empty()) {
      const auto [link, body_from_link] = next.back();
      next.pop_back();
      if (Status status = add_shapes(*link, body_from_link); !status) return status;
      for (const std::uint32_t i : link->child_joints) {
        if (on_way_.contains(i)) continue;
        const UrdfJoint& joint = document_.joints[i];
        ++attached_;
        if (is_movable(joint)) ++held_;
        next.push_back({&document_.links[i + 1], body_from_link * posed(file_joint(joint))});
      }
    }
    return {};
  }

  Status add_shapes(const UrdfLink& link, const Pose& body_from_link) {
    if (link.collision.empty() && !link.visual.empty()) ++only_visual_;
    for (const UrdfShape& shape : link.collision) {
      const Pose pose = body_from_link * shape.link_from_shape;
      if (!checked_pose(pose))
        return error(place_of(link), "the origin of a collision element is not a finite pose");
      if (Status status = add_shape(link, shape, pose, chain_.bodies.back()); !status)
        return status;
    }
    return {};
  }

  Status add_shape(const UrdfLink& link, const UrdfShape& shape, const Pose& pose, FileBody& body) {
    std::vector<Vec3> points;
    if (const auto* sphere = std::get_if<SphereShape>(&shape.geometry)) {
      if (!is_size(sphere->radius))
        return error(place_of(link), "the radius of a sphere is not a number from 0 on");
      body.spheres.push_back({pose.translation, sphere->radius});
      return {};
    }
    if (const auto* mesh = std::get_if<UrdfMesh>(&shape.geometry))
      return add_mesh(link, *mesh, pose, body);
    if (const auto* box = std::get_if<BoxShape>(&shape.geometry)) {
      const Vec3 size = 2.0 * box->half_size;
      if (!is_size(size.x) || !is_size(size.y) || !is_size(size.z))
        return error(place_of(link), "a size of a box is not a number from 0 on");
      points = detail::box_corners(size);
    } else {
      const auto& cylinder = std::get<CylinderShape>(shape.geometry);
      if (!is_size(cylinder.radius) || !is_size(cylinder.length))
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

  Status add_mesh(const UrdfLink& link, const UrdfMesh& mesh, const Pose& pose, FileBody& body) {
    const Vec3& scale = mesh.scale;
    if (!is_finite(scale) || scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
      return error(place_of(link), "the scale of mesh '" + mesh.file + "' is 0 or not finite");
    const Result<std::string> file = detail::find_mesh(mesh.file, path_, place_of(link), {});
    if (!file) return file.error();
    const Result<Mesh> read = meshes_.read(*file, 0.0);
    if (!read) return Error{read.error().code, path_, place_of(link), read.error().message(), ""};
    detail::add_mesh(body, *read, scale, pose);
    return {};
  }

  void add_notes(const std::string& tip) {
    auto& notes = chain_.notes;
    notes.push_back("The chain runs from '" + document_.links.front().name + "' to '" + tip + "'.");
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

  const UrdfDocument& document_;
  const std::string& path_;
  const ChainFileOptions& options_;
  FileChain chain_;
  detail::MeshFiles meshes_;
  std::set<std::uint32_t> on_way_;  // joints
  std::size_t merged_ = 0;
  std::size_t attached_ = 0;
  std::size_t held_ = 0;
  std::size_t cylinders_ = 0;
  std::size_t only_visual_ = 0;
};

}  // namespace

Result<ChainFile> parse_chain_urdf(std::string_view text, const std::string& path,
                                   const ChainFileOptions& options) {
  const Result<UrdfDocument> document = detail::parse_urdf(text, path);
  if (!document) return document.error();
  return UrdfChain(*document, path, options).read();
}

}  // namespace clearance
