// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One obstacle against a box and against a link.
#include <algorithm>
#include <limits>
#include <type_traits>

#include <clearance/geometry/closest_points.h>

#include "chain/chain_part.h"
#include "chain/link_pair.h"
#include "chain/obstacle_tree.h"

namespace clearance::detail {
namespace {

bool is_inside(const Model& model, const Vec3& p) { return model.side(p) != Side::Outside; }

/// Is a link that does not touch the surface inside the solid? A connected link is there as a whole
/// or not at all; spheres and the pieces of a mesh are asked one by one.
bool is_inside(const Model& model, const LinkShape& link, const Pose& model_from_link) {
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    return std::any_of(spheres->begin(), spheres->end(), [&](const Sphere& s) {
      return is_inside(model, model_from_link * s.center);
    });
  }
  if (const auto* capsule = std::get_if<Capsule>(&link))
    return is_inside(model, model_from_link * capsule->axis.a);
  if (const auto* body = std::get_if<ConvexBody>(&link))
    return is_inside(model, model_from_link * body->corners()[0]);
  const Bvh& mesh = std::get<Bvh>(link);
  // Where its box is clear of the surface, one point tells; else its pieces may be on either side.
  const Box& box = mesh.bounds();
  const OrientedBox around{model_from_link * Pose::translate(box.center()), 0.5 * box.size()};
  if (!within(model.bvh(), around, 0.0).within)
    return is_inside(model, around.world_from_box.translation);
  return std::any_of(mesh.faces().begin(), mesh.faces().end(), [&](const auto& face) {
    return is_inside(model, model_from_link * mesh.vertices()[face[0]]);
  });
}

// A cloud against a link: round links grow by the radius of the points.

double cloud_distance(const PointCloud& cloud, const LinkShape& link, const Pose& cloud_from_link,
                      double upper_bound) {
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    for (const Sphere& s : *spheres) {
      const Sphere grown{s.center, s.radius + cloud.radius()};
      upper_bound = std::min(upper_bound,
                             distance(cloud.tree(), grown, cloud_from_link, upper_bound).distance);
    }
    return upper_bound;
  }
  if (const auto* capsule = std::get_if<Capsule>(&link)) {
    const Capsule grown{capsule->axis, capsule->radius + cloud.radius()};
    return distance(cloud.tree(), grown, cloud_from_link, upper_bound).distance;
  }
  if (const auto* body = std::get_if<ConvexBody>(&link)) {
    const double d =
        distance(cloud.tree(), *body, cloud_from_link, upper_bound + cloud.radius()).distance;
    return std::max(d - cloud.radius(), 0.0);
  }
  return distance(std::get<Bvh>(link), cloud, inverse(cloud_from_link), upper_bound).distance;
}

bool cloud_within(const PointCloud& cloud, const LinkShape& link, const Pose& cloud_from_link,
                  double limit) {
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    return std::any_of(spheres->begin(), spheres->end(), [&](const Sphere& s) {
      const Sphere grown{s.center, s.radius + cloud.radius()};
      return within(cloud.tree(), grown, limit, cloud_from_link).within;
    });
  }
  if (const auto* capsule = std::get_if<Capsule>(&link)) {
    const Capsule grown{capsule->axis, capsule->radius + cloud.radius()};
    return within(cloud.tree(), grown, limit, cloud_from_link).within;
  }
  if (const auto* body = std::get_if<ConvexBody>(&link))
    return within(cloud.tree(), *body, limit + cloud.radius(), cloud_from_link).within;
  return within(std::get<Bvh>(link), cloud, limit, inverse(cloud_from_link)).within;
}

}  // namespace

bool box_within(const PlacedObstacle& obstacle, const OrientedBox& box, double limit,
                ChainWork& work) {
  const OrientedBox here{obstacle.obstacle_from_world * box.world_from_box, box.half_size};
  const auto near = [&](const Bvh& tree, double reach) {
    const ShapeWithin answer = within(tree, here, reach);
    work.volume_tests += answer.work.volume_tests;
    return answer.within;
  };
  if (const auto* cloud = std::get_if<PointCloud>(&obstacle.shape))
    return near(cloud->tree(), limit + cloud->radius());
  const auto& shape = std::get<LinkShape>(obstacle.shape);
  ++work.volume_tests;
  if (const auto* spheres = std::get_if<LinkSpheres>(&shape)) {
    return std::any_of(spheres->begin(), spheres->end(),
                       [&](const Sphere& s) { return closest_points(s, here).distance <= limit; });
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return closest_points(*capsule, here).distance <= limit;
  const Vec3& center = here.world_from_box.translation;
  if (const auto* body = std::get_if<ConvexBody>(&shape))
    return holds(*body, center) || near(body->surface(), limit);
  if (near(std::get<Bvh>(shape), limit)) return true;
  return obstacle.solid() != nullptr && is_inside(*obstacle.solid(), center);
}

bool link_within(const PlacedObstacle& obstacle, const LinkShape& link, const Pose& world_from_link,
                 double limit) {
  const Pose obstacle_from_link = obstacle.obstacle_from_world * world_from_link;
  if (const auto* cloud = std::get_if<PointCloud>(&obstacle.shape))
    return cloud_within(*cloud, link, obstacle_from_link, limit);
  if (links_within(std::get<LinkShape>(obstacle.shape), link, obstacle_from_link, limit))
    return true;
  return obstacle.solid() != nullptr && is_inside(*obstacle.solid(), link, obstacle_from_link);
}

double link_distance(const PlacedObstacle& obstacle, const LinkShape& link,
                     const Pose& world_from_link, double upper_bound) {
  const Pose obstacle_from_link = obstacle.obstacle_from_world * world_from_link;
  if (const auto* cloud = std::get_if<PointCloud>(&obstacle.shape))
    return cloud_distance(*cloud, link, obstacle_from_link, upper_bound);
  if (obstacle.solid() != nullptr && is_inside(*obstacle.solid(), link, obstacle_from_link))
    return 0.0;
  return link_distance(std::get<LinkShape>(obstacle.shape), link, obstacle_from_link, upper_bound);
}

}  // namespace clearance::detail
