// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numeric>

#include <clearance/mesh/health.h>
#include <clearance/query/model.h>

#include "query/model_side.h"

namespace clearance {
namespace {

/// The position of the first vertex of each group of triangles that share corners.
std::vector<Vec3> points_of_components(const Mesh& mesh) {
  const Mesh joined = welded(mesh);
  // Union-find; the lowest vertex of a group is its root, so that the order is that of the mesh.
  std::vector<std::uint32_t> parent(joined.vertex_count());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Face& face : joined.faces()) {
    for (std::size_t k = 1; k < 3; ++k) {
      const std::uint32_t a = root(face[0]);
      const std::uint32_t b = root(face[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<Vec3> points;
  for (std::uint32_t v = 0; v < parent.size(); ++v) {
    if (parent[v] == v) points.push_back(joined.vertices()[v]);
  }
  return points;
}

}  // namespace

Result<Model> Model::build(const Mesh& mesh, const BvhOptions& options) {
  if (mesh.empty()) {
    return Error{ErrorCode::Invalid, {}, {}, "the mesh has no triangles", {}};
  }
  const auto owner = std::make_shared<const Mesh>(mesh);
  Result<Bvh> bvh = Bvh::build(mesh.vertices(), mesh.faces(), options, owner);
  if (!bvh) return bvh.error();
  HealthOptions health_options;
  health_options.threads = options.threads;
  const MeshHealth health = examine(mesh, health_options);
  return Model(std::make_shared<const Data>(Data{mesh, std::move(*bvh),
                                                 health.closed && health.consistently_oriented,
                                                 points_of_components(mesh)}));
}

Side Model::side(const Vec3& point) const {
  const Box& box = data_->bvh.bounds();
  const double scene = largest_component(max(abs(point), max(abs(box.low), abs(box.high))));
  Work work;
  const Side side = detail::side_of_surface(data_->bvh, point, kBoundaryTolerance * scene, work);
  return side == Side::Inside && !data_->solid ? Side::Outside : side;
}

}  // namespace clearance
