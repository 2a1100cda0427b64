// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/geometry/symmetric_eigen.h>

#include "bvh/float8.h"

namespace clearance::detail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// Relative rounding of a double that becomes a float, rounded up.
constexpr double kHalfUlp = 6e-8;
/// What a corner may be off after its conversion to model floats, as a fraction of the model's
/// radius: half a unit in the last place in each of three coordinates.
constexpr double kCornerError = 1.2e-7;
/// What rotating a corner in single precision may add, as a fraction of the corner's distance from
/// the origin of the frame: eight roundings.
constexpr double kRotateError = 6e-7;

/// Least length of the sum of normals, as a fraction of the sum of their lengths, for which it is
/// taken as a common normal.
constexpr double kFlatEnough = 0.99;

float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, kInfinity) : f;
}

Vec3 row(const float (&axes)[3][3], int k) { return {axes[k][0], axes[k][1], axes[k][2]}; }

void set_axes(WideFrame& frame, const std::array<std::array<float, 3>, 3>& axes) {
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j) frame.axes[k][j] = axes[k][j];
  }
}

}  // namespace

void Moments::add(const Triangle& t, double least_weight) {
  const Vec3 n = cross(t.b - t.a, t.c - t.a);
  const double area = 0.5 * norm(n) + least_weight;
  const Vec3 s = t.a + t.b + t.c;
  weight += area;
  first += area / 3.0 * s;
  // Second moment of a triangle: A/12 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
  const double w = area / 12.0;
  second[0] += w * (s.x * s.x + t.a.x * t.a.x + t.b.x * t.b.x + t.c.x * t.c.x);
  second[1] += w * (s.x * s.y + t.a.x * t.a.y + t.b.x * t.b.y + t.c.x * t.c.y);
  second[2] += w * (s.x * s.z + t.a.x * t.a.z + t.b.x * t.b.z + t.c.x * t.c.z);
  second[3] += w * (s.y * s.y + t.a.y * t.a.y + t.b.y * t.b.y + t.c.y * t.c.y);
  second[4] += w * (s.y * s.z + t.a.y * t.a.z + t.b.y * t.b.z + t.c.y * t.c.z);
  second[5] += w * (s.z * s.z + t.a.z * t.a.z + t.b.z * t.b.z + t.c.z * t.c.z);
}

void Moments::add(const Moments& m) {
  weight += m.weight;
  first += m.first;
  for (std::size_t i = 0; i < 6; ++i) second[i] += m.second[i];
}

Mat3 Moments::covariance() const {
  if (!(weight > 0.0)) return Mat3::zero();
  const Vec3 c = first / weight;
  Mat3 m;
  m[0] = {second[0] / weight - c.x * c.x, second[1] / weight - c.x * c.y,
          second[2] / weight - c.x * c.z};
  m[1] = {m[0].y, second[3] / weight - c.y * c.y, second[4] / weight - c.y * c.z};
  m[2] = {m[0].z, m[1].z, second[5] / weight - c.z * c.z};
  return m;
}

Mat3 Moments::axes() const { return transpose(eigen_of_symmetric(covariance()).vectors); }

Mat3 leaf_axes(std::span<const Triangle> triangles, const Moments& moments) {
  Vec3 sum;
  double total = 0.0;
  for (const Triangle& t : triangles) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    sum += n;
    total += norm(n);
  }
  // Triangles that face all ways, or have no area: all three axes from the spread of their points.
  const double length = norm(sum);
  if (!(length > kFlatEnough * total)) return moments.axes();
  // Else the two principal axes within the plane, in closed form.
  const Vec3 z = sum / length;
  const Vec3 u = any_perpendicular(z);
  const Vec3 v = cross(z, u);
  const Mat3 c = moments.covariance();
  const Vec3 cu = c * u;
  const double uu = dot(u, cu);
  const double uv = dot(v, cu);
  const double vv = dot(v, c * v);
  // The larger eigenvalue's vector is (difference + root, 2 uv), up to its length.
  const double difference = uu - vv;
  const double root = std::sqrt(difference * difference + 4.0 * uv * uv);
  Vec3 x = difference >= 0.0 ? (difference + root) * u + (2.0 * uv) * v
                             : (2.0 * uv) * u + (root - difference) * v;
  const double x_length = norm(x);
  x = x_length > 0.0 ? x / x_length : u;
  return {{x, cross(z, x), z}};
}

