// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in a cell, as seen by spheres that move: a grid of lower bounds of the distance to
// it, and the spheres and meshes themselves for where the grid does not decide.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/query/model.h>

#include "bvh/float8.h"
#include "check/forward_lanes.h"
#include "check/sphere_clusters.h"

namespace clearance::detail {

class SphereField {
 public:
  /// `spheres` and `models` stand in the cell; `margin` is added to every radius [m]. The grid has
  /// `cells` along its longest side.
  SphereField(std::span<const Sphere> spheres, std::vector<Model> models, double margin, int cells,
              Threads threads);

  [[nodiscard]] bool empty() const { return clusters_.spheres.empty() && models_.empty(); }

  /// Lanes of `active` in which a ball of this radius about the point may touch.
  [[nodiscard]] unsigned may_touch(const PointLanes& p, float radius, unsigned active) const;
  /// The same, each lane decided.
  [[nodiscard]] unsigned touches(const PointLanes& p, float radius, unsigned active) const;

 private:
  [[nodiscard]] Float8 lower_bound(const PointLanes& p) const;
  [[nodiscard]] bool touches(float x, float y, float z, float radius) const;
  [[nodiscard]] bool touches_spheres(float x, float y, float z, float radius) const;
  void fill(Threads threads, const std::vector<Sphere>& spheres);

  SphereClusters clusters_;
  /// Of the clusters and the spheres, eight after eight: x of all eight, y, z, radius.
  std::vector<Float8> cluster_lanes_;
  std::vector<Float8> sphere_lanes_;
  std::vector<Model> models_;
  Box bounds_;  // of everything
  double margin_ = 0.0;

  std::array<int, 3> cells_{};
  std::array<float, 3> origin_{};
  float per_metre_ = 0.0F;    // cells
  float cell_size_ = 0.0F;    // [m]
  float slack_ = 0.0F;        // a stored bound and the true distance differ by this at most [m]
  std::vector<float> lower_;  // x fastest
};

}  // namespace clearance::detail
