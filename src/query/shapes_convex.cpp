// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Convex bodies: their surface as a mesh with a tree, and what is inside of it.
#include <algorithm>

#include <clearance/geometry/convex_hull.h>
#include <clearance/query/shapes.h>

#include "query/shapes_composite.h"
#include "query/shapes_leaf.h"
#include "query/wide_shape.h"

namespace clearance {

Result<ConvexBody> ConvexBody::around(std::span<const Vec3> points) {
  const Result<ConvexHull> hull = convex_hull(points);
  if (!hull) return hull.error();
  auto data = std::make_shared<Data>();
  data->dimension = hull->dimension;
  // Corners numbered anew, in their old order.
  const std::vector<std::uint32_t>& kept = hull->vertices;
  data->corners.reserve(kept.size());
  for (const std::uint32_t v : kept) data->corners.push_back(points[v]);
  for (const auto& f : hull->faces) {
    Face face{};
    for (std::size_t i = 0; i < 3; ++i) {
      face[i] = static_cast<std::uint32_t>(std::lower_bound(kept.begin(), kept.end(), f[i]) -
                                           kept.begin());
    }
    data->faces.push_back(face);
  }
  if (data->faces.empty()) {
    const auto last = static_cast<std::uint32_t>(data->corners.size() - 1);
    data->faces.push_back({0, last, last});
  }
  Result<Bvh> surface = Bvh::build(data->corners, data->faces, {.threads = Threads{1}});
  if (!surface) return surface.error();
  data->surface = std::move(surface).value();
  return ConvexBody(std::move(data));
}

namespace detail {
namespace {

/// So many planes bound the boxes of the tree at most: enough to prune, and few enough for a body
/// of thousands of faces.
constexpr std::size_t kMostBoundingPlanes = 24;

/// Finds a triangle with its first corner inside the body. For surfaces that do not touch: then a
/// triangle is inside as a whole, or outside.
class InsideVisitor {
 public:
  InsideVisitor(const Bvh& mesh, std::span<const HalfSpace> planes, double slack)
      : mesh_(mesh), planes_(planes), slack_(slack) {}
  [[nodiscard]] float threshold() const { return float_above(slack_); }
  bool triangle(std::uint32_t t) {
    const Vec3 corner = mesh_.triangle(t).a;
    for (const HalfSpace& plane : planes_) {
      if (dot(plane.normal, corner) - plane.offset > slack_) return false;
    }
    found = t;
    return true;
  }
  std::uint32_t found = kNoTriangle;

 private:
  const Bvh& mesh_;
  std::span<const HalfSpace> planes_;
  double slack_;
};

/// A triangle of a mesh whose surface does not touch the body's that is inside of it.
std::uint32_t triangle_inside(const Bvh& mesh, const ConvexBody& body, const Pose& mesh_from_body,
                              Work& work) {
  if (body.dimension() < 3) return kNoTriangle;
  // The planes of the faces, in the mesh's frame.
  std::vector<HalfSpace> planes;
  planes.reserve(body.faces().size());
  double reach = 0.0;
  for (const Vec3& p : body.corners()) reach = std::max(reach, norm(p));
  for (const Face& f : body.faces()) {
    const Vec3 a = mesh_from_body * body.corners()[f[0]];
    const Vec3 b = mesh_from_body * body.corners()[f[1]];
    const Vec3 c = mesh_from_body * body.corners()[f[2]];
    const Vec3 normal = normalized(cross(b - a, c - a));
    // A face that rounding has flattened bounds nothing that its neighbours do not bound.
    if (normal == Vec3{}) continue;
    planes.push_back({normal, std::max({dot(normal, a), dot(normal, b), dot(normal, c)})});
  }
  if (planes.empty()) return kNoTriangle;
  const Box& bounds = mesh.bounds();
  const double coordinates =
      norm(max(abs(bounds.low), abs(bounds.high))) + reach + norm(mesh_from_body.translation);
  const double slack = kShapeContactError * coordinates;

  std::vector<HalfSpace> bounding;
  const std::size_t step = (planes.size() + kMostBoundingPlanes - 1) / kMostBoundingPlanes;
  for (std::size_t i = 0; i < planes.size(); i += step) bounding.push_back(planes[i]);
  InsideVisitor visitor(mesh, planes, slack);
  descend_shape(*mesh.wide(), PlanesKernel(*mesh.wide(), bounding), visitor, work);
  return visitor.found;
}

}  // namespace

ShapeCollision collide_composite(const Bvh& mesh, const ConvexBody& body,
                                 const Pose& mesh_from_body) {
  const Collision surfaces = collide(mesh, body.surface(), mesh_from_body);
  ShapeCollision result;
  result.work = surfaces.work;
  result.triangle = surfaces.hit ? surfaces.contact.triangle_a
                                 : triangle_inside(mesh, body, mesh_from_body, result.work);
  result.hit = result.triangle != kNoTriangle;
  return result;
}

ShapeDistance distance_composite(const Bvh& mesh, const ConvexBody& body,
                                 const Pose& mesh_from_body, double upper_bound) {
  const Distance surfaces =
      distance(mesh, body.surface(), mesh_from_body, {.upper_bound = upper_bound});
  ShapeDistance result;
  result.distance = surfaces.distance;
  result.beyond = surfaces.beyond;
  result.on_mesh = surfaces.on_a;
  result.on_shape = surfaces.on_b;
  result.triangle = surfaces.triangle_a;
  result.work = surfaces.work;
  if (surfaces.distance == 0.0 || !(upper_bound > 0.0)) return result;
  const std::uint32_t inside = triangle_inside(mesh, body, mesh_from_body, result.work);
  if (inside == kNoTriangle) return result;
  result.distance = 0.0;
  result.beyond = false;
  result.triangle = inside;
  result.on_mesh = result.on_shape = mesh.triangle(inside).a;
  return result;
}

ShapeWithin within_composite(const Bvh& mesh, const ConvexBody& body, double limit,
                             const Pose& mesh_from_body) {
  const Within surfaces = within(mesh, body.surface(), mesh_from_body, limit);
  ShapeWithin result{surfaces.within,          surfaces.lower, surfaces.upper,
                     surfaces.pair.triangle_a, kNoTriangle,    surfaces.work};
  if (result.within) return result;
  result.triangle = triangle_inside(mesh, body, mesh_from_body, result.work);
  if (result.triangle == kNoTriangle) return result;
  result.within = true;
  result.lower = result.upper = 0.0;
  return result;
}

}  // namespace detail
}  // namespace clearance