CornerArrays::CornerArrays(std::size_t count)
    : stride_((count + 2 * kWidth - 1) / kWidth * kWidth), data_(9 * stride_) {}

void CornerArrays::set(std::size_t i, const Triangle& t) {
  const std::array<double, 9> v{t.a.x, t.a.y, t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z};
  for (std::size_t k = 0; k < 9; ++k) data_[k * stride_ + i] = static_cast<float>(v[k]);
}

void RotatedBounds::include(const RotatedBounds& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], b.low[k]);
    high[k] = std::max(high[k], b.high[k]);
  }
}

float RotatedBounds::half_area() const {
  const float x = high[0] - low[0];
  const float y = high[1] - low[1];
  const float z = high[2] - low[2];
  return x * y + y * z + z * x;
}

Rotation rotation_of(const Mat3& axes, const Vec3& origin) {
  Rotation r;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j) r.axes[k][j] = static_cast<float>(axes[k][j]);
    r.origin[k] = static_cast<float>(origin[k]);
  }
  return r;
}

RotatedBounds bounds_of(const CornerArrays& corners, std::size_t first, std::size_t count,
                        const Rotation& rotation) {
  Float8 low[3];
  Float8 high[3];
  Float8 axes[3][3];
  Float8 origin[3];
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = broadcast8(kInfinity);
    high[k] = broadcast8(-kInfinity);
    origin[k] = broadcast8(rotation.origin[k]);
    for (std::size_t j = 0; j < 3; ++j) axes[k][j] = broadcast8(rotation.axes[k][j]);
  }
  const Int8 lanes{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t i = 0; i < count; i += kWidth) {
    // The last run may be short: its spare lanes count for nothing.
    const auto left = static_cast<std::int32_t>(std::min(count - i, kWidth));
    const Int8 used = lanes < left;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Float8 x = load8(corners.row(3 * corner) + first + i) - origin[0];
      const Float8 y = load8(corners.row(3 * corner + 1) + first + i) - origin[1];
      const Float8 z = load8(corners.row(3 * corner + 2) + first + i) - origin[2];
      for (std::size_t k = 0; k < 3; ++k) {
        const Float8 u = fused(axes[k][0], x, fused(axes[k][1], y, axes[k][2] * z));
        low[k] = min(low[k], used ? u : low[k]);
        high[k] = max(high[k], used ? u : high[k]);
      }
    }
  }
  RotatedBounds b;
  for (std::size_t k = 0; k < 3; ++k) {
    b.low[k] = low[k][0];
    b.high[k] = high[k][0];
    for (int i = 1; i < 8; ++i) {
      b.low[k] = std::min(b.low[k], low[k][i]);
      b.high[k] = std::max(b.high[k], high[k][i]);
    }
  }
  return b;
}

