// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Point clouds: a tree over triangles of three equal corners, so that every query on trees is one
// on points as well; the radius is taken off afterwards.
#include <cmath>
#include <numeric>

#include <clearance/query/shapes.h>

#include "query/shapes_composite.h"
#include "query/shapes_leaf.h"
#include "query/solid_bounds.h"

namespace clearance {

Result<PointCloud> PointCloud::make(std::vector<Vec3> points, double radius, Threads threads) {
  if (!(radius >= 0.0) || !std::isfinite(radius))
    return Error{ErrorCode::Invalid, "", "", "the radius of the points is not a length", ""};
  if (points.empty()) return Error{ErrorCode::Invalid, "", "", "a point cloud without points", ""};
  auto data = std::make_shared<Data>();
  data->points = std::move(points);
  data->radius = radius;
  data->faces.resize(data->points.size());
  for (std::size_t i = 0; i < data->faces.size(); ++i) {
    const auto v = static_cast<std::uint32_t>(i);
    data->faces[i] = {v, v, v};
  }
  Result<Bvh> tree = Bvh::build(data->points, data->faces, {.threads = threads});
  if (!tree) return tree.error();
  data->tree = std::move(tree).value();
  return PointCloud(std::move(data));
}

namespace detail {
namespace {

/// What distances of query.h are off at most, as a fraction; doubled.
constexpr double kTriangleDistanceError = 2e-9;

/// What coordinates far from the origin may add to that, as a fraction of them; a reserve of sixty.
constexpr double kCoordinateError = 1e-13;

/// Distances between centre and triangle that may be contact.
double contact_range(const PointCloud& cloud, const Pose& mesh_from_cloud) {
  return cloud.radius() * (1.0 + kTriangleDistanceError) +
         shear(mesh_from_cloud.rotation, cloud.radius());
}

}  // namespace

ShapeCollision collide_composite(const Bvh& mesh, const PointCloud& cloud,
                                 const Pose& mesh_from_cloud) {
  ShapeCollision result;
  if (cloud.radius() > 0.0) {
    const Within found =
        within(mesh, cloud.tree(), mesh_from_cloud, contact_range(cloud, mesh_from_cloud));
    result = {found.within, found.pair.triangle_a, found.pair.triangle_b, found.work};
  } else {
    const Collision found = collide(mesh, cloud.tree(), mesh_from_cloud);
    result = {found.hit, found.contact.triangle_a, found.contact.triangle_b, found.work};
  }
  return result;
}

ShapeDistance distance_composite(const Bvh& mesh, const PointCloud& cloud,
                                 const Pose& mesh_from_cloud, double upper_bound) {
  const double range = contact_range(cloud, mesh_from_cloud);
  // Up to this much above, collide() may still call it contact, and is asked.
  const double doubt =
      cloud.radius() > 0.0
          ? kCoordinateError * (reach(mesh.bounds()) + norm(mesh_from_cloud.translation) +
                                reach(cloud.tree().bounds()))
          : 0.0;
  const Distance centres = distance(mesh, cloud.tree(), mesh_from_cloud,
                                    {.upper_bound = std::max(upper_bound, doubt) + range});
  ShapeDistance result;
  result.work = centres.work;
  bool touching = centres.distance <= range;
  if (!touching && centres.distance <= range + doubt) {
    const ShapeCollision met = collide_composite(mesh, cloud, mesh_from_cloud);
    result.work += met.work;
    touching = met.hit;
  }
  const double gap = touching ? 0.0 : centres.distance - cloud.radius();
  result.beyond = centres.beyond || gap >= upper_bound;
  if (result.beyond) return result;
  result.distance = gap;
  result.on_mesh = centres.on_a;
  result.on_shape = gap > 0.0
                        ? centres.on_b - cloud.radius() * normalized(centres.on_b - centres.on_a)
                        : centres.on_a;
  result.triangle = centres.triangle_a;
  result.point = centres.triangle_b;
  return result;
}

ShapeWithin within_composite(const Bvh& mesh, const PointCloud& cloud, double limit,
                             const Pose& mesh_from_cloud) {
  const Within centres =
      within(mesh, cloud.tree(), mesh_from_cloud, limit + contact_range(cloud, mesh_from_cloud));
  ShapeWithin result;
  result.within = centres.within;
  result.triangle = centres.pair.triangle_a;
  result.point = centres.pair.triangle_b;
  result.work = centres.work;
  if (result.within) {
    result.upper = std::max(0.0, centres.upper - cloud.radius());
  } else {
    result.lower = limit;
  }
  return result;
}

}  // namespace detail
}  // namespace clearance
