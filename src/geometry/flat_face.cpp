// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/flat_face.h"

namespace clearance::detail {

FlatFace::FlatFace(const Triangle& t) : corner_count(3) {
  const double ab = squared_norm(t.b - t.a);
  const double bc = squared_norm(t.c - t.b);
  const double ca = squared_norm(t.a - t.c);
  // Turn the triangle so that its longest edge comes first.
  const Triangle turned = ab >= bc && ab >= ca ? t
                          : bc >= ca           ? Triangle{t.b, t.c, t.a}
                                               : Triangle{t.c, t.a, t.b};
  origin = turned.a;
  e = turned.b - turned.a;
  ee = squared_norm(e);
  const Vec3 to_apex = turned.c - turned.a;
  corners = {Vec3{}, e, to_apex, Vec3{}};
  if (ee == 0.0) return;
  left = dot(to_apex, e) / ee;
  g = to_apex - left * e;
  const double correction = dot(g, e) / ee;
  g -= correction * e;
  left += correction;
  right = 1.0 - left;
  gg = squared_norm(g);
}

FlatFace::FlatFace(const Rectangle& r)
    : origin(r.corner),
      e(r.side[0] * r.axis[0]),
      g(r.side[1] * r.axis[1]),
      ee(squared_norm(e)),
      gg(squared_norm(g)),
      corner_count(4),
      corners{Vec3{}, e, e + g, g} {}

Vec3 FlatFace::nearest(const Vec3& p) const {
  const double x = x_of(p);
  const double y = y_of(p);
  if (corner_count == 4) return clamp_unit(x) * e + clamp_unit(y) * g;
  if (gg > 0.0 && contains(x, y)) return x * e + y * g;
  Vec3 best;
  double best_sq = std::numeric_limits<double>::infinity();
  for (int i = 0; i < corner_count; ++i) {
    const Vec3 along = edge(i);
    const Vec3 q = corners[i] + nearest_fraction(p - corners[i], along) * along;
    const double squared = squared_norm(p - q);
    if (squared < best_sq) {
      best_sq = squared;
      best = q;
    }
  }
  return best;
}

Candidate nearest_on_face(const Vec3& start, const Vec3& d, const FlatFace& face) {
  // Through the face: the ends on different sides, and the crossing inside.
  const Vec3 n = face.normal();
  const Vec3 end = start + d;
  const double height_start = dot(n, start);
  const double height_end = dot(n, end);
  if (height_start != height_end &&
      ((height_start <= 0.0 && height_end >= 0.0) || (height_start >= 0.0 && height_end <= 0.0))) {
    const Vec3 p = start + (height_start / (height_start - height_end)) * d;
    const double x = face.x_of(p);
    const double y = face.y_of(p);
    if (face.contains(x, y)) return candidate(p, p, Vec3{});
  }
  // Else the nearest pair has an end of the segment or an edge of the face in it. A segment in the
  // plane of the face comes here too: it has an end inside or crosses an edge.
  Candidate best;
  for (const Vec3& p : {start, end}) {
    const Vec3 q = face.nearest(p);
    best.improve(candidate(p, q, q - p));
  }
  for (int i = 0; i < face.corner_count; ++i) {
    best.improve(nearest_on_segments(start, d, face.corners[i], face.edge(i)));
  }
  return best;
}

}  // namespace clearance::detail
