// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <clearance/base/assert.h>
#include <clearance/plan/path.h>

namespace clearance {
namespace {

/// The turn between two rotations, by the shorter way [rad].
double angle_between(const Mat3& a, const Mat3& b) {
  const Quaternion q = quaternion_from(nearest_rotation(b * transpose(a)));
  return 2.0 * std::atan2(norm(Vec3{q.x, q.y, q.z}), q.w);
}

}  // namespace

double pose_distance(const Pose& a, const Pose& b, const Vec3& pivot, double radius) {
  const double turn = radius * angle_between(a.rotation, b.rotation);
  return std::sqrt(squared_norm(b * pivot - a * pivot) + turn * turn);
}

double gyration_radius(const Mesh& body, const Vec3& pivot) {
  // The mean of |p|² over a triangle is (|a|² + |b|² + |c|² + |a + b + c|²) / 12.
  double weighted = 0.0;
  double area = 0.0;
  for (std::size_t i = 0; i < body.triangle_count(); ++i) {
    const Triangle t = body.triangle(i);
    const Vec3 a = t.a - pivot;
    const Vec3 b = t.b - pivot;
    const Vec3 c = t.c - pivot;
    const double size = 0.5 * norm(cross(b - a, c - a));
    weighted += size *
                (squared_norm(a) + squared_norm(b) + squared_norm(c) + squared_norm(a + b + c)) /
                12.0;
    area += size;
  }
  if (area > 0.0) return std::sqrt(weighted / area);
  // A body without area (segments, points): its vertices stand for it.
  double sum = 0.0;
  for (const Vec3& vertex : body.vertices()) sum += squared_norm(vertex - pivot);
  return body.vertex_count() > 0 ? std::sqrt(sum / static_cast<double>(body.vertex_count())) : 0.0;
}

PathLength length_of(const PlanPath& path) {
  PathLength length;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Pose& a = path.poses[i];
    const Pose& b = path.poses[i + 1];
    length.translation += norm(b * path.pivot - a * path.pivot);
    length.rotation += angle_between(a.rotation, b.rotation);
  }
  return length;
}

Pose pose_at(const PlanPath& path, double s, double radius) {
  CLEARANCE_ASSERT(!path.poses.empty());
  std::vector<double> ends;
  double total = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    total += pose_distance(path.poses[i], path.poses[i + 1], path.pivot, radius);
    ends.push_back(total);
  }
  // The ends as they stand, not as they are interpolated; NaN is the start.
  if (!(s > 0.0) || total == 0.0) return path.poses.front();
  if (s >= 1.0) return path.poses.back();
  const double way = s * total;
  const auto found = std::upper_bound(ends.begin(), ends.end(), way);
  if (found == ends.end()) return path.poses.back();
  const auto piece = static_cast<std::size_t>(found - ends.begin());
  const double begin = piece == 0 ? 0.0 : ends[piece - 1];
  return path.motion(piece).at((way - begin) / (ends[piece] - begin));
}

}  // namespace clearance
