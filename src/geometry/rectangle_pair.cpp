// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/rectangle_pair.h"

#include <array>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

namespace clearance {
namespace detail {
namespace {

struct Edge {
  Vec3 start, along;
};

std::array<Edge, 4> edges_of(const Vec3& corner, const std::array<Vec3, 2>& side) {
  return {Edge{corner, side[0]}, Edge{corner, side[1]}, Edge{corner + side[1], side[0]},
          Edge{corner + side[0], side[1]}};
}

}  // namespace

RectanglePair::RectanglePair(const Rectangle& a, const Rectangle& b)
    : a_(a),
      b_(b),
      span_{b.corner - a.corner,
            {a.side[0] * a.axis[0], a.side[1] * a.axis[1]},
            {b.side[0] * b.axis[0], b.side[1] * b.axis[1]}},
      tolerance_(kCertificate * span_.magnitude()) {}

Vec3 RectanglePair::nearest_on_a(const Vec3& p) const { return nearest_on_rectangle(a_, p); }
Vec3 RectanglePair::nearest_on_b(const Vec3& p) const {
  return span_.offset + nearest_on_rectangle(b_, p - span_.offset);
}

Candidate RectanglePair::guess() const {
  // Ends at the answer after one round when a corner is nearest, which is most of the time.
  constexpr int kRounds = 2;
  Vec3 on_a = 0.5 * (span_.a[0] + span_.a[1]);
  Vec3 on_b = nearest_on_b(on_a);
  for (int i = 0; i < kRounds; ++i) {
    on_a = nearest_on_a(on_b);
    on_b = nearest_on_b(on_a);
  }
  return candidate(on_a, on_b, on_b - on_a);
}

Candidate RectanglePair::closest(const Candidate& start) const {
  Candidate best = start;
  if (is_closest(best)) return best;

  // An edge of each, in any order; a corner counts as part of its edge.
  const std::array<Edge, 4> edges_a = edges_of(Vec3{}, span_.a);
  const std::array<Edge, 4> edges_b = edges_of(span_.offset, span_.b);
  for (const Edge& a : edges_a) {
    for (const Edge& b : edges_b) {
      const Candidate c = nearest_on_segments(a.start, a.along, b.start, b.along);
      if (!(c.squared < best.squared)) continue;
      best = c;
      if (is_closest(best)) return best;
    }
  }

  // A corner of one over the inside of the other.
  for (const Edge& b : edges_b) {
    // The starts of the four edges name three corners; the ends name the fourth.
    for (const Vec3& p : {b.start, b.start + b.along}) {
      const Vec3 q = nearest_on_a(p);
      best.improve(candidate(q, p, p - q));
    }
  }
  for (const Edge& a : edges_a) {
    for (const Vec3& p : {a.start, a.start + a.along}) {
      const Vec3 q = nearest_on_b(p);
      best.improve(candidate(p, q, q - p));
    }
  }
  if (is_closest(best)) return best;

  // An edge of one through the other.
  const FlatFace face_a(a_);
  const FlatFace face_b(b_);
  for (const Edge& b : edges_b) {
    const Candidate c = nearest_on_face(b.start, b.along, face_a);
    if (c.squared == 0.0) return c;
  }
  for (const Edge& a : edges_a) {
    const Candidate c = nearest_on_face(a.start - span_.offset, a.along, face_b);
    if (c.squared == 0.0) return candidate(c.on_a + span_.offset, c.on_a + span_.offset, Vec3{});
  }
  return best;
}

}  // namespace detail

ClosestPoints closest_points(const Rectangle& a, const Rectangle& b) {
  const detail::RectanglePair pair(a, b);
  return to_result(pair.closest(pair.guess()), a.corner);
}

bool rectangles_farther_than(const Rectangle& a, const Rectangle& b, double distance) {
  const detail::RectanglePair pair(a, b);
  // Two points within the distance settle it; so does a direction that proves the contrary.
  detail::Candidate c = pair.guess();
  if (c.squared <= distance * distance) return false;
  if (pair.proves_farther(c.gap, distance)) return true;
  c = pair.closest(c);
  if (c.squared <= distance * distance) return false;
  return pair.proves_farther_by_edges(c.gap, distance);
}

}  // namespace clearance