void fit_node(WideNode& node, const Rotation& rotation, std::span<const RotatedBounds> children,
              double model_radius) {
  RotatedBounds all = children[0];
  for (const RotatedBounds& b : children) all.include(b);

  // The origin moves to the middle of the box; it is rounded, and what was meant is forgotten.
  set_axes(node.frame, rotation.axes);
  Vec3 middle;
  for (std::size_t k = 0; k < 3; ++k)
    middle[k] = 0.5 * (static_cast<double>(all.low[k]) + static_cast<double>(all.high[k]));
  const Vec3 old_origin{rotation.origin[0], rotation.origin[1], rotation.origin[2]};
  Vec3 origin = old_origin;
  for (int k = 0; k < 3; ++k) origin += middle[k] * row(node.frame.axes, k);
  Vec3 shift;
  for (int k = 0; k < 3; ++k) node.frame.origin[k] = static_cast<float>(origin[k]);
  const Vec3 moved =
      Vec3{node.frame.origin[0], node.frame.origin[1], node.frame.origin[2]} - old_origin;
  for (int k = 0; k < 3; ++k) shift[k] = dot(row(node.frame.axes, k), moved);

  double reach = 0.0;  // of the corners from the old origin, as rotated
  for (std::size_t k = 0; k < 3; ++k)
    reach += std::max(std::abs(all.low[k]), std::abs(all.high[k]));
  const double margin = kCornerError * model_radius + kRotateError * reach;
  double radius_sq = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    double own = 0.0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      if (i >= children.size()) {
        node.center[k][i] = 0.0F;
        node.half[k][i] = kEmptyHalf;
        continue;
      }
      const double low = static_cast<double>(children[i].low[k]) - shift[k];
      const double high = static_cast<double>(children[i].high[k]) - shift[k];
      const auto center = static_cast<float>(0.5 * (low + high));
      const double half = std::max(high - center, center - low) + margin;
      node.center[k][i] = center;
      node.half[k][i] = rounded_up(half * (1.0 + kHalfUlp));
      own = std::max(own,
                     std::abs(static_cast<double>(center)) + static_cast<double>(node.half[k][i]));
    }
    node.frame.half_size[k] = rounded_up(own);
    radius_sq += own * own;
  }
  node.frame.radius = rounded_up(std::sqrt(radius_sq) * (1.0 + kHalfUlp));
}

void fit_leaf(WideLeaf& leaf, const Mat3& axes, std::span<const Triangle> triangles) {
  const Rotation rotation = rotation_of(axes, {});
  set_axes(leaf.frame, rotation.axes);
  // Rotated by exactly the axes that are kept; then the origin moves to the middle.
  std::array<std::array<Vec3, 3>, kWidth> u;
  Box box;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const std::array<Vec3, 3> p{triangles[i].a, triangles[i].b, triangles[i].c};
    for (std::size_t c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) u[i][c][k] = dot(row(leaf.frame.axes, k), p[c]);
      box.include(u[i][c]);
    }
  }
  const Vec3 middle = box.center();
  Vec3 origin;
  for (int k = 0; k < 3; ++k) origin += middle[k] * row(leaf.frame.axes, k);
  for (int k = 0; k < 3; ++k) leaf.frame.origin[k] = static_cast<float>(origin[k]);
  const Vec3 kept{leaf.frame.origin[0], leaf.frame.origin[1], leaf.frame.origin[2]};
  Vec3 shift;
  for (int k = 0; k < 3; ++k) shift[k] = dot(row(leaf.frame.axes, k), kept);

  Vec3 reach;
  for (std::size_t i = 0; i < kWidth; ++i) {
    const std::size_t source = i < triangles.size() ? i : 0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double v = u[source][c][k] - shift[k];
        leaf.corner[3 * c + k][i] = static_cast<float>(v);
        reach[k] = std::max(reach[k], std::abs(v));
      }
    }
  }
  // The doubles of u carry a relative error of a few 1e-16 of the model: below kFloatError of any
  // leaf that is not a millionth of a millionth of the model, and added here for those.
  const double tiny = 1e-15 * (norm(kept) + norm(reach));
  double radius_sq = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double half = reach[k] * (1.0 + kHalfUlp) + tiny;
    leaf.frame.half_size[k] = rounded_up(half);
    radius_sq += half * half;
  }
  leaf.frame.radius = rounded_up(std::sqrt(radius_sq) * (1.0 + 2.0 * kHalfUlp));
}

}  // namespace clearance::detail
