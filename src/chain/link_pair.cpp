// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/link_pair.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/predicates.h>

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Capsule moved(const Pose& pose, const Capsule& c) {
  return {{pose * c.axis.a, pose * c.axis.b}, c.radius};
}

Sphere moved(const Pose& pose, const Sphere& s) { return {pose * s.center, s.radius}; }

// One overload of apart() for each pair of kinds, the simpler first; a_from_b and upper_bound as in
// the header. Where the surfaces do not touch, one body is inside the other as a whole or not at
// all: one point tells.

double apart(const LinkSpheres& a, const LinkSpheres& b, const Pose& a_from_b, double) {
  double nearest = kInfinity;
  for (const Sphere& sb : b) {
    const Vec3 center = a_from_b * sb.center;
    for (const Sphere& sa : a)
      nearest = std::min(nearest, distance(sa.center, center) - (sa.radius + sb.radius));
  }
  return std::max(nearest, 0.0);
}
double apart(const LinkSpheres& a, const Capsule& b, const Pose& a_from_b, double) {
  const Capsule capsule = moved(a_from_b, b);
  double nearest = kInfinity;
  for (const Sphere& s : a) nearest = std::min(nearest, closest_points(capsule, s).distance);
  return nearest;
}
double apart(const LinkSpheres& a, const ConvexBody& b, const Pose& a_from_b, double upper_bound) {
  const Pose b_from_a = inverse(a_from_b);
  for (const Sphere& s : a) {
    const Sphere in_b = moved(b_from_a, s);
    if (holds(b, in_b.center)) return 0.0;
    const ShapeDistance found = distance(b.surface(), in_b, Pose::identity(), upper_bound);
    upper_bound = std::min(upper_bound, found.distance);
  }
  return upper_bound;
}
double apart(const LinkSpheres& a, const Bvh& b, const Pose& a_from_b, double upper_bound) {
  const Pose b_from_a = inverse(a_from_b);
  for (const Sphere& s : a)
    upper_bound = std::min(upper_bound, distance(b, s, b_from_a, upper_bound).distance);
  return upper_bound;
}
double apart(const Capsule& a, const Capsule& b, const Pose& a_from_b, double) {
  return closest_points(a, moved(a_from_b, b)).distance;
}
double apart(const Capsule& a, const ConvexBody& b, const Pose& a_from_b, double upper_bound) {
  const Capsule in_b = moved(inverse(a_from_b), a);
  if (holds(b, in_b.axis.a)) return 0.0;
  return distance(b.surface(), in_b, Pose::identity(), upper_bound).distance;
}
double apart(const Capsule& a, const Bvh& b, const Pose& a_from_b, double upper_bound) {
  return distance(b, a, inverse(a_from_b), upper_bound).distance;
}
double apart(const ConvexBody& a, const ConvexBody& b, const Pose& a_from_b, double upper_bound) {
  if (holds(a, a_from_b * b.corners()[0])) return 0.0;
  return distance(a.surface(), b, a_from_b, upper_bound).distance;
}
double apart(const ConvexBody& a, const Bvh& b, const Pose& a_from_b, double upper_bound) {
  return distance(b, a, inverse(a_from_b), upper_bound).distance;
}
double apart(const Bvh& a, const Bvh& b, const Pose& a_from_b, double upper_bound) {
  return distance(a, b, a_from_b, {.upper_bound = upper_bound}).distance;
}

// The same as yes or no: are they at `limit` or closer? What has no tree is no cheaper that way.

template <class A, class B>
bool near(const A& a, const B& b, const Pose& a_from_b, double limit) {
  return apart(a, b, a_from_b, kInfinity) <= limit;
}
bool near(const LinkSpheres& a, const ConvexBody& b, const Pose& a_from_b, double limit) {
  const Pose b_from_a = inverse(a_from_b);
  return std::any_of(a.begin(), a.end(), [&](const Sphere& s) {
    const Sphere in_b = moved(b_from_a, s);
    return holds(b, in_b.center) || within(b.surface(), in_b, limit).within;
  });
}
bool near(const LinkSpheres& a, const Bvh& b, const Pose& a_from_b, double limit) {
  const Pose b_from_a = inverse(a_from_b);
  return std::any_of(a.begin(), a.end(),
                     [&](const Sphere& s) { return within(b, s, limit, b_from_a).within; });
}
bool near(const Capsule& a, const ConvexBody& b, const Pose& a_from_b, double limit) {
  const Capsule in_b = moved(inverse(a_from_b), a);
  return holds(b, in_b.axis.a) || within(b.surface(), in_b, limit).within;
}
bool near(const Capsule& a, const Bvh& b, const Pose& a_from_b, double limit) {
  return within(b, a, limit, inverse(a_from_b)).within;
}
bool near(const ConvexBody& a, const ConvexBody& b, const Pose& a_from_b, double limit) {
  return holds(a, a_from_b * b.corners()[0]) || within(a.surface(), b, limit, a_from_b).within;
}
bool near(const ConvexBody& a, const Bvh& b, const Pose& a_from_b, double limit) {
  return within(b, a, limit, inverse(a_from_b)).within;
}
bool near(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit) {
  return within(a, b, a_from_b, limit).within;
}

template <class A, class B>
concept Ordered = requires(const A& a, const B& b, const Pose& pose) {
  apart(a, b, pose, kInfinity);
};

/// The farthest a coordinate of the link is from its origin.
double reach_of(const LinkShape& link) {
  if (const auto* body = std::get_if<ConvexBody>(&link)) {
    const Box& box = body->surface().bounds();
    return largest_component(max(abs(box.low), abs(box.high)));
  }
  const Box box = bounds_of(link);
  return box.empty() ? 0.0 : largest_component(max(abs(box.low), abs(box.high)));
}

}  // namespace

double link_distance(const LinkShape& a, const LinkShape& b, const Pose& a_from_b,
                     double upper_bound) {
  return std::visit(
      [&](const auto& shape_a, const auto& shape_b) {
        if constexpr (Ordered<std::decay_t<decltype(shape_a)>, std::decay_t<decltype(shape_b)>>) {
          return apart(shape_a, shape_b, a_from_b, upper_bound);
        } else {
          return apart(shape_b, shape_a, inverse(a_from_b), upper_bound);
        }
      },
      a, b);
}

bool links_within(const LinkShape& a, const LinkShape& b, const Pose& a_from_b, double limit) {
  const Vec3 shift = abs(a_from_b.translation);
  const double extent = shift.x + shift.y + shift.z + reach_of(a) + reach_of(b);
  const double outward = limit + kShapeContactError * extent;
  return std::visit(
      [&](const auto& shape_a, const auto& shape_b) {
        if constexpr (Ordered<std::decay_t<decltype(shape_a)>, std::decay_t<decltype(shape_b)>>) {
          return near(shape_a, shape_b, a_from_b, outward);
        } else {
          return near(shape_b, shape_a, inverse(a_from_b), outward);
        }
      },
      a, b);
}

bool links_touch(const LinkShape& a, const LinkShape& b, const Pose& a_from_b, double slack) {
  return links_within(a, b, a_from_b, slack);
}

bool holds(const ConvexBody& body, const Vec3& p) {
  // By exact signs: the normal of a sliver of a face, computed, may point anywhere, and a point
  // deep inside would seem to be outside.
  if (body.dimension() < 3) return false;
  const std::span<const Vec3> corners = body.corners();
  return std::all_of(body.faces().begin(), body.faces().end(), [&](const Face& face) {
    return orientation(corners[face[0]], corners[face[1]], corners[face[2]], p) >= 0;
  });
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
