// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meshes and poses as FCL takes them.
#pragma once

#include <memory>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>

#include <clearance/geometry/pose.h>
#include <clearance/mesh/mesh.h>

namespace clearance::bench {

/// The arrays of a mesh, converted once: building FCL's trees is timed without.
struct FclMesh {
  explicit FclMesh(const Mesh& mesh) {
    for (const Vec3& v : mesh.vertices()) vertices.emplace_back(v.x, v.y, v.z);
    for (const Face& f : mesh.faces()) triangles.emplace_back(f[0], f[1], f[2]);
  }
  /// FCL's tree with one kind of bounding volume: fcl::OBBRSSd, fcl::RSSd.
  template <class Volume>
  [[nodiscard]] std::shared_ptr<fcl::BVHModel<Volume>> tree() const {
    auto model = std::make_shared<fcl::BVHModel<Volume>>();
    model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
  }

  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
};

inline fcl::Transform3d fcl_pose(const Pose& pose) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t.linear()(i, j) = pose.rotation[i][j];
    t.translation()[i] = pose.translation[i];
  }
  return t;
}

}  // namespace clearance::bench
