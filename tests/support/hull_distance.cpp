// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/hull_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clearance::test {
namespace {

using Long3 = std::array<long double, 3>;

Long3 minus(const Long3& a, const Long3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
long double dot(const Long3& a, const Long3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The point of the plane, line or point through the corners that is nearest to the origin, when it
/// lies strictly between them: solves for the weights by elimination with full pivoting.
bool nearest_between(const std::vector<Long3>& corners, Long3& nearest) {
  const std::size_t n = corners.size() - 1;
  std::array<std::array<long double, 4>, 3> rows{};
  for (std::size_t i = 0; i < n; ++i) {
    const Long3 edge = minus(corners[i + 1], corners[0]);
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = dot(edge, minus(corners[j + 1], corners[0]));
    rows[i][n] = -dot(edge, corners[0]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < n; ++r)
      if (std::abs(rows[r][i]) > std::abs(rows[pivot][i])) pivot = r;
    if (rows[pivot][i] == 0.0L) return false;
    std::swap(rows[i], rows[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const long double factor = rows[r][i] / rows[i][i];
      for (std::size_t c = i; c <= n; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  nearest = corners[0];
  long double first = 1.0L;
  for (std::size_t i = 0; i < n; ++i) {
    const long double weight = rows[i][n] / rows[i][i];
    if (!(weight > 0.0L)) return false;
    first -= weight;
    for (std::size_t k = 0; k < 3; ++k) nearest[k] += weight * (corners[i + 1][k] - corners[0][k]);
  }
  if (!(first > 0.0L)) return false;
  // Corners that are nearly on one line or plane give weights of noise: what they lead to is not
  // square to the edges. Then the answer is that of a face of fewer corners.
  long double scale = 0.0L;
  for (const Long3& corner : corners) scale = std::max(scale, dot(corner, corner));
  for (std::size_t i = 0; i < n; ++i) {
    const Long3 edge = minus(corners[i + 1], corners[0]);
    if (std::abs(dot(nearest, edge)) > 1e-14L * std::sqrt(scale * dot(edge, edge))) return false;
  }
  // Four corners hold the origin or are none.
  return n < 3 || dot(nearest, nearest) <= 1e-28L * scale;
}

}  // namespace

double hull_distance(const RoundedHull& a, const RoundedHull& b) {
  std::vector<Long3> all;
  for (const Vec3& p : a.points) {
    for (const Vec3& q : b.points) {
      all.push_back({static_cast<long double>(p.x) - q.x, static_cast<long double>(p.y) - q.y,
                     static_cast<long double>(p.z) - q.z});
    }
  }
  std::vector<Long3> simplex{all[0]};
  Long3 best = all[0];
  // Each round takes in the point farthest toward the origin, until there is none.
  for (int round = 0; round < 1000; ++round) {
    const Long3 next = *std::min_element(
        all.begin(), all.end(),
        [&](const Long3& x, const Long3& y) { return dot(x, best) < dot(y, best); });
    if (dot(best, best) - dot(next, best) <= 1e-17L * dot(best, best)) break;
    simplex.push_back(next);
    // All faces of the simplex; the nearest point of it is strictly inside one of them.
    std::vector<Long3> kept;
    long double least = std::numeric_limits<long double>::infinity();
    for (unsigned mask = 1; mask < 1U << simplex.size(); ++mask) {
      std::vector<Long3> face;
      for (std::size_t i = 0; i < simplex.size(); ++i)
        if ((mask >> i & 1U) != 0) face.push_back(simplex[i]);
      Long3 nearest;
      if (face.size() > 4 || !nearest_between(face, nearest) || dot(nearest, nearest) >= least)
        continue;
      least = dot(nearest, nearest);
      kept = face;
      best = nearest;
    }
    simplex = kept;
    if (simplex.size() == 4) return 0.0;
  }
  return std::max(static_cast<double>(std::sqrt(dot(best, best))) - (a.radius + b.radius), 0.0);
}

std::vector<RoundedHull> hulls_of(const LinkShape& link, const Pose& pose) {
  std::vector<RoundedHull> hulls;
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    for (const Sphere& s : *spheres) hulls.push_back({{pose * s.center}, s.radius});
  } else if (const auto* capsule = std::get_if<Capsule>(&link)) {
    hulls.push_back({{pose * capsule->axis.a, pose * capsule->axis.b}, capsule->radius});
  } else if (const auto* body = std::get_if<ConvexBody>(&link)) {
    RoundedHull hull;
    for (const Vec3& corner : body->corners()) hull.points.push_back(pose * corner);
    hulls.push_back(hull);
  } else {
    const Bvh& mesh = std::get<Bvh>(link);
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const Triangle t = mesh.triangle(i);
      hulls.push_back({{pose * t.a, pose * t.b, pose * t.c}, 0.0});
    }
  }
  return hulls;
}

double hull_distance(const std::vector<RoundedHull>& a, const std::vector<RoundedHull>& b) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const RoundedHull& hull_a : a)
    for (const RoundedHull& hull_b : b) nearest = std::min(nearest, hull_distance(hull_a, hull_b));
  return nearest;
}

}  // namespace clearance::test
