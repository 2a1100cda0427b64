// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/fitters.h"

#include <algorithm>
#include <limits>

#include <clearance/geometry/symmetric_eigen.h>

namespace clearance::detail {
namespace {

/// Sum of w v vᵀ, upper half only: what eigen_of_symmetric() reads.
struct Tensor {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;

  void add(const Vec3& v, double w) {
    const Vec3 wv = w * v;
    xx += wv.x * v.x;
    xy += wv.x * v.y;
    xz += wv.x * v.z;
    yy += wv.y * v.y;
    yz += wv.y * v.z;
    zz += wv.z * v.z;
  }
  [[nodiscard]] Mat3 axes() const {
    return eigen_of_symmetric({{Vec3{xx, xy, xz}, Vec3{xy, yy, yz}, Vec3{xz, yz, zz}}}).vectors;
  }
};

/// What the first pass of the fitters by area finds.
struct AreaSums {
  double total = 0.0;
  double least = 0.0;  ///< A_min: the least area that is not degenerate
  Vec3 centroid;       ///< area-weighted, Algorithm 1
  bool degenerate = false;
};

AreaSums sum_areas(std::span<const Triangle> triangles, std::vector<double>& areas) {
  AreaSums sums;
  areas.resize(triangles.size());
  // Relative to a corner of the set, which keeps the digits of sets far from the origin.
  const Vec3 origin = triangles.front().a;
  Vec3 moment;
  Box bounds;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    const double area = 0.5 * norm(cross(t.a - t.b, t.a - t.c));  // eq. (6)
    areas[i] = area;
    sums.total += area;
    moment += area / 3.0 * ((t.a - origin) + (t.b - origin) + (t.c - origin));
    bounds.include(t.a);
    bounds.include(t.b);
    bounds.include(t.c);
  }
  const double epsilon = kDegenerateArea * squared_norm(bounds.size());
  // Also true when the squares underflow.
  sums.degenerate = !(sums.total > epsilon);
  if (sums.degenerate) return sums;
  sums.centroid = moment / sums.total + origin;
  sums.least = std::numeric_limits<double>::infinity();
  for (const double area : areas) {
    if (area >= epsilon) sums.least = std::min(sums.least, area);
  }
  // Many triangles may add up to an area of which each alone falls short.
  if (sums.least > sums.total) sums.least = sums.total / static_cast<double>(triangles.size());
  return sums;
}

}  // namespace

SplitFrame pqp_frame(std::span<const Triangle> triangles) {
  const Vec3 origin = triangles.front().a;
  Vec3 sum;
  for (const Triangle& t : triangles) sum += (t.a - origin) + (t.b - origin) + (t.c - origin);
  SplitFrame frame;
  frame.position = sum / (3.0 * static_cast<double>(triangles.size())) + origin;  // eq. (1)
  Tensor covariance;                                                              // eq. (2)
  for (const Triangle& t : triangles) {
    covariance.add(t.a - frame.position, 1.0);
    covariance.add(t.b - frame.position, 1.0);
    covariance.add(t.c - frame.position, 1.0);
  }
  frame.axes = covariance.axes();
  return frame;
}

SplitFrame rapid2_frame(std::span<const Triangle> triangles, std::vector<double>& areas) {
  const AreaSums sums = sum_areas(triangles, areas);
  if (sums.degenerate) return pqp_frame(triangles);
  SplitFrame frame;
  frame.position = sums.centroid;  // eq. (7)
  // Eq. (9) about the centroid, which makes its last term zero and loses no digits to it.
  Tensor covariance;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Vec3 p = triangles[i].a - frame.position;
    const Vec3 q = triangles[i].b - frame.position;
    const Vec3 r = triangles[i].c - frame.position;
    const double weight = areas[i] / sums.total;
    covariance.add(p + q + r, weight);  // 9 m mᵀ
    covariance.add(p, weight);
    covariance.add(q, weight);
    covariance.add(r, weight);
  }
  frame.axes = covariance.axes();
  return frame;
}

SplitFrame inertia_frame(std::span<const Triangle> triangles, std::vector<double>& areas) {
  const AreaSums sums = sum_areas(triangles, areas);
  if (sums.degenerate) return pqp_frame(triangles);
  SplitFrame frame;
  frame.position = sums.centroid;
  Tensor inertia;  // eq. (10), with A_i / A_min for A_i
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const double weight = areas[i] / sums.least;
    inertia.add(triangles[i].a - frame.position, weight);
    inertia.add(triangles[i].b - frame.position, weight);
    inertia.add(triangles[i].c - frame.position, weight);
  }
  frame.axes = inertia.axes();
  return frame;
}

SplitFrame split_frame(Fitter fitter, std::span<const Triangle> triangles,
                       std::vector<double>& areas) {
  switch (fitter) {
    case Fitter::Pqp:
      return pqp_frame(triangles);
    case Fitter::Rapid2:
      return rapid2_frame(triangles, areas);
    case Fitter::Inertia:
    case Fitter::Binned:
      break;
  }
  return inertia_frame(triangles, areas);
}

}  // namespace clearance::detail
