// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/chain_file_build.h"

#include <cmath>
#include <numbers>

#include <clearance/mesh/read.h>
#include <clearance/query/model.h>

#include "robot/joint_check.h"

namespace clearance {

Pose pose_at(const MovableJoint& joint, double value) {
  if (joint.motion == JointMotion::Turn)
    return turned(joint.base, joint.point, joint.unit_axis, value);
  return {joint.base.rotation, joint.base.translation + value * joint.unit_axis};
}

namespace detail {

std::string wrong_with(const FileJoint& joint) {
  if (joint.type == FileJoint::Type::Fixed) return "";
  if (std::string wrong = wrong_with_joint(joint.axis, joint.lower, joint.upper); !wrong.empty())
    return wrong;
  if (!std::isfinite(joint.value)) return "the value is not finite";
  if (joint.value < joint.lower || joint.value > joint.upper) {
    return "the value (" + std::to_string(joint.value) + ") is not within the limits (" +
           std::to_string(joint.lower) + " to " + std::to_string(joint.upper) + ")";
  }
  return "";
}

std::vector<Vec3> box_corners(const Vec3& size) {
  std::vector<Vec3> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) corners.push_back({x * size.x, y * size.y, z * size.z});
  return corners;
}

std::vector<Vec3> prism_corners(double radius, double length) {
  // The sides touch the cylinder; a little more, so that rounding does not cut into it.
  constexpr double kOutward = 1.0 + 1e-12;
  const double reach = radius * kOutward / std::cos(std::numbers::pi / kCylinderSides);
  std::vector<Vec3> corners;
  for (int i = 0; i < kCylinderSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kCylinderSides;
    for (const double z : {-0.5, 0.5})
      corners.push_back({reach * std::cos(angle), reach * std::sin(angle), z * length});
  }
  return corners;
}

Result<Mesh> MeshFiles::read(const std::string& path, double metres_per_unit) {
  const auto key = std::pair(path, metres_per_unit);
  if (const auto found = meshes_.find(key); found != meshes_.end()) return found->second;
  ReadOptions options;
  if (metres_per_unit > 0.0) options.metres_per_unit = metres_per_unit;
  Result<LoadedMesh> loaded = read_mesh(path, options);
  if (!loaded) return loaded.error();
  meshes_.emplace(key, loaded->mesh);
  return loaded->mesh;
}

void add_mesh(FileBody& body, const Mesh& mesh, const Vec3& scale, const Pose& pose) {
  const auto first = static_cast<std::uint32_t>(body.vertices.size());
  for (const Vec3& v : mesh.vertices())
    body.vertices.push_back(pose * Vec3{scale.x * v.x, scale.y * v.y, scale.z * v.z});
  const bool mirrored = scale.x * scale.y * scale.z < 0.0;
  for (Face face : mesh.faces()) {
    if (mirrored) std::swap(face[1], face[2]);
    body.faces.push_back({first + face[0], first + face[1], first + face[2]});
  }
}

namespace {

/// The links a body becomes; at least one.
Result<std::vector<LinkShape>> links_of(FileBody& body) {
  std::vector<LinkShape> links;
  if (!body.spheres.empty()) links.emplace_back(std::move(body.spheres));
  for (const Capsule& capsule : body.capsules) links.emplace_back(capsule);
  for (const ConvexBody& convex : body.convex) links.emplace_back(convex);
  if (!body.faces.empty()) {
    struct Surface {
      std::vector<Vec3> vertices;
      std::vector<Face> faces;
    };
    auto surface =
        std::make_shared<Surface>(Surface{std::move(body.vertices), std::move(body.faces)});
    const Surface& kept = *surface;
    Result<Bvh> tree = Bvh::build(kept.vertices, kept.faces, {}, std::move(surface));
    if (!tree) return tree.error();
    links.emplace_back(*tree);
  }
  if (links.empty()) links.emplace_back(LinkSpheres{});
  return links;
}

}  // namespace

Result<ChainFile> chain_of(FileChain file, const std::string& path) {
  ChainFile out;
  out.notes = std::move(file.notes);
  std::vector<std::uint32_t> first_link;  // of each body
  std::vector<std::int64_t> rank;         // among the bodies with a shape; -1 without
  bool single = true;                     // each body is one link with a shape
  std::int64_t shaped = 0;
  for (std::size_t i = 0; i < file.bodies.size(); ++i) {
    FileBody& body = file.bodies[i];
    rank.push_back(body.has_shape() ? shaped++ : -1);
    first_link.push_back(static_cast<std::uint32_t>(out.chain.links.size()));
    if (i > 0) {
      const FileJoint& joint = file.joints[i - 1];
      MovableJoint movable;
      movable.name = joint.name;
      movable.joint = static_cast<std::uint32_t>(out.chain.joints.size());
      movable.base = {nearest_rotation(joint.origin.rotation), joint.origin.translation};
      Pose pose = movable.base;
      if (joint.type != FileJoint::Type::Fixed) {
        movable.motion =
            joint.type == FileJoint::Type::Revolute ? JointMotion::Turn : JointMotion::Slide;
        movable.point = movable.base.translation;
        movable.unit_axis = normalized(movable.base.rotation * direction_of(joint.axis));
        movable.lower = joint.lower;
        movable.upper = joint.upper;
        movable.value = joint.value;
        pose = pose_at(movable, joint.value);
        out.joints.push_back(movable);
      }
      out.chain.joints.push_back(pose);
    }
    Result<std::vector<LinkShape>> links = links_of(body);
    if (!links) {
      Error error = links.error();
      error.file = path;
      error.place = "link '" + body.name + "'";
      return error;
    }
    single = single && links->size() == 1 && rank.back() >= 0;
    for (std::size_t k = 0; k < links->size(); ++k) {
      if (k > 0) out.chain.joints.push_back(Pose::identity());
      out.chain.links.push_back(std::move((*links)[k]));
      out.body_of_link.push_back(static_cast<std::uint32_t>(i));
    }
    out.body_names.push_back(body.name);
  }
  first_link.push_back(static_cast<std::uint32_t>(out.chain.links.size()));

  const auto ignore = [&](std::size_t body_a, std::size_t body_b) {
    for (std::uint32_t a = first_link[body_a]; a < first_link[body_a + 1]; ++a) {
      for (std::uint32_t b = first_link[body_b]; b < first_link[body_b + 1]; ++b)
        if (a < b || body_a != body_b) out.chain.ignored.push_back({a, b});
    }
  };
  if (single) {
    out.chain.neighbours = file.neighbours;
  } else {
    // Links of one body, and bodies that are neighbours when those without a shape are passed over.
    out.chain.neighbours = 0;
    std::vector<std::size_t> with_shape;
    for (std::size_t i = 0; i < rank.size(); ++i)
      if (rank[i] >= 0) with_shape.push_back(i);
    for (std::size_t i = 0; i < with_shape.size(); ++i) {
      const std::size_t last = std::min<std::size_t>(with_shape.size() - 1, i + file.neighbours);
      for (std::size_t j = i; j <= last; ++j) ignore(with_shape[i], with_shape[j]);
    }
  }
  for (const auto& [a, b] : file.ignored) ignore(a, b);
  if (const Status status = check(out.chain); !status) {
    Error error = status.error();
    error.file = path;
    return error;
  }
  return out;
}

}  // namespace detail
}  // namespace clearance
