// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

#include "geometry/flat_face.h"
#include "geometry/separation.h"

namespace clearance {
namespace {

using detail::kRoundoff;

/// True only when sqrt(squared) > radius for the exact values. `squared` is a sum of three squares
/// of rounded differences: 2 roundings each for the differences, 1 for the square, 2 for the sum, 5
/// in all; `radius` has been rounded once at most, so its square errs by 3.
bool certainly_beyond(double squared, double radius) {
  return squared > radius * radius * (1.0 + 16.0 * kRoundoff);
}

/// The exact projections of two parallelepipeds on v do not meet. `center` leads from the middle of
/// a to the middle of b; the columns of a and b are half their edges.
///
/// Proof of the bound. With s = |v.center| and p = sum |v.a_k| + sum |v.b_k| in exact arithmetic,
/// the bodies are disjoint if s > p. Each of the 7 products v.x is a sum of 3 terms, 3 roundings,
/// and x is itself rounded once (a difference of centres, an axis times a half size): 4. Adding 7
/// numbers takes 6 more. So s - p as computed errs by at most 10 roundings (to first order, far
/// below 1 more) of M = sum |v_k x_k| <= (|v.x| + |v.y| + |v.z|) * (largest component of each x,
/// added up), which is how `magnitude` is made, itself low by at most 10 roundings. 16 roundings of
/// it are more than that. v is any vector whatever: its own rounding does not enter.
bool separates(const Vec3& v, const Vec3& center, const std::array<Vec3, 3>& a,
               const std::array<Vec3, 3>& b, double magnitude) {
  double reach = 0.0;
  for (std::size_t i = 0; i < 3; ++i) reach += std::abs(dot(v, a[i])) + std::abs(dot(v, b[i]));
  const Vec3 size = abs(v);
  const double error = detail::kGapErrorFactor * kRoundoff * (size.x + size.y + size.z) * magnitude;
  return std::abs(dot(v, center)) - reach > error;
}

std::array<Vec3, 3> half_edges(const OrientedBox& box) {
  const Mat3& r = box.world_from_box.rotation;
  return {box.half_size.x * r.column(0), box.half_size.y * r.column(1),
          box.half_size.z * r.column(2)};
}

}  // namespace

bool intersects(const Box& a, const Box& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

bool intersects(const OrientedBox& a, const OrientedBox& b) {
  const Vec3 center = b.world_from_box.translation - a.world_from_box.translation;
  const std::array<Vec3, 3> half_a = half_edges(a);
  const std::array<Vec3, 3> half_b = half_edges(b);
  double magnitude = largest_component(abs(center));
  for (std::size_t i = 0; i < 3; ++i) {
    magnitude += largest_component(abs(half_a[i])) + largest_component(abs(half_b[i]));
  }
  const auto apart = [&](const Vec3& v) { return separates(v, center, half_a, half_b, magnitude); };
  // The axes come from the rotations, not from the half edges, which may be zero.
  std::array<Vec3, 3> axes_a;
  std::array<Vec3, 3> axes_b;
  for (std::size_t i = 0; i < 3; ++i) {
    axes_a[i] = a.world_from_box.rotation.column(i);
    axes_b[i] = b.world_from_box.rotation.column(i);
    if (apart(axes_a[i]) || apart(axes_b[i])) return false;
  }
  // Edges of nearly parallel boxes: a plain product would point anywhere, and boxes a thousandth of
  // a micron apart would be called touching.
  for (const Vec3& e : axes_a) {
    for (const Vec3& f : axes_b) {
      if (apart(detail::accurate_cross(e, f))) return false;
    }
  }
  return true;
}

bool intersects(const Sphere& a, const Sphere& b) {
  return !certainly_beyond(squared_norm(b.center - a.center), a.radius + b.radius);
}

bool intersects(const Sphere& sphere, const Box& box) {
  const Vec3 excess = max(Vec3{}, max(box.low - sphere.center, sphere.center - box.high));
  return !certainly_beyond(squared_norm(excess), sphere.radius);
}

bool intersects(const Sphere& sphere, const OrientedBox& box) {
  const Mat3& r = box.world_from_box.rotation;
  const Vec3 offset = sphere.center - box.world_from_box.translation;
  const Vec3 local = transpose_times(r, offset);
  const Vec3 gap = r * (local - max(-box.half_size, min(box.half_size, local)));
  // From one corner of the box, so that it is a sum of whole edges.
  const std::array<Vec3, 3> half = half_edges(box);
  std::array<Vec3, 8> corners;
  for (unsigned i = 0; i < 8; ++i) {
    corners[i] = ((i & 1u) != 0 ? half[0] : -half[0]) + ((i & 2u) != 0 ? half[1] : -half[1]) +
                 ((i & 4u) != 0 ? half[2] : -half[2]);
  }
  const detail::CornerPair pair{corners, {&offset, 1}};
  const std::array<Vec3, 3> axes{r.column(0), r.column(1), r.column(2)};
  return !prove_farther(pair, gap, sphere.radius, axes, {});
}

bool intersects(const Sphere& sphere, const Triangle& triangle) {
  const detail::FlatFace face(triangle);
  const Vec3 center = sphere.center - face.origin;
  const Vec3 gap = center - face.nearest(center);
  const detail::CornerPair pair{{face.corners.data(), 3}, {&center, 1}};
  const std::array<Vec3, 4> edges{face.e, face.g, face.edge(1), face.edge(2)};
  return !prove_farther(pair, gap, sphere.radius, edges, {});
}

bool intersects(const Segment& segment, const Triangle& triangle) {
  const detail::FlatFace face(triangle);
  const std::array<Vec3, 2> ends{segment.a - face.origin, segment.b - face.origin};
  const Vec3 along = segment.b - segment.a;
  const detail::Candidate nearest = nearest_on_face(ends[0], along, face);
  if (nearest.squared == 0.0) return true;
  const detail::CornerPair pair{ends, {face.corners.data(), 3}};
  const std::array<Vec3, 4> edges{face.e, face.g, face.edge(1), face.edge(2)};
  return !prove_farther(pair, nearest.gap, 0.0, {&along, 1}, edges);
}

bool intersects(const Triangle& triangle, const Box& box) {
  Box bounds;
  bounds.include(triangle.a);
  bounds.include(triangle.b);
  bounds.include(triangle.c);
  if (!intersects(bounds, box)) return false;

  const Vec3 origin = box.low;
  const Vec3 low = box.low - origin;
  const Vec3 high = box.high - origin;
  const std::array<Vec3, 3> p{triangle.a - origin, triangle.b - origin, triangle.c - origin};
  const Vec3 reach = max(max(abs(low), abs(high)), max(abs(p[0]), max(abs(p[1]), abs(p[2]))));
  // As in separates(), with products of 3 terms of coordinates rounded once and one difference.
  const auto apart = [&](const Vec3& v) {
    const double t0 = dot(v, p[0]);
    const double t1 = dot(v, p[1]);
    const double t2 = dot(v, p[2]);
    double box_low = 0.0;
    double box_high = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      box_low += v[i] * (v[i] > 0.0 ? low[i] : high[i]);
      box_high += v[i] * (v[i] > 0.0 ? high[i] : low[i]);
    }
    const double error = detail::kGapErrorFactor * kRoundoff * 2.0 * dot(abs(v), reach);
    return std::min({t0, t1, t2}) - box_high > error || box_low - std::max({t0, t1, t2}) > error;
  };
  const detail::FlatFace face(triangle);
  if (apart(face.normal())) return false;
  for (int i = 0; i < 3; ++i) {
    // The products of an edge with the axes of the box.
    const Vec3 e = face.edge(i);
    if (apart({0.0, -e.z, e.y}) || apart({e.z, 0.0, -e.x}) || apart({-e.y, e.x, 0.0})) return false;
  }
  return true;
}

}  // namespace clearance
