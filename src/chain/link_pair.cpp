// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/link_pair.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <variant>

#include <clearance/geometry/closest_points.h>

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Capsule moved(const Pose& pose, const Capsule& c) {
  return {{pose * c.axis.a, pose * c.axis.b}, c.radius};
}

/// Is the point inside a solid convex body, or on it? Rounding matters only next to the surface,
/// where the distance from the surface is (about) zero anyway.
bool holds(const ConvexBody& body, const Vec3& p) {
  if (body.dimension() < 3) return false;
  return std::all_of(body.faces().begin(), body.faces().end(), [&](const Face& face) {
    const Vec3& a = body.corners()[face[0]];
    const Vec3 normal = cross(body.corners()[face[1]] - a, body.corners()[face[2]] - a);
    return dot(normal, p - a) <= 0.0;
  });
}

// One overload for each pair of kinds, the simpler first; a_from_b as in the header.

double apart(const LinkSpheres& a, const LinkSpheres& b, const Pose& a_from_b) {
  double nearest = kInfinity;
  for (const Sphere& sb : b) {
    const Vec3 center = a_from_b * sb.center;
    for (const Sphere& sa : a)
      nearest = std::min(nearest, distance(sa.center, center) - (sa.radius + sb.radius));
  }
  return std::max(nearest, 0.0);
}
double apart(const LinkSpheres& a, const Capsule& b, const Pose& a_from_b) {
  const Capsule capsule = moved(a_from_b, b);
  double nearest = kInfinity;
  for (const Sphere& s : a) nearest = std::min(nearest, closest_points(capsule, s).distance);
  return nearest;
}
double apart(const LinkSpheres& a, const ConvexBody& b, const Pose& a_from_b) {
  const Pose b_from_a = inverse(a_from_b);
  double nearest = kInfinity;
  for (const Sphere& s : a) {
    const Sphere in_b{b_from_a * s.center, s.radius};
    if (holds(b, in_b.center)) return 0.0;
    nearest = std::min(nearest, distance(b.surface(), in_b).distance);
  }
  return nearest;
}
double apart(const LinkSpheres& a, const Bvh& b, const Pose& a_from_b) {
  const Pose b_from_a = inverse(a_from_b);
  double nearest = kInfinity;
  for (const Sphere& s : a) nearest = std::min(nearest, distance(b, s, b_from_a).distance);
  return nearest;
}
double apart(const Capsule& a, const Capsule& b, const Pose& a_from_b) {
  return closest_points(a, moved(a_from_b, b)).distance;
}
double apart(const Capsule& a, const ConvexBody& b, const Pose& a_from_b) {
  const Capsule in_b = moved(inverse(a_from_b), a);
  return holds(b, in_b.axis.a) ? 0.0 : distance(b.surface(), in_b).distance;
}
double apart(const Capsule& a, const Bvh& b, const Pose& a_from_b) {
  return distance(b, a, inverse(a_from_b)).distance;
}
double apart(const ConvexBody& a, const ConvexBody& b, const Pose& a_from_b) {
  if (holds(a, a_from_b * b.corners()[0])) return 0.0;
  return distance(a.surface(), b, a_from_b).distance;
}
double apart(const ConvexBody& a, const Bvh& b, const Pose& a_from_b) {
  return distance(b, a, inverse(a_from_b)).distance;
}
double apart(const Bvh& a, const Bvh& b, const Pose& a_from_b) {
  return distance(a, b, a_from_b).distance;
}

template <class A, class B>
concept Ordered = requires(const A& a, const B& b, const Pose& pose) {
  apart(a, b, pose);
};

}  // namespace

double link_distance(const LinkShape& a, const LinkShape& b, const Pose& a_from_b) {
  return std::visit(
      [&](const auto& shape_a, const auto& shape_b) {
        if constexpr (Ordered<std::decay_t<decltype(shape_a)>, std::decay_t<decltype(shape_b)>>) {
          return apart(shape_a, shape_b, a_from_b);
        } else {
          return apart(shape_b, shape_a, inverse(a_from_b));
        }
      },
      a, b);
}

bool links_touch(const LinkShape& a, const LinkShape& b, const Pose& a_from_b, double slack) {
  return link_distance(a, b, a_from_b) <= slack;
}

Box bounds_of(const LinkShape& link) {
  Box box;
  const auto include = [&](const Vec3& center, double radius) {
    const Vec3 reach{radius, radius, radius};
    box.include(center - reach);
    box.include(center + reach);
  };
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    for (const Sphere& s : *spheres) include(s.center, s.radius);
  } else if (const auto* capsule = std::get_if<Capsule>(&link)) {
    include(capsule->axis.a, capsule->radius);
    include(capsule->axis.b, capsule->radius);
  } else if (const auto* body = std::get_if<ConvexBody>(&link)) {
    for (const Vec3& corner : body->corners()) box.include(corner);
  } else {
    box = std::get<Bvh>(link).bounds();
  }
  return box;
}

}  // namespace clearance::detail
