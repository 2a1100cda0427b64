// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The distances of Lee et al. 2015, as the paper has them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <clearance/contour/paper_distance.h>

namespace clearance {
namespace {

/// A limit for what is divided by; below, there is no direction. No length of a scene is as small,
/// and the square of it is still a normal number.
constexpr double kNothing = 1e-150;

double clamp_unit(double x) { return std::min(std::max(x, 0.0), 1.0); }

/// A point in the half-plane: along the centre line from P_0, and away from it.
struct Flat {
  double along = 0.0;
  double away = 0.0;
};
Flat operator-(const Flat& a, const Flat& b) { return {a.along - b.along, a.away - b.away}; }
double dot(const Flat& a, const Flat& b) { return a.along * b.along + a.away * b.away; }
double cross(const Flat& a, const Flat& b) { return a.along * b.away - a.away * b.along; }

/// What Kwok's query finds for a point: the closest point y, and the edge v_2 v_3 of the cross
/// section.
struct PointQuery {
  double squared = std::numeric_limits<double>::infinity();
  Vec3 y;
  std::array<Vec3, 2> edge;
};

PointQuery query(const PaperTube& tube, const Vec3& x) {
  PointQuery result;
  // The half-plane: its directions `along` and `away`, and their normal.
  const Vec3 offset = x - tube.start;
  const double along = dot(offset, tube.along);
  const Vec3 radial = offset - along * tube.along;
  const double distance = norm(radial);
  const Vec3 away = distance > kNothing ? radial / distance : tube.aside;
  const Vec3 normal = cross(away, tube.along);
  const Flat point{along, distance};

  // Where it cuts the circles. A circle that lies in the plane of the half-plane is cut everywhere;
  // the point farthest out is taken.
  std::array<Flat, 4> section;
  section[0] = {0.0, 0.0};
  section[3] = {tube.length, 0.0};
  for (std::size_t j = 0; j < 2; ++j) {
    const ContourCircle& circle = tube.circle[j];
    const double u = dot(normal, circle.u);
    const double v = dot(normal, circle.v);
    const double u_away = dot(away, circle.u);
    const double v_away = dot(away, circle.v);
    double x_on = v;
    double y_on = -u;
    double size = std::sqrt(x_on * x_on + y_on * y_on);
    if (!(size > kNothing)) {
      x_on = u_away;
      y_on = v_away;
      size = std::sqrt(x_on * x_on + y_on * y_on);
    }
    const double scale = size > kNothing ? 1.0 / size : 0.0;
    const double reach = x_on * u_away + y_on * v_away;
    const double sign = reach < 0.0 ? -scale : scale;
    x_on *= sign;
    y_on *= sign;
    const Flat center = j == 0 ? section[0] : section[3];
    section[j + 1] = {center.along + x_on * tube.u_along[j] + y_on * tube.v_along[j],
                      x_on * u_away + y_on * v_away};
    result.edge[j] = circle.center + x_on * circle.u + y_on * circle.v;
  }

  // The closest point of the quadrilateral P_0 v_2 v_3 P_1. A side without length, where a radius
  // is zero, says nothing about inside; with one side only there is no inside.
  bool outside = false;
  int sides = 0;
  Flat closest;
  for (std::size_t i = 0; i < 3; ++i) {
    const Flat side = section[i + 1] - section[i];
    const Flat to_point = point - section[i];
    const double length_sq = dot(side, side);
    sides += length_sq > 0.0 ? 1 : 0;
    outside = outside || (length_sq > 0.0 && cross(side, to_point) >= 0.0);
    const double t = length_sq > 0.0 ? clamp_unit(dot(to_point, side) / length_sq) : 0.0;
    const Flat on_side{section[i].along + t * side.along, section[i].away + t * side.away};
    const Flat gap = point - on_side;
    const double squared = dot(gap, gap);
    if (squared < result.squared) {
      result.squared = squared;
      closest = on_side;
    }
  }
  if (!outside && sides > 1) {
    result.squared = 0.0;
    result.y = x;
    return result;
  }
  result.y = tube.start + closest.along * tube.along + closest.away * away;
  return result;
}

/// The point of edge a + s along, s in [0, 1], nearest to the segment between p and q.
Vec3 nearest_on_edge(const Vec3& a, const Vec3& along, double along_sq, const Vec3& p,
                     const Vec3& q) {
  const Vec3 other = q - p;
  const Vec3 r = a - p;
  const double other_sq = squared_norm(other);
  const double b = dot(along, other);
  const double c = dot(along, r);
  const double f = dot(other, r);
  const double determinant = along_sq * other_sq - b * b;
  double s = determinant > 0.0 ? clamp_unit((b * f - c * other_sq) / determinant) : 0.0;
  const double t = other_sq > 0.0 ? clamp_unit((b * s + f) / other_sq) : 0.0;
  s = along_sq > 0.0 ? clamp_unit((b * t - c) / along_sq) : 0.0;
  return a + s * along;
}

PaperDistance edge_distance(const PaperTube& tube, const Vec3& a, const Vec3& b,
                            const PaperOptions& options) {
  const Vec3 along = b - a;
  const double along_sq = squared_norm(along);
  // Steps 1 and 2.
  const Vec3 end = tube.circle[1].center;
  Vec3 x = nearest_on_edge(a, along, along_sq, tube.start, end);
  PointQuery found = query(tube, x);
  double least = found.squared;
  PaperDistance best{0.0, x, found.y, 0};
  int round = 0;
  while (round < options.rounds && least > 0.0) {
    // Steps 3 and 4.
    const Vec3 before = x;
    x = nearest_on_edge(a, along, along_sq, found.edge[0], found.edge[1]);
    ++round;
    // A point that stays where it was (a corner, mostly) stays for all rounds.
    if (x == before) break;
    found = query(tube, x);
    if (found.squared < least) {
      least = found.squared;
      best.on_shape = x;
      best.on_segment = found.y;
    }
    // Step 5.
    if (options.epsilon > 0.0) {
      const Vec3 gap = found.y - x;
      const Vec3 ruling = found.edge[1] - found.edge[0];
      const double limit = options.epsilon * std::sqrt(found.squared);
      if (std::abs(dot(gap, along)) <= limit * std::sqrt(along_sq) &&
          std::abs(dot(gap, ruling)) <= limit * norm(ruling))
        break;
    }
  }
  best.distance = std::sqrt(least);
  best.rounds = round;
  return best;
}

/// y is over the inside of the triangle: in the Voronoi region of the face.
bool over_face(const Vec3& y, const Triangle& t) {
  const Vec3 e = t.b - t.a;
  const Vec3 f = t.c - t.a;
  const Vec3 normal = cross(e, f);
  const Vec3 r = y - t.a;
  const double beta = dot(cross(r, f), normal);
  const double gamma = dot(cross(e, r), normal);
  return beta > 0.0 && gamma > 0.0 && beta + gamma < squared_norm(normal);
}

}  // namespace

PaperTube paper_tube(const ContourSegment& segment) {
  PaperTube tube{.start = segment.start.center,
                 .along = segment.end.center - segment.start.center,
                 .length = 0.0,
                 .circle = {segment.start, segment.end},
                 .u_along = {},
                 .v_along = {},
                 .aside = {}};
  tube.length = norm(tube.along);
  if (tube.length > kNothing) {
    tube.along = tube.along / tube.length;
  } else {
    tube.length = 0.0;
    tube.along = normalized(cross(segment.start.u, segment.start.v));
    if (tube.along == Vec3{}) tube.along = normalized(cross(segment.end.u, segment.end.v));
    if (tube.along == Vec3{}) tube.along = {0.0, 0.0, 1.0};
  }
  tube.aside = any_perpendicular(tube.along);
  for (std::size_t j = 0; j < 2; ++j) {
    tube.u_along[j] = dot(tube.circle[j].u, tube.along);
    tube.v_along[j] = dot(tube.circle[j].v, tube.along);
  }
  return tube;
}

PaperDistance paper_distance(const ContourSegment& segment, const Vec3& point) {
  const PointQuery found = query(paper_tube(segment), point);
  return {std::sqrt(found.squared), point, found.y, 0};
}

PaperDistance paper_distance(const ContourSegment& segment, const Segment& edge,
                             const PaperOptions& options) {
  return edge_distance(paper_tube(segment), edge.a, edge.b, options);
}

PaperDistance paper_distance(const ContourSegment& segment, const Triangle& triangle,
                             const PaperOptions& options) {
  const PaperTube tube = paper_tube(segment);
  return paper_distance(tube, triangle,
                        {edge_distance(tube, triangle.a, triangle.b, options),
                         edge_distance(tube, triangle.b, triangle.c, options),
                         edge_distance(tube, triangle.c, triangle.a, options)});
}

PaperDistance paper_distance(const PaperTube& tube, const Segment& edge,
                             const PaperOptions& options) {
  return edge_distance(tube, edge.a, edge.b, options);
}

PaperDistance paper_distance(const PaperTube& tube, const Triangle& triangle,
                             const std::array<PaperDistance, 3>& edges) {
  PaperDistance best;
  best.distance = std::numeric_limits<double>::infinity();
  Vec3 sum;
  int rounds = 0;
  for (const PaperDistance& edge : edges) {
    sum += edge.on_shape;
    rounds += edge.rounds;
    if (edge.distance < best.distance) best = edge;
  }
  best.rounds = rounds;
  if (best.distance == 0.0 || !over_face(best.on_segment, triangle)) return best;
  // Section III.C, the last paragraph.
  const Vec3 centroid = (1.0 / 3.0) * sum;
  const PointQuery found = query(tube, centroid);
  return {std::sqrt(found.squared), centroid, found.y, rounds};
}

}  // namespace clearance
