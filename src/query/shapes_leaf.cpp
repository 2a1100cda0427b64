// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/shapes_leaf.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

namespace clearance::detail {
namespace {

/// Rounding of a pose times a point, as a fraction of translation and coordinates: 4 roundings a
/// coordinate of 1.1e-16 each, three coordinates, doubled.
constexpr double kPoseRounding = 2e-15;
/// Rounding of a height above a plane, as a fraction of the coordinates; as above.
constexpr double kHeightRounding = 2e-15;
/// A rotation that is off by less is taken as it is; what is left is rounding.
constexpr double kRotationRounding = 1e-15;

double extent(const Triangle& t) { return norm(t.b - t.a) + norm(t.c - t.a); }
double reach_of(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

/// Whether a component is above a limit.
bool any_above(const Vec3& v, double limit) { return v.x > limit || v.y > limit || v.z > limit; }

}  // namespace

double shear(const Mat3& rotation, double distance) {
  return 3.0 * rigidity_error(rotation) * distance;
}

double pose_slack(const Pose& pose, double coordinates) {
  if (pose == Pose::identity()) return 0.0;
  return kPoseRounding * (norm(pose.translation) + coordinates);
}

SweptLeaf::SweptLeaf(const Bvh& mesh, const Capsule& shape, const Pose& mesh_from_shape)
    : mesh_(mesh),
      axis_{mesh_from_shape * shape.axis.a, mesh_from_shape * shape.axis.b},
      radius_(shape.radius),
      length_(distance(axis_.a, axis_.b)),
      slack_(pose_slack(mesh_from_shape, std::max(norm(shape.axis.a), norm(shape.axis.b)))) {
  // Also for a ball in the origin of its frame, which the pose does not move.
  if (mesh_from_shape != Pose::identity()) slack_ += shear(mesh_from_shape.rotation, radius_);
}

LeafDistance SweptLeaf::closest(std::uint32_t triangle) const {
  const Triangle t = mesh_.triangle(triangle);
  const ClosestPoints core = length_ > 0.0 ? closest_points(axis_, t) : closest_points(axis_.a, t);
  const double gap = core.distance - radius_;
  const double error =
      kShapeContactError * (extent(t) + length_ + radius_ + core.distance) + slack_;
  if (gap <= error) return {{core.on_b, core.on_b, 0.0}, error};
  const Vec3 outward = (core.on_b - core.on_a) / core.distance;
  return {{core.on_b, core.on_a + radius_ * outward, gap}, error};
}

OrientedBox SweptLeaf::core() const {
  // Any rotation that takes x along the segment; that of a point does not matter.
  const Vec3 x = length_ > 0.0 ? normalized(axis_.b - axis_.a) : Vec3{};
  OrientedBox box{Pose::translate(0.5 * (axis_.a + axis_.b)), {}};
  if (norm(x) == 0.0) {
    // A segment too short to have a direction: a cube around it.
    box.half_size = {length_, length_, length_};
    return box;
  }
  const Vec3 y = any_perpendicular(x);
  box.world_from_box.rotation = Mat3::from_columns(x, y, cross(x, y));
  box.half_size.x = 0.5 * length_;
  return box;
}

BoxLeaf::BoxLeaf(const Bvh& mesh, const OrientedBox& shape, const Pose& mesh_from_shape)
    : mesh_(mesh),
      box_{mesh_from_shape * shape.world_from_box, shape.half_size},
      size_(norm(shape.half_size)) {
  slack_ = pose_slack(mesh_from_shape, norm(shape.world_from_box.translation) + size_);
  Mat3& rotation = box_.world_from_box.rotation;
  if (rigidity_error(rotation) > kRotationRounding) {
    slack_ += shear(rotation, size_);
    rotation = nearest_rotation(rotation);
  }
}

Triangle BoxLeaf::in_box(const Triangle& t) const {
  const Pose& place = box_.world_from_box;
  const auto local = [&](const Vec3& p) {
    return transpose_times(place.rotation, p - place.translation);
  };
  return {local(t.a), local(t.b), local(t.c)};
}

double BoxLeaf::error_of(const Triangle& in_box) const {
  return kShapeContactError * (extent(in_box) + size_ + norm(in_box.a)) + slack_;
}

// On the thirteen axes on which a triangle and a box can be parted: the sides of the box, the
// normal of the triangle, and the products of their edges. A gap counts when it is more than twice
// what closest() calls contact, times a bound of the axis' length; that is far more than the
// rounding of a product with it (6 roundings of 1.1e-16 to 4e-14).
bool BoxLeaf::are_apart(std::uint32_t triangle) const {
  const auto [a, b, c] = in_box(mesh_.triangle(triangle));
  const Vec3& half = box_.half_size;
  const double margin = 2.0 * error_of({a, b, c});
  const Vec3 low = min(a, min(b, c));
  const Vec3 high = max(a, max(b, c));
  const Vec3 gap = max(low, -high) - half;
  if (any_above(gap, margin)) return true;
  const std::array<Vec3, 3> edges{b - a, c - b, a - c};
  const double longest =
      std::sqrt(std::max({squared_norm(edges[0]), squared_norm(edges[1]), squared_norm(edges[2])}));
  const Vec3 normal = cross(edges[0], edges[1]);
  if (std::abs(dot(normal, a)) - dot(abs(normal), half) > margin * longest * longest) return true;
  const double least = margin * longest;
  for (std::size_t i = 0; i < 3; ++i) {
    // The two corners of the edge are at the same height along each axis across it.
    const Vec3& e = edges[i];
    const Vec3& p = i == 0 ? a : (i == 1 ? b : c);
    const Vec3& q = i == 0 ? c : (i == 1 ? a : b);
    const Vec3 amount = abs(e);
    const Vec3 near = cross(e, p);
    const Vec3 far = cross(e, q);
    const Vec3 reach{amount.z * half.y + amount.y * half.z, amount.z * half.x + amount.x * half.z,
                     amount.y * half.x + amount.x * half.y};
    if (any_above(max(min(near, far), -max(near, far)) - reach, least)) return true;
  }
  return false;
}

Box BoxLeaf::grown(double error) const {
  const Vec3 half = box_.half_size + Vec3{error, error, error};
  return {-half, half};
}

bool BoxLeaf::touch(std::uint32_t triangle) const {
  const Triangle in_box = this->in_box(mesh_.triangle(triangle));
  return intersects(in_box, grown(error_of(in_box)));
}

LeafDistance BoxLeaf::closest(std::uint32_t triangle) const {
  const Pose& place = box_.world_from_box;
  const Triangle in_box = this->in_box(mesh_.triangle(triangle));
  const double error = error_of(in_box);
  const Box box{-box_.half_size, box_.half_size};

  // The nearest is on an edge of the triangle, or a corner of the box above its face: the one
  // foremost towards the triangle's plane.
  ClosestPoints best = closest_points(Segment{in_box.a, in_box.b}, box);
  for (const Segment& edge : {Segment{in_box.b, in_box.c}, Segment{in_box.c, in_box.a}}) {
    const ClosestPoints points = closest_points(edge, box);
    if (points.distance < best.distance) best = points;
  }
  Vec3 normal = cross(in_box.b - in_box.a, in_box.c - in_box.a);
  if (dot(normal, in_box.a) < 0.0) normal = -normal;
  Vec3 corner;
  for (std::size_t k = 0; k < 3; ++k) corner[k] = std::copysign(box_.half_size[k], normal[k]);
  const ClosestPoints above = closest_points(corner, in_box);
  if (above.distance < best.distance) best = {above.on_b, above.on_a, above.distance};

  const Vec3 on_mesh = place * best.on_a;
  if (best.distance <= error || intersects(in_box, grown(error)))
    return {{on_mesh, on_mesh, 0.0}, error};
  return {{on_mesh, place * best.on_b, best.distance}, error};
}

HalfSpaceLeaf::HalfSpaceLeaf(const Bvh& mesh, const HalfSpace& shape, const Pose& mesh_from_shape)
    : mesh_(mesh) {
  const double length = norm(shape.normal);
  plane_.normal = mesh_from_shape.rotation * (shape.normal / length);
  plane_.offset = shape.offset / length + dot(plane_.normal, mesh_from_shape.translation);
  const double coordinates = reach_of(mesh.bounds());
  slack_ = kHeightRounding *
           (coordinates + std::abs(shape.offset / length) + norm(mesh_from_shape.translation));
  if (mesh_from_shape != Pose::identity()) {
    slack_ += shear(mesh_from_shape.rotation, coordinates + norm(mesh_from_shape.translation) +
                                                  std::abs(shape.offset / length));
    plane_.normal = normalized(plane_.normal);
  }
}

LeafDistance HalfSpaceLeaf::closest(std::uint32_t triangle) const {
  const Triangle t = mesh_.triangle(triangle);
  const auto height = [&](const Vec3& p) { return dot(plane_.normal, p) - plane_.offset; };
  Vec3 lowest = t.a;
  for (const Vec3& p : {t.b, t.c}) {
    if (height(p) < height(lowest)) lowest = p;
  }
  const double gap = height(lowest);
  if (gap <= slack_) return {{lowest, lowest, 0.0}, slack_};
  return {{lowest, lowest - gap * plane_.normal, gap}, slack_};
}

}  // namespace clearance::detail
