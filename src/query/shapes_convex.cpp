// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Convex bodies: their surface as a mesh with a tree, and what is inside of it.
#include <algorithm>

#include <clearance/geometry/convex_hull.h>
#include <clearance/query/shapes.h>

#include "query/model_side.h"
#include "query/shapes_composite.h"
#include "query/shapes_leaf.h"
#include "query/wide_shape.h"

namespace clearance {
namespace {

double reach_of(std::span<const Vec3> points) {
  double reach = 0.0;
  for (const Vec3& p : points) reach = std::max(reach, norm(p));
  return reach;
}

/// The half-spaces of ConvexBody::planes(). A hull has slivers, whose rounded normals are turned
/// about their long edges by any angle: the plane through their corners would cut the body, so each
/// goes through the corner of the body that is farthest out.
std::vector<HalfSpace> planes_around(std::span<const Vec3> corners, std::span<const Face> faces,
                                     const Bvh& surface) {
  std::vector<HalfSpace> planes;
  planes.reserve(faces.size());
  const double beyond = 2.0 * reach_of(corners);
  for (const Face& f : faces) {
    const Vec3& a = corners[f[0]];
    const Vec3 normal = normalized(cross(corners[f[1]] - a, corners[f[2]] - a));
    // A face that rounding has flattened bounds nothing that its neighbours do not bound.
    if (!(norm(normal) > 0.5)) continue;
    // What is farthest out is nearest to a half-space that lies beyond all.
    const ShapeDistance found = distance(surface, HalfSpace{-normal, -beyond});
    if (found.triangle == kNoTriangle) continue;
    const Triangle t = surface.triangle(found.triangle);
    planes.push_back({normal, std::max({dot(normal, t.a), dot(normal, t.b), dot(normal, t.c)})});
  }
  return planes;
}

}  // namespace

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
  if (data->dimension == 3)
    data->planes = planes_around(data->corners, data->faces, *data->surface);
  return ConvexBody(std::move(data));
}

namespace detail {
namespace {

/// So many planes bound the boxes of the tree at most: enough to prune, and few enough for a body
/// of thousands of faces.
constexpr std::size_t kMostBoundingPlanes = 24;

/// Finds a triangle with its first corner inside the body. For surfaces that do not touch: then a
/// triangle is inside as a whole, or outside. The planes tell most that are outside; the surface
/// tells the rest.
class InsideVisitor {
 public:
  InsideVisitor(const Bvh& mesh, const ConvexBody& body, const Pose& mesh_from_body,
                std::span<const HalfSpace> planes, double rounding, Work& work)
      : mesh_(mesh),
        body_(body),
        body_from_mesh_(relative(mesh_from_body, Pose::identity())),
        planes_(planes),
        rounding_(rounding),
        work_(work) {}
  [[nodiscard]] float threshold() const { return float_above(rounding_); }
  bool triangle(std::uint32_t t) {
    const Vec3 corner = mesh_.triangle(t).a;
    for (const HalfSpace& plane : planes_) {
      if (dot(plane.normal, corner) - plane.offset > rounding_) return false;
    }
    if (side_of_surface(body_.surface(), body_from_mesh_ * corner, rounding_, work_) ==
        Side::Outside)
      return false;
    found = t;
    return true;
  }
  std::uint32_t found = kNoTriangle;

 private:
  const Bvh& mesh_;
  const ConvexBody& body_;
  Pose body_from_mesh_;  // the inverse of the matrix as it stands
  std::span<const HalfSpace> planes_;
  double rounding_;
  Work& work_;
};

/// A triangle of a mesh whose surface does not touch the body's that is inside of it.
std::uint32_t triangle_inside(const Bvh& mesh, const ConvexBody& body, const Pose& mesh_from_body,
                              Work& work) {
  if (body.dimension() < 3) return kNoTriangle;
  // The planes in the mesh's frame: n . p <= offset and x = R p + t make m . x <= offset + m . t,
  // with n turned by the transpose of the inverse, which is R only where R is a rotation.
  const Mat3 inverse = relative(mesh_from_body, Pose::identity()).rotation;
  std::vector<HalfSpace> planes;
  planes.reserve(body.planes().size());
  for (const HalfSpace& plane : body.planes()) {
    const Vec3 normal = transpose_times(inverse, plane.normal);
    const double length = norm(normal);
    planes.push_back(
        {normal / length, (plane.offset + dot(normal, mesh_from_body.translation)) / length});
  }
  const Box& bounds = mesh.bounds();
  const double coordinates = norm(max(abs(bounds.low), abs(bounds.high))) +
                             reach_of(body.corners()) + norm(mesh_from_body.translation);
  const double rounding = 0.5 * kShapeContactError * coordinates;

  std::vector<HalfSpace> bounding;
  const std::size_t step = (planes.size() + kMostBoundingPlanes - 1) / kMostBoundingPlanes;
  for (std::size_t i = 0; i < planes.size(); i += step) bounding.push_back(planes[i]);
  InsideVisitor visitor(mesh, body, mesh_from_body, planes, rounding, work);
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
