// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh made ready for queries: the Mesh, the tree over its triangles, and whether it bounds a
// solid body. What solid.h, sweep.h and batch.h work on; for surfaces alone, query.h on bvh().
//
// Solid means: at every edge as many triangles run one way as the other, so that the surface has
// no border and its neighbours agree on which side is outside (examine() in health.h: closed and
// consistently oriented). Then the number of times the surface wraps around a point is a whole
// number, and a point is inside when it is not 0. Hence: a cavity whose triangles face into it is
// not inside; the overlap of two bodies of one mesh is; and a body that faces the wrong way round
// as a whole is as solid as any other, since the mistake is in the file and not in the part.
//
// A Model is an immutable value: copies share everything, and any number of threads may read it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/mesh/inside.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

class Model {
 public:
  /// Builds the tree and looks at how the triangles hang together. The mesh is shared, not copied.
  /// Errors: an empty mesh, and those of Bvh::build. Cost: that of the tree and of examine(), n log
  /// n; the same for any number of threads (options.threads).
  static Result<Model> build(const Mesh& mesh, const BvhOptions& options = {});

  [[nodiscard]] const Mesh& mesh() const { return data_->mesh; }
  [[nodiscard]] const Bvh& bvh() const { return data_->bvh; }
  /// The surface is closed and consistently wound: the model has an inside.
  [[nodiscard]] bool is_solid() const { return data_->solid; }

  /// One vertex of each connected piece of the surface [m], in the order of their first vertices.
  /// Pieces that do not touch another surface lie on one side of it as a whole, so these points
  /// stand for all others. Triangles are connected when they have a corner at the same place.
  [[nodiscard]] std::span<const Vec3> component_points() const { return data_->component_points; }
  [[nodiscard]] std::size_t component_count() const { return data_->component_points.size(); }

  /// On which side of the surface a point in the model's frame is. Boundary within
  /// kBoundaryTolerance (inside.h) times the largest coordinate of point and mesh; otherwise exact,
  /// also where the point is level with edges and vertices. Needs a solid: an open surface answers
  /// Boundary or Outside. No memory beside the tree; about log n for a wide tree, n for a binary
  /// one.
  [[nodiscard]] Side side(const Vec3& point) const;

 private:
  struct Data {
    Mesh mesh;
    Bvh bvh;
    bool solid = false;
    std::vector<Vec3> component_points;
  };
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
